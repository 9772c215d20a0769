#!/bin/bash
# Three stock etcd servers. Keys are written through etcdctl and over HTTP, the leader is killed and started again; every
# member must have every acknowledged key in the end. Plain bash, which runs natively just as well.
#
#     simrun -seeds 1-100 examples/etcd/cluster.sh
set -u
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT

url() { echo "http://127.0.0.1:$((23790 + $1))"; }  # clients'
peer() { echo "http://127.0.0.1:$((23800 + $1))"; } # the servers'

start() { # number
	SIMRUN_NODE=etcd$1 etcd --name "etcd$1" --data-dir "$dir/$1" --logger zap --log-level error \
		--listen-client-urls "$(url "$1")" --advertise-client-urls "$(url "$1")" \
		--listen-peer-urls "$(peer "$1")" --initial-advertise-peer-urls "$(peer "$1")" \
		--initial-cluster "etcd1=$(peer 1),etcd2=$(peer 2),etcd3=$(peer 3)" >>"$dir/log$1" 2>&1 &
	pids[$1]=$!
}

export ETCDCTL_API=3
ctl() { etcdctl --endpoints "$(url 1),$(url 2),$(url 3)" --dial-timeout 2s --command-timeout 5s "$@" 2>/dev/null; }

put() { # key value: until it is acknowledged
	until ctl put "$1" "$2" | grep -qx OK; do sleep 0.2; done
}

for i in 1 2 3; do start $i; done
put ready yes
echo "three servers are up"
for i in 1 2 3 4 5; do put "key$i" "value$i"; done

# The leader is whoever says so: its status has "true" in the fifth column.
until leader=$(ctl endpoint status | awk -F ', ' '$5 == "true" { print substr($1, length($1)) }') && [ -n "$leader" ]; do
	sleep 0.2
done
echo "etcd$leader leads, and is killed"
{ kill -9 "${pids[$leader]}" && wait "${pids[$leader]}"; } 2>/dev/null
for i in 6 7 8 9 10; do put "key$i" "value$i"; done
echo "ten keys are written"
start "$leader"

# Over HTTP, too: the gateway takes and gives JSON with keys in base64.
b64() { printf %s "$1" | base64; }
until curl -sf -m 5 "$(url "$leader")/v3/kv/put" -d "{\"key\":\"$(b64 key11)\",\"value\":\"$(b64 value11)\"}" |
	grep -q '"revision"'; do sleep 0.2; done
echo "an eleventh through the server that came back"

for n in 1 2 3; do
	for i in $(seq 1 11); do
		# From this member alone; the read is linearizable.
		until got=$(etcdctl --endpoints "$(url $n)" get --print-value-only "key$i" 2>/dev/null) && [ -n "$got" ]; do
			sleep 0.2
		done
		if [ "$got" != "value$i" ]; then
			echo "etcd$n has '$got' for key$i"
			exit 1
		fi
	done
done
echo "every server has all eleven"
