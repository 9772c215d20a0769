#!/usr/bin/env bash
# Raft under crashes and partitions: the correct program passes, each planted bug is found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/lib/check.bash
. "$here/../lib/check.bash"
if ! command -v go >/dev/null; then
	skip 'raftkv' 'no go'
	done_testing
fi
if out=$(cd "$here" && go vet . && CGO_ENABLED=0 go build -o "$work/raftkv" . 2>&1); then ok 'it builds'; else not_ok 'it builds' "$out"; fi
cp "$here/cluster.sh" "$here/simrun.json" "$work"
cd "$work" || exit 1

if out=$(timeout -k 5 60 ./cluster.sh 2>&1); then ok 'natively'; else not_ok 'natively' "$out"; fi
raftkv=(-c simrun.json -catalog "$here" ./cluster.sh)
correct "${raftkv[@]}"
found 1 100 property 'unreachable "two leaders in the same term" was reached' "${raftkv[@]}"
found 2 100 property 'always_or_unreachable "a committed entry is never overwritten" is false' "${raftkv[@]}"
found 3 100 linearizability 'not linearizable (model kv)' "${raftkv[@]}"
found 4 100 property 'is false' "${raftkv[@]}"
found 5 200 property 'always_or_unreachable "a committed entry is never overwritten" is false' "${raftkv[@]}"
done_testing
