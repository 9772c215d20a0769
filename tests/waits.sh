#!/usr/bin/env bash
# Waiting loops that count: each of tests/waits/ ends, a site in its loop having been found by the first start; later runs need
# no second start, and have the same hash, under load, in -check and in replay as well. TAP; waits.sh [NAME...].
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
work=$(mktemp -d /tmp/simrun-waits-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
want=("$@")

hash_of() { sed -n 's/^determinism hash \([0-9a-f]*\) .*/\1/p' "$1" | tail -n 1; }

# Prints what a later run said, unless it is as the first one and passed at once.
as_first() { # FILE
	if [ "$(hash_of "$1")" != "$first" ] || grep -q 'starts again' "$1" || ! grep -q '^PASS' "$1"; then cat "$1"; fi
}

ended() { # FILE
	if ! grep -q '^ok' "$1" || ! grep -q '^PASS' "$1"; then cat "$1"; fi
}

waits() { # NAME COMMAND...
	local name=$1 first
	shift
	if [ ${#want[@]} != 0 ] && [[ " ${want[*]} " != *" $name "* ]]; then return; fi
	rm -rf .simrun
	"$simrun" -timeout 2m -keep "$@" >run 2>&1
	clean "$name: ends" "$(ended run)"
	first=$(hash_of run)
	"$simrun" replay seed-1 >replayed 2>&1
	clean "$name: replay" "$(as_first replayed)"
	"$simrun" -timeout 2m -check "$@" >again 2>&1
	clean "$name: no second start, the same hash" "$(as_first again)"
	"$top/tests/load.sh" "$simrun" -timeout 4m "$@" >load 2>&1
	clean "$name: the same hash under load" "$(as_first load)"
}

for c in flag pointer; do
	gcc -O2 -pthread -o $c "$top/tests/waits/$c.c" || exit 1
	waits $c ./$c
done
if command -v python3 >/dev/null; then
	python=$(python3 -c 'import sys; print(sys.executable)')
	cp "$top/tests/waits/wait.py" .
	waits python "$python" wait.py
	waits python-count "$python" wait.py count
else
	skip python 'no python3'
fi
if command -v go >/dev/null; then
	cp "$top/tests/waits/wait.go" . && go build -o wait-go wait.go || exit 1
	waits go ./wait-go
else
	skip go 'no go'
fi
if command -v javac >/dev/null; then
	javac -d . "$top/tests/waits/Wait.java" || exit 1
	waits java java -cp . Wait
	waits java-interpreted java -Xint -cp . Wait
else
	skip java 'no javac'
fi
done_testing
