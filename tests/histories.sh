#!/bin/sh
# Every public history gets its expected verdict. tests/histories.tsv says which model and options, and why.
#   HISTORIES   folder with manifest.tsv (default ../shared/histories; not part of the product)
#   CHECK       the command (default "$SIMRUN check", "./simrun check")
cd "$(dirname "$0")/.." || exit 99
dir=${HISTORIES:-../shared/histories}
check=${CHECK:-${SIMRUN:-./simrun} check}
table=tests/histories.tsv
n=0 passed=0 failed=0 skipped=0

if [ ! -f "$dir/manifest.tsv" ]; then
	echo "1..0 # SKIP no $dir/manifest.tsv"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT

# one FILE OPTIONS EXPECTED
one() {
	n=$((n + 1))
	# shellcheck disable=SC2086
	set -- "$1" "$3" $2
	file=$1 want=$2
	shift 2
	args=
	for a in "$@"; do args="$args $(printf %s "$a" | tr _ ' ' | sed 's/ /\\ /g')"; done
	eval "set -- $args"
	$check -timeline none -history "$dir/$file" "$@" >"$out" 2>&1
	got=$?
	if [ "$got" = "$want" ]; then
		passed=$((passed + 1))
		echo "ok $n - $file $*"
	else
		failed=$((failed + 1))
		echo "not ok $n - $file $*: exit $got, expected $want"
		tail -3 "$out" | cut -c1-300 | sed 's/^/# /'
	fi
}

tab=$(printf '\t')
while IFS="$tab" read -r path _ _ verdict _; do
	[ "$path" = path ] && continue
	case $verdict in ok*) verdict=0 ;; bad*) verdict=1 ;; *) verdict=none ;; esac
	rows=0
	# The most special row counts: rows with an exact path before those with a glob.
	exact=$(awk -F'\t' -v p="$path" '$1 == p' "$table")
	while IFS="$tab" read -r glob options want why; do
		case $glob in '#'* | '') continue ;; esac
		[ -n "$exact" ] && [ "$glob" != "$path" ] && continue
		# shellcheck disable=SC2254
		case $path in $glob) ;; *) continue ;; esac
		rows=$((rows + 1))
		if [ "$want" = skip ]; then
			n=$((n + 1)) skipped=$((skipped + 1))
			echo "ok $n - $path # SKIP $why"
			continue
		fi
		[ "$want" = manifest ] && want=$verdict
		one "$path" "$options" "$want"
	done <<ROWS
$(sed "s/$tab$tab/$tab-order=realtime$tab/" "$table")
ROWS
	if [ $rows = 0 ]; then
		n=$((n + 1)) failed=$((failed + 1))
		echo "not ok $n - $path: no row in $table"
	fi
done <"$dir/manifest.tsv"
echo "1..$n"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
