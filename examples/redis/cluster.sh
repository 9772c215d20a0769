#!/bin/bash
# A primary and two replicas of redis; the primary is killed, a replica promoted; no acknowledged write may be lost.
# Plain bash, nothing of it knows simrun: run it natively (NAP=1 shortens the long sleep), or as
#
#     simrun -seeds 1-200 -faults crash examples/redis/cluster.sh
#
# Under -faults crash any server may be killed at any time and started again with its files.
set -u
NAP=${NAP:-3600}
dir=$(mktemp -d)
pids=()

# The servers end with the script, also natively.
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT

start() { # name port [primary's port]
	mkdir -p "$dir/$1"
	SIMRUN_NODE=$1 redis-server --port "$2" --bind 127.0.0.1 --dir "$dir/$1" --appendonly yes --appendfsync always \
		--save '' --repl-diskless-sync-delay 0 --enable-debug-command yes --daemonize no \
		${3:+--replicaof 127.0.0.1 "$3"} >/dev/null &
	pids+=($!)
}

ask() { # port command…: the answer, however often the server has to be asked
	local port=$1 answer
	shift
	until answer=$(redis-cli -p "$port" "$@" 2>/dev/null) && [[ $answer != *[A-Z]*" "*loading* ]]; do
		sleep 0.1
	done
	echo "$answer"
}

start redis1 7001
start redis2 7002 7001
start redis3 7003 7001
for port in 7001 7002 7003; do
	until [[ $(redis-cli -p $port ping 2>/dev/null) == PONG ]]; do sleep 0.1; done
done
echo "three servers are up"

# Writes that both replicas have acknowledged are durable, whoever dies.
for i in $(seq 1 20); do
	until [[ $(redis-cli -p 7001 set "key$i" "value$i" 2>/dev/null) == OK &&
		$(printf 'set key%s value%s\nwait 2 1000\n' "$i" "$i" | redis-cli -p 7001 2>/dev/null | tail -1) == 2 ]]; do
		sleep 0.1
	done
done
echo "20 keys are on all three"

kill -9 "${pids[0]}"
wait "${pids[0]}" 2>/dev/null
echo "the primary is dead"
until [[ $(ask 7002 replicaof no one) == OK ]]; do sleep 0.1; done
until [[ $(ask 7003 replicaof 127.0.0.1 7002) == OK ]]; do sleep 0.1; done

sleep "$NAP"

for i in $(seq 1 20); do
	got=$(ask 7002 get "key$i")
	if [[ $got != "value$i" ]]; then
		echo "LOST: key$i is '$got' on the new primary"
		exit 1
	fi
done
echo "all 20 keys survived"
