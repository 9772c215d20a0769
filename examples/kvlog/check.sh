#!/usr/bin/env bash
# The correct server passes; each planted bug is found within its budget of seeds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/lib/check.bash
. "$here/../lib/check.bash"
compile server client
cp "$here/cluster.sh" "$work"
cd "$work" || exit 1

if out=$(timeout -k 5 60 ./cluster.sh 2>&1); then ok 'natively'; else not_ok 'natively' "$out"; fi
kvlog=(-model append -faults "crash,reset,buggify,driver" ./cluster.sh)
correct "${kvlog[@]}"
found 1 50 linearizability 'not linearizable (model append)' "${kvlog[@]}"
found 2 50 linearizability 'not linearizable (model append)' "${kvlog[@]}"
found 3 50 linearizability 'not linearizable (model append)' "${kvlog[@]}"
found 4 200 linearizability 'not linearizable (model append)' "${kvlog[@]}"
found 5 200 linearizability 'not linearizable (model append)' "${kvlog[@]}"
done_testing
