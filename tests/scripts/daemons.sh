#!/bin/bash
# A server that becomes a daemon: start-up returns when it has forked away.
# needs: redis-server redis-cli
dir=$(mktemp -d)
redis-server --daemonize yes --port 21501 --bind 127.0.0.1 --dir "$dir" --pidfile "$dir/redis.pid" --logfile "$dir/log" --save ''
until redis-cli -p 21501 ping 2>/dev/null | grep -q PONG; do sleep 0.1; done
[ "$(ps -o ppid= -p "$(cat "$dir/redis.pid")" | tr -d ' ')" != $$ ] || exit 1
redis-cli -p 21501 set a b
redis-cli -p 21501 shutdown nosave
while [ -e "$dir/redis.pid" ]; do sleep 0.1; done
tail -n 1 "$dir/log"
rm -rf "$dir"
