#!/bin/sh
# Differential tests, planted violations, fuzzed readers and long correct histories of the checkers.
#   checker_fuzz.sh        about two minutes, for make check
#   checker_fuzz.sh soak   ten million random histories against the oracle, and the rest as long
#   CHECK                  the command (default "$SIMRUN check", "./simrun check")
cd "$(dirname "$0")/.." || exit 99
check=${CHECK:-${SIMRUN:-./simrun} check}
out=build/tests/fuzz
lib=${LIB:-build/libsimrun.a}
n=0 passed=0 failed=0
mkdir -p $out || exit 99

if [ "$1" = soak ]; then
	diff=10000000 txn=5000000 plant=2000 parse=1000000
else
	diff=3600000 txn=1000000 plant=250 parse=300000
fi
seed=${SEED:-$(date +%j)} # a different part of the space every day; a failure prints the history

build() {
	${CC:-cc} -std=gnu11 -I. -D_GNU_SOURCE -DFUZZ_MAIN -O2 -g -o "$out/$1" "tests/fuzz/$1.c" "$lib" \
		-ljansson -lxxhash -lm -ldl 2>"$out/$1.err" && return
	cat "$out/$1.err" >&2
	exit 99
}

result() { # status text
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
	fi
}

run() { # program arguments
	p=$1
	shift
	"$out/$p" "$@" >"$out/$p.out" 2>&1
	status=$?
	grep '^#' "$out/$p.out"
	[ $status = 0 ] || sed 's/^/# /' "$out/$p.out" | tail -60
	result $status "$p $*: $(sed -n 's/^\(not \)*ok - //p' "$out/$p.out" | head -1)"
}

for p in checker_diff checker_txn_diff checker_plant checker_plant_more checker_parse; do build $p; done
${CC:-cc} -std=gnu11 -I. -D_GNU_SOURCE -O2 -o $out/gen bench/checker_gen.c "$lib" -lxxhash -lm || exit 99
run checker_diff $diff "$seed"
run checker_txn_diff $txn "$seed"
run checker_plant $plant "$seed"
run checker_plant_more $((4 * plant)) "$seed"
run checker_parse $parse "$seed"

# Correct histories of 100,000 operations.
for m in "register 100000 8 0 0" "register 100000 64 20 0" "queue 100000 32" "stack 100000 32" "counter 100000 32" "list-append 100000 100" "contended 100000 5"; do
	# shellcheck disable=SC2086
	$out/gen $m "$seed" >"$out/long.jsonl"
	$check -q -timeline none -history "$out/long.jsonl" >"$out/long.out" 2>&1
	result $? "a correct history passes: $m: $(tail -1 "$out/long.out")"
	rm -f "$out/long.jsonl"
done
# The same of every model that generate.h knows: on one key, those whose reads return everything on keys of 200 operations.
build checker_long
for m in kv cas register cas-register queue stack counter deque priority-queue mutex owner-mutex reentrant-mutex fenced-mutex \
	reentrant-fenced-mutex semaphore append/200 set/200 kv-append/200; do
	segment=100000
	[ "$m" = "${m#*/}" ] || segment=${m#*/}
	"$out/checker_long" "${m%/*}" 100000 "$segment" 8 "$seed" >"$out/long.jsonl"
	$check -q -timeline none -model "${m%/*}" -history "$out/long.jsonl" >"$out/long.out" 2>&1
	result $? "a correct history passes: $(tail -1 "$out/long.out")"
	rm -f "$out/long.jsonl"
done
echo "1..$n"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
