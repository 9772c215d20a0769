# shellcheck shell=bash
# Sourced by the check.sh of examples with planted bugs. SEEDS: how many the correct program must pass (default 50; make soak
# takes 500).
# shellcheck source=tests/tap.sh
. "$here/../../tests/tap.sh"
simrun=${SIMRUN:-$here/../../build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
sdk=$(cd "$here/../../sdk" && pwd)
seeds=${SEEDS:-50}
work=$(mktemp -d "/tmp/simrun-example-XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT

# compile PROGRAM...: C sources of the example.
compile() {
	local p
	for p in "$@"; do
		${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -I"$sdk/c" -I"$here/../lib" -o "$work/$p" "$here/$p.c" "$sdk/c/simrun.c" || exit 1
	done
}

# correct ARGS...: simrun ARGS passes for all seeds, and every property is reached.
correct() {
	if "$simrun" -seeds "1-$seeds" -j 2 "$@" >correct.log 2>&1; then
		ok "correct: $seeds seeds pass"
	else
		not_ok "correct: $seeds seeds pass" <correct.log
	fi
	sed 's/^/# /' correct.log
}

# found BUG BUDGET CLASS TEXT ARGS...: BUG=n is found within so many seeds, as this class, with this text; and again.
found() {
	local bug=$1 budget=$2 class=$3 text=$4 line
	shift 4
	"$simrun" -seeds "1-$budget" -until-fail -env "BUG=$bug" "$@" >found.log 2>&1
	line=$(grep -m 1 '^FAIL seed' found.log)
	if [[ $line == *"  $class: "*"$text"* ]]; then
		ok "bug $bug: found, $(cut -d' ' -f1-3 <<<"$line") of $budget, $class"
	else
		not_ok "bug $bug: found within $budget seeds, $class: $text" <found.log
		return
	fi
	if "$simrun" replay "seed-$(cut -d' ' -f3 <<<"$line")" >again.log 2>&1 || ! grep -q "^FAIL.*  $class: " again.log; then
		not_ok "bug $bug: again by replay" <again.log
	else
		ok "bug $bug: again by replay"
	fi
}
