#!/bin/bash
# Three nats servers with JetStream, and a client that speaks their text protocol through bash's /dev/tcp: a stream of three
# replicas, messages published with acknowledgement, the stream's leader killed; nothing acknowledged may be lost.
#
#     simrun -seeds 1-100 examples/nats/cluster.sh
# shellcheck disable=SC2016 # subjects begin with a dollar sign
set -u
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT

start() { # number
	cat >"$dir/$1.conf" <<-X
		server_name: n$1
		listen: 127.0.0.1:$((14220 + $1))
		jetstream { store_dir: "$dir/$1", max_mem: 16MB, max_file: 64MB }
		cluster {
			name: demo
			listen: 127.0.0.1:$((16220 + $1))
			routes: [nats://127.0.0.1:16221, nats://127.0.0.1:16222, nats://127.0.0.1:16223]
		}
	X
	SIMRUN_NODE=n$1 nats-server -c "$dir/$1.conf" >"$dir/log$1" 2>&1 &
	pids[$1]=$!
}

# request SERVER SUBJECT PAYLOAD: the answer's payload; fails when there is none within a second.
request() {
	local line size verb
	exec 3<>"/dev/tcp/127.0.0.1/$((14220 + $1))" || return 1
	printf 'CONNECT {"verbose":false}\r\nSUB _INBOX.a 1\r\nPUB %s _INBOX.a %d\r\n%s\r\n' "$2" "${#3}" "$3" >&3
	while IFS= read -r -t 1 line <&3; do
		line=${line%$'\r'}
		verb=${line%% *}
		case $verb in
		MSG)
			size=${line##* }
			IFS= read -r -t 1 -N "$size" line <&3
			exec 3>&-
			printf '%s\n' "$line"
			return 0
			;;
		PING) printf 'PONG\r\n' >&3 ;;
		esac
	done
	exec 3>&-
	return 1
} 2>/dev/null

# ask REGEX SUBJECT PAYLOAD: any server, until an answer matches.
ask() {
	local n
	while :; do
		for n in 1 2 3; do
			if answer=$(request $n "$2" "$3") && [[ $answer =~ $1 ]]; then
				return
			fi
		done
		sleep 0.2
	done
}

for i in 1 2 3; do start $i; done
ask '"stream_info_response"|"name":"ORDERS"' '$JS.API.STREAM.CREATE.ORDERS' \
	'{"name":"ORDERS","subjects":["orders.*"],"num_replicas":3,"storage":"file","retention":"limits"}'
echo "three servers are up, and have a stream of three replicas"

for i in $(seq 1 20); do ask '"seq":' orders.new "order $i"; done
echo "20 messages are acknowledged"

ask '"leader":"n[123]"' '$JS.API.STREAM.INFO.ORDERS' ''
[[ $answer =~ '"leader":"n'([123]) ]] && leader=${BASH_REMATCH[1]}
echo "n$leader leads the stream, and is killed"
{ kill -9 "${pids[$leader]}" && wait "${pids[$leader]}"; } 2>/dev/null

for i in $(seq 21 30); do ask '"seq":' orders.new "order $i"; done
echo "10 more are acknowledged"

# Every order is there; one whose acknowledgement was lost with the leader may be there twice.
ask '"last_seq":[0-9]' '$JS.API.STREAM.INFO.ORDERS' ''
[[ $answer =~ '"last_seq":'([0-9]+) ]] && last=${BASH_REMATCH[1]}
for i in $(seq 1 "$last"); do
	ask '"data":' '$JS.API.STREAM.MSG.GET.ORDERS' "{\"seq\":$i}"
	[[ $answer =~ '"data":"'([^\"]*) ]] && base64 -d <<<"${BASH_REMATCH[1]}" && echo
done >"$dir/got"
for i in $(seq 1 30); do
	grep -qx "order $i" "$dir/got" || { echo "LOST: order $i"; exit 1; }
done
echo "all 30 are in the stream"
