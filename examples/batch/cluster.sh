#!/bin/sh
# Two shards, the applier of batches, and a client. Natively, or as
#
#     simrun -faults crash:rate=120/m,downtime=20ms..300ms -seeds 1-200 examples/batch/cluster.sh
#
# BIN: where the programs are (examples/batch/check.sh builds them); BUG=1 leaves out the stored claim.
BIN=${BIN:-.}
dir=$(mktemp -d)
trap 'kill $servers 2>/dev/null; rm -rf "$dir"' EXIT

servers=
for s in 0 1; do
	SIMRUN_NODE=shard$s "$BIN/shard" 740$s "$dir/shard$s.log" &
	servers="$servers $!"
done
mkdir "$dir/applier"
SIMRUN_NODE=applier "$BIN/applier" 7410 "$dir/applier" 7400 7401 &
servers="$servers $!"
"$BIN/client" 7410 40 7400 7401 || exit 1
echo "all batches are done"
