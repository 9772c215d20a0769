#!/usr/bin/env bash
# shellcheck disable=SC2086 # $check is a command with its arguments
# The checkers against Porcupine on the same files in the same run, and transactions by size.
#   CHECK       the command (default "$SIMRUN check", "./simrun check")
#   HISTORIES   public histories (default ../shared/histories); without them only the generated files are used
cd "$(dirname "$0")/.." || exit 99
check=${CHECK:-${SIMRUN:-./simrun} check}
dir=${HISTORIES:-../shared/histories}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
limit=20s

cc -std=gnu11 -O2 -I. -D_GNU_SOURCE -o "$tmp/gen" bench/checker_gen.c base/buf.c base/mem.c base/err.c base/rng.c -lxxhash -lm || exit 99
gen() { "$tmp/gen" "$@"; }
echo "checkers: making the fixed set"
gen register 100000 8 0 0 1 >"$tmp/100k-ops-8-clients.jsonl"
gen register 100000 64 0 0 1 >"$tmp/100k-ops-64-clients.jsonl"
gen register 300 8 15 1 1 >"$tmp/15-unknown-writes-stale.jsonl"
gen register 300 8 20 1 1 >"$tmp/20-unknown-writes-stale.jsonl"
gen register 2000 64 0 0 1 >"$tmp/2k-ops-64-clients.jsonl"

# ours FILE MODEL: "nanoseconds status memory-KB file": processor time of the check, the shortest of some, as Porcupine's
ours() {
	/usr/bin/time -f 'KB %M' $check -q -stats -repeat 5 -timeline none -history "$1" $2 >/dev/null 2>"$tmp/err"
	status=$?
	echo "$(sed -n 's/^shortest check \([0-9]*\) ns.*/\1/p' "$tmp/err") $status $(sed -n 's/^KB //p' "$tmp/err") $1"
}

files=
[ -f "$dir/manifest.tsv" ] && files="$(ls "$dir"/porcupine/jepsen/*.log "$dir"/porcupine/kv/*.txt)"
: >"$tmp/ours"
for f in $files; do
	case $f in *.log) ours "$f" "-model cas-register" ;; *) ours "$f" "" ;; esac >>"$tmp/ours"
done
for f in "$tmp"/*.jsonl; do ours "$f" "-model kv" >>"$tmp/ours"; done

if command -v go >/dev/null && (cd bench/porcupine && GOFLAGS=-mod=mod go build -o "$tmp/porcupine" . 2>"$tmp/gobuild"); then
	# shellcheck disable=SC2086
	[ -n "$files" ] && "$tmp/porcupine" $limit $files >"$tmp/theirs"
	for f in "$tmp"/*.jsonl; do # a file of its own each: it may run out of memory
		(ulimit -v 16000000; /usr/bin/time -f 'KB %M' "$tmp/porcupine" $limit "$f" 2>"$tmp/kb") >>"$tmp/theirs" || echo "0 gave-up $f" >>"$tmp/theirs"
		echo "$(sed -n 's/^KB //p' "$tmp/kb") $f" >>"$tmp/theirkb"
	done
	awk -v tmp="$tmp/" '
		FILENAME ~ /theirs$/ { them[$3] = $1; said[$3] = $2; next }
		FILENAME ~ /theirkb$/ { kb[$2] = $1; next }
		$4 ~ /jepsen|\/kv\// { n++; a += $1; b += them[$4]; r = them[$4] / $1; if (them[$4] < 1000) next # an empty file
		  if (!worst || r < worst) { worst = r; who = $4 }; next }
		{ f = $4; sub(tmp, "", f)
		  printf "%-32s %9.3f ms (%s, %d MB)   Porcupine %10.1f ms (%s, %d MB)   %.0fx\n", f, $1 / 1e6, $2 == 0 ? "ok" : $2 == 1 ? "not" : "unknown", $3 / 1024, them[$4] / 1e6, said[$4], kb[$4] / 1024, them[$4] / $1 }
		END { if (n) { printf "%d public files: %.3f ms in all, Porcupine %.1f ms: %.0fx; worst file %.1fx", n, a / 1e6, b / 1e6, b / a, worst; sub(".*/", "", who); print " (" who ")" } }
	' "$tmp/theirs" "$tmp/theirkb" "$tmp/ours"
else
	echo "Porcupine skipped: no go, or its module cannot be fetched"
	awk '{ printf "%9.3f ms  %s\n", $1 / 1e6, $4 }' "$tmp/ours" | tail -5
fi

echo "list-append transactions (processor time of one core):"
for kind in list-append contended; do
	for n in 10000 100000 1000000; do
		keys=100
		[ $kind = contended ] && keys=5
		gen $kind $n $keys 1 >"$tmp/txn"
		/usr/bin/time -f 'total %U+%S s, %M KB' $check -q -stats -timeline none -model list-append -history "$tmp/txn" >/dev/null 2>"$tmp/err"
		awk -v n=$n -v kind=$kind '
			/^read/ { read = $2 / 1e9; mb = $4 / 1e6; check = $9 / 1e9 }
			/^total/ { split($2, t, "+"); total = t[1] + t[2]; kb = $4 }
			END { printf "  %-11s %8d: read %6.3f s (%4.0f MB, %3.0f MB/s), check %6.3f s, in all %6.3f s, %5.0f MB\n", kind, n, read, mb, mb / read, check, total, kb / 1024 }
		' "$tmp/err"
		rm "$tmp/txn"
	done
done
