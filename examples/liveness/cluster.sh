#!/bin/sh
# The same programs natively. In a simulation simrun.json starts them:
#
#     simrun -c simrun.json -seeds 1-200            where the programs are (check.sh builds them)
#     simrun -c simrun.json -seeds 1-200 -env BUG=1
BIN=${BIN:-.}
dir=$(mktemp -d)
trap 'kill $backup $primary 2>/dev/null; rm -rf "$dir"' EXIT

"$BIN/server" 7001 "$dir/backup.log" &
backup=$!
"$BIN/server" 7000 "$dir/primary.log" 7001 &
primary=$!
"$BIN/client" 7000 "$dir/client.state" 60 && "$BIN/finally" 7000 7001 60
