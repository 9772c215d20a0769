#!/usr/bin/env bash
# simrun replay -until TIME|EVENT and -gdb NODE: it stops there, and gdb sees the process with its threads, lines and variables.
# shellcheck disable=SC2016 # $1 is gdb's
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
work=$(mktemp -d /tmp/simrun-replay-XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SIMRUN_NODE SIMRUN_IP
${CC:-gcc} -O0 -g -std=gnu11 -D_GNU_SOURCE -pthread -o frozen "$top/tests/faults/frozen.c" || exit 1

# replay STATUS WHAT ARGS...: what it said is in ./out; gdb's commands are on standard input.
replay() {
	local want=$1 what=$2 got
	shift 2
	timeout -k 5 120 "$simrun" replay "$@" >out 2>&1
	got=$?
	if [ "$got" = "$want" ]; then ok "$what: exit status $want"; else not_ok "$what: exit status $want" "got $got: $(tail -n 30 out)"; fi
}

says() { # WHAT REGEX
	if grep -qE -- "$2" out; then ok "$1"; else not_ok "$1" "no line matches '$2' in: $(head -n 40 out)"; fi
}

silent() { # WHAT REGEX
	if grep -qE -- "$2" out; then not_ok "$1" "a line matches '$2' in: $(head -n 40 out)"; else ok "$1"; fi
}

cat >two.sh <<'END'
SIMRUN_NODE=n1 ./frozen &
SIMRUN_NODE=n2 ./frozen $1 &
wait
END
if ! "$simrun" -q -keep -seed 5 bash ./two.sh >out 2>&1; then
	skip 'replays' "simrun cannot run here: $(tail -n 1 out)"
	done_testing
fi

replay 0 'whole' seed-5 </dev/null
silent 'whole: no stop' STOPPED
replay 0 'until a time' seed-5 -until 1.05s </dev/null
says 'until a time: exactly then' '^STOPPED seed 5  1\.050000s virtual'
says 'until a time: the trace up to there' '1\.000s  n1 +\| round 10$'
silent 'until a time: nothing behind it' 'round 11'
replay 0 'until an event' seed-5 -until 'n2 is up' </dev/null
says 'until an event: the trace ends with it' 'node n2 is up'
silent 'until an event: nothing behind it' 'round 1'
replay 0 'until a line of output' seed-5 -until 'round 1[23]' </dev/null
says 'until a line of output: then' '^STOPPED seed 5  1\.20'
replay 0 'until what never comes' seed-5 -until 'round 1000' </dev/null
says 'until what never comes: the whole run' '^PASS seed 5 '
for bad in '(' '' '-5s'; do replay 129 "until '$bad'" seed-5 -until "$bad" </dev/null; done

if ! command -v gdb >/dev/null; then
	skip '-gdb' 'no gdb'
	done_testing
fi
replay 0 '-gdb at a time' seed-5 -until 1.05s -gdb n1 <<'END'
set width 0
bt
print rounds
info threads
thread 2
print mine
thread 1
print square(rounds)
END
says '-gdb: says who it gets' 'stopped at 1\.050000s; gdb gets n1:[0-9]+ of driver:3 \(bash\), n1:[0-9]+ \(frozen\), n2:[0-9]+ \(frozen\)'
says '-gdb: a backtrace, with arguments and lines' '^#[0-9]+ .* inner \(depth=10, .*\) at .*frozen\.c:[0-9]+$'
says '-gdb: a variable' '^\(gdb\) \$1 = 11$'
says '-gdb: a thread-local one of another thread' '^\(gdb\) \$2 = 77$'
says '-gdb: a function is called' '^\(gdb\) \$3 = 121$'
says '-gdb: the report follows' '^STOPPED seed 5  1\.050000s virtual'
replay 0 '-gdb of another node' seed-5 -until 1.05s -gdb n2 <<'END'
print rounds
continue
END
says '-gdb of another node: its variable' '^\(gdb\) \$1 = 11$'
replay 0 '-gdb in the midst of a call that the kernel performs' seed-5 -until 'thread [0-9]' -gdb n1 <<'END'
bt
END
says '-gdb in the midst of a call: a backtrace' '^#[0-9]+ .* main \('
replay 125 '-gdb of nobody' seed-5 -until 1.05s -gdb n3 </dev/null
says '-gdb of nobody: says who there is' 'no process n3 at 1\.05.*; there are driver:3 \(bash\), n1:'

"$simrun" -q -seed 6 bash ./two.sh crash >out 2>&1
says 'a crash' '^FAIL seed 6 .* crash: n2: process [0-9]+ \(frozen\), thread [0-9]+: SIGSEGV at address 0x0'
says 'a crash: its place' '#0 +0x[0-9a-f]+ inner\+0x'
replay 1 '-gdb at the failure' seed-6 -gdb n2 <<'END'
set width 0
bt
print depth
print rounds
END
says '-gdb at the failure: the line' '#0 .* inner \(depth=4, how=0x[0-9a-f]+ "crash"\) at .*frozen\.c:[0-9]+$'
says '-gdb at the failure: a local variable' '^\(gdb\) \$1 = 4$'
says '-gdb at the failure: the verdict is the same' '^FAIL seed 6 .* crash: n2'
says 'the command that repeats a replay is a replay' '^reproduce: .*simrun replay .simrun/seed-6$'
"$simrun" -q -seed 7 bash ./two.sh abort >out 2>&1
replay 1 '-gdb at an abort' seed-7 -gdb n2 <<<$'set width 0\nbt'
says '-gdb at an abort: who called it' '^#[0-9]+ .* inner \(depth=4, '
clean 'nothing is left' "$(pgrep -a -x frozen)"
done_testing
