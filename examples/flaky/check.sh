#!/usr/bin/env bash
# What these examples claim: natively their bugs hardly ever show; simrun finds each within 500 seeds, the command that it
# prints shows it again ten times of ten; and the fixed versions pass. SEEDS (default 40) fixed runs; RUNS (default 5)
# native ones.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tap.sh
. "$here/../../tests/tap.sh"
simrun=${SIMRUN:-$here/../../build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
seeds=${SEEDS:-40} runs=${RUNS:-5}
work=$(mktemp -d /tmp/simrun-flaky-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cp "$here"/{c/*.c,go/*.go,go/go.mod,python/*.py} "$work"
cd "$work" || exit 1

# natively NAME COMMAND...: fails in at most one of 1000 runs.
natively() {
	local name=$1 i failed=0
	shift
	for ((i = 0; i < runs; i++)); do "$@" >native.log 2>&1 || failed=$((failed + 1)); done
	if ((failed * 1000 <= runs)); then
		ok "$name: natively $failed of $runs runs fail"
	else
		not_ok "$name: natively $failed of $runs runs fail" <native.log
	fi
}

# found NAME MESSAGE COMMAND...: some seed shows the bug, with this message, and shows it again.
found() {
	local name=$1 message=$2 line hash i again=0
	shift 2
	if "$simrun" -seeds 1-500 -until-fail "$@" >found.log 2>&1; then
		not_ok "$name: found within 500 seeds" <found.log
		return
	fi
	ok "$name: found, $(grep -oE '^FAIL seed [0-9]+' found.log)"
	line=$(sed -n 's/^reproduce: //p' found.log)
	hash=$(grep -oE 'determinism hash.*' found.log)
	for ((i = 0; i < 10; i++)); do
		eval "$line" >again.log 2>&1
		if [ $? = 1 ] && grep -qE "$message" again.log && [ "$(tail -n 1 again.log)" = "$hash" ]; then
			again=$((again + 1))
		fi
	done
	if [ $again = 10 ]; then ok "$name: again 10 of 10 times"; else not_ok "$name: again $again of 10 times" <again.log; fi
}

fixed() { # NAME COMMAND...
	local name=$1
	shift
	if "$simrun" -seeds "1-$seeds" -j 2 "$@" >fixed.log 2>&1; then
		ok "$name: the fixed version passes $seeds seeds"
	else
		not_ok "$name: the fixed version passes $seeds seeds" <fixed.log
	fi
	rm -rf .simrun
}

gcc -O2 -pthread -o bank bank.c && gcc -O2 -pthread -DFIXED -o bank-fixed bank.c || exit 1
natively c ./bank
found c '^LOST: the balance is' ./bank
fixed c ./bank-fixed

if ! command -v go >/dev/null; then
	skip go 'no go'
elif CGO_ENABLED=0 go test -c -o hub.test . && CGO_ENABLED=0 go test -c -tags fixed -o hub-fixed.test .; then
	natively go ./hub.test
	found go 'no event after 10 seconds' ./hub.test
	fixed go ./hub-fixed.test
else
	not_ok 'go: builds' 'go test -c failed'
fi

# The interpreter itself, not a script in front of it.
python=/usr/bin/python3
[ -x $python ] || python=$(command -v python3)
if [ -z "$python" ]; then
	skip python 'no python3'
else
	natively python "$python" test_batch.py
	found python "Lists differ: \['500000', 'one'\] != \['one', '500000'\]" "$python" test_batch.py
	fixed python "$python" test_batch.py fixed
fi
done_testing
