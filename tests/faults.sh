#!/usr/bin/env bash
# Injected faults: what each kind does to small programs (tests/faults/probe.c), measured where it is done; that the same seed
# gives the same run, and the plan of a run the same run again; how faults are written, and what is wrong with them.
# shellcheck disable=SC2016 # what guests shall expand stands in single quotes
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
work=$(mktemp -d /tmp/simrun-faults-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
# Scripts run in ./run, which holds nothing else: what they see must not depend on what is tested.
mkdir "$work/run"
cd "$work" || exit 1
unset SIMRUN_NODE SIMRUN_IP
${CC:-gcc} -O1 -g -std=gnu11 -D_GNU_SOURCE -pthread -o run/probe "$top/tests/faults/probe.c" || exit 1

# Every script begins with this: `n NAME ARGS` runs the probe as a node; its output is in o.NAME.
cat >run/lib.sh <<'END'
n() { SIMRUN_NODE=$1 ./probe "${@:2}" >"o.$1" 2>&1 & }
END

script() { # TEXT: becomes run/s.sh
	printf '. ./lib.sh\n%s\n' "$1" >run/s.sh
}

field() { # FILE NAME
	sed -n "s/.*\"$2\": *\"\{0,1\}\([^\",}]*\).*/\1/p" "$1" | head -n 1
}

run() { # OUT OPTIONS...: s.sh with seed 5
	local out=$1
	shift
	rm -rf run/.simrun
	# shellcheck disable=SC2086 # CONF is words
	(cd run && timeout -k 5 60 "$simrun" -seed "${SEED:-5}" -keep ${CONF:-} -json "../$out.json" "$@" bash ./s.sh >"../$out.out" 2>"../$out.err" </dev/null)
}

# try NAME EFFECT OUTPUT OPTIONS...: ./s.sh with these faults; EFFECT is a condition on e (the effects of all faults together,
# by name), a (times applied) and p (the faults of the plan); OUTPUT a regular expression that a line must match. Then again,
# and from its plan: three times the same.
try() {
	local name=$1 effect=$2 output=$3 why
	shift 3
	run a "$@"
	if ! grep -q '^PASS' a.out; then
		not_ok "$name" "$(tail -n 5 a.out a.err)"
		return
	fi
	cp run/.simrun/seed-*/plan.json plan.json
	why=$(python3 - "$effect" 2>&1 <<'END'
import collections, json, sys
p = json.load(open('plan.json'))['faults']
e = collections.Counter()
for f in p:
    e.update(f['effect'])
a = sum(f['applied'] for f in p)
if not eval(sys.argv[1]):
    print('not so:', sys.argv[1], 'in', json.dumps(p))
END
	)
	[ -z "$output" ] || grep -qE -- "$output" a.out || why+="no line '$output' in: $(grep -v '^determinism' a.out)"
	run b "$@"
	[ "$(field a.json determinism_hash)" = "$(field b.json determinism_hash)" ] || why+=" the same seed gave another run;"
	run c -plan ../plan.json
	[ "$(field a.json determinism_hash)" = "$(field c.json determinism_hash)" ] || why+=" the plan gave another run;"
	python3 -c 'import json
a, c = (json.load(open(f))["faults"] for f in ("plan.json", next(__import__("pathlib").Path("run/.simrun").glob("*/plan.json"))))
exit(a != c)' || why+=" the plan of the plan is another one;"
	clean "$name" "$why"
}

quit() { sed -n 's/.*"text":"\(fault[^"]*\|phase[^"]*\|quiet[^"]*\)".*/\1/p' run/.simrun/*/trace.jsonl; }

# ---- nodes ----
script 'n n1 log log 20 100; sleep 5; wait; cat log'
try 'crash: killed and started again, with its files' "e['processes_killed'] == 1 and a == 1" '^line 20$' -fault crash:node=n1,at=450ms,downtime=1s
clean 'crash: it began anew' "$([ "$(grep -c '^line 1$' a.out)" = 2 ] || echo "$(grep -c '^line 1$' a.out) times")"
try 'crash before a call: it was not performed' "e['processes_killed'] == 1" '^line 20$' -fault crash:call=write,path=log,when=3
clean 'crash before a call: two lines came before' "$([ "$(head -n 3 a.out | tr '\n' ' ')" = 'line 1 line 2 line 1 ' ] || head -n 4 a.out)"
try 'crash after a call: it was performed' "e['processes_killed'] == 1" '^line 20$' -fault crash:node=n1,call=write,path=log,when=3,after
clean 'crash after a call: three lines came before' "$([ "$(head -n 4 a.out | tr '\n' ' ')" = 'line 1 line 2 line 3 line 1 ' ] || head -n 4 a.out)"
try 'crash of one node at a call of another' "e['processes_killed'] == 1 and p[0]['node'] == 'n1'" '' \
	-fault crash:node=n1,on=n1,call=%sync,when=2,after
script 'SIMRUN_NODE=n1 bash -c "trap \"echo asked >>o.n1; exit\" TERM; echo up >>o.n1; while :; do sleep 0.1; done" & sleep 3; cat o.n1'
try 'stop: asked to end, and started again' "e['processes_killed'] == 2 or e['processes_killed'] == 1" '^asked$' -fault stop:node=n1,at=1s,downtime=500ms
clean 'stop: it came up twice' "$([ "$(grep -c '^up$' a.out)" = 2 ] || cat a.out)"
script 'SIMRUN_NODE=n1 bash -c "trap : TERM; echo up >>o.n1; while :; do sleep 0.1; done" & sleep 3; cat o.n1'
try 'stop: killed when the grace is over' "e['processes_killed'] >= 1" '^up$' -fault stop:node=n1,at=1s,grace=200ms,downtime=500ms
clean 'stop: it came up twice, after the grace' "$([ "$(grep -c '^up$' a.out)" = 2 ] || cat a.out)"
script 'n n1 gap 100 10000; n n2 gap 100 10000; wait; cat o.n1 o.n2'
try 'pause: nothing runs, time goes on' "e['turns_held'] == 1" '^gap 100[0-9] ms, wall jumped 0 ms' -fault pause:node=n1,at=200ms,for=1s
clean 'pause: the other node went on' "$([ "$(grep -cE '^gap 1[0-9] ms' a.out)" = 1 ] || cat a.out)"
try 'pause of the thread that made a call' "e['turns_held'] == 1" '^gap 51[0-9] ms' -fault pause-thread:node=n2,call=clock_nanosleep,when=7,for=500ms
script 'n n1 calls 1000; n n2 calls 1000; wait; cat o.n1 o.n2'
try 'slow: each call takes longer' "e['calls_delayed'] > 900" '^took 1[0-9]{3} ms' -fault slow:node=n1,each=1ms,at=0s,for=10s
script 'n n1 turns 2000; n n2 turns 2000; n n3 turns 2000; wait; cat o.n1'
try 'unfair: some threads wait for others' "e['picks_passed'] > 100" '^turns ' -fault unfair:at=1ms,share=50%,for=10s

# ---- calls ----
script 'n n1 short; wait; cat o.n1'
try 'short: a read gives less' "e['calls_shortened'] >= 2" '^read 1000 in 3$' -fault short:call=read,bytes=400,when=1+,on=n1,p=100%
clean 'short: lines of the trace' "$([ "$(quit | grep -cE '^fault short.1: read moves 400 bytes only$')" -ge 2 ] || quit)"
script 'n n1 eintr; wait; cat o.n1; echo done'
try 'eintr: waits are interrupted' "e['calls_interrupted'] >= 4" '^nanosleep EINTR, 20 ms left$|^nanosleep EINTR, 19 ms left$' \
	-fault eintr:node=n1,call=poll+clock_nanosleep+nanosleep,when=1..3 -fault eintr:node=n1,call=read,when=1..3 \
	-fault eintr:node=n1,call=wait4,when=1
clean 'eintr: every one' "$(for w in 'poll EINTR' 'read EINTR' 'wait EINTR'; do grep -q "^$w" a.out || echo "no $w"; done)"
try 'eintr in a time: where a handler could be the cause' "e['calls_interrupted'] >= 1" '^done$' -fault eintr:node=n1,at=0s,for=10s,p=40%
script 'n n1 short; wait; cat o.n1'
try 'eintr in a time: not without one' "e['calls_interrupted'] == 0 and p[0]['without_effect']" '^read 1000 in 1$' -fault eintr:node=n1,at=0s,for=10s
script 'n n1 eagain; wait; cat o.n1'
try 'eagain: not ready, then an edge' "e['calls_failed'] == 7" '^EAGAIN 7 times, all read$' -fault eagain:node=n1,call=read,when=3+4
script 'n n1 log log 3 10; wait; cat o.n1'
try 'delay: a call begins later' "e['calls_delayed'] == 1" '' -fault delay:call=fsync,when=2,by=3s
clean 'delay: the run took longer' "$([ "$(field a.json virtual_ns)" -gt 3000000000 ] || field a.json virtual_ns)"
try 'errno: a call fails' "e['calls_failed'] == 1" '^fsync EIO$' -fault errno:call=fsync,errno=EIO,when=2,path=log
try 'errno on another path does nothing' "e['calls_failed'] == 0 and p[0]['without_effect']" '' -fault errno:call=fsync,errno=EIO,path=*.db
script 'n n1 make 10; wait; cat o.n1'
try 'fork: no new process' "e['calls_failed'] == 10" '^made 0 processes, 10 threads, 10 of memory, 10 files$' -fault fork:node=n1
try 'thread: no new thread' "e['calls_failed'] == 10" '^made 10 processes, 0 threads, 10 of memory, 10 files$' -fault thread:node=n1
try 'emfile: no new descriptor' "e['calls_failed'] == 2" '^made 10 processes, 10 threads, 10 of memory, 8 files, EMFILE$' \
	-fault emfile:call=openat,path=/dev/null,when=2..3
try 'enomem: malloc fails' "e['calls_failed'] >= 2" '^made 10 processes, [0-9]+ threads, [0-9] of memory, 10 files, ENOMEM$' \
	-fault enomem:node=n1,call=mmap+brk,when=16+
try 'enomem of brk alone: malloc goes elsewhere' "e['calls_failed'] >= 1" '10 of memory' -fault enomem:call=brk,when=3+
script 'n n1 resolve localhost; wait; cat o.n1'
try 'resolve: a name is not found' "e['calls_failed'] >= 1" 'Temporary failure|not known|No address' -fault resolve:node=n1

# ---- network ----
tcp='n s server 7001; sleep 0.1; n c client 7001 40 100 50; wait $!; cat o.c'
script "$tcp"
try 'partition: nothing crosses, and goes on afterwards' "e['packets_dropped'] > 0" '^ok 40, slowest [1-9][0-9]{3} ms' -fault 'partition:groups=s|c,at=500ms,for=2s'
try 'partition by halves: the seed says which' "e['packets_dropped'] > 0 and '|' in p[0]['groups']" '^ok 40, slowest [1-9][0-9]{3} ms' -fault partition:at=500ms,for=2s
try 'cut: one direction is enough' "e['packets_dropped'] > 0" '^ok 40, slowest [1-9][0-9]{3} ms' -fault cut:from=s,to=c,at=500ms,for=2s
try 'clog: held, then all at once' "e['packets_held'] > 0" '^ok 40, slowest (19|20)[0-9]{2} ms' -fault clog:nodes=s,at=490ms,for=2s
try 'swizzle: one after the other' "e['packets_held'] > 0" '^ok 40, slowest [0-9]{3,4} ms' -fault swizzle:nodes=s+c,at=490ms,for=2s
try 'slow-link: later' "e['packets_delayed'] > 10" '^ok 40, slowest (6[0-9][0-9]) ms' -fault slow-link:nodes=s,at=500ms,for=3s,delay=300ms
try 'slow-link: a narrow one' "e['packets_delayed'] > 10" '^ok 40, slowest [0-9]{3} ms' -fault slow-link:from=c,to=s,at=500ms,for=3s,delay=0s,rate=1k
try 'reset: what stands is reset' "e['connections_reset'] == 1" 'ECONNRESET$' -fault reset:nodes=s,at=500ms
try 'reset at a byte: what came before is read' "e['connections_reset'] == 1" '^message 10: 50 bytes, ECONNRESET$' -fault reset:from=s,to=c,bytes=1050,at=0s,for=9s,count=1
try 'syn-drop: no new connection' "e['packets_dropped'] >= 1" '^ok 40, slowest [1-9][0-9]{3} ms' -fault syn-drop:from=c,to=s,at=0s,for=1s
try 'loss: TCP sends again' "e['packets_dropped'] > 5" '^ok 40, slowest [2-9][0-9]{2} ms|^ok 40, slowest [0-9]{4} ms' -fault loss:nodes=s,p=20%,at=0s,for=9s
try 'a peer by name: reset when the client sends for the fifth time' "e['connections_reset'] == 1" 'ECONNRESET' \
	-fault reset:nodes=s,call=write,on=c,peer=s,when=5
script 'n s server 7001; sleep 0.1; n c client 7001 4 100 500; wait $!; cat o.c'
try 'partition for long: the sender gives up' "e['packets_dropped'] > 10" 'ETIMEDOUT|^connect' -fault 'partition:groups=s|c,at=500ms,for=30m'
udp='n s udp-server 7002 500; sleep 0.05; n c udp-client 7002 200; wait; cat o.s'
script "$udp"
try 'loss of datagrams' "20 < e['packets_dropped'] < 60" '^got 1[4-7][0-9], twice 0, late 0, bad 0$' -fault loss:from=c,to=s,p=20%,at=0s,for=9s
try 'duplicate datagrams' "20 < e['packets_duplicated'] < 60" '^got 2[2-5][0-9], twice [2-5][0-9], late 0, bad 0$' -fault duplicate:nodes=c,p=20%,at=0s,for=9s
try 'reordered datagrams' "20 < e['packets_reordered'] < 60" '^got 200, twice 0, late [1-5][0-9], bad 0$' -fault reorder:nodes=c,p=20%,delay=20ms,at=0s,for=9s
try 'corrupt datagrams' "20 < e['packets_corrupted'] < 60" '^got 1[4-7][0-9], twice 0, late 0, bad [2-5][0-9]$' -fault corrupt:nodes=c,p=20%,at=0s,for=9s
script 'for i in 1 2 3 4 5; do n s$i server 700$i; done; sleep 0.1
for i in 1 2 3 4 5; do SIMRUN_NODE=s$i ./probe client 7001 1 10 1 >o.$i & done; wait %6 %7 %8 %9 %10; sleep 1; echo done'
try 'partitions as a ring' "len(p[0]['nodes'].split('+')) == 5 and p[0]['spec'] == 'ring'" '^done' -fault partition:spec=ring,at=50ms,for=1s
try 'partitions with a bridge' "len(p[0]['nodes'].split('+')) == 5" '^done' -fault partition:spec=bridge,at=50ms,for=1s
try 'one is isolated' "len(p[0]['groups'].split('|')[0].split('+')) == 1" '^done' -fault partition:spec=isolate,at=50ms,for=1s

# ---- clocks ----
script 'n n1 gap 100 10000; n n2 gap 100 10000; wait; cat o.n1 o.n2'
try 'clock-jump: the wall clock alone, of one node' "e['clock_reads'] > 50" '^gap 1[0-9] ms, wall jumped 3000 ms, TAI 3000 ms$' -fault clock-jump:node=n1,at=200ms,by=3s
clean 'clock-jump: not the other one' "$([ "$(grep -c 'wall jumped 0 ms' a.out)" = 1 ] || cat a.out)"
try 'clock-jump backwards, and back again' "e['clock_reads'] > 10" 'wall jumped -86400000 ms' -fault clock-jump:node=n1,at=200ms,by=-1d,for=300ms
try 'clock-strobe: to and fro' "e['clock_reads'] > 10" 'wall jumped -?200 ms' -fault clock-strobe:node=n1,at=200ms,by=200ms,period=30ms,for=500ms
try 'leap: a second again, and TAI goes on' "e['clock_reads'] > 50" 'wall jumped -1000 ms, TAI 0 ms' -fault leap:node=n1,at=200ms,second=insert
try 'leap: a second less' "e['clock_reads'] > 50" 'wall jumped 1000 ms, TAI 0 ms' -fault leap:node=n1,at=200ms,second=delete
script 'n n1 drift 10000; wait; cat o.n1'
try 'clock-drift: twice as fast' "e['clock_reads'] > 0" '^wall 20000 ms$' -fault clock-drift:node=n1,rate=100%,at=0s,for=1h
try 'clock-drift: slower, for a while' "e['clock_reads'] >= 0" '^wall 8000 ms$' -fault clock-drift:node=n1,rate=-50%,at=2s,for=4s
for how in sleep cond timerfd timer; do
	script "n n1 wait $how 5000; wait; cat o.n1"
	try "clock-jump: a wait for a time follows it ($how)" "e['timers_moved'] == 1" "^$how waited 2000 ms" -fault clock-jump:node=n1,at=1s,by=3s
	try "clock-jump backwards: it waits longer ($how)" "e['timers_moved'] == 1" "^$how waited 8000 ms" -fault clock-jump:node=n1,at=1s,by=-3s
	try "clock-drift: a wait for a time follows it ($how)" "e['timers_moved'] >= 1" "^$how waited 3000 ms" -fault clock-drift:node=n1,at=1s,rate=100%,for=1h
done
script 'n n1 wait cancel 5000; wait; cat o.n1'
try 'clock-jump: a timerfd that asked for it is told' "e['timers_moved'] == 1" '^ECANCELED$' -fault clock-jump:node=n1,at=1s,by=1s

# ---- who takes part ----
script './probe gap 20 10000; n n1 gap 20 10000; wait; cat o.n1'
try 'the driver takes no part' "a == 0 or all(f.get('node') != 'driver' for f in p)" '' -faults 'eintr:rate=10/s' -faults 'short:rate=10/s'
script './probe short'
try 'the driver takes part when it is named' "e['calls_shortened'] >= 2" '^read 1000 in 3$' -fault short:call=read,bytes=400,node=driver,when=3+
try 'or when it is told to' "e['calls_shortened'] >= 1" '^read 1000 in ' -fault short:call=read,bytes=400 -faults driver
script 'n n1 log a 10 50; n n2 log b 10 50; n n3 log c 10 50; wait; echo done'
try 'exempt nodes are left alone' "a > 0 and all(f['node'] == 'n3' for f in p)" '^done' -faults crash:rate=600/m,downtime=10ms..20ms -faults exempt=n1+n2
script 'for i in 1 2 3 4 5; do n n$i log f$i 40 50; done; sleep 10; echo done'
try 'max_down bounds who is down' "a > 5" '^done' -faults crash:rate=20/s,downtime=500ms -faults max_down=2
clean 'max_down: never three at once' "$(python3 - <<'END'
import json
ev = []
for f in json.load(open('plan.json'))['faults']:
    ev += [(f['first_ns'], 1), (f['first_ns'] + 500000000, -1)]
down = most = 0
for _, d in sorted(ev):
    down += d
    most = max(most, down)
if most != 2:
    print(most, 'were down')
END
)"

# ---- phases ----
script "n s server 7001; sleep 0.1; n c client 7001 40 100 50; sleep 0.9; $simrun quiet 1s; wait %2; cat o.c"
try 'a quiet period heals, and nothing starts in it' "p[0]['applied'] == 1 and p[1]['suppressed'] == 'a quiet period'" '^ok 40, slowest 1[0-9]{3} ms$' \
	-fault 'partition:groups=s|c,at=200ms,for=1h' -fault crash:node=s,at=1.5s
clean 'a quiet period: a line for what was suppressed' "$(quit | grep -q 'fault crash.1 suppressed: a quiet period' || quit)"
clean 'a quiet period: a line for what ended' "$(quit | grep -q 'fault partition.1 ends' || quit)"
script "n n1 log log 20 100; sleep 1; $simrun setup-complete; sleep 4; wait; cat log"
echo '{"faults_after_setup": true, "faults": {"at": ["crash:node=n1,at=500ms", "errno:call=fsync,errno=EIO,when=3"]}}' >run/simrun.json
CONF='-c simrun.json' try 'nothing happens before setup is complete' "p[0]['suppressed'] == 'setup' and p[1]['seen'] < 12 and e['calls_failed'] == 1" '^line 20$'
script :
cat >run/simrun.json <<'END'
{"nodes": [{"name": "n1", "command": ["./probe", "log", "log", "1000", "100"]},
           {"name": "n2", "command": ["./probe", "gap", "400", "10000"]}],
 "workload": {"name": "w", "command": "sleep 6; cat log"},
 "duration": "2s", "liveness": {"within": "10s"},
 "faults": {"at": ["crash:node=n1,at=1s,downtime=1h", "pause:node=n2,at=500ms,for=forever", "cut:from=n1,to=n2,at=1s,for=1h"]}}
END
run a -c simrun.json
clean 'recovery: nodes come back, pauses and cuts end' "$(python3 - run/.simrun/seed-5 2>&1 <<'END'
import json, sys
t = [json.loads(l) for l in open(sys.argv[1] + '/trace.jsonl')]
at = {e['text']: e['t'] for e in t if e['type'] in ('event', 'phase') and 'text' in e}
for text in ('fault crash.1 ends', 'fault pause.1 ends', 'fault cut.1 ends'):
    if at.get(text) != 2000000000:
        print(text, 'at', at.get(text))
END
)"
# The workload takes part only when it is said.
for part in false true; do
	printf '{"workload": {"name": "w", "command": "exec ./probe log log 20 100", "faults": %s}, "faults": {"crash": {"rate": "1/s", "downtime": "50ms"}}}' $part \
		>run/simrun.json
	run $part -c simrun.json
done
clean 'a workload takes part only when it is said' "$(python3 -c 'import json
a, b = (json.load(open(f)) for f in ("false.json", "true.json"))
if a["faults"] or b["faults"].get("crash", {}).get("applied", 0) < 1:
    print(a["faults"], b["faults"])')"
script "for i in \$(seq 30); do for x in a b c d e f; do $simrun buggify site-\$x && echo \$x; done; done | sort | uniq -c; :"
try 'buggify: some sites, some of the times' "e['sites_fired'] > 20" '^ +[0-9]+ [a-f]$' -fault buggify:at=0s,sites=50%,p=50%
clean 'buggify: not all sites' "$([ "$(grep -cE '^ +[0-9]+ [a-f]$' a.out)" -lt 6 ] || cat a.out)"

# ---- what a seed draws ----
script 'for i in 1 2 3; do n n$i server 700$i; done; sleep 0.1; for i in 1 2 3; do n c$i client 700$i 20 100 100; done; wait %4 %5 %6; sleep 2; cat o.c*'
for SEED in 1 2 3 4; do
	try "drawn, seed $SEED" "len(p) > 3" '' -faults heavy
done
unset SEED
run a -faults none
run b
clean 'no faults: as without the option' "$([ "$(field a.json determinism_hash)" = "$(field b.json determinism_hash)" ] || echo differs)"
SEED=9 run a -faults light,partition
(cd run && timeout -k 5 60 "$simrun" replay -json ../r.json seed-9 >../r.out 2>&1)
clean 'replay of a run with faults is that run' "$([ "$(field a.json determinism_hash)" = "$(field r.json determinism_hash)" ] || tail -n 3 r.out)"
# A fault taken out of a plan moves no other.
script 'n n1 gap 100 10000; n n2 gap 100 10000; wait; cat o.n1 o.n2'
run a -fault pause:id=x,node=n1,at=200ms,for=300ms -fault loss:id=y,nodes=n1,at=1ms -fault pause:id=z,node=n2,at=300ms,for=100ms
python3 -c 'import json, glob
p = json.load(open(glob.glob("run/.simrun/*/plan.json")[0]))
p["faults"] = [f for f in p["faults"] if f["id"] != "y"]
json.dump(p, open("less.json", "w"))'
cp a.json all.json
run b -plan ../less.json
clean 'a plan can be edited' "$([ "$(field all.json determinism_hash)" = "$(field b.json determinism_hash)" ] || echo 'a fault without effect was taken out, and the run is another one')"

# ---- what is wrong is said ----
wrong() { # NAME REGEX OPTIONS...
	local name=$1 regex=$2 got
	shift 2
	"$simrun" "$@" true >out 2>err </dev/null
	got=$?
	clean "$name" "$([ $got = 129 ] && [ "$(wc -l <err)" = 1 ] && grep -qE -- "$regex" err || echo "status $got: $(cat err)")"
}
wrong 'an unknown kind' "option '-fault krash:at=1s': no fault 'krash'; simrun faults lists them" -fault krash:at=1s
wrong 'an unknown setting' "crash has no setting 'color'; it has node, downtime" -fault crash:at=1s,color=red
wrong 'no time and no call' 'crash: when\?' -fault crash:node=n1
wrong 'an unknown call' "no system call 'reed'" -fault crash:call=reed
wrong 'an unknown preset' "unknown faults 'fire'" -faults fire
wrong 'a plan that is not there' 'nowhere.json' -plan nowhere.json
echo '{"faults":[{"kind":"crash"}]}' >bad.json
wrong 'a plan that says nothing' "fault 1: crash: when\?" -plan bad.json
wrong 'a plan and more' 'a plan' -faults crash -plan less.json

done_testing
