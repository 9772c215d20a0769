#!/usr/bin/env bash
# The command line: what it refuses and how, exit statuses, reports, JSON, run folders, replay, interruption.
# shellcheck disable=SC2016 # what guests shall expand stands in single quotes
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
work=$(mktemp -d /tmp/simrun-cli-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SIMRUN_NODE SIMRUN_IP

# run STATUS WHAT ARGS...: simrun ARGS must end with STATUS; what it said is in ./out and ./err.
run() {
	local want=$1 what=$2 got
	shift 2
	"$simrun" "$@" >out 2>err </dev/null
	got=$?
	if [ "$got" = "$want" ]; then
		ok "$what: exit status $want"
	else
		not_ok "$what: exit status $want" "got $got from: simrun $*
$(tail -n 5 out)
$(tail -n 5 err)"
	fi
}

# says FILE WHAT REGEX: a line of the file matches.
says() {
	if grep -qE -- "$3" "$1"; then ok "$2"; else not_ok "$2" "no line matches '$3' in:
$(head -n 20 "$1")"; fi
}

silent() { # FILE WHAT REGEX
	if grep -qE -- "$3" "$1"; then not_ok "$2" "a line matches '$3' in:
$(head -n 20 "$1")"; else ok "$2"; fi
}

is() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got '$2', expected '$3'"; fi
}

one_line() { # WHAT: the last complaint was one line that begins with the command's name
	is "$1: one line" "$(wc -l <err)$(grep -c '^simrun: ' err)$(wc -c <out)" 110
}

# ---- bad command lines ----
run 129 'no arguments'
one_line 'no arguments'
says err 'no arguments: says what to do' 'simrun \[OPTIONS\] PROGRAM'
run 129 'unknown option' -sede 7 true
one_line 'unknown option'
says err 'unknown option: names a similar one' "unknown option '-sede'; did you mean '-seed'"
run 129 'no number' -seed seven true
one_line 'no number'
says err 'no number: names the option' "option '-seed seven'"
run 129 'empty range' --seeds=9-1 true
run 129 'no value' -seed
says err 'no value: shows the form' '-seed N'
run 129 'value for a flag' -check=yes true
run 129 'no program' -seed 7
run 129 'no program after --' -seed 7 --
run 129 'unknown faults' -faults fire true
run 129 'unknown policy' -sched lifo true
run 129 'relative -at' -at dir true
run 129 '-at the root' -at / true
run 129 '-at in /proc' -at /proc/here true
run 129 'unset variable' -env NO_SUCH_VARIABLE true
run 129 'bad expression' -until-output '(' true
run 129 'bad duration' -timeout soon true
run 129 'bad date' -epoch someday true
run 129 'verbose and quiet' -v -q true
run 129 'help for no command' help frobnicate
run 129 'replay of nothing' replay
run 129 'replay of two' replay a b
run 129 'start without a name' start
run 129 'start without a program' start n1
run 129 'start with a bad name' start 'a b' -- true
run 129 'start with a bad address' start n1 -ip 1.2.3 -- true
run 129 'doctor with an argument' doctor now

# ---- help ----
run 0 '-h' -h
says out '-h: options of run' '^  -until-output REGEX'
says out '-h: exit statuses' '^  129 '
says out '-h: commands' '^  replay '
run 0 '--help' --help
run 0 'run -h' run -h
run 0 'help run' help run
cp out help-run
"$simrun" run --help >out
is 'help run is run -h' "$(cmp out help-run && echo same)" same
for c in replay start doctor syscalls; do
	run 0 "help $c" help $c
	says out "help $c: usage" "^usage: simrun $c"
done
run 0 '-version' -version
says out '-version: names it' '^simrun [0-9]+\.[0-9]+'
run 0 '--version' --version

# ---- programs that cannot be started ----
run 127 'unknown program' no-such-program
one_line 'unknown program'
says err 'unknown program: is named' '^simrun: no-such-program: not found in PATH'
run 127 'missing file' ./no-such-file
echo 'echo hi' >not-executable
run 126 'file that may not be executed' ./not-executable
one_line 'file that may not be executed'
run 126 'directory' /tmp
run 125 'replay of a missing folder' replay nowhere
one_line 'replay of a missing folder'

# ---- start works without the simulator ----
run 0 'start' start n1 -- sh -c 'echo $SIMRUN_NODE,$SIMRUN_IP'
is 'start sets the node' "$(cat out)" 'n1,'
run 0 'start -ip' start n-2.x -ip 10.0.0.2 sh -c 'echo $SIMRUN_NODE,$SIMRUN_IP'
is 'start -ip sets the address' "$(cat out)" 'n-2.x,10.0.0.2'
run 0 'start -ip first' start -ip fd00::1 n3 -- sh -c 'echo $SIMRUN_NODE,$SIMRUN_IP'
is 'start -ip may come first' "$(cat out)" 'n3,fd00::1'
run 7 'start passes the status' start n1 -- sh -c 'exit 7'
run 127 'start of an unknown program' start n1 -- no-such-program
run 126 'start of a file that may not be executed' start n1 -- ./not-executable

run 0 'syscalls' syscalls
says out 'syscalls: has openat' 'openat'

"$simrun" doctor >out 2>err
status=$?
says out 'doctor: a line a check' '^(OK|FAIL) +seccomp'
if grep -q ^FAIL out; then
	is 'doctor: a failure is 125' $status 125
	says out 'doctor: says what to do' 'to do: '
else
	is 'doctor: all is well' $status 0
fi

if ! "$simrun" -q -seed 1 /bin/true >out 2>&1; then
	skip 'runs' "simrun cannot run /bin/true here: $(tail -n 1 out)"
	rm -rf .simrun
	done_testing
fi

# ---- one run ----
run 0 'a program that passes' -seed 7 /bin/true
is 'a passing run leaves nothing' "$([ -e .simrun ] && echo left)" ""
says out 'a passing run: verdict' '^PASS seed 7 '
is 'the hash ends the output' "$(tail -n 1 out | grep -cE '^determinism hash [0-9a-f]{16} over [0-9]+ host calls$')" 1
run 0 'output passes' -seed 7 sh -c 'echo to-out; echo to-err >&2'
says out 'standard output passes' '^to-out$'
says err 'standard error passes' '^to-err$'
run 0 '-q' -q -seed 7 sh -c 'echo to-out; echo to-err >&2'
silent out '-q: no output' to-out
silent err '-q: no errors' to-err
run 0 '-v' -v -seed 7 sh -c 'echo to-out; echo to-err >&2'
says err '-v: time and node' '^[0-9]+\.[0-9]{6}s driver \| to-out$'
says err '-v: errors too' '^[0-9]+\.[0-9]{6}s driver \| to-err$'
# A file's time is of the same clock in both runs, however shortly before the first it was written.
for i in 1 2 3 4 5 6 7 8; do
	echo "$i" >just-written
	run 0 "a file written right before ($i)" -seed 7 -check stat -c %y just-written
done
run 0 'virtual sleep' -seed 7 -timeout 60s sleep 100000
says out 'virtual sleep: takes virtual time' '^PASS seed 7  100[0-9]{3}\.'

# ---- a failing run ----
run 1 'a program that fails' -seed 9 sh -c 'echo hello; exit 3'
says out 'a failing run: verdict, class' '^FAIL seed 9 .* exit: '
says out 'a failing run: how to repeat it' '^reproduce: .*simrun -seed 9 -- sh -c '
says out 'a failing run: its folder' '\.simrun/seed-9$'
for f in run.json plan.json trace.jsonl result.json output/driver; do
	is "run folder: $f" "$([ -f .simrun/seed-9/$f ] && echo there)" there
done
is 'run folder: output' "$(cat .simrun/seed-9/output/driver)" hello
is 'run folder: nothing unfinished' "$(ls -A .simrun)" seed-9
repro=$(sed -n 's/^reproduce: //p' out)
hash=$(tail -n 1 out)
eval "$repro" >again 2>/dev/null </dev/null
is 'the printed command repeats the run' "$(tail -n 1 again)" "$hash"
run 1 'replay' replay seed-9
is 'replay: same hash' "$(tail -n 1 out)" "$hash"
run 1 'replay of a path' replay .simrun/seed-9/
run 1 'replay of a number' replay 9
mkdir elsewhere
(cd elsewhere && "$simrun" replay ../.simrun/seed-9 >../out 2>../err </dev/null)
is 'replay from another directory: exit status' $? 1
is 'replay from another directory: same hash' "$(tail -n 1 out)" "$hash"
run 1 'replay -trace' replay seed-9 -trace calls:t.jsonl
says t.jsonl 'replay -trace: has calls' '"type":"call"'
rm -rf .simrun

# ---- a run does not see the folders of earlier ones ----
mkdir empty
for at in "$work/empty" /else/where; do
	for n in 1 2 3; do
		[ $n = 3 ] && again=(replay seed-9) || again=(-seed 9 -at "$at" sh -c 'ls -alRi; exit 1')
		(cd empty && "$simrun" "${again[@]}" >../out 2>../err </dev/null)
		is "run $n beside run folders, -at $at: exit status" $? 1
		[ $n = 1 ] && hash=$(tail -n 1 out)
		is "run $n beside run folders, -at $at: same hash" "$(tail -n 1 out)" "$hash"
	done
	rm -rf empty/.simrun
done

# ---- a changed binary ----
cp /bin/sh ./mysh
run 0 '-keep' -keep -seed 5 ./mysh -c 'echo kept'
is '-keep: folder' "$(ls .simrun)" seed-5
printf 'x' >>mysh
"$simrun" replay seed-5 >out 2>err </dev/null
says err 'replay: a changed binary is named by its digest' 'mysh has changed: its digest was [0-9a-f]+ and is now [0-9a-f]+'
rm -rf .simrun mysh

# ---- environment ----
OUTSIDE=1 run 0 'environment' -seed 7 env
silent out 'environment: nothing passes by itself' '^OUTSIDE='
says out 'environment: TZ' '^TZ=UTC$'
says out 'environment: LANG' '^LANG=C\.UTF-8$'
says out 'environment: TERM' '^TERM=dumb$'
hash=$(tail -n 1 out)
LONG=$(printf '%2000s' x) run 0 'longer environment' -seed 7 env
is 'a longer environment outside changes nothing' "$(tail -n 1 out)" "$hash"
OUTSIDE='a b' run 0 '-env' -seed 7 -env OUTSIDE -env GIVEN=1 env
says out '-env: of the caller' '^OUTSIDE=a b$'
says out '-env: a value' '^GIVEN=1$'
run 0 '-epoch' -seed 7 -epoch 2031-05-06 date +%F
says out '-epoch: the date' '^2031-05-06$'
run 0 '-cpus' -seed 7 -cpus 5 nproc
says out '-cpus: what guests see' '^5$'
run 0 '-at' -seed 7 -at /somewhere/else pwd
says out '-at: where guests are' '^/somewhere/else$'
at_hash=$(tail -n 1 out)
(cd elsewhere && "$simrun" -seed 7 -at /somewhere/else pwd >../out 2>../err </dev/null)
is '-at: a run does not depend on the directory' "$(tail -n 1 out)" "$at_hash"

# ---- JSON ----
run 0 '-json FILE' -seeds 1-3 -json j sh -c :
is '-json: a line a seed' "$(wc -l <j)" 3
cat >check.py <<'PY'
import json, sys
for line in open(sys.argv[1]):
    o = json.loads(line)
    types = dict(seed=int, verdict=str, **{"class": str}, message=str, virtual_ns=int, real_ms=int, host_calls=int,
                 determinism_hash=str, sched=str, warnings=list)
    for k, t in types.items():
        assert isinstance(o[k], t), (k, o)
    assert len(o["determinism_hash"]) == 16 and o["host_calls"] > 0
    print(o["seed"], o["verdict"], o["class"] or "-", o["determinism_hash"], o["sched"])
PY
is '-json: its members' "$(python3 check.py j 2>&1 | awk '{ print $1 $2 $3 $5 }' | paste -sd' ')" \
	'1pass-sticky 2pass-pct 3pass-pct'
is 'seeds differ' "$(python3 check.py j | awk '{ print $4 }' | sort -u | wc -l)" 3
run 1 '-json -' -sched fifo -json - -seed 4 sh -c 'echo noise; exit 1'
is '-json -: standard output is JSON alone' "$(python3 check.py out 2>&1 | awk '{ print $1, $2, $3, $5 }')" '4 fail exit fifo'
run 125 '-json into nowhere' -json /no/such/dir/j true
if [ -e /dev/full ]; then run 125 '-json on a full disk' -json /dev/full -seed 1 true; fi
rm -rf .simrun

# ---- many ----
random_fail='test "$(od -An -N1 -tu1 /dev/urandom)" -lt 200 || { echo unlucky; exit 1; }'
run 1 'a sweep' -seeds 1-40 sh -c "$random_fail"
says out 'a sweep: FAIL lines' '^FAIL seed [0-9]+ '
says out 'a sweep: summary' '^40 seeds: [0-9]+ passed, [0-9]+ failed in '
is 'a sweep: the last line repeats the first failure' "$(tail -n 1 out | grep -o 'simrun -seed [0-9]*')" \
	"simrun -seed $(grep -m1 -oE '^FAIL seed [0-9]+' out | grep -oE '[0-9]+')"
is 'a sweep: folders of the failed seeds alone' "$(find .simrun -mindepth 1 -maxdepth 1 | wc -l)" "$(grep -c '^FAIL seed' out)"
silent err 'a sweep: no progress line without a terminal' 'done'
eval "$(sed -n 's/^reproduce: //p' out)" >again 2>/dev/null </dev/null
is 'a sweep: the command reproduces' "$(tail -n 1 again)" "$(grep -m1 -oE 'determinism hash.*' out)"
grep -oE '^FAIL seed [0-9]+' out | sort >alone
run 1 '-j 2' -seeds 1-40 -j 2 sh -c "$random_fail"
is '-j 2: the same seeds fail' "$(grep -oE '^FAIL seed [0-9]+' out | sort | cmp - alone && echo same)" same
first=$(sort -t' ' -k3n alone | head -n 1 | grep -oE '[0-9]+')
for j in 1 2; do
	run 1 "-until-fail -j $j" -until-fail -j $j sh -c "$random_fail"
	is "-until-fail -j $j: the first seed" "$(tail -n 1 out | grep -oE 'seed [0-9]+')" "seed $first"
done
run 1 'a sweep of many alike' -seeds 1-9 false
is 'a sweep of many alike: all are named, three with their folder' "$(grep -c '^FAIL seed' out) $(grep -c '^  run folder' out)" '9 3'
run 0 'faults that could not come' -faults default -seeds 1-3 true
says out 'faults that could not come: the summary says so' '^no fault was injected in any seed: '
run 0 'faults that could not come, one seed' -faults default -seed 3 true
says out 'faults that could not come, one seed: said too' '^faults: none was injected: '
run 0 '-until-output' -until-output 'n.*47' -seeds 1-60 sh -c 'echo number $(($(od -An -N1 -tu1 /dev/urandom) % 50))'
says out '-until-output: names the seed' '^PASS seed [0-9]+ .* output matched'
run 2 '-until-output without a match' -until-output 'n.*47' -seeds 1-2 sh -c 'echo other'
says out '-until-output without a match: says so' '^no seed printed'
rm -rf .simrun
run 1 '-max-failures' -max-failures 3 sh -c "$random_fail"
is '-max-failures: so many' "$(grep -c '^FAIL seed' out)" 3
run 1 '-max-failures beyond all' -max-failures 99 -seeds 1-40 sh -c "$random_fail"
says out '-max-failures beyond all: all are run' '^40 seeds: '
rm -rf .simrun
run 0 '-for' -for 1s sleep 1
says out '-for: ends by itself' '^[0-9]+ seeds: [0-9]+ passed, 0 failed in [1-9]'
run 129 '-for a strange time' -for ever true
run 129 '-max-failures of none' -max-failures 0 true
run 0 'a seed named twice counts once' -seeds 1-4,2,3-6 true
says out 'a seed named twice counts once: summary' '^6 seeds: 6 passed'

# ---- -R: failing seeds are remembered ----
run 0 '-R: nothing to remember' -R -seeds 1-3 sh -c :
is '-R: nothing to remember leaves nothing' "$([ -e .simrun ] && echo left)" ''
cp "$(command -v sh)" mysh
lucky() { run "$1" "$2" -R "${@:3}" ./mysh -c 'test "$(cat broken)" != yes || test "$(od -An -N1 -tu1 /dev/urandom)" -lt 200'; }
echo yes >broken
lucky 1 '-R: some fail' -seeds 1-40
sed -n 's/^FAIL seed \([0-9]*\) .*/\1/p' out >failed
is '-R: the file names them' "$(cut -d' ' -f1 .simrun/failed | sort -n | paste -sd' ')" "$(sort -n failed | paste -sd' ')"
lucky 1 '-R: they come first' -seeds 41-42 -max-failures 1
says out '-R: the first one at once' '^1 seed: 0 passed, 1 failed'
lucky 1 '-R alone: only they' -R
is '-R alone: all of them fail again' "$(sed -n 's/^FAIL seed \([0-9]*\) .*/\1/p' out | sort -n | paste -sd' ')" "$(sort -n failed | paste -sd' ')"
says out '-R alone: no other' "^$(wc -l <failed) seeds: 0 passed"
run 0 '-R: another command has failed nowhere' -R true
says out '-R: another command runs its own seed' '^PASS seed 1 '
echo no >broken
lucky 0 '-R: mended' -R
is '-R: they are forgotten' "$([ -e .simrun/failed ] && cat .simrun/failed)" ''
rm -rf .simrun mysh broken failed

# ---- for continuous integration ----
GITHUB_STEP_SUMMARY=$work/step.md run 1 '-junit' -junit j.xml -seeds 1-40 sh -c "$random_fail"
is '-junit: counts, one case a seed, one failure each with its reproduction' "$(python3 -c 'import sys, xml.etree.ElementTree as x
s = x.parse("j.xml").getroot()
f = s.findall("testcase/failure")
print(s.tag, s.get("name"), s.get("tests"), len(s.findall("testcase")), int(s.get("failures")) == len(f) > 0, s.get("errors"),
    all(e.get("type") == "exit" and "status 1" in e.get("message") and "-seed " in e.text for e in f))' 2>&1)" 'testsuite sh 40 40 True 0 True'
says step.md 'step summary: heading' "^### simrun: sh, $(grep -c '^FAIL seed' out) of 40 seeds failed"
says step.md 'step summary: a seed' "^$(grep -m1 -oE '^FAIL seed [0-9]+' out) "
says step.md 'step summary: the command' '^reproduce: .* -seed '
printf '#!/bin/sh\nprintf "<&\\"\\001\\377>\\n"; kill -STOP $$\n' >odd
chmod +x odd
GITHUB_STEP_SUMMARY=$work/step.md run 1 '-junit of one, with odd characters' -junit j.xml -seed 3 ./odd
is '-junit of one: it is XML' "$(python3 -c 'import xml.etree.ElementTree as x
print([c.get("name") + " " + c[0].get("type") for c in x.parse("j.xml").getroot()])' 2>&1)" "['seed 3 deadlock']"
is 'step summary: appended' "$(grep -c '^### ' step.md)" 2
run 0 '-junit of what passes' -junit j.xml -seed 3 true
says j.xml '-junit of what passes: no failure' 'tests="1" failures="0" errors="0" skipped="0"'
run 125 '-junit into nowhere' -junit /no/such/dir/j true
rm -rf .simrun odd j.xml step.md
if command -v script >/dev/null; then
	TERM=xterm script -qec "$simrun -seeds 1-300 sleep 1" tty </dev/null >/dev/null 2>&1
	says tty 'progress on a terminal: done, failed, rate, time left' '[0-9]+/300 done, 0 failed, [0-9.]+ seeds/s, .* left'
	rm -f tty
fi

# ---- check ----
run 0 '-check' -seeds 1-3 -check sh -c 'od -An -N8 -tx1 /dev/urandom; sleep 5; date'
run 0 '-check of one' -seed 3 -check sh -c 'sleep 5; date'
says out '-check: says that it compared' 'two runs, no difference'
# A file that changes under the run, faster than runs follow each other.
(i=0; while :; do i=$((i + 1)); printf '%09d\n' $i 1<>leak; done) &
leaker=$!
sleep 0.1
run 3 '-check with a leak' -seed 3 -check sh -c 'read x <leak; sleep 1; echo "$x" | wc'
says out '-check with a leak: the command repeats the check' '^reproduce: .* -seed 3 -check -- '
says out '-check with a leak: the class' '^FAIL seed 3 .* nondeterminism: '
says out '-check with a leak: the call' 'host call [0-9]+: .*driver pid [0-9]+ .*read.* vs .*read.*, after .*'
kill $leaker
wait $leaker 2>/dev/null
# The sleep gets host randomness from its first getrandom (malloc's; the shell has made one), behind more than a window of calls.
run 3 '-check with a call served by the host' -seed 3 -check -debug-leak 2 \
	sh -c 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); test -e x; done; /bin/true; sleep 1; /bin/true'
says out '-check with a call served by the host: the call' \
	'host call 5[0-9]{3}: [0-9.]+s driver pid [0-9]+ tid [0-9]+ \(sleep\) (getrandom\(.*\) = 8) vs .* \1 with other bytes, after .* driver pid'
rm -rf .simrun

# ---- limits and signals ----
run 124 '-timeout' -timeout 1s -seed 1 sh -c 'while :; do :; done'
says out '-timeout: verdict' '^TIMEOUT seed 1 '
run 1 'deadlock' -seed 1 sh -c 'kill -STOP $$'
says out 'deadlock: class' ' deadlock: '
rm -rf .simrun

left() { # what is left of a command: processes of its session, files, mounts
	local n=0
	while pgrep -s "$1" >/dev/null && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
	pgrep -s "$1" -a
	pgrep -f "sleep 54321[0-9]" -a
	ls -A .simrun 2>/dev/null
	grep -c "$work" /proc/self/mountinfo | grep -v '^0$'
}
# Busy in virtual time for ever: the run ends by the signal alone.
busy='while :; do sleep 54321; done'
for sig in INT TERM; do
	setsid "$simrun" -seeds 1-4 -j 2 sh -c "$busy" >out 2>err </dev/null &
	pid=$!
	sleep 1
	# A shell makes its background children ignore SIGINT; simrun takes it all the same.
	kill -$sig $pid
	wait $pid
	is "SIG$sig ends it" $? $((128 + $(kill -l $sig)))
	says out "SIG$sig: reports what is done" '^interrupted: 0 of 4 seeds'
	clean "SIG$sig: nothing is left" "$(left $pid)"
done
setsid "$simrun" -seeds 1-4 -j 2 sh -c "$busy" >out 2>err </dev/null &
pid=$!
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
clean 'SIGKILL: nothing is left' "$(left $pid)"

# ---- names ----
mkdir bin
printf '#!/bin/sh\necho I am a program\n' >bin/doctor
chmod +x bin/doctor
PATH=$work/bin:$PATH run 0 "a program named like a command" -seed 1 -- doctor
says out 'a program named like a command, after --' '^I am a program$'
PATH=$work/bin:$PATH run 0 "a program named like a command, first" -- doctor
says out 'a program named like a command, after -- alone' '^I am a program$'

done_testing
