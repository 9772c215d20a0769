#!/usr/bin/env bash
# Functions that start servers in subshells, each in a directory of its own.
# needs: python3 curl
set -euo pipefail
base=$(mktemp -d)
start() {
	local name=$1 port=$2
	mkdir -p "$base/$name"
	(
		cd "$base/$name"
		echo "this is $name" >index.html
		exec python3 -m http.server --bind 127.0.0.1 "$port" >server.log 2>&1
	) &
	eval "${name}_pid=$!"
}
stop() { kill "$a_pid" "$b_pid"; wait || true; rm -rf "$base"; }
start a 21301
start b 21302
trap stop EXIT
for try in $(seq 50); do curl -s -o /dev/null 127.0.0.1:21301 && curl -s -o /dev/null 127.0.0.1:21302 && break; sleep .2; done
[ "$(curl -s http://127.0.0.1:21301/)" = "this is a" ]
[ "$(curl -s http://127.0.0.1:21302/)" = "this is b" ]
