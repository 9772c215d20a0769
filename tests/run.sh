#!/bin/bash
# Runs the guest programs (tests/guest/*.c, built by `make guests`) natively and under simrun; TAP on standard output.
#
#   tests/run.sh [NAME...]        environment: SIMRUN=./simrun
#
# Each program must pass natively and with seeds 1 and 2. Seed 1 runs again, and then with everything changed at once
# that must not matter: environment outside, CPU, working directory, load on every CPU. Output and hash must be the
# same; if they are not, each change is tried by itself to name the one that matters.
# tests/guest/skip.tsv (name, reason) is the visible list of programs that are left out.
set -u
cd "$(dirname "$0")/.." || exit 1
simrun=$(realpath "${SIMRUN:-./simrun}")
guests=$PWD/build/tests/guest
skips=$PWD/tests/guest/skip.tsv
limit=60 # seconds of real time for one run of one program
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# A directory with the program and the file that file_copy_up expects to be there before the run.
fresh_dir() { # DIR NAME
	rm -rf "$1"
	mkdir -p "$1"
	cp -p "$guests/$2" "$1/"
	echo 'lower content' > "$1/lower.txt"
	touch -d @1000000000 "$1/lower.txt"
}

diagnose() { # WHAT LABEL
	echo "# $1"
	tail -n 12 "$work/$2.out" | cut -c1-300 | sed 's/^/#   /'
}

# One run under simrun. The changes of what must not matter are words among env, cpu, cwd, load.
sim() { # LABEL SEED CHANGE...
	local label=$1 seed=$2 dir=$work/dir rc=0 busy=() prefix=()
	shift 2
	case " $* " in *" cwd "*) dir="$work/quite another/directory/with a longer name" ;; esac
	fresh_dir "$dir" "$name"
	case " $* " in *" env "*)
		prefix=(env EXTRA="$(printf 'x%.0s' {1..3000})" TZ=Asia/Tokyo LANG=de_DE.UTF-8 LC_ALL=C
			TERM=xterm-256color COLUMNS=40 MALLOC_PERTURB_=7) ;;
	esac
	case " $* " in *" cpu "*) prefix+=(taskset -c $(($(nproc --all) - 1))) ;; esac
	case " $* " in *" load "*)
		for cpu in $(seq 0 $(($(nproc --all) - 1))); do
			taskset -c "$cpu" bash -c 'while :; do :; done' &
			busy+=($!)
		done ;;
	esac
	(
		cd "$dir" || exit 1
		exec "${prefix[@]}" env -u SIMRUN_NATIVE timeout -k 5 "$limit" \
			"$simrun" -seed "$seed" -at /sim -json "$work/$label.json" "./$name"
	) > "$work/$label.out" 2>&1 < /dev/null || rc=$?
	if ((${#busy[@]})); then
		kill "${busy[@]}"
		wait "${busy[@]}" 2> /dev/null
	fi
	if [ "$rc" -ne 0 ] || ! grep -qx ok "$work/$label.out"; then
		diagnose "$label: status $rc" "$label"
		return 1
	fi
	if [ "$(cat "$dir/lower.txt")" != 'lower content' ] || [ "$(find "$dir" | wc -l)" != 3 ]; then
		diagnose "$label: the run changed files outside its view" "$label"
		return 1
	fi
}

hash_of() { # LABEL
	sed -n 's/.*"determinism_hash": *"\{0,1\}\([0-9a-f]*\).*/\1/p' "$work/$1.json" | head -n 1
}

# Everything printed, except for how long it took.
output_of() { # LABEL
	sed 's/, [0-9.]*m\{0,1\}s real//' "$work/$1.out"
}

same() { # LABEL LABEL
	if [ -z "$(hash_of "$1")" ] || [ "$(hash_of "$1")" != "$(hash_of "$2")" ]; then
		echo "# determinism hash of $1 is '$(hash_of "$1")', of $2 '$(hash_of "$2")'"
	elif ! output_of "$1" | cmp -s - <(output_of "$2"); then
		echo "# the output of $1 and $2 differs:"
	else
		return 0
	fi
	diff <(output_of "$1") <(output_of "$2") | head -n 8 | cut -c1-300 | sed 's/^/#   /'
	return 1
}

# Prints the diagnosis; 0 passed.
run_one() { # NAME
	name=$1
	work=$tmp/$name
	mkdir -p "$work"
	if ! [ -x "$guests/$name" ]; then
		echo "# $guests/$name is not built: make guests"
		return 1
	fi
	fresh_dir "$work/native" "$name"
	local rc=0
	(
		cd "$work/native" || exit 1
		SIMRUN_NATIVE=1 exec timeout -k 5 "$limit" "./$name"
	) > "$work/natively.out" 2>&1 < /dev/null || rc=$?
	if [ "$rc" -ne 0 ] || [ "$(tail -n 1 "$work/natively.out")" != ok ]; then
		diagnose "natively: status $rc" natively
		return 1
	fi
	sim first 1 && sim again 1 && same first again && sim seed2 2 || return 1
	if sim changed 1 env cpu cwd load && same first changed; then
		rm -rf "$work"
		return 0
	fi
	local change
	for change in env cpu cwd load; do
		echo "# with only this changed: $change"
		sim "$change" 1 "$change" && same first "$change"
	done
	return 1
}

passed=0 failed=0 skipped=0 printed=0
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
	for f in tests/guest/*.c; do
		names+=("$(basename "$f" .c)")
	done
fi
echo "1..${#names[@]}"

pids=()
emit() { # the next result, in order
	local n=${names[printed]} pid=${pids[printed]}

	printed=$((printed + 1))
	if [ "$pid" = skip ]; then
		echo "ok $printed - $n # SKIP $(awk -F '\t' -v n="$n" '$1 == n { print $2 }' "$skips")"
		skipped=$((skipped + 1))
	elif wait "$pid"; then
		echo "ok $printed - $n"
		passed=$((passed + 1))
	else
		echo "not ok $printed - $n"
		cat "$tmp/$n.tap"
		failed=$((failed + 1))
	fi
}

for n in "${names[@]}"; do
	if grep -qP "^$n\t" "$skips" 2> /dev/null; then
		pids+=(skip)
	else
		run_one "$n" > "$tmp/$n.tap" 2>&1 &
		pids+=($!)
	fi
	# At most two at once.
	while [ $((${#pids[@]} - printed)) -ge 2 ]; do
		emit
	done
done
while [ "$printed" -lt ${#pids[@]} ]; do
	emit
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
