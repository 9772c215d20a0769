#!/usr/bin/env bash
# example.sh NAME SEEDS PROGRAM...: what is shown of examples/NAME/cluster.sh: it passes natively, and for SEEDS seeds, each
# run twice and compared; and seed 1 once more while every CPU is busy, with the same hash.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
simrun=${SIMRUN:-build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
name=$1 seeds=$2
shift 2
cluster=$PWD/examples/$name/cluster.sh
PATH=$PATH:/usr/sbin
for p in "$@"; do
	if ! command -v "$p" >/dev/null; then
		skip "$name" "no $p"
		done_testing
	fi
done
work=$(mktemp -d /tmp/simrun-example-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1

hashes() { grep -oE '"seed":[0-9]+|"determinism_hash":"[0-9a-f]+"' json | paste -d' ' - - | sort; }

if timeout -k 5 300 "$cluster" >log 2>&1 </dev/null; then ok 'natively'; else not_ok 'natively' <log; fi
if "$simrun" -seeds "1-$seeds" -j 2 -check -json json "$cluster" >log 2>&1 </dev/null; then
	ok "$seeds seeds, each twice"
else
	not_ok "$seeds seeds, each twice" < <(tail -n 40 log)
fi
first=$(hashes | grep -E '"seed":1 ')
"$OLDPWD/tests/load.sh" "$simrun" -q -seed 1 -json json "$cluster" >/dev/null 2>&1 </dev/null
clean 'seed 1 under load: the same hash' "$(diff <(echo "$first") <(hashes))"
done_testing
