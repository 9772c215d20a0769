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

# per_loop N COMMAND...: sets $each to the nanoseconds that one loop of the command takes, whose last argument is the number
# of loops. Called in turn for both sides; keeps the least of each length.
declare -A least_of
per_loop() { # KEY N COMMAND...
	local key=$1 n=$2
	shift 2
	least_of[$key.1]=$(least "${least_of[$key.1]:-}" "$(time_of "$@" "$n")")
	least_of[$key.3]=$(least "${least_of[$key.3]:-}" "$(time_of "$@" $((3 * n)))")
	each=$(awk -v a="${least_of[$key.1]}" -v b="${least_of[$key.3]}" -v n="$n" 'BEGIN { d = (b - a) / (2 * n); print d > 0.001 ? d : 0.001 }')
}

report() { # NAME VALUE REFERENCE UNIT GOAL WHAT
	local ratio verdict=
	ratio=$(awk -v a="$2" -v b="$3" 'BEGIN { printf "%.2f", a / b }')
	if [ -n "$5" ]; then
		verdict="goal $5: met"
		awk -v r="$ratio" -v g="$5" 'BEGIN { exit !(r > g) }' && { verdict="goal $5: MISSED"; missed=$((missed + 1)); }
	fi
	printf '%-12s %8s   %12.1f %s against %.1f: %s  %s\n' "$1" "x$ratio" "$2" "$4" "$3" "$6" "$verdict"
	[ -z "$json" ] || printf '{"name":"%s","value":%s,"reference":%s,"unit":"%s","ratio":%s,"goal":%s}\n' \
		"$1" "$2" "$3" "$4" "$ratio" "${5:-null}" >>"$json"
}

sim=("$simrun" -q -trace off -seed 1 --)

# compare NAME N_SIM N_REF GOAL WHAT -- SIMULATED... -- REFERENCE...
compare() {
	local name=$1 n_sim=$2 n_ref=$3 goal=$4 what=$5 sim_each ref_each i
	local -a a=() b=()
	shift 6
	while [ "$1" != -- ]; do
		a+=("$1")
		shift
	done
	shift
	b=("$@")
	wanted "$name" || return 0
	for ((i = 0; i < ROUNDS; i++)); do
		per_loop "$name.sim" "$n_sim" "${sim[@]}" "${a[@]}"
		sim_each=$each
		per_loop "$name.ref" "$n_ref" "${b[@]}"
		ref_each=$each
	done
	report "$name" "$sim_each" "$ref_each" ns "$goal" "$what"
}

compare call 20000 20000 1.25 'an emulated call, against a bare notification' -- $out/loops call -- $out/notify
compare read64 20000 20000 1.6 '64 bytes of a file, against a bare notification' -- $out/loops read64 -- $out/notify
compare clock 20000000 5000000 1.0 'a read of the clock, against the vDSO of the host' -- $out/loops clock -- $out/loops clock
compare futex 5000 50000 '' 'a thread switch by futex, against native' -- $out/loops futex -- $out/loops futex
compare pipe64 10000 100000 '' '64 bytes through a pipe, against native' -- $out/loops pipe64 -- $out/loops pipe64
compare pipe64k 1000 10000 '' '64 KiB through a pipe, against native' -- $out/loops pipe64k -- $out/loops pipe64k
compare exec 30 200 '' 'fork, exec and wait, against native' -- $out/loops exec -- $out/loops exec

if wanted start; then
	read -r ns kb < <($out/timed $((4 * ROUNDS)) "${sim[@]}" /bin/true)
	# The goal is 20 ms: no ratio, since natively it is next to nothing.
	report start "$(awk -v n="$ns" 'BEGIN { print n / 1e6 }')" 20 ms 1.0 "simrun -seed 1 /bin/true, against 20 ms; $kb kB of memory"
fi

if command -v redis-benchmark >/dev/null; then
	compare redis1 1000 20000 '' 'redis SET and GET, 1 client, against native' -- bench/redis.sh 1 -- bench/redis.sh 1
	compare redis50 1000 40000 '' 'redis SET and GET, 50 clients, against native' -- bench/redis.sh 50 -- bench/redis.sh 50
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
[ $missed = 0 ] || echo "$missed goals missed"
