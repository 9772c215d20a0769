#!/usr/bin/env bash
# CPython's regression tests (Debian's libpython3.11-testsuite), module by module, natively and under simrun.
#
#     tests/cpython.sh            the quick ones, under simrun; what tests/cpython.tsv says to pass must pass
#     tests/cpython.sh all        every module
#     tests/cpython.sh MODULE...  these
#
# NATIVE=1: natively too, and 95 % of what passes there must pass. UPDATE=1: writes new passes into tests/cpython.tsv; that
# list only grows: "ok" is a test that passes natively and under simrun, "native" one that passes natively only (the reasons
# are in docs/limits.md). SEED (1), LIMIT (900): seconds of real time for a module.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
list=$top/tests/cpython.tsv
python=/usr/bin/python3
limit=${LIMIT:-900}
work=$(mktemp -d /tmp/simrun-cpython-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1

quick="test_select test_poll test_epoll test_time test_fcntl test_mmap test_posix test_uuid test_pty test_tempfile test_pathlib
	test_shutil test_queue test_os test_httplib test_smtplib test_ftplib"
slow="test_random test_socketserver test_ssl test_selectors test_signal test_subprocess test_threading test_socket test_asyncio
	test_multiprocessing_fork test_multiprocessing_spawn test_concurrent_futures"

if ! $python -c 'import test.test_select' 2>/dev/null; then
	skip cpython 'no libpython3.11-testsuite'
	done_testing
fi
cp "$top/tests/cpython_module.py" .

# What a module needs on the command line of python3 -m test.
options() { # MODULE
	case $1 in
	test_socketserver) echo -u network ;; # it uses the loopback only
	test_socket) echo -i '*VSOCK*' ;;     # waits for ever where the machine has a vsock device
	esac
}

# Runs under what simrun imposes, too: no new privileges, a network of its own.
natively() { # MODULE
	# shellcheck disable=SC2046 # words
	timeout -k 10 "$limit" setpriv --no-new-privs unshare -n sh -c 'ip link set lo up; exec "$@"' - \
		$python cpython_module.py "$1" $(options "$1") >"$1.native" 2>&1 </dev/null
}

simulated() { # MODULE
	# shellcheck disable=SC2046
	"$simrun" -seed "${SEED:-1}" -timeout "${limit}s" $python cpython_module.py "$1" $(options "$1") \
		>"$1.simrun" 2>&1 </dev/null
	rm -rf .simrun
}

results() { sed -n "s/^RESULT $2 //p" "$1" | sort; } # FILE WORD

module() { # MODULE
	local m=$1 lost natives passes
	simulated "$m"
	results "$m.simrun" ok >passes
	if ! grep -q '^RESULT' "$m.simrun"; then
		not_ok "$m runs" < <(tail -n 30 "$m.simrun")
		return
	fi
	lost=$(comm -23 <(awk -F '\t' -v m="$m" '$1 == m && $3 == "ok" { print $2 }' "$list" | sort) passes)
	if [ -z "$lost" ]; then ok "$m: what passed passes"; else
		not_ok "$m: what passed passes" "$lost
$(grep -E -A 30 '^(ERROR|FAIL): ' "$m.simrun" | head -n 60)"
	fi
	if [ -n "${NATIVE:-}" ]; then
		natively "$m"
		results "$m.native" ok >native
	else
		awk -F '\t' -v m="$m" '$1 == m { print $2 }' "$list" | sort >native
	fi
	natives=$(wc -l <native)
	passes=$(comm -12 native passes | wc -l)
	if ((natives > 0 && passes * 100 >= natives * 95)); then ok "$m: $passes of $natives"; else
		not_ok "$m: $passes of $natives, at least 95 % wanted" "$(comm -23 native passes)"
	fi
	[ -z "${UPDATE:-}" ] || update "$m"
}

update() { # MODULE
	{
		cat "$list"
		comm -12 native passes | sed "s/.*/$1\t&\tok/"
		comm -23 native passes | sed "s/.*/$1\t&\tnative/"
	} | LC_ALL=C sort | awk -F '\t' '
		$1 FS $2 != key { if (key != "") print key FS word; key = $1 FS $2; word = $3 }
		$3 == "ok" { word = "ok" }
		END { if (key != "") print key FS word }' >list.new
	cat list.new >"$list"
}

case ${1:-quick} in
quick) modules=$quick ;;
all) modules="$quick $slow" ;;
*) modules=$* ;;
esac
[ -e "$list" ] || : >"$list"
for m in $modules; do module "$m"; done
done_testing
