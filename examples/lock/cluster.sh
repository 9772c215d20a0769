#!/bin/sh
# A lock service, what it protects, and three clients. Natively, or as
#
#     simrun -model lease -seeds 1-200 -faults crash,pause,clock-jump examples/lock/cluster.sh
#
# BIN: where the programs are (examples/lock/check.sh builds them); BUG=n plants one of the bugs.
BIN=${BIN:-.}
dir=$(mktemp -d)
trap 'kill $servers 2>/dev/null; rm -rf "$dir"' EXIT

SIMRUN_NODE=lock "$BIN/server" 7200 "$dir/lock.state" &
servers=$!
SIMRUN_NODE=store "$BIN/store" 7201 &
servers="$servers $!"
clients=
for n in 1 2 3; do
	SIMRUN_NODE=client$n "$BIN/client" 7200 7201 $n 20 &
	clients="$clients $!"
done
for pid in $clients; do
	wait "$pid" || exit 1
done
echo "all clients are done"
