#!/usr/bin/env bash
# Races between calls: each program of tests/races/ must fail within SEEDS seeds, the same way ten times out of ten, and its
# correct twin must pass. TAP; races.sh [NAME...], with SEEDS (500), FIXED_SEEDS (40), LEVEL (default), POLICY (random).
set -u
cd "$(dirname "$0")/.." || exit 1
simrun=${SIMRUN:-build/simrun}
seeds=${SEEDS:-500} twin=${FIXED_SEEDS:-40} options=(-preempt "${LEVEL:-default}" -sched "${POLICY:-random}")
out=build/races
n=0 failed=0
# shellcheck source=tests/races/build.sh
. tests/races/build.sh

result() { # STATUS WHAT
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		failed=1
	fi
}

for src in tests/races/*.{c,cc,go}; do
	name=$(basename "${src%.*}")
	if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
	build_race "$src" || continue
	log=$("$simrun" -q -seeds "1-$seeds" -until-fail "${options[@]}" "${race[@]}" 2>&1)
	seed=$(sed -n 's/^FAIL seed \([0-9]*\) .*/\1/p' <<<"$log" | head -n 1)
	[ -n "$seed" ]
	result $? "races/$name: found${seed:+ by seed $seed}"
	if [ -n "$seed" ]; then
		same=0
		want=$(sed -n 's/^ *determinism hash \([0-9a-f]*\) .*/\1/p' <<<"$log" | tail -n 1)
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			got=$("$simrun" -q -seed "$seed" "${options[@]}" "${race[@]}" 2>&1)
			grep -q "^determinism hash $want " <<<"$got" && grep -q '^FAIL' <<<"$got" && same=$((same + 1))
		done
		[ $same = 10 ]
		result $? "races/$name: repeats, $same times of 10"
	fi
	"$simrun" -q -seeds "1-$twin" "${options[@]}" "${correct[@]}" >"$out/log" 2>&1
	result $? "races/$name: the correct twin passes $twin seeds"
done
rm -rf .simrun
echo "1..$n"
exit $failed
