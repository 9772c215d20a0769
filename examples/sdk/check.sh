#!/usr/bin/env bash
# Workloads in languages without a library: inert natively, recorded and checked in a simulation.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/lib/check.bash
. "$here/../lib/check.bash"
seeds=10
mkdir "$work/bin"
ln -s "$simrun" "$work/bin/simrun"
PATH=$work/bin:$PATH
cp "$here"/* "$work"
cd "$work" || exit 1

language() { # NAME COMMAND...
	local name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		skip "$name" "no $1"
		return
	fi
	if out=$(timeout -k 5 60 "$@" 2>&1) && [ -z "$out" ]; then ok "$name: natively"; else not_ok "$name: natively" "$out"; fi
	echo "# $name"
	correct "$@"
	found 1 "$seeds" linearizability 'not linearizable (model kv)' "$@"
}

language shell ./workload.sh
language python python3 workload.py
language node node workload.js
if command -v javac >/dev/null && javac Workload.java; then
	language java java -cp . Workload
else
	skip java 'no javac'
fi
done_testing
