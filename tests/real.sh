#!/usr/bin/env bash
# Stock programs and languages, each a file of tests/real with what people do with it: passes natively, passes under simrun
# for three seeds, run twice each and compared; and gives the same hashes and the same output while every CPU is busy.
#
#     tests/real.sh            all that make check has time for
#     tests/real.sh all        those marked "soak" too (make soak)
#     tests/real.sh NAME...    these
#
# A file begins with "# needs: PROGRAM..." (root is a need, too) and "# soak: why" where that is so. Sources are built here,
# once, natively. In its environment BUILT is a directory of files that stay what they are between runs.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
seeds=${SEEDS:-3}
PATH=$PATH:/usr/sbin:/usr/local/go/bin:$HOME/.cargo/bin
work=$(mktemp -d /tmp/simrun-real-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
mkdir "$work/run" "$work/out" "$work/built" # in run, and beside it, a program may look around
cd "$work/run" || exit 1
export BUILT=$work/built

header() { sed -n "1,8s,^\(#\|//\) $2: *,,p" "$1"; } # FILE WORD

# What the file needs and is not here.
missing() { # FILE
	local p
	for p in $(header "$1" needs); do
		case $p in
		root) [ "$(id -u)" = 0 ] || echo 'not root' ;;
		postgresql) compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || echo 'no PostgreSQL server' ;;
		*) command -v "$p" >/dev/null || echo "no $p" ;;
		esac
	done | head -n 1
}

# The command that runs the file, into the array command; builds it.
build() { # FILE NAME
	local log=$work/out/build
	command=("$BUILT/$2")
	case $1 in
	*.go) CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -o "$BUILT/$2" "$1" >"$log" 2>&1 ;;
	*.cc) g++ -std=c++20 -O2 -pthread -o "$BUILT/$2" "$1" >"$log" 2>&1 ;;
	*.rs) rustc --edition 2021 -O -o "$BUILT/$2" "$1" >"$log" 2>&1 ;;
	*.java)
		command=(java -cp "$BUILT/$2.classes" Java)
		javac -d "$BUILT/$2.classes" "$1" >"$log" 2>&1
		;;
	*) command=("$1") ;;
	esac
}

# The hashes of the last sweep.
hashes() { sed 's/.*"seed":\([0-9]*\),.*"host_calls":\([0-9]*\),"determinism_hash":"\([0-9a-f]*\)".*/\1 \2 \3/' ../out/j | sort; }

# What the nodes of each seed printed, into printed.
printed() {
	local d
	for d in .simrun/seed-*; do mkdir -p ../out/printed && cp -r "$d/output" "../out/printed/${d##*/}"; done
}

# sweep WRAPPER... -- OPTION...: the seeds of command.
sweep() {
	local wrapper=()
	while [ "$1" != -- ]; do
		wrapper+=("$1")
		shift
	done
	shift
	"${wrapper[@]}" "$simrun" -env "BUILT=$BUILT" -seeds "1-$seeds" -keep -json ../out/j "$@" "${command[@]}" 2>&1 </dev/null
}

real() { # FILE
	local name lacks out first command
	name=$(basename "${1%.*}")
	name=${name,,}
	lacks=$(missing "$1")
	if [ -n "$lacks" ]; then
		skip "$name" "$lacks"
		return
	fi
	if ! build "$1" "$name"; then
		not_ok "$name: builds" <"$work/out/build"
		return
	fi
	mkdir -p native
	if out=$(cd native && timeout -k 5 120 "${command[@]}" 2>&1 </dev/null); then ok "$name natively"; else not_ok "$name natively" "$out"; fi
	rm -rf native
	if out=$(sweep -- -timeout 2m -j 2 -check); then
		ok "$name: $seeds seeds, each twice"
	else
		not_ok "$name: $seeds seeds, each twice" "$(echo "$out" | grep -v '^warning' | tail -n 5)
$(tail -n 5 .simrun/*/output/driver 2>/dev/null)"
		rm -rf .simrun
		return
	fi
	first=$(hashes)
	printed
	out=$(sweep "$top/tests/load.sh" -- -timeout 5m)
	clean "$name: the same under load" "$(diff <(echo "$first") <(hashes))"
	clean "$name: the same output under load" "$(mv ../out/printed ../out/before && printed && diff -r ../out/before ../out/printed)"
	rm -rf ../out/before ../out/printed .simrun
}

case ${1:-} in
'' | all)
	for f in "$top"/tests/real/*.*; do
		[ "${1:-}" = all ] || [ -z "$(header "$f" soak)" ] || continue
		real "$f"
	done
	;;
*)
	for n; do
		found=
		for f in "$top/tests/real/$n".*; do
			[ ! -e "$f" ] || { found=1 && real "$f"; }
		done
		[ -n "$found" ] || not_ok "$n" "tests/real has no $n"
	done
	;;
esac
done_testing
