# shellcheck shell=bash
# Sourced by the test scripts: results in the Test Anything Protocol, counted.
tap_n=0
tap_failed=0

ok() { # NAME
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1"
}

# The text on standard input, or in the second argument, says why.
not_ok() { # NAME [WHY]
	tap_n=$((tap_n + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_n - $1"
	if [ $# -gt 1 ]; then printf '%s\n' "$2"; else cat; fi | sed 's/^/# /'
}

skip() { # NAME WHY
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# Passes when WHY is empty: for checks that collect complaints.
clean() { # NAME COMPLAINTS
	if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi
}

done_testing() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
	exit
}
