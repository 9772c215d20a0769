#!/usr/bin/env bash
# Nothing leaks: a program that prints what it can learn (leaks/probe.py) says the same, and has the same hash, whatever is
# changed around it on purpose; and every source that docs/determinism.md lists has a guest that would notice.
# shellcheck disable=SC2317 # functions are called by name
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
work=$(mktemp -d /tmp/simrun-leaks-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
mkdir "$work/in" "$work/out" "$work/elsewhere, with a longer name"
cp "$simrun" "$work/simrun"
cp -p "$top/tests/leaks/probe.py" "$work/in"
gcc -O1 -static -o "$work/in/plain" "$top/tests/leaks/plain.c" || exit 1
chmod -R a+rX "$work"
chmod a+w "$work/in"
cp -a "$work/in/." "$work/elsewhere, with a longer name"
cd "$work/in" || exit 1
# The same outside for root and for others.
export HOME=$work USER=somebody SHELL=/bin/sh

# probe NAME WRAPPER...: output and hash of the probe, run by the wrapper.
probe() {
	local name=$1
	shift
	"$@" "$work/simrun" -at /sim -seed 7 -json "$work/out/$name.json" "${command[@]}" >"$work/out/$name" 2>&1 </dev/null
	sed -i 's/, [0-9.]*m\{0,1\}s real//' "$work/out/$name"
	rm -rf .simrun
}

same() { # NAME WHAT
	clean "the same $2" "$(grep -q '^PASS' "$work/out/$1" || tail -n 5 "$work/out/$1"; diff "$work/out/first" "$work/out/$1" | head -n 20 | cut -c1-300)"
}

elsewhere() { cd "$work/elsewhere, with a longer name" && "$@"; }
# Takes most of what memory is free, with the page cache emptied before where that is allowed.
hungry() {
	local kb pid
	sync
	[ ! -w /proc/sys/vm/drop_caches ] || echo 1 2>/dev/null >/proc/sys/vm/drop_caches
	kb=$(awk '$1 == "MemAvailable:" { print int($2 / 4) }' /proc/meminfo)
	python3 -c 'import sys, time; x = bytearray(int(sys.argv[1]) * 1024); print(flush=True); time.sleep(600)' "$kb" >"$work/out/eaten" &
	pid=$!
	until [ -s "$work/out/eaten" ]; do sleep 0.1; done
	"$@"
	kill "$pid"
	wait "$pid" 2>/dev/null
}
fed() { seq 1000 | "$@"; }
niced() { nice -n 10 "$@"; }
limited() { (ulimit -n 200 -u 5000 -c 0 -s 4096 2>/dev/null; umask 022; "$@"); }

command=(./probe.py)
probe first
probe again
same again again
probe load "$top/tests/load.sh"
same load 'under load'
probe environment env "X=$(printf '%4000s' x)" LANG=de_DE.UTF-8 TZ=Asia/Tokyo MALLOC_PERTURB_=7 PYTHONHASHSEED=3 GOMAXPROCS=7
same environment 'with another environment outside'
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	probe cpu taskset -c $cpu
	same cpu "on CPU $cpu"
done
(elsewhere probe elsewhere)
same elsewhere 'from another directory, with -at'
probe hungry hungry
same hungry 'with other memory free and an empty page cache'
probe fed fed
same fed 'with something on standard input'
probe niced niced
same niced 'with another priority'
probe limited limited
same limited 'with other resource limits outside'
if [ "$(id -u)" = 0 ] && unshare -u -T true 2>/dev/null; then
	# shellcheck disable=SC2016
	probe host unshare -u -T --monotonic 1000000 --boottime 3000000 sh -c 'hostname other; exec "$@"' -
	same host 'with another host name, up time and monotonic clock'
else
	skip 'the same with another host name and clock' 'not root, or no time namespaces'
fi
(sleep 1000 & for ((i = 0; i < 300; i++)); do /bin/true; done; probe pids; kill $!) 2>/dev/null
same pids 'after other processes came and went'
hashes() { sed 's/.*"seed":\([0-9]*\),.*"host_calls":\([0-9]*\),"determinism_hash":"\([0-9a-f]*\)".*/\1 \2 \3/' "$1" | sort; }
"$work/simrun" -at /sim -seeds 1-4 -j 1 -q -json "$work/out/j1" ./probe.py >/dev/null 2>&1
rm -rf .simrun
"$work/simrun" -at /sim -seeds 1-4 -j 2 -q -json "$work/out/j2" ./probe.py >/dev/null 2>&1
rm -rf .simrun
clean 'the same with -j 2' "$(diff <(hashes "$work/out/j1") <(hashes "$work/out/j2"); [ "$(hashes "$work/out/j1" | wc -l)" = 4 ] || echo 'not four seeds')"

command=(./plain)
if [ "$(id -u)" = 0 ]; then
	probe first
	chmod a+w "$work/out" "$work/in"
	chown -R 65534:65534 "$work/in"
	probe user setpriv --reuid=65534 --regid=65534 --clear-groups
	same user 'as an ordinary user'
else
	skip 'the same as an ordinary user' 'not root'
fi

# ---- the table of docs/determinism.md and the guests ----
rows=$(sed -n '/^| source /,/^$/p' "$top/docs/determinism.md" | sed '1,2d' | sed 's/^| *\(.*[^ ]\) *| .*$/\1/')
listed=$(cut -f 1 "$top/tests/leaks/rows.tsv")
clean 'every source of docs/determinism.md is in leaks/rows.tsv, and no other' "$(diff <(sort <<<"$rows") <(sort <<<"$listed"))"
clean 'what leaks/rows.tsv names exists' "$(cut -f 2 "$top/tests/leaks/rows.tsv" | tr ' ' '\n' | while read -r g; do
	compgen -G "$top/tests/guest/$g.c" >/dev/null || [ -e "$top/tests/$g" ] || echo "$g"
done)"
done_testing
