#!/usr/bin/env bash
# A primary that never connects to its backup again fails liveness; one that applies a repeated add twice fails the final
# check once the client was crashed in between; the correct one passes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/lib/check.bash
. "$here/../lib/check.bash"
compile server client finally
cp "$here/cluster.sh" "$here/simrun.json" "$work"
cd "$work" || exit 1

if out=$(timeout -k 5 60 ./cluster.sh 2>&1); then ok 'natively'; else not_ok 'natively' "$out"; fi
correct -c simrun.json
found 1 50 liveness 'client did not finish within 10s of the recovery phase starting at 5.000s' -c simrun.json
found 2 100 property 'check#1: always "no add is applied twice" is false' -c simrun.json
done_testing
