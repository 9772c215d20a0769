#!/usr/bin/env bash
# Nodes: what is one, what its name is, and what the driver sees when the simulator crashes it and starts it again.
# Every run is made twice and compared.
# shellcheck disable=SC2016 # what guests shall expand stands in single quotes
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
simrun=${SIMRUN:-$top/build/simrun}
[[ $simrun = /* ]] || simrun=$PWD/$simrun
work=$(mktemp -d /tmp/simrun-nodes-XXXXXX)
chmod 755 "$work"
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SIMRUN_NODE SIMRUN_IP

# A server, for the rule of listeners: answers every line with its pid and the line.
cat >server <<'PL'
#!/usr/bin/perl
use strict; use IO::Socket::INET; use POSIX;
$| = 1;
my ($port, $mode) = @ARGV;
if ($mode) { exit if fork; setsid; exit if fork; }
my $l = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 5, ReuseAddr => 1) or die "listen: $!";
print "listening\n";
while (my $c = $l->accept) { while (my $line = <$c>) { print $c "$$ $line"; } }
PL
# A client: ask PORT WORD prints the answer, or what went wrong.
cat >ask <<'PL'
#!/usr/bin/perl
use strict; use IO::Socket::INET;
my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $ARGV[0]) or do { print "ask: $!\n"; exit 1 };
$c->autoflush(1); print $c "$ARGV[1]\n"; print scalar(<$c>) // "ask: end of file\n";
PL
chmod +x server ask
server=
perl -MIO::Socket::INET -MPOSIX -e 1 2>/dev/null && server=yes

crash=(-fault 'crash:node=n1,at=2s,downtime=1500ms') # down from 2 s to 3.5 s
what=
# sim WHAT SCRIPT OPTIONS...: one run of a bash script, with all output in ./log, as -v shows it.
sim() {
	what=$1
	printf '%s\n' "$2" >script.sh
	shift 2
	rm -rf .simrun
	if ! "$simrun" -seed "${seed:-1}" -timeout 60s -check -keep -v "$@" bash ./script.sh >verdict 2>log </dev/null; then
		not_ok "$what: passes" "$(cat verdict log)"
	fi
}

# said NODE: its lines, without the times.
said() { sed -n "s/^[0-9.]*s $1 | //p" log; }
at() { sed -n "s/^\([0-9]*\)\.[0-9]*s [a-z0-9-]* | $1\$/\1/p" log; } # the second in which a line was printed

says() { # NODE WHAT LINES: the node printed exactly these
	local got
	got=$(said "$1")
	if [ "$got" = "$3" ]; then ok "$what: $2"; else not_ok "$what: $2" "expected:
$3
got:
$(cat log)"; fi
}
is() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then ok "$what: $1"; else not_ok "$what: $1" "got '$2', expected '$3'
$(cat log)"; fi
}
plan() { grep -E "$1" .simrun/seed-*/plan.json | tr -d ' ,"' | sort | tr '\n' ' '; } # its lines that match

# ---- wait ----
sim wait '
SIMRUN_NODE=n1 sh -c "echo up; sleep 4; exit 7" & p=$!
wait $p; echo "status $?"' "${crash[@]}"
says n1 'the node is started again' $'up\nup'
says driver 'returns the status of the last incarnation' 'status 7'
is 'returns when the node has ended for good' "$(at 'status 7')" 7
is 'the crash and its effect are in the plan' "$(plan 'processes_killed|first_ns|downtime')" \
	'downtime:1.5s first_ns:2000000000 processes_killed:2 '

sim 'wait for any' '
SIMRUN_NODE=n1 sh -c "sleep 4; exit 7" & p=$!
sleep 3 & q=$!
wait -n -p first; [ $first = $q ] && echo "the other"
wait -n -p second; echo "status $?"; [ $second = $p ] && echo "the node"' "${crash[@]}"
says driver 'returns for the other child first' $'the other\nstatus 7\nthe node'

sim 'waitpid' 'exec perl -MPOSIX=:sys_wait_h -e "
	\$| = 1; \$SIG{CHLD} = sub { \$chld++ };
	if (!(\$p = fork)) { \$ENV{SIMRUN_NODE} = q(n1); exec q(sh), q(-c), q(echo parent \$PPID; sleep 2; exit 3) }
	print qq(driver \$\$\n); \$end = time + 5;
	while (time < \$end) { select undef, undef, undef, 0.25; \$got = waitpid(\$p, WNOHANG); \$got and last; \$none++ }
	printf qq(%s status %d, %d SIGCHLD, %s\n), \$got == \$p ? q(same pid) : \$got, \$? >> 8, \$chld, \$none > 10 ? q(late) : \$none"' \
	-fault 'crash:node=n1,at=1s,downtime=1500ms'
is 'the parent is not told of the crash' "$(said driver | tail -n 1)" 'same pid status 3, 1 SIGCHLD, late'
is 'the parent of each incarnation is the driver' "$(said n1 | sort | uniq -c | xargs)" "2 parent $(said driver | sed -n 's/driver //p')"

# ---- kill ----
script='
SIMRUN_NODE=n1 bash -c "trap \"echo usr1 in \\\$\\\$\" USR1; trap \"echo term in \\\$\\\$; exit 5\" TERM; echo up as \$\$
	while :; do sleep 0.1; done" & p=$!
echo "pid $p"
sleep 1; kill -USR1 $p; echo "first $?"
sleep 1.5; kill -0 $p; echo "down $?"
sleep 1.5; kill -USR1 $p; echo "second $?"
sleep 1; kill $p; wait $p; echo "status $?"'
sim kill "$script" "${crash[@]}"
pid=$(said driver | sed -n 's/^pid //p')
new=$(said n1 | sed -n 's/^term in //p')
says driver 'works with the pid that fork gave' "pid $pid"$'\nfirst 0\ndown 0\nsecond 0\nstatus 5'
if [ -n "$new" ] && [ "$new" != "$pid" ]; then ok 'kill: each incarnation has a pid of its own'; else
	not_ok 'kill: each incarnation has a pid of its own' <log
fi
is 'reaches the present incarnation' "$(said n1 | grep -v up)" "usr1 in $pid
usr1 in $new
term in $new"

sim 'kill of a group' '
set -m
SIMRUN_NODE=n1 bash -c "trap \"echo term in root; exit 5\" TERM; (trap \"echo term in child; exit\" TERM; while :; do sleep 0.1; done) &
	while :; do sleep 0.1; done" & p=$!
sleep 4; kill -TERM -- -$p; wait $p; echo "status $?"' "${crash[@]}"
says driver 'reaches the present incarnation' 'status 5'
is 'reaches all of it' "$(said n1 | grep 'term in' | sort | xargs)" 'term in child term in root'

sim 'kill -HUP of a node that is down' '
SIMRUN_NODE=n1 sh -c "trap : HUP; echo up; sleep 4" & p=$!
sleep 2.5; kill -HUP $p; wait $p; echo "status $?"' "${crash[@]}"
says driver 'is lost' 'status 0'
says n1 'it is started again' $'up\nup'

for sig in KILL TERM; do
	sim "kill -$sig of a node that is down" '
SIMRUN_NODE=n1 sh -c "echo up; sleep 100" & p=$!
sleep 2.5; kill -'$sig' $p; wait $p; echo "status $?"; sleep 5; kill -0 $p || echo gone' "${crash[@]}"
	is 'the status is the signal' "$(said driver | grep status)" "status $((128 + $(kill -l $sig)))"
	is 'wait returns at once' "$(at 'status .*')" 2
	says n1 'it is not started again' up
	is 'it is gone' "$(said driver | grep -x gone)" gone
done
sim 'kill -KILL of a node' '
SIMRUN_NODE=n1 sh -c "echo up; sleep 100" & p=$!
sleep 1; kill -KILL $p; wait $p; echo "status $?"; sleep 5' "${crash[@]}"
is 'is the end of it' "$(said driver | grep status)" 'status 137'
says n1 'it is not started again' up
is 'a crash that found nothing has no effect' "$(plan 'processes_killed|applied')" 'applied:0 '

# ---- what is killed, what is started ----
sim 'the whole tree' '
SIMRUN_NODE=n1 bash -c "tick() { while :; do echo \$1 \$BASHPID; sleep 0.5; done; }
	tick root-child & (tick grandchild & wait) & setsid bash -c \"while :; do echo session \\\$\\\$; sleep 0.5; done\" & wait" &
sleep 1.8; echo before; sleep 3; echo after; kill $!; exit 0' "${crash[@]}"
old=$(sed '/driver | before/,$d' log | sed -n 's/.* n1 | //p' | sort -u)
is 'three processes ran' "$(wc -l <<<"$old")" 3
is 'none of them outlives the crash' "$(sed '1,/driver | before/d' log | awk -F'[.]' '$1 >= 3' | sed -n 's/.* n1 | //p' | grep -cxF "$old")" 0
is 'all of it is there again' "$(sed '1,/driver | before/d' log | sed -n 's/.* n1 | \([a-z-]*\) .*/\1/p' | sort -u | xargs)" 'grandchild root-child session'

mkdir inner
sim 'the restart' '
cd inner; exec 5>>../fd5
VAR=value SIMRUN_NODE=n1 bash -c "echo \"args \$* var \$VAR node \$SIMRUN_NODE dir \${PWD##*/}\"; echo line >&5
	cd /; export VAR=changed; exec 5>&-; umask 0; exec sleep 4" zero one "two  words" & p=$!
wait $p; echo "status $?"; cat ../fd5' "${crash[@]}"
says n1 'has the arguments, the environment and the directory of the first exec' \
	"args one two  words var value node n1 dir inner
args one two  words var value node n1 dir inner"
says driver 'has the descriptors of the first exec' $'status 0\nline\nline'
if [ "$(id -u)" = 0 ]; then
	sim 'the restart' '
SIMRUN_NODE=n1 perl -e "\$| = 1; print qq(user \$> group ), \$) + 0, qq(\n); \$) = 4242; \$> = 4242; print qq(then \$>\n); sleep 4" &
wait' "${crash[@]}"
	says n1 'has the credentials of the first exec' $'user 0 group 0\nthen 4242\nuser 0 group 0\nthen 4242'
else
	skip 'the restart: has the credentials of the first exec' 'not root'
fi

sim 'files' '
echo 0 >count
SIMRUN_NODE=n1 sh -c "read n <count; echo \$((n + 1)) >count; sleep 4" & wait; cat count' "${crash[@]}"
is 'what was written is still there after a crash' "$(said driver)" 2

# ---- names ----
sim names '
SIMRUN_NODE=n1 sh -c "echo in n1; sleep 0.5 &
	SIMRUN_NODE=n2 sh -c \"echo still in n1\"; wait" & p=$!
sh -c "echo in the driver"
SIMRUN_NODE= sh -c "echo in the driver too"
wait; SIMRUN_NODE=n1 sh -c "echo again in n1"
'"$simrun"' start n-3.x -- sh -c "echo in n3; echo \$SIMRUN_NODE"'
says n1 'SIMRUN_NODE names a tree, again after its end' $'in n1\nstill in n1\nagain in n1'
says driver 'others belong to the driver' $'in the driver\nin the driver too'
says n-3.x 'simrun start names one' $'in n3\nn-3.x'
is 'no warning' "$(grep -c '^warning' verdict)" 0
is 'the output of each is in the run folder' "$(cd .simrun/seed-1/output && grep -c . ./* | sort | xargs)" './driver:2 ./n-3.x:2 ./n1:3'

sim 'two of a name' '
SIMRUN_NODE=n1 sh -c "echo first; sleep 1" & sleep 0.5
SIMRUN_NODE=n1 sh -c "echo second" & wait'
says n1-2 'the second has a number' second
is 'is warned of' "$(grep -c 'two nodes are named n1' verdict)" 1

sim 'membership' '
SIMRUN_NODE=n1 sh -c "setsid sh -c \"sleep 1; echo late\" & echo early"; echo "status $?"
sleep 3'
says n1 'survives reparenting' $'early\nlate'
is 'wait returns when the root ends' "$(at 'status 0')" 0

# ---- the rule of listeners ----
if [ -z "$server" ]; then
	skip 'the rule of listeners' 'no perl'
else
	sim 'a listener' '
./server 7001 & ./server 7002 &
(sleep 0.5; ./ask 7001 hello)
sh -c "./server 7003 & wait" & sleep 0.5
up() { ./server 7004; }; up &
sleep 1; ./ask 7002 x; ./ask 7003 x; ./ask 7004 x; pkill server || kill $(jobs -p); exit 0'
	is 'is a node, named by its program and a number' "$(sed -n 's/.*s \([a-z]*[0-9]*\) | listening/\1/p' log | sort | xargs)" \
		'server1 server2 server3 sh1'
	is 'clients belong to the driver' "$(said driver | grep -cE '^[0-9]+ (hello|x)$')" 4
	sim 'a listener below a shell' '
sh -c "./server 7003 & echo wrapped; wait" & sleep 0.5
sleep 4; ./ask 7003 x; kill $!; exit 0' -fault crash:node=sh1,at=2s,downtime=1500ms
	is 'the topmost program below the driver is the root' "$(plan processes_killed)" 'processes_killed:2 '
	is 'the root is started again' "$(said sh1 | sort | xargs)" 'listening listening wrapped'
	is 'and starts the server' "$(said driver | grep -c ' x$')" 1

	sim 'a connection' '
sleep 20 & # what is asleep is no deadlock
./server 7001 & until exec 3<>/dev/tcp/127.0.0.1/7001; do sleep 0.1; done 2>/dev/null
sleep 1; echo one >&3; read -r -u 3 answer; echo "${answer#* }"
read -r -u 3 answer; echo "lost $?"; ./ask 7001 two
sleep 2; ./ask 7001 three | cut -d" " -f2; kill $!; exit 0' -fault crash:node=server1,at=2s,downtime=1500ms
	says driver 'ends with the server, is refused while it is down, and works again after' \
		$'one\nlost 1\nask: Connection refused\nthree'
	is 'ends at the crash' "$(at 'lost 1')" 2
	is 'the plan counts it' "$(plan 'connections|processes')" 'connections_lost:1 processes_killed:1 '

	sim 'a daemon' '
./server 7001 daemon; echo "status $?"; sleep 1; ./ask 7001 one | cut -d" " -f2; sleep 1.5; ./ask 7001 two
sleep 2; ./ask 7001 three | cut -d" " -f2; pkill -f "server 7001" || :' -fault crash:node=server1,at=2s,downtime=1500ms
	says driver 'is killed and started again' $'status 0\none\nask: Connection refused\nthree'
fi

# ---- -faults crash ----
script='
for n in n1 n2; do SIMRUN_NODE=$n sh -c "echo up; sleep 60; exit 0" & done
sleep 120 & wait; echo done'
hit=0
for seed in 1 2 3 4 5 6; do
	sim "-faults crash, seed $seed" "$script" -faults crash
	is 'the driver is never crashed' "$(said driver)" 'done'
	is 'every fault names a node' "$(plan '"node"' | tr ' ' '\n' | grep -vcE '^(node:n[12])?$')" 0
	up=$(cat .simrun/seed-*/output/n? | grep -c up)
	crashes=$(plan '"processes_killed"' | wc -w)
	is 'a start for each crash that had an effect' "$up" $((2 + crashes))
	hit=$((hit + crashes))
done
unset seed
what='-faults crash'
if [ $hit -ge 3 ]; then ok "$what: $hit crashes in six seeds"; else not_ok "$what: only $hit crashes in six seeds" <log; fi
sim 'without -faults' "$script"
is 'nothing is crashed' "$(cat .simrun/seed-1/output/n? | xargs)" 'up up'

# ---- -v ----
sim '-v' '
SIMRUN_NODE=n1 sh -c "echo out; echo err >&2; sleep 1.25; printf unfinished" &
sleep 0.5; echo mine; wait'
is 'a line has the virtual time, the node and the text' \
	"$(grep -vcE '^[0-9]+\.[0-9]{6}s (n1|driver) \| (out|err|mine|unfinished)$' log)" 0
is 'all lines are there, in order' "$(sed 's/.* | //' log | xargs)" 'out err mine unfinished'
is 'times do not go back' "$(sort -n log | cmp - log && echo same)" same

# ---- without simrun ----
what='natively'
printf '%s\n' 'SIMRUN_NODE=n1 sh -c "echo up; sleep 0.1; exit 7" & wait $!; echo "status $?"
'"$simrun"' start n2 -- sh -c "echo in \$SIMRUN_NODE"' >script.sh
bash ./script.sh >log 2>&1
is 'the same script runs' "$(xargs <log)" 'up status 7 in n2'
done_testing
