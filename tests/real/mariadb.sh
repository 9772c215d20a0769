#!/usr/bin/env bash
# A server of a fresh data directory, clients on its Unix socket, a lock that is waited for, a clean stop.
# soak: half a minute
# needs: root mariadbd mariadb-install-db setpriv
set -e
d=$(mktemp -d)
chmod 755 "$d"
cd "$d"
install -d -o mysql tmp # the server lists its directory for temporary files, and /tmp is everybody's
export TMPDIR=$d/tmp
mariadb-install-db --no-defaults --user=mysql --datadir="$d/db" --auth-root-authentication-method=normal --skip-test-db \
	>install.log 2>&1 || { tail install.log; exit 1; }
mariadbd --no-defaults --user=mysql --datadir="$d/db" --socket="$d/db/sock" --skip-networking --pid-file="$d/db/pid" \
	--innodb-buffer-pool-size=16M >log 2>&1 &
sql() { mariadb --no-defaults -u root -S "$d/db/sock" -BN -e "$1" "${2:-mysql}"; }
for ((i = 0; i < 100; i++)); do sql 'select 1' >/dev/null 2>&1 && break; sleep 0.3; done
sql 'create database d'
sql 'create table t(a int primary key, b double) engine=innodb; insert into t select seq, rand() from seq_1_to_200' d
test "$(sql 'select sum(a) from t' d)" = 20100
(sql 'begin; update t set b = 0 where a = 1; do sleep(1); delete from t where a = 2; commit' d) &
locker=$!
sleep 0.4
sql 'update t set b = 5 where a = 1' d
wait $locker
sql 'select count(*), b from t where a <= 2; select now(6), uuid(), connection_id()' d
mariadb-admin --no-defaults -u root -S "$d/db/sock" shutdown
wait
grep -q 'Shutdown complete' log
rm -rf "$d"
