#!/usr/bin/env bash
# Properties, events, histories, phases and the configuration: every function, row and message of docs/reference-map.md,
# with programs of tests/sdk/, in a simulation and outside of one.
# shellcheck disable=SC2016 # what guests shall expand stands in single quotes
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
work=$(mktemp -d /tmp/simrun-properties-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
unset SIMRUN_NODE SIMRUN_IP SIMRUN_OUTPUT
for p in prop history unreached; do
	${CC:-gcc} -std=c11 -O1 -Wall -Wextra -D_DEFAULT_SOURCE -I"$top/sdk/c" -o "$work/$p" "$top/tests/sdk/$p.c" "$top/sdk/c/simrun.c" ||
		exit 1
done
cd "$work" || exit 1
# All of prop's properties but one never run: without its catalogue only that one is known.
mv prop prop-all && objcopy --remove-section simrun_catalog prop-all prop || exit 1
mkdir bin
ln -s "$simrun" bin/simrun
PATH=$work/bin:$PATH

# sim STATUS WHAT ARGS...: simrun ARGS ends with STATUS; what it said is in ./out.
sim() {
	local want=$1 what=$2 got
	shift 2
	simrun "$@" >out 2>&1 </dev/null
	got=$?
	if [ "$got" = "$want" ]; then
		ok "$what: exit status $want"
	else
		not_ok "$what: exit status $want" "got $got from: simrun $*
$(tail -n 12 out)"
	fi
}

# says WHAT TEXT: a line of ./out contains the text.
says() {
	if grep -qF -- "$2" out; then ok "$1"; else not_ok "$1" "no line has '$2' in:
$(head -n 40 out)"; fi
}

silent() { # WHAT TEXT
	if grep -qF -- "$2" out; then not_ok "$1" "a line has '$2' in:
$(head -n 40 out)"; else ok "$1"; fi
}

is() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got '$2', expected '$3'"; fi
}

# natively STATUS TEXT ARGS...: prop ARGS outside of a simulation.
natively() {
	local want=$1 text=$2 got
	shift 2
	./prop "$@" >out 2>&1
	got=$?
	if [ "$got" = "$want" ] && grep -qF -- "$text" out; then
		ok "natively, prop $*"
	else
		not_ok "natively, prop $*" "status $got (expected $want), and '$text' in: $(cat out)"
	fi
}

# ---- each kind: holds, is violated, and what a sweep makes of it ----

violated() { # KIND VERDICT: holds in a run, and is violated with this verdict
	sim 0 "$1 holds" -seed 1 ./prop "$1"
	says "$1 holds: the run passes" 'PASS seed 1 '
	sim 1 "$1 is violated" -seed 1 ./prop "$1" bad
	says "$1 is violated: verdict" "$2"
	silent "$1 is violated: nothing runs on" "end of $1"
	natively 0 "end of $1" "$1"
}
violated fail 'assert: driver: replica 3 diverged (sdk/prop.c:'
natively 134 'simrun: failed: replica 3 diverged' fail bad
violated assert 'assert: driver: acknowledged write lost: k=v (sdk/prop.c:'
natively 134 'simrun: failed: acknowledged write lost: k=v' assert bad
violated always 'property: driver: always "the log never shrinks" is false: "41 40" (sdk/prop.c:'
natively 134 'simrun: always: the log never shrinks: 41 40' always bad
violated always-or-unreachable 'property: driver: always_or_unreachable "aou" is false (sdk/prop.c:'
natively 134 'simrun: always_or_unreachable: aou' always-or-unreachable bad
violated unreachable 'property: driver: unreachable "two leaders in the same term" was reached: "7" (sdk/prop.c:'
natively 134 'simrun: unreachable: two leaders in the same term: 7' unreachable bad
violated always-some 'property: driver: always "some replica answers" is false: {"primary":false,"backup":false,"details":"x"}'
natively 134 'simrun: always: some replica answers: {"primary":false,"backup":false,"details":"x"}' always-some bad
natively 0 'end of sometimes-all' sometimes-all bad
natively 0 'end of sometimes' sometimes bad
natively 0 'end of reachable' reachable bad

# Numbers: LEFT RIGHT that hold, that do not, and the margin of each.
number() { # MODE MESSAGE HOLDS-LEFT HOLDS-RIGHT MARGIN BAD-LEFT BAD-RIGHT
	sim 0 "$1 holds" -seeds 1-2 ./prop "$1" - "$3" "$4"
	says "$1 holds: margin" "$2  (smallest margin $5)"
	sim 1 "$1 is violated" -seed 1 ./prop "$1" - "$6" "$7"
	says "$1 is violated: verdict" "property: driver: always \"$2\" is false: {\"left\":$6,\"right\":$7"
	natively 134 "simrun: always: $2: {\"left\":$6,\"right\":$7" "$1" - "$6" "$7"
}
number gt 'left > right' 5 3 2 3 3
number ge 'left >= right' 3 3 0 2 3
says 'further details stand beside left and right' '{"left":2,"right":3,"details":"more"}'
number lt 'left < right' 3 5 2 3 3
number le 'left <= right' 3 3 0 4 3
often() { # MODE MESSAGE LEFT RIGHT TRUE MARGIN
	sim "$((1 - $5))" "$1 $3 $4" -seeds 1-2 ./prop "$1" - "$3" "$4"
	says "$1 $3 $4: margin" "$2  (largest margin $6)"
}
often some-gt 'some left > right' 63 100 0 -37
says 'a sometimes that was never true is marked, with its place' '(largest margin -37)  <- never true (sdk/prop.c:'
says 'it fails the sweep' 'FAIL 1 property was never reached or never true in 2 seeds'
often some-gt 'some left > right' 101 100 1 1
often some-ge 'some left >= right' 100 100 1 0
often some-lt 'some left < right' 5 3 0 -2
often some-le 'some left <= right' 3 3 1 0

# ---- what fails the sweep only; the table ----
sim 0 'sometimes, true' -seeds 1-3 ./prop sometimes
says 'the table: heading' 'property      seeds reached  seeds true'
says 'the table: sometimes' '  sometimes               3           3  recovery found a torn tail'
says 'a sweep: summary' '3 seeds: 3 passed, 0 failed in'
sim 1 'sometimes, never true' -seeds 1-3 ./prop sometimes bad
says 'the table: never true' '  sometimes               3           0  recovery found a torn tail  <- never true (sdk/prop.c:'
sim 0 'sometimes, never true, one seed' -seed 1 ./prop sometimes bad
says 'one seed prints the table' '<- never true'
sim 1 'sometimes-all, not all' -seeds 1-2 ./prop sometimes-all bad
sim 0 'sometimes-all, all' -seeds 1-2 ./prop sometimes-all
sim 0 'reachable, reached' -seeds 1-2 ./prop reachable
says 'the table: reachable' '  reachable               2           2  a node restored from a snapshot'

# ---- the catalogue ----
sim 1 'catalogued, not reached' -seeds 1-5 ./unreached
says 'the catalogue: a reachable' '  reachable                         0           0  compaction ran  <- never reached (sdk/unreached.c:17)'
says 'the catalogue: escapes, literals in a row, macros' '  always                            0           0  a "quoted" message\-- é  <- never reached'
says 'the catalogue: a sometimes' 'two arguments  <- never reached'
says 'the catalogue: an eventually' 'in the end  <- never reached'
says 'the catalogue: an always-or-unreachable need not be reached' '  always_or_unreachable             0           0  may never run'
silent 'the catalogue: it is not marked' 'may never run  <-'
silent 'the catalogue: an unreachable is not marked' 'nine arguments  <-'
says 'the catalogue: how many' 'FAIL 4 properties were never reached or never true in 5 seeds'
sim 0 'catalogued, reached' -seeds 1-2 ./unreached 1 2
simrun catalog ./unreached >out 2>&1
is 'simrun catalog of a program' "$(wc -l <out)" 7
says 'simrun catalog: kind, message, place' 'reachable              compaction ran  ('
cat >catalog.go <<'GO'
package main

import sim "simrun"

// sim.Reachable("in a comment")
func f(m map[string]bool) {
	sim.Reachable("go " + "joined")
	sim.Always(f(g("x, y", ')')), `go raw "message"`, 1)
	sim.SometimesGreaterThan(len("a,b"), 3, "go \u00e9\x21", 2)
	sim.AlwaysSome(map[string]bool{"a": true, "b": false}, "go some")
	sim.Eventually(func() bool { sim.Sometimes(true, "go nested"); return true }, "go eventually", 5)
	sim.Reachable(name)
	other.Reachable("of another package")
	x.sim.Reachable("of a member")
	_ = "sim.Reachable(\"in a string\")"
}
GO
simrun catalog catalog.go >out 2>&1
is 'simrun catalog of a Go source' "$(tr -s ' ' <out | sed 's/ (.*//' | sort | tr '\n' ';')" \
	'always go raw "message";always go some;eventually go eventually;reachable go joined;sometimes go nested;sometimes go é!;'
sim 1 'properties of Go sources are known before a sweep' -catalog catalog.go -seeds 1-2 true
says 'with their place' 'go joined  <- never reached (catalog.go:7)'
sim 125 'a catalogue that is not there' -catalog nowhere.go true
simrun catalog -json - ./unreached | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["message"])' >out 2>&1
says 'simrun catalog -json' 'invariant holds'

# ---- eventually ----
sim 0 'eventually becomes true' -seed 1 ./prop eventually
says 'eventually calls until then' 'true after 3 calls'
says 'eventually: the table' '  eventually              1           1  a leader is elected'
says 'eventually sleeps within/100 between calls' 'PASS seed 1  0.1'
sim 1 'eventually never becomes true' -seed 1 ./prop eventually bad
says 'eventually: verdict' 'FAIL seed 1  5.0'
says 'eventually: class and message' 'liveness: driver: a leader is elected: not true within 5s (sdk/prop.c:'

# ---- events, randomness, size of the work, buggify, quiet, setup ----
simrun -seed 1 -keep ./prop event >out 2>&1
cp .simrun/seed-1/trace.jsonl out
says 'an event is a line of the trace' '"text":"event client resumed from driver: {\"next add\":39}"'
cp .simrun/seed-1/result.json out
says 'an event is in the result' '"name": "client resumed"'
natively 0 'end of event' event
sim 1 'an event whose details are no JSON' -seed 1 ./prop bad-event
says 'a message that cannot be understood: verdict' 'assert: driver: message:1:'
sim 0 'budget' -seed 1 ./prop budget
says 'budget: all' '200 operations'
sim 0 'budget with -ops' -seed 1 -keep -ops 63 ./prop budget
says 'budget with -ops: capped' '63 operations'
cp .simrun/seed-1/trace.jsonl out
says 'budget with -ops: a line of the trace' 'driver: budget capped at 63 of 200 operations'
cp .simrun/seed-1/result.json out
says 'budget: the number asked for is in the result' '"budget": 200'
natively 0 '200 operations' budget
sim 0 'random' -seed 1 ./prop random
cp out first
sim 0 'random again' -seed 1 ./prop random
is 'random comes from the seed' "$(head -n 1 out)" "$(head -n 1 first)"
sim 0 'random of another seed' -seed 2 ./prop random
is 'another seed, another number' "$([ "$(head -n 1 out)" != "$(head -n 1 first)" ] && echo differs)" differs
natively 0 'end of random' random
sim 0 'buggify, off' -seed 1 ./prop buggify
says 'buggify, off: never' 'fired 0'
natively 0 'fired 0' buggify
sim 0 'quiet' -seed 1 -keep ./prop quiet
cp .simrun/seed-1/trace.jsonl out
says 'quiet: a line of the trace' 'quiet for 10s, asked by driver: no faults; partitions, clogs and slowdowns end'
natively 0 'end of quiet' quiet
sim 0 'setup' -seed 1 -keep ./prop setup
cp .simrun/seed-1/trace.jsonl out
is 'setup: the first call counts' "$(grep -c 'setup is complete, says driver' out)" 1
natively 0 'end of setup' setup

# ---- histories ----
for m in kv cas append queue set counter list-append; do
	sim 0 "history of $m" -seed 1 -model $m ./history $m
	sim 1 "bad history of $m" -seed 1 -model $m ./history $m bad
	class=linearizability
	[ $m = list-append ] && class=isolation
	says "bad history of $m: class" "  $class: history of"
	is "bad history of $m: history.jsonl" "$(head -c 25 .simrun/seed-1/history.jsonl)" '{"index":0,"type":"invoke'
	is "bad history of $m: timeline.html" "$(head -c 15 .simrun/seed-1/timeline.html | tr '[:upper:]' '[:lower:]')" '<!doctype html>'
	simrun check -history .simrun/seed-1/history.jsonl -model $m >out 2>&1
	is "bad history of $m: simrun check agrees" $? 1
done
says 'the anomalies are named' 'G2'
sim 0 'the model is kv if nothing else is said' -seed 1 ./history kv
sim 1 'the model is kv, and the history is not' -seed 1 ./history queue
says 'an operation that the model does not have' 'assert: history (model kv): operation "enqueue" is not one of get, put'
sim 1 'a typo in an operation' -seed 1 ./history kv typo
says 'a typo is named' 'assert: history (model kv): operation "pu" is not one of get, put'
sim 1 'a value of the wrong type' -seed 1 ./history kv type
says 'a wrong type is named' 'assert: history (model kv): operation "put"'
sim 0 'an unknown write may have happened' -seed 1 ./history kv unknown
sim 0 'a write without completion may have happened' -seed 1 -keep ./history kv pending
is 'an operation that never returned has no completion' "$(grep -c '"id":0' .simrun/seed-1/history.jsonl)" 1
sim 1 'a failed write has not happened' -seed 1 ./history kv failed
simrun -q -keep -seed 1 ./history kv unknown >/dev/null 2>&1
is 'the shape of a history' "$(cut -c1-200 .simrun/seed-1/history.jsonl | sed 's/"time":[0-9]*/"time":T/' | tr '\n' ' ')" \
	'{"index":0,"type":"invoke","process":1,"f":"put","key":"k1","value":"v7","time":T,"id":0} {"index":1,"type":"info","process":1,"f":"put","key":"k1","value":"v7","time":T,"id":0} {"index":2,"type":"invoke","process":2,"f":"get","key":"k1","value":null,"time":T,"id":1} {"index":3,"type":"ok","process":2,"f":"get","key":"k1","value":"v7","time":T,"id":1} '
sim 1 'bad history, again' -seed 1 ./history kv bad
hash=$(tail -n 1 out)
rm .simrun/seed-1/history.jsonl .simrun/seed-1/timeline.html
sim 1 'replay of a bad history' replay seed-1
is 'replay of a bad history: the same run' "$(tail -n 1 out)" "$hash"
is 'replay writes history and timeline' "$(cd .simrun/seed-1 && echo history.* timeline.*)" 'history.jsonl timeline.html'
sim 0 'a history is checked once with -check' -check -seed 1 ./history kv
sim 1 'a bad history with -check is no divergence' -check -seed 1 ./history kv bad
./history kv bad >out 2>&1
is 'natively nothing is recorded' "$(cat out)" recorded

# ---- the configuration: programs, phases ----
config() { cat >simrun.json; }
config <<'JSON'
{"nodes": [{"name": "n1", "command": ["sleep", "1000"], "env": {"WHERE": "here"}}],
 "workload": {"name": "client", "command": "echo client of $(hostname); simrun event from-client"},
 "finally": [{"name": "check", "command": "echo first"}, {"name": "check2", "command": ["sh", "-c", "echo second"]}]}
JSON
sim 0 'nodes, workload, finally' -v -c simrun.json
says 'the workload runs' 'client | client of'
says 'the final programs run, one after the other' 'check2 | second'
is 'finally comes behind the workload' "$(grep -oE 'client of|first|second' out | tr '\n' ' ')" 'client of first second '
simrun -q -keep -c simrun.json >/dev/null 2>&1
cp .simrun/seed-1/trace.jsonl out
says 'the recovery phase: a line of the trace' 'recovery: the workload is done; faults stop, partitions, clogs, slowdowns and pauses end, 0 crashed nodes restart now'
says 'an event of a node names its start' 'event from-client from client#1'
sim 0 'replay of a configuration' replay seed-1
config <<'JSON'
{"nodes": [{"name": "n1", "command": ["sleep", "1000"]}],
 "workload": {"name": "client", "command": ["sleep", "100"]},
 "duration": "5s", "liveness": {"within": "10s"}}
JSON
sim 1 'liveness: it does not finish' -c simrun.json
says 'liveness: verdict' 'FAIL seed 1  15.000000s virtual'
says 'liveness: message' 'liveness: client did not finish within 10s of the recovery phase starting at 5.000s'
says 'liveness: the recovery phase' 'recovery: the fault period ended; faults stop, partitions, clogs, slowdowns and pauses end, 0 crashed nodes restart now, everything must finish by 15.000s'
sim 1 'liveness: a sweep groups by class and node' -seeds 1-2 -c simrun.json
says 'liveness: the group' '2  liveness · client: did not finish after recovery (seeds 1, 2)'
sed -i 's/"100"/"14"/' simrun.json
sim 0 'liveness: it finishes in time' -c simrun.json
sed -i 's/, "liveness".*/}/; s/"14"/"100"/' simrun.json
sim 0 'the time horizon' -seeds 1-2 -c simrun.json
says 'the time horizon is counted' '2 seeds: 2 passed (2 hit the time horizon), 0 failed'
sed -i 's/"sleep", "100"/"false"/' simrun.json
sim 1 'a workload that fails' -c simrun.json
says 'a workload that fails: verdict' 'exit: client exited with status 1'
config <<'JSON'
{"workload": {"name": "client", "command": ["true"]}, "finally": {"name": "check", "command": "exit 7"}}
JSON
sim 1 'a final program that fails' -c simrun.json
says 'a final program that fails: verdict' 'exit: check exited with status 7'
config <<'JSON'
{"finally": {"name": "check", "command": "echo checked"}, "checker": {"model": "queue"}}
JSON
sim 0 'a script is the driver, the file gives the rest' -v -c simrun.json sh -c 'echo script'
is 'the script runs, then the final program' "$(grep -oE 'script$|checked$' out | tr '\n' ' ')" 'script checked '
sim 1 'the model of the file' -c simrun.json ./history kv
says 'the model of the file: verdict' 'history (model queue): operation "put" is not one of dequeue, enqueue'
config <<'JSON'
{"faults_after_setup": true, "duration": "20s"}
JSON
sim 2 'setup that fails is no failure' -c simrun.json false
says 'setup that fails: verdict' 'INVALID seed 1'
says 'setup that fails: class' 'harness: setup was not complete: the driver exited with status 1'
sim 2 'a sweep of nothing else is unknown' -seeds 1-2 -c simrun.json false
says 'a sweep of nothing else: summary' '0 passed (0 hit the time horizon), 0 failed, 2 invalid'
sim 2 'setup has a limit' -c simrun.json sleep 100
says 'setup has a limit: message' 'harness: setup was not complete after 20s'
sim 1 'what fails behind setup is a failure' -c simrun.json sh -c 'simrun setup-complete; false'
simrun -q -keep -c simrun.json sh -c 'sleep 3; simrun setup-complete' >/dev/null 2>&1
cp .simrun/seed-1/trace.jsonl out
says 'faults begin with setup' 'setup is complete, says driver; faults begin'
config <<'JSON'
{"forbid_output": ["^panic:", "deadlock"]}
JSON
sim 1 'forbidden output' -c simrun.json sh -c 'echo fine; echo panic: now; sleep 1; simrun fail later'
says 'forbidden output: verdict' 'output: driver printed what "^panic:" forbids: panic: now'
silent 'forbidden output ends the run' assert
sim 0 'output that is not forbidden' -c simrun.json sh -c 'echo no panic: now'

# ---- the configuration: what is wrong with it ----
wrong() { # WHAT MESSAGE, the file on standard input
	config
	sim 129 "configuration: $1" -c simrun.json true
	is "configuration: $1: one line" "$(wc -l <out)" 1
	says "configuration: $1: says so" "simrun: option '-c simrun.json': simrun.json:$2"
}
wrong 'no JSON' '2: ' <<<'{"nodes": [],
}'
wrong 'an unknown member' '3: node: there is no such member; there are nodes, workload, finally, faults,' <<<'{
 "duration": "5s",
 "node": []}'
wrong 'a member twice' '1: ' <<<'{"duration": "5s", "duration": "6s"}'
wrong 'a wrong type' '3: nodes[1].command: expected a command line for the shell, or an array of words, found a number; write for example ["./server", "-port", "7001"]' <<<'{"nodes": [
 {"name": "a", "command": "x"},
 {"name": "b", "command": 5}], "workload": {"name": "w", "command": "x"}}'
wrong 'no name' '1: workload: it has no name; write for example {"name": "n1", "command": ["./server"]}' <<<'{"workload": {"command": "x"}}'
wrong 'no command' '1: finally: it has no command' <<<'{"finally": {"name": "x"}}'
wrong 'a bad name' "1: workload.name: 'a b' is no name for a program; use up to 63 letters" <<<'{"workload": {"name": "a b", "command": "x"}}'
wrong 'a name twice' "2: workload.name: two programs are named 'x'" <<<'{"nodes": [{"name": "x"}],
"workload": {"name": "x", "command": "x"}}'
wrong 'a bad duration' "1: duration: 'soon' is no duration; write one like 20s, 500ms or 1m30s" <<<'{"duration": "soon"}'
wrong 'no duration' '1: liveness: it begins when "duration" is over, which is not given; add for example "duration": "20s"' <<<'{"liveness": {"within": "5s"}}'
wrong 'liveness without within' '1: liveness: it needs "within"' <<<'{"duration": "5s", "liveness": {}}'
wrong 'nothing that ends the run' '1: nodes: nothing ends the run: add a "workload" or a "duration"' <<<'{"nodes": [{"name": "x", "command": "x"}]}'
wrong 'a bad expression' '2: forbid_output[1]: not an extended regular expression:' <<<'{"forbid_output": ["x",
"("]}'
wrong 'a bad variable' '1: workload.env.A: expected a string, found a number' <<<'{"workload": {"name": "w", "command": "x", "env": {"A": 5}}}'
wrong 'a bad address' "1: workload.ip: '1.2.3' is no address" <<<'{"workload": {"name": "w", "command": "x", "ip": "1.2.3"}}'
wrong 'a bad number' '1: ops: the least that makes sense is 1' <<<'{"ops": 0}'
wrong 'not an object' '1: expected an object, found an array' <<<'[]'
wrong 'faults of a final program' '1: finally: what checks the end never takes part in faults' <<<'{"finally": {"name": "c", "command": "x", "faults": true}}'
config <<<'{"checker": {"model": "kw"}}'
sim 129 'configuration: an unknown model' -c simrun.json true
says 'configuration: an unknown model: the models are named' "there is no model 'kw'; there are kv, cas,"
sim 129 'configuration: no file' -c nowhere.json true
says 'configuration: no file: says so' "cannot open 'nowhere.json': No such file or directory"
sim 129 'an unknown model' -model kw true
config <<<'{"sched": "fifo", "cpus": 3, "env": {"A": "file"}}'
sim 0 'options in the file' -c simrun.json sh -c 'nproc; echo $A'
is 'options in the file count' "$(head -n 2 out | tr '\n' ' ')" '3 file '
sim 0 'options behind the file' -c simrun.json -cpus 4 -env A=line sh -c 'nproc; echo $A'
is 'options behind the file count more' "$(head -n 2 out | tr '\n' ' ')" '4 line '

# ---- for shell scripts ----
cat >script.sh <<'SH'
#!/bin/sh
set -e
id=$(simrun op invoke 1 put k v1)
simrun op ok "$id"
id=$(simrun op invoke 2 get k)
simrun op ok "$id" "${1-v1}"
id=$(simrun op -json -after "$id" invoke 3 put k '"v2"')
simrun op unknown "$id"
id=$(simrun op invoke 3 put k v3)
simrun op fail "$id"
simrun prop always 'shell always' "${2-true}"
simrun prop always_or_unreachable 'shell aou' 1
simrun prop sometimes 'shell compare' 3 '>=' 5
simrun prop -details more always 'shell numbers' 2 '<' 2.5
simrun prop reachable 'shell reached'
simrun event 'shell event' '{"a":1}'
simrun prop eventually 'shell eventually' 5s test -e "$0"
simrun setup-complete
simrun quiet 2s
[ "$(simrun budget 50)" = 50 ]
simrun buggify here || echo 'no bug'
[ -n "$(simrun random)" ]
echo 'script ends'
SH
chmod +x script.sh
./script.sh >out 2>&1
is 'a script natively: exit status 0' $? 0
is 'a script natively: output' "$(cat out)" 'no bug
script ends'
sim 0 'a script' -seed 1 -keep ./script.sh
says 'a script: a property' '  always                            1           1  shell always'
says 'a script: a comparison' 'shell compare  (largest margin -2)'
says 'a script: an eventually' 'shell eventually'
is 'a script: operations' "$(grep -oE '"type":"[a-z]*"' .simrun/seed-1/history.jsonl | cut -d'"' -f4 | tr '\n' ' ')" \
	'invoke ok invoke ok invoke info invoke fail '
is 'a script: happens-before' "$(grep -c '"after":\[1\]' .simrun/seed-1/history.jsonl)" 1
sim 1 'a script: a bad history' -seed 1 ./script.sh v2
sim 1 'a script: a violated property' -seed 1 ./script.sh v1 false
says 'a script: a violated property: verdict' 'property: driver: always "shell always" is false'
sim 1 'simrun fail' -seed 1 sh -c 'simrun fail "it broke"; echo on'
says 'simrun fail: verdict' 'assert: driver: it broke'
sim 1 'prop eventually in vain' -seed 1 sh -c 'simrun prop eventually never 2s false'
says 'prop eventually in vain: verdict' 'liveness: driver: never: not true within 2s'
simrun prop eventually never 50ms false
is 'prop eventually in vain, natively' $? 1
for words in 'op' 'op invoke 1' 'op ok' 'op frobnicate 1' 'prop' 'prop always m' 'prop always m maybe' 'prop sometimes m 1 = 2' \
	'prop reachable m true' 'event' 'quiet' 'quiet soon' 'budget' 'budget x' 'setup-complete now' 'buggify' 'catalog'; do
	# shellcheck disable=SC2086
	sim 129 "simrun $words" $words
done

# ---- lines of SIMRUN_OUTPUT ----
sim 1 'lines of messages' -seed 1 -model queue sh -c '
	echo "{\"type\":\"invoke\",\"process\":1,\"f\":\"enqueue\",\"key\":\"q\",\"value\":\"a\"}" >>"$SIMRUN_OUTPUT"
	echo "{\"type\":\"ok\",\"process\":1}" >>"$SIMRUN_OUTPUT"
	printf "{\"type\":\"invoke\",\"process\":2,\"id\":\"x\",\"f\":\"dequeue\",\"key\":\"q\"}\n{\"type\":\"ok\",\"id\":\"x\",\"value\":\"b\"}" >>"$SIMRUN_OUTPUT"'
says 'lines of messages are checked' 'linearizability: history of 2 operations is not linearizable (model queue)'
sim 1 'a line that is none' -seed 1 sh -c 'echo "not a message" >"$SIMRUN_OUTPUT"'
says 'a line that is none: verdict' "assert: driver: message:1:1: expected '{'"
sim 1 'a message that is unknown' -seed 1 sh -c 'echo "{\"simrun\":\"frobnicate\"}" >"$SIMRUN_OUTPUT"'
says 'a message that is unknown: verdict' 'there is no message "frobnicate"; the message was: {"simrun":"frobnicate"}'
sim 1 'a completion without an operation' -seed 1 sh -c 'echo "{\"type\":\"ok\",\"process\":1}" >"$SIMRUN_OUTPUT"'
sim 0 'a half line of a killed writer is nothing' -seed 1 sh -c 'printf "{\"simrun\":\"ev" >"$SIMRUN_OUTPUT"'

# ---- Antithesis ----
sim 1 'lines of sdk.jsonl' -seed 1 sh -c '
	echo "{\"antithesis_assert\":{\"hit\":false,\"must_hit\":true,\"assert_type\":\"sometimes\",\"display_type\":\"Sometimes\",\"message\":\"often\",\"condition\":false,\"id\":\"often\",\"location\":{\"file\":\"a/b/c.py\",\"begin_line\":7}}}" >>"$ANTITHESIS_OUTPUT_DIR/sdk.jsonl"
	echo "{\"antithesis_setup\":{\"status\":\"complete\",\"details\":null}}" >>"$ANTITHESIS_OUTPUT_DIR/sdk.jsonl"
	echo "{\"my event\":{\"x\":1}}" >>"$ANTITHESIS_OUTPUT_DIR/sdk.jsonl"
	echo "{\"antithesis_assert\":{\"hit\":true,\"must_hit\":true,\"assert_type\":\"always\",\"display_type\":\"Always\",\"message\":\"never bad\",\"condition\":false,\"id\":\"never bad\",\"details\":{\"n\":1}}}" >>"$ANTITHESIS_OUTPUT_DIR/sdk.jsonl"'
says 'an assertion of Antithesis: verdict' 'property: driver: always "never bad" is false: {"n":1}'
says 'a catalogued assertion of Antithesis' 'often  <- never reached (b/c.py:7)'
says 'an event of Antithesis' 'event my event from driver: {"x":1}'
sim 0 'ANTITHESIS_STOP_FAULTS' -seed 1 -keep sh -c '"$ANTITHESIS_STOP_FAULTS" 2.5 && ! "$ANTITHESIS_STOP_FAULTS" x'
cp .simrun/seed-1/trace.jsonl out
says 'ANTITHESIS_STOP_FAULTS: a line of the trace' 'quiet for 2.5s, asked by driver'
sim 0 'libvoidstar.so is there' -seed 1 sh -c 'test -f /usr/lib/libvoidstar.so'
is 'libvoidstar.so is there in runs only' "$([ -e /usr/lib/libvoidstar.so ] && echo there)" ''

# ---- Go ----
if command -v go >/dev/null; then
	(cd "$top/sdk/go" && go vet ./... && go test ./...) >out 2>&1
	is 'the tests of the Go SDK' "$?" 0
	mkdir gosrc
	cat >gosrc/go.mod <<GO
module example

go 1.19

require simrun v0.0.0

replace simrun => $top/sdk/go
GO
	cp "$top/tests/sdk/gosdk.go" gosrc/main.go
	(cd gosrc && CGO_ENABLED=0 go build -o ../goprog .) >out 2>&1
	is 'a static Go program' "$(tail -n 3 out)" ''
	./goprog >out 2>&1
	is 'a Go program natively' "$(cat out)" 'active false, budget 200'
	sim 0 'a Go program' -seed 1 -catalog gosrc ./goprog
	says 'a Go program: it is in a simulation' 'active true, budget 200'
	says 'a Go program: its properties' '  always                  1           1  go numbers  (smallest margin 1)'
	says 'a Go program: its catalogue' 'go unreached  <- never reached (gosrc/main.go:'
	sim 1 'a Go program: a violated property' -seed 1 ./goprog bad
	says 'a Go program: verdict' 'property: driver: always "go holds" is false: [1,"x"] (gosrc/main.go:'
	sim 1 'a Go program: a bad history' -seed 1 ./goprog stale
	says 'a Go program: the history' 'linearizability: history of 2 operations'
	sim 0 'a Go program twice' -check -seeds 1-2 ./goprog
else
	skip 'the Go SDK' 'no go'
fi

done_testing
