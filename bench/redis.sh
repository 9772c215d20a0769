#!/usr/bin/env bash
# redis.sh CLIENTS REQUESTS: a server, and so many requests of redis-benchmark for SET and for GET.
set -eu
dir=$(mktemp -d)
port=7299
redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no --dir "$dir" --logfile /dev/null &
until redis-cli -p $port ping >/dev/null 2>&1; do sleep 0.05; done
redis-benchmark -p $port -q -c "$1" -n "$2" -t set,get >/dev/null
redis-cli -p $port shutdown nosave || :
wait
rm -rf "$dir"
