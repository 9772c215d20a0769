#!/usr/bin/env bash
# A server with an append-only file, its clients, keys that expire.
# needs: redis-server
set -e; d=$(mktemp -d); cd $d
redis-server --port 7301 --save "" --appendonly yes --dir $d >/dev/null & 
until [ "$(redis-cli -p 7301 ping 2>/dev/null)" = PONG ]; do sleep 0.1; done
for i in 1 2 3; do redis-cli -p 7301 set k$i v$i; done; redis-cli -p 7301 incr n
redis-benchmark -p 7301 -q -n 200 -c 5 -t set,get >/dev/null
test "$(redis-cli -p 7301 get k2)" = v2
redis-cli -p 7301 set gone x px 1500; sleep 2; test -z "$(redis-cli -p 7301 get gone)"
redis-cli -p 7301 shutdown; wait
