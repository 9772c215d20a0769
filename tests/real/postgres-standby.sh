#!/usr/bin/env bash
# A server and its streaming standby.
# needs: root postgresql setpriv
set -e
for B in /usr/lib/postgresql/*/bin; do :; done # the newest
d=$(mktemp -d); cd $d; chown postgres $d
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
sql() { psql -qAt -h 127.0.0.1 -U postgres "$@"; }
as $B/initdb -D $d/a >init.log 2>&1 || { tail init.log; exit 1; }
echo "host replication all 127.0.0.1/32 trust" >>a/pg_hba.conf
as $B/postgres -D a -k $d -p 7402 -c listen_addresses=127.0.0.1 >a.log 2>&1 &
until sql -p 7402 -c "select 1" >/dev/null 2>&1; do sleep 0.2; done
as $B/pg_basebackup -h 127.0.0.1 -p 7402 -U postgres -D $d/b -R -X stream -c fast
as $B/postgres -D b -k $d -p 7403 -c listen_addresses=127.0.0.1 >b.log 2>&1 &
until sql -p 7403 -c "select 1" >/dev/null 2>&1; do sleep 0.2; done
sql -p 7402 -c "create table t(a int); insert into t select generate_series(1, 1000)"
until [ "$(sql -p 7403 -c "select count(*) from t" 2>/dev/null)" = 1000 ]; do sleep 0.1; done
sql -p 7402 -c "select state from pg_stat_replication"; sql -p 7403 -c "select pg_is_in_recovery()" | grep -x t
for x in b a; do as $B/pg_ctl -s -D $x -m fast stop; done; wait; rm -rf $d
