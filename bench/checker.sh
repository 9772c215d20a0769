#!/usr/bin/env bash
# shellcheck disable=SC2086 # $check is a command with its arguments
# The checkers against Porcupine on the same files in the same run, and transactions by size.
#   CHECK       the command (default "$SIMRUN check", "./simrun check")
#   HISTORIES   public histories (default ../shared/histories); without them only the generated files are used
# checker.sh [-json FILE]: the figures with goals, a line each, are appended to FILE. Fails when a goal is missed.
cd "$(dirname "$0")/.." || exit 99
json=/dev/null
[ "${1:-}" = -json ] && json=$2
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

missed=0
# goal NAME VALUE least|most GOAL UNIT WHAT
goal() {
	local met
	met=$(awk -v v="$2" -v g="$4" -v how="$3" 'BEGIN { print (how == "least" ? v >= g : v <= g) ? "met" : "MISSED" }')
	[ "$met" = met ] || missed=$((missed + 1))
	printf '%-28s %12.2f %s, at %s %s: %s  %s\n' "$1" "$2" "$5" "$3" "$4" "$met" "$6"
	printf '{"name":"%s","value":%s,"unit":"%s","goal":%s,"how":"at %s"}\n' "$1" "$2" "$5" "$4" "$3" >>"$json"
}

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
		  if ($1 > slowest || $2 > 1) slowest = $2 > 1 ? 9e18 : $1 # a verdict is part of the goal
		  m = kb[$4] / $3; if (!least || m < least) least = m
		  printf "%-32s %9.3f ms (%s, %d MB)   Porcupine %10.1f ms (%s, %d MB)   %.0fx\n", f, $1 / 1e6, $2 == 0 ? "ok" : $2 == 1 ? "not" : "unknown", $3 / 1024, them[$4] / 1e6, said[$4], kb[$4] / 1024, them[$4] / $1 }
		END { print n + 0, a + 0, b + 0, worst + 0, slowest + 0, least + 0 >tmp "sums"; sub(".*/", "", who); print who >>tmp "sums" }
	' "$tmp/theirs" "$tmp/theirkb" "$tmp/ours"
	{ read -r n a b worst slowest least; read -r who; } <"$tmp/sums"
	if [ "$n" != 0 ]; then
		printf '%d public files: %.3f ms in all, Porcupine %.1f ms\n' "$n" "$(awk -v a="$a" 'BEGIN { print a / 1e6 }')" "$(awk -v b="$b" 'BEGIN { print b / 1e6 }')"
		goal check.public "$(awk -v a="$a" -v b="$b" 'BEGIN { print b / a }')" least 20 x 'as fast as Porcupine, all public files'
		goal check.worst "$worst" least 1 x "as fast as Porcupine, the worst file ($who)"
	fi
	goal check.fixed "$(awk -v s="$slowest" 'BEGIN { print s / 1e9 }')" most 2 s 'the slowest of the fixed set'
	goal check.fixed.memory "$least" least 20 x "times less memory than Porcupine's at its peak, the worst of the fixed set"
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
		awk -v n=$n -v kind=$kind -v out="$tmp/sums" '
			/^read/ { read = $2 / 1e9; mb = $4 / 1e6; check = $9 / 1e9 }
			/^total/ { split($2, t, "+"); total = t[1] + t[2]; kb = $4 }
			END { print read + 0, mb / read, total, kb / 1024 >out
			      printf "  %-11s %8d: read %6.3f s (%4.0f MB, %3.0f MB/s), check %6.3f s, in all %6.3f s, %5.0f MB\n", kind, n, read, mb, mb / read, check, total, kb / 1024 }
		' "$tmp/err"
		rm "$tmp/txn"
		read -r _ rate total mb <"$tmp/sums"
		[ $n = 100000 ] && before=$total beforemb=$mb
	done
	goal "check.$kind.time" "$total" most 5 s 'a million transactions, reading and checking'
	goal "check.$kind.memory" "$mb" most 2048 MiB 'memory of that'
	goal "check.$kind.reading" "$rate" least 100 MB/s 'reading of that'
	goal "check.$kind.growth" "$(awk -v a="$before" -v b="$total" 'BEGIN { print b / a }')" most 15 x 'the time of a tenth of that'
	goal "check.$kind.memgrowth" "$(awk -v a="$beforemb" -v b="$mb" 'BEGIN { print b / a }')" most 11 x 'the memory of a tenth of that'
done
[ $missed = 0 ] || echo "$missed goals missed"
[ $missed = 0 ]
