#!/bin/sh
# Three nodes and three clients. Natively, or as
#
#     simrun -c examples/raftkv/simrun.json -seeds 1-200 examples/raftkv/cluster.sh
#
# BIN: where the program is (examples/raftkv/check.sh builds it); BUG=n plants one of the bugs of main.go.
BIN=${BIN:-.}
dir=$(mktemp -d)
trap 'kill $nodes 2>/dev/null; rm -rf "$dir"' EXIT

nodes=
for n in 0 1 2; do
	SIMRUN_NODE=raft$n "$BIN/raftkv" node $n "$dir" 7300 7301 7302 &
	nodes="$nodes $!"
done
clients=
for n in 1 2 3; do
	"$BIN/raftkv" client $n 20 7300 7301 7302 &
	clients="$clients $!"
done
for pid in $clients; do
	wait "$pid" || exit 1
done
echo "all clients are done"
