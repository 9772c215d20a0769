#!/bin/bash
# A primary and a hot standby of postgres, which replicates synchronously; psql and pgbench as clients. The primary is
# killed, the standby promoted; every acknowledged transaction must be there.
#
#     simrun -seeds 1-100 examples/postgres/cluster.sh
set -u
for bin in /usr/lib/postgresql/*/bin; do :; done # the newest
dir=$(mktemp -d)
pids=()
trap 'kill -INT "${pids[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT

# The servers refuse to run as root.
as=()
if [ "$(id -u)" = 0 ]; then
	chown postgres "$dir"
	as=(setpriv --reuid postgres --regid postgres --clear-groups)
fi
cd "$dir" || exit 1

sql() { psql -h "$dir" -p "$1" -U postgres -XqAt -c "$2" postgres 2>>"$dir/sql.log"; } # port statement

start() { # name port options…
	SIMRUN_NODE=$1 "${as[@]}" "$bin/postgres" -D "$dir/$1" -p "$2" -k "$dir" -c listen_addresses=127.0.0.1 "${@:3}" \
		>>"$dir/$1.log" 2>&1 &
	pids+=($!)
	until [ "$(sql "$2" 'select 1')" = 1 ]; do sleep 0.2; done
}

"${as[@]}" "$bin/initdb" -D "$dir/primary" -U postgres -A trust -N >"$dir/initdb.log" 2>&1 || {
	cat "$dir/initdb.log"
	exit 1
}
start primary 15432
"${as[@]}" "$bin/pg_basebackup" -h 127.0.0.1 -p 15432 -U postgres -D "$dir/standby" -R -X stream -c fast \
	>"$dir/backup.log" 2>&1 || {
	cat "$dir/backup.log"
	exit 1
}
start standby 15433
sql 15432 "alter system set synchronous_standby_names = '*'" && sql 15432 'select pg_reload_conf()' >/dev/null
until [ "$(sql 15432 'select sync_state from pg_stat_replication')" = sync ]; do sleep 0.2; done
echo "the standby replicates synchronously"

sql 15432 'create table orders (id int primary key, at timestamptz default now(), what text default gen_random_uuid())'
for i in $(seq 1 20); do sql 15432 "insert into orders (id) values ($i)" || exit 1; done
if ! { pgbench -h 127.0.0.1 -p 15432 -U postgres -i -q postgres &&
	pgbench -h 127.0.0.1 -p 15432 -U postgres -c 4 -t 10 postgres; } >"$dir/bench.log" 2>&1; then
	cat "$dir/bench.log"
	exit 1
fi
grep 'actually processed' "$dir/bench.log"
before=$(sql 15432 'select sum(abalance) from pgbench_accounts')

{ kill -9 "${pids[0]}" && wait "${pids[0]}"; } 2>/dev/null
echo "the primary is dead"
sql 15433 'select pg_promote()' >/dev/null
until [ "$(sql 15433 'select pg_is_in_recovery()')" = f ]; do sleep 0.2; done
# It has no standby of its own that it could wait for.
sql 15433 "alter system reset synchronous_standby_names" && sql 15433 'select pg_reload_conf()' >/dev/null
until [ -z "$(sql 15433 'show synchronous_standby_names')" ]; do sleep 0.2; done
sql 15433 'insert into orders (id) values (21)'

count=$(sql 15433 'select count(*) from orders')
after=$(sql 15433 'select sum(abalance) from pgbench_accounts')
if [ "$count" != 21 ] || [ "$before" != "$after" ] || [ "$(sql 15433 'select count(*) from pgbench_history')" != 40 ]; then
	echo "LOST: $count orders, balances $after instead of $before"
	exit 1
fi
echo "every acknowledged transaction survived"
