#!/bin/bash
# nginx with two workers in front of two others, and curl as the client: connections that are kept alive, many at a time, a
# backend that is killed under load, a reload of the configuration. No request may fail.
#
#     simrun -seeds 1-100 examples/nginx/cluster.sh
set -u
PATH=$PATH:/usr/sbin
dir=$(mktemp -d)
chmod 755 "$dir"
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT

start() { # name port what its server does
	mkdir "$dir/$1"
	cat >"$dir/$1.conf" <<-X
		worker_processes 2;
		daemon off;
		pid $dir/$1/pid;
		error_log $dir/$1/error.log;
		events {}
		http {
			access_log off;
			client_body_temp_path $dir/$1/body;
			proxy_temp_path $dir/$1/proxy;
			fastcgi_temp_path $dir/$1/fastcgi;
			uwsgi_temp_path $dir/$1/uwsgi;
			scgi_temp_path $dir/$1/scgi;
			upstream backends { server 127.0.0.1:18081; server 127.0.0.1:18082; keepalive 4; }
			server { listen 127.0.0.1:$2; $3 }
		}
	X
	SIMRUN_NODE=$1 nginx -c "$dir/$1.conf" 2>/dev/null &
	pids+=($!)
	until curl -sf -o /dev/null "http://127.0.0.1:$2/health"; do sleep 0.1; done
}

# shellcheck disable=SC2016 # a variable of nginx
serve='root '$dir'/www; add_header X-Worker $pid; location = /health { return 204; }'
mkdir "$dir/www"
for i in $(seq 1 20); do head -c $((i * 1000)) /dev/zero >"$dir/www/$i"; done
start backend1 18081 "$serve"
start backend2 18082 "$serve"
start front 18080 'location / { proxy_pass http://backends; proxy_http_version 1.1; proxy_set_header Connection "";
	proxy_next_upstream error timeout; proxy_connect_timeout 2s; }'
echo "two backends and a front are up"

# One curl, one connection, twenty requests.
curl -sS -w '%{num_connects} %{size_download}\n' -o /dev/null "http://127.0.0.1:18080/[1-20]" >"$dir/sizes"
# The fetched bodies arrive in order, and only the first made a connection.
if [ "$(awk '{ n += $1; s += $2 } END { print n, s }' "$dir/sizes")" != "1 210000" ]; then
	echo "wrong answers:"
	cat "$dir/sizes"
	exit 1
fi
echo "twenty requests over one connection"

get() { # client: its requests, one after the other
	local i
	for i in $(seq 1 20); do
		[ "$(curl -sS -m 10 -o /dev/null -w '%{http_code} %{size_download}' "http://127.0.0.1:18080/$i" 2>&1)" = "200 $((i * 1000))" ] ||
			echo "client $1, request $i failed"
		sleep 0.05
	done
}

for n in 1 2 3 4; do
	get $n >"$dir/client$n" &
	clients[n]=$!
done
sleep 0.3
master=$(cat "$dir/backend2/pid")
# shellcheck disable=SC2046 # several workers
{ kill -9 "$master" $(pgrep -P "$master") && wait "$master"; } 2>/dev/null
kill -HUP "$(cat "$dir/front/pid")"
wait "${clients[@]}"
if [ -n "$(cat "$dir"/client*)" ]; then
	cat "$dir"/client*
	exit 1
fi
echo "eighty more by four clients, while a backend died and the front read its configuration again"
