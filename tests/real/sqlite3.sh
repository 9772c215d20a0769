#!/usr/bin/env bash
# Three processes write one database in WAL mode.
# needs: sqlite3
set -e; d=$(mktemp -d); cd $d
sqlite3 db "pragma journal_mode=wal; create table t(a integer primary key, b text, c real);"
for i in 1 2 3; do (for k in 1 2 3 4 5; do
	sqlite3 -cmd ".timeout 10000" db "begin immediate; insert into t(b, c) values (hex(randomblob(4)), random()); commit;" >/dev/null
done) & done; wait
test "$(sqlite3 db "select count(*) from t;")" = 15; sqlite3 db "pragma integrity_check; select * from t limit 2;"
sqlite3 db "select datetime(), strftime(\"%f\");"
