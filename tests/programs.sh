#!/usr/bin/env bash
# Stock programs as Debian has them, each a small script of what people do with it: passes natively, passes under simrun for
# three seeds, run twice each and compared; and gives the same hashes and the same output while every CPU is busy.
# tests/programs.sh [NAME...]
# shellcheck disable=SC2016 # what guests shall expand stands in single quotes
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
work=$(mktemp -d /tmp/simrun-programs-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
mkdir "$work/run" "$work/out" # in run, and beside them, a program may look around
cd "$work/run" || exit 1
want=("$@")

wanted() { # NAME
	[ ${#want[@]} = 0 ] && return
	local w
	for w in "${want[@]}"; do [ "$w" = "$1" ] && return; done
	return 1
}

# The hashes of the last sweep.
hashes() { sed 's/.*"seed":\([0-9]*\),.*"host_calls":\([0-9]*\),"determinism_hash":"\([0-9a-f]*\)".*/\1 \2 \3/' ../out/j | sort; }

# What the nodes of each seed printed, into printed.
printed() {
	local d
	for d in .simrun/seed-*; do mkdir -p ../out/printed && cp -r "$d/output" "../out/printed/${d##*/}"; done
}

# program NAME COMMAND...
program() {
	local name=$1 out first
	shift
	wanted "$name" || return 0
	if ! command -v "$1" >/dev/null; then
		skip "$name" "no $1"
		return
	fi
	mkdir -p native
	if out=$(cd native && timeout -k 5 120 "$@" 2>&1 </dev/null); then ok "$name natively"; else not_ok "$name natively" "$out"; fi
	rm -rf native
	if out=$("$simrun" -timeout 2m -seeds 1-3 -j 2 -check -keep -json ../out/j "$@" 2>&1 </dev/null); then
		ok "$name: 3 seeds, each twice"
	else
		not_ok "$name: 3 seeds, each twice" "$(echo "$out" | grep -v '^warning' | tail -n 5)
$(tail -n 5 .simrun/*/output/driver 2>/dev/null)"
		rm -rf .simrun
		return
	fi
	first=$(hashes)
	printed
	out=$("$top/tests/load.sh" "$simrun" -timeout 5m -seeds 1-3 -keep -json ../out/j "$@" 2>&1 </dev/null)
	clean "$name: the same under load" "$(diff <(echo "$first") <(hashes))"
	clean "$name: the same output under load" "$(mv ../out/printed ../out/before && printed && diff -r ../out/before ../out/printed)"
	rm -rf ../out/before ../out/printed
	rm -rf .simrun
}

program bash bash -c 'set -e
d=$(mktemp -d); cd $d
for i in 1 2 3; do (sleep 0.$RANDOM; echo $i $SRANDOM $EPOCHREALTIME >>log) & done
wait
trap "echo got USR1" USR1; kill -USR1 $$
diff <(sort log) <(cat log | sort)
seq 1000 | while read n; do echo $((n * n)); done | tail -n 1 | grep -qx 1000000
coproc cat; echo through >&${COPROC[1]}; read -u ${COPROC[0]} line; [ $line = through ]
mkdir -p a/b && cp /etc/passwd a/b/ && tar cf - a | (mkdir x && cd x && tar xf -) && cmp a/b/passwd x/a/b/passwd
find a x log -type f | xargs sha256sum | sort | tee sums; sha256sum -c --quiet sums
date; hostname; uname -a; id; df / >/dev/null; ls -la --time-style=full-iso
timeout 5 sleep 1000 || [ $? = 124 ]'

program coreutils bash -c 'set -e; d=$(mktemp -d); cd $d
seq 200 | shuf --random-source=/dev/zero | sort -n | cmp - <(seq 200); seq 200 | shuf | split -l 50 - part.; cat part.* | sort -n | cmp - <(seq 200)
cp -a /etc/passwd p; ln p hard; ln -s p soft; mkdir -p x/y; mv hard x/y/; cmp x/y/hard soft; stat -c "%n %s %h %f" p soft x
install -m 640 p q; chmod a+x q; touch -d 2001-02-03 q; ls -l --time-style=+%F q; readlink -f soft | sed "s:.*/::"; realpath --relative-to=. x/y/hard
dd if=/dev/urandom of=r bs=1k count=100 status=none; md5sum r; base64 r | base64 -d | cmp - r; od -An -tx1 r | head -n 2; truncate -s 10 r; wc -c r
head -c 65536 /dev/zero | tee z | cksum; cut -d: -f1 p | head -n 3; tr a-z A-Z <p | tail -n 1; paste -d, <(seq 3) <(seq 4 6); join <(seq 5) <(seq 3 7)
comm -12 <(seq 5) <(seq 3 7); uniq -c <(printf "a\\na\\nb\\n"); expr 6 \* 7; factor 1234567; date -d @0; env -i A=1 env; nproc; tty || true
timeout 3 tail -f p >/dev/null || [ $? = 124 ]; (sleep 1; echo grown >>p) & tail -n 0 -f --pid=$! p; du -s x | cut -f2; rm -rf x; mkdir e; rmdir e; sync; test ! -e x
nohup echo hup 2>/dev/null; nice -n 3 nice; id -un; whoami; pwd | wc -l; mkfifo f; cat f & echo through >f; wait; stdbuf -oL echo lines; df -P / | wc -l'

cat >../py.py <<'PY'
import os, queue, random, socket, subprocess, sys, tempfile, threading, time, uuid
q, results, lock = queue.Queue(), [], threading.Lock()
def work(n):
    while (job := q.get()) is not None:
        time.sleep(random.random() / 100)
        with lock:
            results.append((n, job, uuid.uuid4().hex))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for job in range(40): q.put(job)
for t in threads: q.put(None)
for t in threads: t.join()
assert sorted(job for _, job, _ in results) == list(range(40))
print(results[:3], os.urandom(4).hex(), time.time(), id(results) % 4096)
with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "f")
    open(path, "w").write("x" * 100000)
    assert subprocess.run(["wc", "-c", path], capture_output=True, text=True).stdout.split()[0] == "100000"
    print(d, os.stat(path).st_mtime)
ps = [subprocess.Popen([sys.executable, "-c", "import random; print(random.random())"], stdout=subprocess.PIPE)
      for _ in range(2)]
print([p.communicate()[0] for p in ps])
s = socket.create_server(("127.0.0.1", 0))
def serve():
    c, _ = s.accept()
    with c: c.sendall(c.recv(100).upper())
t = threading.Thread(target=serve); t.start()
with socket.create_connection(s.getsockname()) as c:
    c.sendall(b"hello")
    assert c.recv(100) == b"HELLO"
t.join()
event = threading.Event()
assert not event.wait(2.5)
print({w: hash(w) for w in ("a", "b")})
PY
program python3 /usr/bin/python3 "$work/py.py"

program perl perl -e 'use strict; use Time::HiRes qw(time sleep); use IO::Socket::INET; use File::Temp qw(tempfile);
my %h = map { $_ => rand } 1 .. 20; print join(",", map { "$_=$h{$_}" } keys %h), "\n"; print time, " $$\n";
my ($f, $name) = tempfile(UNLINK => 1); print $f "line $_\n" for 1 .. 100; close $f;
open my $g, "-|", "sort -r $name | head -n 1" or die; my $top = <$g>; close $g; $top eq "line 99\n" or die $top;
my @kids; for my $n (1 .. 3) { my $p = fork; if (!$p) { sleep rand; exit $n } push @kids, $p }
my $sum = 0; for (@kids) { waitpid $_, 0; $sum += $? >> 8 } $sum == 6 or die;
local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 3; sleep 100 }; $@ eq "alarm\n" or die;'

program git bash -c 'set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
d=$(mktemp -d); cd $d; git init -q -b main .
for i in 1 2 3; do seq $((i * 100)) >f$i; git add .; git commit -q -m "commit $i"; sleep 1; done
git checkout -q -b side HEAD~1; echo more >>f1; git commit -q -am side; git checkout -q main; git merge -q -m merge side
git log --oneline --graph; git gc -q; git fsck --full; git clone -q . copy; test "$(git -C copy rev-list --count HEAD)" = 5
git status --porcelain; git diff HEAD~1 --stat'

program sqlite3 bash -c 'set -e; d=$(mktemp -d); cd $d
sqlite3 db "pragma journal_mode=wal; create table t(a integer primary key, b text, c real);"
for i in 1 2 3; do (for k in 1 2 3 4 5; do
	sqlite3 -cmd ".timeout 10000" db "begin immediate; insert into t(b, c) values (hex(randomblob(4)), random()); commit;" >/dev/null
done) & done; wait
test "$(sqlite3 db "select count(*) from t;")" = 15; sqlite3 db "pragma integrity_check; select * from t limit 2;"
sqlite3 db "select datetime(), strftime(\"%f\");"'

if wanted go && command -v go >/dev/null; then
	mkdir ../gosrc
	cat >../gosrc/main.go <<'GO'
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	mrand "math/rand"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"
)

func main() {
	var wg sync.WaitGroup
	ch := make(chan int)
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := 0; i < 20; i++ {
				time.Sleep(time.Duration(mrand.Intn(1000)) * time.Microsecond)
				ch <- g
			}
		}(g)
	}
	go func() { wg.Wait(); close(ch) }()
	counts := map[int]int{}
	order := ""
	for g := range ch {
		counts[g]++
		order += fmt.Sprint(g)
	}
	b := make([]byte, 8)
	rand.Read(b)
	fmt.Printf("%s %x %d %v\n", order[:40], b, time.Now().UnixNano(), counts)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello ", r.URL.Path) }))
	resp, err := http.Get("http://" + l.Addr().String() + "/x")
	check(err)
	body, err := io.ReadAll(resp.Body)
	check(err)
	if string(body) != "hello /x" {
		panic(string(body))
	}
	out, err := exec.Command("date", "+%s").Output()
	check(err)
	fmt.Printf("%s", out)
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Minute/5400)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
		panic("the timeout did not fire")
	}
	check(os.WriteFile("/tmp/go-was-here", []byte("x"), 0o644))
	os.Remove("/tmp/go-was-here")
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
GO
	if (cd ../gosrc && CGO_ENABLED=0 go build -o ../goprog main.go) >../gobuild 2>&1; then
		program go "$work/goprog"
	else
		not_ok 'go: builds' <../gobuild
	fi
elif wanted go; then
	skip go 'no go'
fi

program make bash -c 'set -e; d=$(mktemp -d); cd $d
for i in 1 2 3 4; do echo "int f$i(void) { return $i; }" >f$i.c; done
cat >main.c <<\EOF
#include <stdio.h>
int f1(void), f2(void), f3(void), f4(void);
int main(void) { printf("%d at %s\n", f1() + f2() + f3() + f4(), __TIME__); }
EOF
printf "hello: main.o f1.o f2.o f3.o f4.o\n\t\$(CC) -o \$@ \$^\n" >Makefile
make -j2 CC=gcc; ./hello; ./hello | grep -q "^10 at "; make -q CC=gcc; sleep 1; touch f2.c; make CC=gcc; ! make nothing'

cat >../test_all.py <<'PY'
import concurrent.futures, multiprocessing, os, shutil, sqlite3, subprocess, sys, tempfile, threading, unittest

def square(x):
    return x * x

class All(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.dir)

    def test_pool(self):
        with multiprocessing.Pool(2) as pool:
            self.assertEqual(pool.map(square, range(20)), [x * x for x in range(20)])

    def test_executor(self):
        with concurrent.futures.ThreadPoolExecutor(3) as ex:
            self.assertEqual(sum(ex.map(square, range(50))), 40425)

    def test_pipeline(self):
        a = subprocess.Popen(["sort", "-n"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        out, _ = a.communicate("\n".join(str(i) for i in range(5000, 0, -1)))
        self.assertEqual(out.split()[:3], ["1", "2", "3"])

    def test_timeout(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            subprocess.run(["sleep", "1000"], timeout=5)

    def test_database(self):
        db = sqlite3.connect(os.path.join(self.dir, "db"))
        db.execute("create table t(x)")
        db.executemany("insert into t values (?)", [(i,) for i in range(100)])
        db.commit()
        self.assertEqual(db.execute("select sum(x) from t").fetchone(), (4950,))

    def test_condition(self):
        c, seen = threading.Condition(), []
        def wait():
            with c:
                c.wait_for(lambda: len(seen) == 3, timeout=10)
        t = threading.Thread(target=wait)
        t.start()
        for i in range(3):
            with c:
                seen.append(i)
                c.notify_all()
        t.join(20)
        self.assertFalse(t.is_alive())

if __name__ == "__main__":
    unittest.main(verbosity=2)
PY
program unittest /usr/bin/python3 "$work/test_all.py"

program redis bash -c 'set -e; d=$(mktemp -d); cd $d
redis-server --port 7301 --save "" --appendonly yes --dir $d >/dev/null & 
until [ "$(redis-cli -p 7301 ping 2>/dev/null)" = PONG ]; do sleep 0.1; done
for i in 1 2 3; do redis-cli -p 7301 set k$i v$i; done; redis-cli -p 7301 incr n
redis-benchmark -p 7301 -q -n 200 -c 5 -t set,get >/dev/null
test "$(redis-cli -p 7301 get k2)" = v2
redis-cli -p 7301 set gone x px 1500; sleep 2; test -z "$(redis-cli -p 7301 get gone)"
redis-cli -p 7301 shutdown; wait'

for pgbin in /usr/lib/postgresql/*/bin; do :; done # the newest
if [ -d "$pgbin" ] && [ "$(id -u)" = 0 ]; then
	program postgres bash -c 'set -e; B='"$pgbin"'; d=$(mktemp -d); cd $d; chown postgres $d
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
as $B/pg_ctl -s -D db -m fast stop; wait; grep "is shut down" log; rm -rf $d'
	program postgres-standby bash -c 'set -e; B='"$pgbin"'; d=$(mktemp -d); cd $d; chown postgres $d
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
for x in b a; do as $B/pg_ctl -s -D $x -m fast stop; done; wait; rm -rf $d'
else
	skip postgres 'no PostgreSQL server, or not root'
fi

program script bash -c 'set -e; d=$(mktemp -d); cd $d
script -qc "bash --norc -ic \"tty; stty size; echo hi >/dev/tty; sleep 0.1\"" out </dev/null
grep -q /dev/pts/ out; grep -q hi out; rm -rf $d'

program tail bash -c 'set -e; d=$(mktemp -d); cd $d; : >log; tail -f log >out & t=$!
for i in 1 2 3; do sleep 0.3; echo line $i >>log; done; sleep 0.2; kill $t; test "$(wc -l <out)" = 3; rm -rf $d'

program ipcs bash -c 'set -e; m=$(ipcmk -M 10000); s=$(ipcmk -S 3); q=$(ipcmk -Q)
ipcs -m -i ${m##* } | grep bytes=10000; ipcs -s -i ${s##* } | grep "nsems = 3"; ipcs -q | grep " ${q##* } "
ipcrm -m ${m##* } -s ${s##* } -q ${q##* }; ! ipcs -m | grep -q " ${m##* } "'

cat >pty_shell.py <<'PY'
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(PS1="$ ", TERM="dumb")
    os.execv("/bin/bash", ["bash", "--norc", "--noprofile", "-i"])
rest = b""
def until(word):
    global rest
    end = time.time() + 60
    while word not in rest:
        if not select.select([fd], [], [], max(0, end - time.time()))[0]:
            sys.exit("no %r in %r" % (word, rest))
        try:
            data = os.read(fd, 1000)
        except OSError:
            break
        if not data:
            break
        rest += data
    at = rest.find(word) + len(word)
    out, rest = rest[:at], rest[at:]
    return out
until(b"$ ")
def run(cmd, *words):
    os.write(fd, cmd)
    for word in words:
        sys.stdout.write(until(word).decode())
run(b"tty\n", b"/dev/pts/", b"$ ")
run(b"stty size; echo $((6*7))\n", b"42\r\n", b"$ ")
run(b"sleep 100 &\n", b"[1]", b"$ ")
run(b"jobs\n", b"Running", b"$ ")
run(b"fg\n", b"sleep 100")
time.sleep(0.5)
run(b"\x1a", b"Stopped", b"$ ")
run(b"bg; jobs\n", b"Running", b"$ ")
run(b"kill %1; sleep 0.1\n\n", b"Terminated", b"$ ")
run(b"cat\n", b"cat")
time.sleep(0.2)
run(b"hello\n\x03", b"^C", b"$ ")
run(b"exit 3\n", b"exit")
while True:
    try:
        if not os.read(fd, 1000):
            break
    except OSError:
        break
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
PY
program terminal /usr/bin/python3 "$PWD/pty_shell.py"
if command -v expect >/dev/null; then
	cat >shell.exp <<'EXP'
set timeout 20
expect_after timeout { puts "gave up waiting"; exit 1 }
spawn env PS1=ready> bash --norc --noprofile -i
expect ready>
send "echo \$((2 + 3))\r"
expect "\n5\r"
send "cat; echo end\r"
# What is typed before cat has the terminal could be read by the editor of lines, or not be turned into a line.
expect "echo end\r\n"
sleep 1
send "abc\r"
expect "abc\r\nabc"
send "\003"
expect ready>
send "exit 7\r"
expect eof
exit [expr {[lindex [wait] 3] != 7}]
EXP
	program expect expect "$PWD/shell.exp"
else
	skip expect 'no expect'
fi

done_testing
