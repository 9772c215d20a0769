#!/usr/bin/env bash
# What make check shows of this example: it passes natively and, with crashes, for five seeds, each run twice; one of them
# once more while every CPU is busy, with the same hash; and all five, with a shorter sleep, in different circumstances.
# make soak does it for 200.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
simrun=${SIMRUN:-build/simrun}
if ! command -v redis-server >/dev/null; then
	skip 'redis' 'no redis-server'
	done_testing
fi
json=$(mktemp)
trap 'rm -f "$json"' EXIT

hashes() { grep -oE '"seed":[0-9]+|"determinism_hash":"[0-9a-f]+"' "$json" | paste -d' ' - - | sort; }

if out=$(NAP=0 timeout -k 5 120 examples/redis/cluster.sh 2>&1); then ok 'natively'; else not_ok 'natively' "$out"; fi
if out=$("$simrun" -seeds 1-5 -j 2 -check -faults crash -json "$json" examples/redis/cluster.sh 2>&1); then
	ok 'five seeds with crashes, each twice'
else
	not_ok 'five seeds with crashes, each twice' "$out"
fi
first=$(hashes | grep -E '"seed":1 ')
tests/load.sh "$simrun" -q -seed 1 -faults crash -json "$json" examples/redis/cluster.sh >/dev/null 2>&1
clean 'one of them under load: the same hash' "$(diff <(echo "$first") <(hashes))"

short=(-q -seeds 1-5 -faults crash -env NAP=60 -json "$json" examples/redis/cluster.sh)
"$simrun" "${short[@]}" >/dev/null 2>&1
first=$(hashes)
clean 'five seeds with crashes pass' "$(grep -v '"verdict":"pass"' "$json")"
"$simrun" -j 2 "${short[@]}" >/dev/null 2>&1
clean 'two at a time: the same hashes' "$(diff <(echo "$first") <(hashes))"
env "LONG=$(printf '%4000s' x)" "$simrun" "${short[@]}" >/dev/null 2>&1
clean 'a longer environment outside: the same hashes' "$(diff <(echo "$first") <(hashes))"
done_testing
