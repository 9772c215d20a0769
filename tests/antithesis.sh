#!/usr/bin/env bash
# Programs made with the published SDKs of Antithesis run as they are: the Go module (from the module proxy or its cache), with
# and without cgo, and the C++ header (tests/sdk/antithesis/antithesis_sdk.h, as published, under its own licence).
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
work=$(mktemp -d /tmp/simrun-antithesis-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SIMRUN_NODE SIMRUN_IP

says() { # WHAT TEXT
	if grep -qF -- "$2" out; then ok "$1"; else not_ok "$1" "no line has '$2' in: $(head -n 40 out)"; fi
}

is() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got '$2', expected '$3'"; fi
}

sim() { # STATUS WHAT ARGS...
	local want=$1 what=$2 got
	shift 2
	"$simrun" "$@" >out 2>&1 </dev/null
	got=$?
	is "$what: exit status" $got "$want"
}

# A program of either language, by the letters its messages begin with: what of it comes through.
program() { # LANGUAGE LETTERS PLACE COMMAND
	local name=$1 l=$2 place=$3 p=$4
	if "$p" >out 2>&1; then ok "$name: natively"; else not_ok "$name: natively" "$(cat out)"; fi
	sim 1 "$name: a sweep" -seeds 1-2 "$p"
	says "$name: always" "  always                  2           2  $l counts"
	says "$name: sometimes" "  sometimes               2           2  $l three"
	says "$name: guidance gives the margin, and the place" "$l more than ten  (largest margin -6)  <- never true ($place:"
	says "$name: the smallest margin of an always" "$l at most four  (smallest margin 0)"
	says "$name: reachable" "  reachable               2           2  $l reached"
	sim 1 "$name: a violated always" -seed 1 "$p" bad
	says "$name: a violated always: verdict" "property: driver: always \"$l violated\" is false: {\"left\":1} ($place:"
	sim 1 "$name: an unreachable" -seed 1 "$p" unreachable
	says "$name: an unreachable: verdict" "property: driver: unreachable \"$l not here\" was reached"
	"$simrun" -q -keep -seed 1 "$p" >out 2>&1
	cp .simrun/seed-1/trace.jsonl out
	says "$name: an event" "event $l event from driver: {\\\"x\\\":1}"
	says "$name: setup" 'setup is complete, says driver'
	sim 0 "$name: twice" -check -seed 1 "$p"
}

random_is_seeded() { # NAME COMMAND
	local s
	for s in 1 1 2; do "$simrun" -seed $s "$2" 2>/dev/null | grep '^random'; done >numbers
	is "$1: random numbers come from the seed" "$(sed -n '1p;2p' numbers | sort -u | wc -l) $(sort -u numbers | wc -l)" '1 2'
}

# ---- C++: the header wants clang 16 for what it instruments; of the language it needs C++20, which gcc 12 has ----
cc=
for try in clang++-19 clang++-18 clang++-17 clang++-16 'g++ -D__clang__=1 -D__clang_major__=16'; do
	# shellcheck disable=SC2086
	if $try -std=c++20 -w -o cc "$top/tests/sdk/antithesis/example.cc" -ldl 2>err; then
		cc=$try
		break
	fi
done
if [ -n "$cc" ]; then
	program 'C++' cc antithesis/example.cc ./cc
	random_is_seeded 'C++' ./cc
	sim 1 'C++: the catalogue' -seeds 1-2 ./cc
	says 'C++: what never ran is known' 'cc never reached  <- never reached (antithesis/example.cc:'
else
	skip 'C++' 'no compiler of C++20 that takes the header'
fi

# ---- Go ----
export GOFLAGS=-mod=mod
if ! command -v go >/dev/null; then
	skip 'Go' 'no go'
	done_testing
fi
cp -r "$top/tests/sdk/antithesis/go" gosrc
if ! (cd gosrc && timeout 60 go mod download) >out 2>&1; then
	skip 'Go' "the module is not to be had: $(tail -n 1 out)"
	done_testing
fi
for cgo in 1 0; do
	if ! (cd gosrc && CGO_ENABLED=$cgo go build -o "../go$cgo" .) >out 2>&1; then
		not_ok "Go, CGO_ENABLED=$cgo: it builds" "$(cat out)"
		continue
	fi
	program "Go, CGO_ENABLED=$cgo" go gosrc/main.go "./go$cgo"
	random_is_seeded "Go, CGO_ENABLED=$cgo" "./go$cgo"
done
done_testing
