#!/usr/bin/env bash
# The scripts of tests/scripts, as people write them, run as they are: natively, and under simrun for three seeds, each twice.
# tests/scripts.sh [NAME...]; SEEDS (3).
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
PATH=$PATH:/usr/local/go/bin:/usr/sbin
work=$(mktemp -d /tmp/simrun-scripts-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
export GOCACHE=$work/gocache

missing() { # SCRIPT: a program that it needs and that is not here
	local p programs
	read -ra programs < <(sed -n 's/^# needs: //p' "$1")
	for p in "${programs[@]}"; do
		command -v "$p" >/dev/null || { echo "$p"; return; }
	done
}

script() { # FILE
	local name lacks
	name=$(basename "$1")
	lacks=$(missing "$1")
	if [ -n "$lacks" ]; then
		skip "$name" "no $lacks"
		return
	fi
	if timeout -k 5 120 "$1" >log 2>&1 </dev/null; then ok "$name natively"; else not_ok "$name natively" <log; fi
	if "$simrun" -timeout 4m -env "GOCACHE=$GOCACHE" -seeds "1-${SEEDS:-3}" -j 2 -check "$1" >log 2>&1 </dev/null; then
		ok "$name: ${SEEDS:-3} seeds, each twice"
	else
		not_ok "$name: ${SEEDS:-3} seeds, each twice" < <(tail -n 30 log)
	fi
	rm -rf .simrun
}

if [ $# = 0 ]; then set -- "$top"/tests/scripts/*; else set -- "${@/#/$top/tests/scripts/}"; fi
for s; do script "$s"; done
done_testing
