#!/usr/bin/env bash
# Leases under crashes, pauses and jumping clocks: the correct programs pass, each planted bug is found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/lib/check.bash
. "$here/../lib/check.bash"
compile server store client
cp "$here/cluster.sh" "$work"
cd "$work" || exit 1

if out=$(timeout -k 5 60 ./cluster.sh 2>&1); then ok 'natively'; else not_ok 'natively' "$out"; fi
# The store keeps the newest token in memory: it is not crashed.
faults="crash:rate=30/m,downtime=20ms..500ms"
lock=(-model lease -faults "$faults" -faults "pause:rate=60/m,for=100ms..1s" -faults "clock-jump:rate=60/m" -faults "exempt=store"
	./cluster.sh)
correct "${lock[@]}"
found 1 50 linearizability 'not linearizable (model lease)' "${lock[@]}"
found 2 50 linearizability 'not linearizable (model lease)' "${lock[@]}"
found 3 100 linearizability 'not linearizable (model lease)' "${lock[@]}"
found 4 100 property 'store#1: always "writes come in the order of their tokens" is false' "${lock[@]}"
done_testing
