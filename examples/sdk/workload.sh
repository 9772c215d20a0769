#!/bin/sh
# The same for a shell, with the commands of simrun, which do nothing outside of a simulation; see workload.py.
set -e
file=$(mktemp)
trap 'rm -f "$file"' EXIT
simrun setup-complete
cached=
for n in 1 2 3 4 5 6 7 8 9 10; do
	if [ $(($(simrun random) % 2)) = 0 ]; then
		id=$(simrun op invoke 1 put k "v$n")
		echo "v$n" >"$file"
		simrun op ok "$id"
	else
		id=$(simrun op invoke 1 get k)
		value=$(cat "$file")
		if [ "${BUG-}" = 1 ]; then
			: "${cached:=${value:-nothing}}"
			value=$cached
		fi
		simrun op ok "$id" "$value"
		if [ -n "$value" ]; then simrun prop sometimes 'the shell read something' true; fi
	fi
done
simrun event 'the shell is done' '{"operations":10}'
