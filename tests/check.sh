#!/usr/bin/env bash
# make check: everything that must hold for every change. Prints what fails, and one last line with the counts.
# check.sh [PART...]: only these parts (lint units cli properties replay antithesis checkers nodes faults guests races waits
# leaks real scripts examples).
set -u
cd "$(dirname "$0")/.." || exit 1
simrun=${SIMRUN:-build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
export SIMRUN=$simrun
logs=build/check
mkdir -p $logs
passed=0 failed=0 skipped=0
started=$SECONDS
parts=("$@")

wanted() { # PART
	[ ${#parts[@]} = 0 ] && return
	local p
	for p in "${parts[@]}"; do [ "$p" = "$1" ] && return; done
	return 1
}

# Adds up what a script said in TAP; its status counts when it said nothing of a failure.
tap() { # NAME COMMAND...
	local name=$1 log=$logs/$1.log status p f s from=$SECONDS
	shift
	timeout -k 10 "${LIMIT:-600}" "$@" >"$log" 2>&1
	status=$?
	s=$(grep -cE '^ok .*# SKIP' "$log")
	p=$(($(grep -cE '^ok ' "$log") - s))
	f=$(grep -cE '^not ok ' "$log")
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		f=1
		echo "not ok - $name ended with status $status" >>"$log"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "# $name: $p passed, $f failed, $s skipped ($((SECONDS - from)) s)"
	[ "$f" = 0 ] || grep -A 12 -E '^not ok' "$log"
	[ "$s" = 0 ] || grep -E '^ok .*# SKIP' "$log" | sed 's/^ok [0-9]* - /# skipped: /' | sort | uniq -c | sort -rn | head -n 5
}

# One program of cmocka: its tests are its results.
unit() { # FILE
	local name log status p f
	name=$(basename "$1")
	log=$logs/$name.log
	timeout -k 10 120 "$1" >"$log" 2>&1
	status=$?
	p=$(grep -c '^\[       OK \]' "$log")
	f=$(grep -E '^\[  FAILED  \] [a-z_0-9]+$' "$log" | sort -u | wc -l)
	[ "$status" = 0 ] || [ "$f" != 0 ] || f=1
	passed=$((passed + p)) failed=$((failed + f))
	[ "$f" = 0 ] || { echo "not ok - $name (status $status)"; tail -n 20 "$log"; }
}

wanted lint && tap lint tests/lint.sh
if wanted units; then
	n=$passed
	for src in tests/unit/*_test.c; do unit "build/tests/unit/$(basename "$src" .c)"; done
	echo "# units: $((passed - n)) passed"
fi
wanted cli && tap cli tests/cli.sh
wanted properties && tap properties tests/properties.sh
wanted replay && tap replay tests/replay.sh
wanted antithesis && tap antithesis tests/antithesis.sh
# The same as an ordinary user, who may not see where we are.
if wanted cli && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	home=$(mktemp -d /tmp/simrun-user-XXXXXX)
	cp "$simrun" tests/cli.sh tests/tap.sh "$home"
	mkdir "$home/tests"
	mv "$home"/*.sh "$home/tests"
	chown -R 65534:65534 "$home"
	tap cli-user setpriv --reuid=65534 --regid=65534 --clear-groups \
		env "SIMRUN=$home/simrun" "HOME=$home" USER=nobody "$home/tests/cli.sh"
	rm -rf "$home"
fi
if wanted checkers; then
	tap check tests/checker_cmd.sh
	tap histories tests/histories.sh
	tap checker-fuzz tests/checker_fuzz.sh
	tap timeline tests/timeline.sh
	tap go-history tests/go_history.sh
fi
wanted nodes && tap nodes tests/nodes.sh
wanted faults && tap faults tests/faults.sh
if wanted guests && [ -x tests/run.sh ]; then tap guests tests/run.sh; fi
if wanted races && [ -x tests/races.sh ]; then FIXED_SEEDS=20 tap races tests/races.sh; fi
wanted waits && tap waits tests/waits.sh
wanted leaks && tap leaks tests/leaks.sh
if wanted real && [ -x tests/real.sh ]; then tap real tests/real.sh; fi
if wanted scripts && [ -x tests/scripts.sh ]; then SEEDS=2 tap scripts tests/scripts.sh; fi
if wanted examples; then
	for t in examples/*/check.sh; do
		[ -x "$t" ] && tap "$(basename "$(dirname "$t")")" "$t"
	done
fi

echo "# $((SECONDS - started)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
