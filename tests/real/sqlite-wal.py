#!/usr/bin/python3
# Two processes on one database in WAL mode: both write, one checkpoints, readers see whole transactions only.
import os
import random
import sqlite3
import sys
import tempfile
import time


def connect(path):
    db = sqlite3.connect(path, timeout=30, isolation_level=None)
    assert db.execute("pragma journal_mode=wal").fetchone() == ("wal",)
    return db


def write(path, who):
    db = connect(path)
    for i in range(15):
        db.execute("begin immediate")
        db.execute("update total set n = n + 1")
        time.sleep(random.random() / 500)
        db.execute("insert into log values (?, ?, hex(randomblob(4)))", (who, i))
        db.execute("commit")
        n, rows = db.execute("select (select n from total), (select count(*) from log)").fetchone()
        assert n == rows, (n, rows)
        if i % 5 == 4 and who == 0:
            db.execute("pragma wal_checkpoint")


with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "db")
    connect(path).executescript("create table total(n); insert into total values (0); create table log(who, i, x);")
    pids = []
    for who in range(2):
        if (pid := os.fork()) == 0:
            write(path, who)
            os._exit(0)
        pids.append(pid)
    if any(os.waitpid(pid, 0)[1] for pid in pids):
        sys.exit("a writer failed")
    db = connect(path)
    assert db.execute("select n from total").fetchone() == (30,)
    assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    print([w for w, in db.execute("select who from log order by rowid")], db.execute("select x from log limit 2").fetchall())
