#!/usr/bin/env bash
# make soak: what takes too long for make check. Hours are well spent here; SEEDS=20 makes it short.
# Every comparison is of whole sweeps: the hashes of all seeds, one sweep against another.
# shellcheck disable=SC2016 # what guests shall expand stands in single quotes
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
simrun=${SIMRUN:-build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
seeds=${SEEDS:-200}
out=build/soak
mkdir -p $out

# hashes FILE WRAPPER OPTIONS -- COMMAND...: a sweep's seeds, verdicts and hashes.
hashes() {
	local file=$1
	shift
	"$@" >"$out/log" 2>&1
	python3 -c 'import json, sys
for l in sorted(open(sys.argv[1]), key=lambda l: json.loads(l)["seed"]):
    o = json.loads(l)
    print(o["seed"], o["verdict"], o["determinism_hash"], o["host_calls"])' $out/json >"$file"
}

same() { # NAME FILE FILE
	if [ -s "$2" ] && cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$(diff "$2" "$3" | head -n 10)"; fi
}

# steady NAME OPTIONS -- COMMAND: five sweeps in different circumstances, the same hashes.
steady() {
	local name=$1 base=$out/$1
	shift
	hashes "$base.1" "$simrun" -q -json $out/json -seeds "1-$seeds" "$@"
	if [ "$(awk '$2 == "error" || $2 == "timeout"' "$base.1" | wc -l)" != 0 ]; then
		not_ok "$name: every seed runs" "$(grep -E 'error|timeout' "$base.1" | head -n 5)"
	else
		ok "$name: every seed runs"
	fi
	hashes "$base.2" "$simrun" -q -json $out/json -seeds "1-$seeds" "$@"
	same "$name: again" "$base.1" "$base.2"
	hashes "$base.2" "$simrun" -q -json $out/json -seeds "1-$seeds" -j 2 "$@"
	same "$name: with -j 2" "$base.1" "$base.2"
	hashes "$base.2" tests/load.sh "$simrun" -q -json $out/json -seeds "1-$seeds" "$@"
	same "$name: under load" "$base.1" "$base.2"
	hashes "$base.2" env "LONG=$(printf '%4000s' x)" "$simrun" -q -json $out/json -seeds "1-$seeds" "$@"
	same "$name: with a longer environment outside" "$base.1" "$base.2"
	hashes "$base.2" taskset -c "$(($(nproc) - 1))" "$simrun" -q -json $out/json -seeds "1-$seeds" "$@"
	same "$name: on the last CPU" "$base.1" "$base.2"
}

steady redis -faults crash -- examples/redis/cluster.sh
steady shell -- bash -c 'for i in 1 2 3; do (sleep 0.$RANDOM; echo $i; od -An -N4 -tx1 /dev/urandom) & done; wait; date +%N'
if command -v python3 >/dev/null; then
	steady python -- python3 -c 'import random, subprocess, tempfile, threading, uuid
def work(n):
    with tempfile.NamedTemporaryFile() as f:
        print(n, uuid.uuid4(), random.random(), subprocess.run(["date", "+%N"], capture_output=True).stdout)
ts = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[t.start() for t in ts]
[t.join() for t in ts]'
fi
# Stock programs, those too for which make check has no time.
while IFS= read -r line; do
	case $line in
	'ok '*'# SKIP '*) skip "$(sed 's/^ok [0-9]* - //; s/ # SKIP.*//' <<<"$line")" "${line#*# SKIP }" ;;
	'ok '*) ok "real: ${line#* - }" ;;
	'not ok '*) not_ok "real: ${line#* - }" "see $out/real" ;;
	esac
done < <(tests/real.sh all 2>&1 | tee $out/real)
for t in examples/*/soak.sh; do
	if [ -x "$t" ]; then
		if SEEDS=$seeds "$t" >$out/log 2>&1; then ok "$t"; else not_ok "$t" "$(tail -n 10 $out/log)"; fi
	fi
done
# Ten million random histories against the oracle; every result is one of the soak's.
while IFS= read -r line; do
	case $line in 'ok '*) ok "${line#* - }" ;; 'not ok '*) not_ok "${line#* - }" "see $out/checkers" ;; esac
done < <(tests/checker_fuzz.sh soak 2>&1 | tee $out/checkers)
for ((i = 0; i < ${ROUNDS:-5}; i++)); do
	if [ -x tests/run.sh ]; then
		if tests/load.sh tests/run.sh >$out/log 2>&1; then ok "guests under load, round $i"; else
			not_ok "guests under load, round $i" "$(grep -A 5 '^not ok' $out/log | head -n 20)"
		fi
	fi
done
done_testing
