#!/bin/sh
# A server with a log and three clients. Natively, or as
#
#     simrun -model append -seeds 1-200 -faults crash,reset,buggify,driver examples/kvlog/cluster.sh
#
# BIN: where the programs are (examples/kvlog/check.sh builds them); BUG=n plants one of the bugs of server.c.
BIN=${BIN:-.}
dir=$(mktemp -d)
trap 'kill $server 2>/dev/null; rm -rf "$dir"' EXIT

SIMRUN_NODE=server "$BIN/server" 7100 "$dir/log" &
server=$!
clients=
for n in 1 2 3; do
	"$BIN/client" 7100 $n 20 &
	clients="$clients $!"
done
for pid in $clients; do
	wait "$pid" || exit 1
done
echo "all clients are done"
