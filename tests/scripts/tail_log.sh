#!/bin/bash
# Waiting for a line of a log: tail -f | grep -m1.
# needs: redis-server redis-cli
log=$(mktemp)
redis-server --port 22201 --bind 127.0.0.1 --save '' >"$log" 2>&1 &
pid=$!
timeout 30 tail -n +1 -f "$log" | grep -m1 'Ready to accept connections' || exit 1
redis-cli -p 22201 ping || exit 1
kill $pid
timeout 30 tail --pid=$pid -n +1 -f "$log" | grep -q 'bye bye' || exit 1
rm "$log"
