#!/usr/bin/env bash
# What simrun costs, as ratios: what is measured and what it is measured against run in turn, in this one run, so that the
# machine and its load drop out. A line each; with a goal, whether it is met. -json FILE writes the figures too.
# bench/run.sh [-json FILE] [NAME...]: only the measurements whose names begin like this.
set -eu
cd "$(dirname "$0")/.."
simrun=${SIMRUN:-build/simrun}
CC=${CC:-gcc}
out=build/bench
json=
if [ "${1:-}" = -json ] || [ "${1:-}" = --json ]; then
	json=$2
	shift 2
	: >"$json"
fi
want=("$@")
mkdir -p $out
for p in loops notify timed; do
	[ $out/$p -nt bench/$p.c ] || $CC -O2 -Wall -Wextra -pthread -o $out/$p bench/$p.c
done

ROUNDS=${ROUNDS:-5}
missed=0

wanted() { # NAME
	[ ${#want[@]} = 0 ] && return
	local w
	for w in "${want[@]}"; do [[ $1 = "$w"* ]] && return; done
	return 1
}

# The fastest of a run, in nanoseconds.
time_of() { $out/timed 1 "$@" | cut -d' ' -f1; }

least() { # A B: the smaller; B alone when A is empty
	if [ -z "$1" ] || [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi
}

# How many loops of the command, whose last argument is their number, take a good part of a second: at least FROM.
loops_for() { # FROM COMMAND...
	local n=$1
	shift
	while [ "$(time_of "$@" "$n")" -lt 60000000 ]; do n=$((n * 4)); done
	echo "$n"
}

# Two lengths of each loop are timed, so that what starting costs drops out. Keeps the least of each.
declare -A least_of
sample() { # KEY N COMMAND...
	local key=$1 n=$2
	shift 2
	least_of[$key.1]=$(least "${least_of[$key.1]:-}" "$(time_of "$@" "$n")")
	least_of[$key.3]=$(least "${least_of[$key.3]:-}" "$(time_of "$@" $((3 * n)))")
}

# The nanoseconds of one loop.
per_loop() { # KEY N
	awk -v a="${least_of[$1.1]}" -v b="${least_of[$1.3]}" -v n="$2" 'BEGIN { print (b - a) / (2 * n) }'
}

report() { # NAME VALUE REFERENCE UNIT GOAL WHAT
	local ratio verdict=
	ratio=$(awk -v a="$2" -v b="$3" 'BEGIN { printf "%.2f", a / b }')
	if [ -n "$5" ]; then
		verdict="goal $5: met"
		awk -v r="$ratio" -v g="$5" 'BEGIN { exit !(r > g) }' && { verdict="goal $5: MISSED"; missed=$((missed + 1)); }
		# The differences of a loaded machine can be less than nothing: then nothing was measured.
		awk -v a="$2" -v b="$3" 'BEGIN { exit !(a <= 0 || b <= 0) }' && { verdict="goal $5: NOT MEASURED, too much else runs"; missed=$((missed + 1)); }
	fi
	printf '%-12s %8s   %12.1f %s against %.1f: %s  %s\n' "$1" "x$ratio" "$2" "$4" "$3" "$6" "$verdict"
	[ -z "$json" ] || printf '{"name":"%s","value":%s,"reference":%s,"unit":"%s","ratio":%s,"goal":%s}\n' \
		"$1" "$2" "$3" "$4" "$ratio" "${5:-null}" >>"$json"
}

sim=("$simrun" -q -trace off -seed 1 --)

# compare NAME FROM GOAL WHAT -- SIMULATED... -- REFERENCE...: one loop of each; they take turns.
compare() {
	local name=$1 from=$2 goal=$3 what=$4 n m i
	local -a a=("${sim[@]}") b=()
	shift 5
	while [ "$1" != -- ]; do
		a+=("$1")
		shift
	done
	shift
	b=("$@")
	wanted "$name" || return 0
	n=$(loops_for "$from" "${a[@]}")
	m=$(loops_for "$from" "${b[@]}")
	for ((i = 0; i < ROUNDS; i++)); do
		sample "$name.sim" "$n" "${a[@]}"
		sample "$name.ref" "$m" "${b[@]}"
	done
	report "$name" "$(per_loop "$name.sim" "$n")" "$(per_loop "$name.ref" "$m")" ns "$goal" "$what"
}

compare call 1000 1.25 'an emulated call, against a bare notification' -- $out/loops call -- $out/notify
compare read64 1000 1.6 '64 bytes of a file, against a bare notification' -- $out/loops read64 -- $out/notify
compare clock 1000 1.0 'a read of the clock, against the vDSO of the host' -- $out/loops clock -- $out/loops clock
compare futex 1000 '' 'a thread switch by futex, against native' -- $out/loops futex -- $out/loops futex
compare pipe64 1000 '' '64 bytes through a pipe, against native' -- $out/loops pipe64 -- $out/loops pipe64
compare pipe64k 1000 '' '64 KiB through a pipe, against native' -- $out/loops pipe64k -- $out/loops pipe64k
compare exec 10 '' 'fork, exec and wait, against native' -- $out/loops exec -- $out/loops exec

if wanted start; then
	read -r ns kb < <($out/timed $((4 * ROUNDS)) "${sim[@]}" /bin/true)
	# The goal is 20 ms: no ratio, since natively it is next to nothing.
	report start "$(awk -v n="$ns" 'BEGIN { print n / 1e6 }')" 20 ms 1.0 "simrun -seed 1 /bin/true, against 20 ms; $kb kB of memory"
fi

if command -v redis-benchmark >/dev/null; then
	compare redis1 200 '' 'redis SET and GET, 1 client, against native' -- bench/redis.sh 1 -- bench/redis.sh 1
	compare redis50 200 '' 'redis SET and GET, 50 clients, against native' -- bench/redis.sh 50 -- bench/redis.sh 50
	if [ -x examples/redis/cluster.sh ] && wanted cluster; then
		mine='' native=''
		for ((i = 0; i < ROUNDS; i++)); do
			mine=$(least "$mine" "$(time_of "${sim[@]}" examples/redis/cluster.sh)")
			native=$(least "$native" "$(NAP=0 time_of examples/redis/cluster.sh)")
		done
		report cluster "$(awk -v n="$mine" 'BEGIN { print n / 1e6 }')" "$(awk -v n="$native" 'BEGIN { print n / 1e6 }')" ms 1.0 \
			'a seed of examples/redis, against the script natively without its long sleep'
	fi
fi
if wanted checkers; then
	SIMRUN=$simrun bench/checker.sh ${json:+-json "$json"} || missed=$((missed + 1))
fi
[ $missed = 0 ] || echo "$missed goals missed"
