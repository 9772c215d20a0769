#!/usr/bin/env bash
# The design with a stored claim keeps its five invariants, with crashes in every phase; without the claim a create lands
# twice, and that is found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/lib/check.bash
. "$here/../lib/check.bash"
compile shard applier client
cp "$here/cluster.sh" "$work"
cd "$work" || exit 1

if out=$(timeout -k 5 60 ./cluster.sh 2>&1); then ok 'natively'; else not_ok 'natively' "$out"; fi
batch=(-faults "crash:rate=120/m,downtime=20ms..300ms" ./cluster.sh)
correct "${batch[@]}"
for phase in planning claiming 'between commits' auditing; do
	if grep -E "sometimes +[0-9]+ +[1-9][0-9]* +a crash came .*$phase" correct.log >/dev/null; then
		ok "crashes hit every phase: $phase"
	else
		not_ok "crashes hit every phase: $phase" <correct.log
	fi
done
found 1 50 property 'always "a create makes at most one record" is false' "${batch[@]}"
done_testing
