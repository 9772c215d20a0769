#!/bin/bash
# A primary and two replicas of redis, watched by three sentinels. The primary is killed; the sentinels must agree that it
# is gone and promote a replica, and no write that both replicas acknowledged may be lost.
#
#     simrun -seeds 1-100 examples/redis-sentinel/cluster.sh
set -u
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT

server() { # number [primary's port]
	mkdir "$dir/redis$1"
	SIMRUN_NODE=redis$1 redis-server --port $((7100 + $1)) --bind 127.0.0.1 --dir "$dir/redis$1" --appendonly yes --save '' \
		--repl-diskless-sync-delay 0 ${2:+--replicaof 127.0.0.1 "$2"} >"$dir/redis$1.log" &
	pids[$1]=$!
}

sentinel() { # number
	cat >"$dir/sentinel$1.conf" <<-X
		port $((7200 + $1))
		bind 127.0.0.1
		dir $dir
		sentinel monitor demo 127.0.0.1 7101 2
		sentinel down-after-milliseconds demo 2000
		sentinel failover-timeout demo 10000
	X
	SIMRUN_NODE=sentinel$1 redis-server "$dir/sentinel$1.conf" --sentinel >"$dir/sentinel$1.log" &
	pids[10 + $1]=$!
}

primary() { # the port that the sentinels name
	local n port
	for n in 1 2 3; do
		port=$(redis-cli -p $((7200 + n)) sentinel get-master-addr-by-name demo 2>/dev/null | tail -n 1)
		[ -n "$port" ] && echo "$port" && return
	done
}

server 1
server 2 7101
server 3 7101
until [ "$(redis-cli -p 7101 info replication 2>/dev/null | grep -c 'state=online')" = 2 ]; do sleep 0.1; done
for n in 1 2 3; do sentinel $n; done
for n in 1 2 3; do
	until redis-cli -p $((7200 + n)) sentinel ckquorum demo 2>/dev/null | grep -q '^OK 3' &&
		[ "$(redis-cli -p $((7200 + n)) sentinel replicas demo | grep -cx name)" = 2 ]; do sleep 0.2; done
done
echo "three servers, three sentinels that know each other"

for i in $(seq 1 20); do
	until [ "$(printf 'set key%d value%d\nwait 2 1000\n' "$i" "$i" | redis-cli -p 7101 2>/dev/null | paste -sd' ')" = "OK 2" ]; do
		sleep 0.1
	done
done
echo "20 keys are on all three"

{ kill -9 "${pids[1]}" && wait "${pids[1]}"; } 2>/dev/null
echo "the primary is dead"
until port=$(primary) && [ -n "$port" ] && [ "$port" != 7101 ] && redis-cli -p "$port" role 2>/dev/null | grep -qx master; do
	sleep 0.5
done
echo "the sentinels have promoted redis$((port - 7100))"

for i in $(seq 1 20); do
	got=$(redis-cli -p "$port" get "key$i")
	if [ "$got" != "value$i" ]; then
		echo "LOST: key$i is '$got'"
		exit 1
	fi
done
until [ "$(redis-cli -p "$port" set more yes 2>/dev/null)" = OK ]; do sleep 0.1; done
echo "all 20 keys survived, and it takes more"
