#!/usr/bin/env bash
# A server of one database, its clients on a Unix socket, a lock that is waited for, pgbench with four clients.
# needs: root postgresql setpriv
set -e
for B in /usr/lib/postgresql/*/bin; do :; done # the newest
d=$(mktemp -d); cd $d; chown postgres $d
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
sql() { psql -qAt -h $d -U postgres "$@"; }
as $B/initdb -D $d/db >init.log 2>&1 || { tail init.log; exit 1; }
as $B/postgres -D $d/db -k $d -c listen_addresses= >log 2>&1 &
until sql -c "select 1" >/dev/null 2>&1; do sleep 0.2; done
sql -c "create table t(a int primary key, b float); insert into t select n, random() from generate_series(1, 500) n"
test "$(sql -c "select sum(a) from t")" = 125250; sql -c "select now(), max(b), gen_random_uuid() from t"
(sql -c "begin; lock table t; select pg_sleep(1); delete from t where a = 1; commit") & sleep 0.3
sql -c "insert into t values (1000, 0)"; wait $!; test "$(sql -c "select count(*) from t")" = 500
as $B/pgbench -h $d -U postgres -i -q postgres >/dev/null 2>&1; as $B/pgbench -h $d -U postgres -c 4 -t 10 postgres 2>/dev/null | grep "40/40"
as $B/pg_ctl -s -D db -m fast stop; wait; grep "is shut down" log; rm -rf $d
