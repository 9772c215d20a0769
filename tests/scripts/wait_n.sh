#!/bin/bash
# wait -n: whoever ends first; a failing worker ends the others.
declare -A name
work() { sleep "$1"; return "$2"; }
work 1.5 0 & name[$!]=slow
work 0.5 0 & name[$!]=quick
work 1 3 & name[$!]=failing
while ((${#name[@]})); do
	wait -n -p pid "${!name[@]}"
	status=$?
	echo "${name[$pid]} ended with $status"
	unset "name[$pid]"
	if [ $status != 0 ]; then
		kill "${!name[@]}" 2>/dev/null
		break
	fi
done
wait
[ $status = 3 ] && [ ${#name[@]} = 1 ]
