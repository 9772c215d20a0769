#!/bin/sh
# `simrun check` as a command: exit statuses, messages with file and line, outputs, options, a model of one's own.
#   CHECK: the command (default "$SIMRUN check", "./simrun check")
cd "$(dirname "$0")/.." || exit 99
check=${CHECK:-${SIMRUN:-./simrun} check}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
n=0 passed=0 failed=0

# t STATUS PATTERN WHAT ARGUMENTS…: the command must end so and print (on either stream) a line that matches.
t() {
	want=$1 pattern=$2 what=$3
	shift 3
	n=$((n + 1))
	$check "$@" >"$tmp/out" 2>&1
	got=$?
	if [ $got = "$want" ] && grep -qE -- "$pattern" "$tmp/out"; then
		passed=$((passed + 1))
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what: exit $got, expected $want and /$pattern/"
		sed 's/^/# /' "$tmp/out" | head -20
	fi
}

cat >"$tmp/good.jsonl" <<'X'
{"index":0,"type":"invoke","process":1,"f":"enqueue","key":"q","value":"1-0","time":8,"id":0}
{"index":1,"type":"ok","process":1,"f":"enqueue","key":"q","value":null,"time":648261,"id":0}
{"index":2,"type":"invoke","process":2,"f":"dequeue","key":"q","value":null,"time":648262,"id":1}
{"index":3,"type":"ok","process":2,"f":"dequeue","key":"q","value":"1-0","time":648263,"id":1}
X
sed 's/"value":"1-0","time":648263/"value":"9-9","time":648263/' "$tmp/good.jsonl" >"$tmp/bad.jsonl"
sed 's/dequeue/pop/' "$tmp/good.jsonl" >"$tmp/wrong.jsonl"
echo '{"type":"invoke","process":1,"f":}' >"$tmp/broken.jsonl"
awk 'BEGIN { for (i = 0; i < 16; i++) { printf "{\"process\":%d,\"f\":\"insert\",\"key\":\"p\",\"value\":\"%d\",\"output\":null,\"start\":0,\"end\":9}\n", i, 10 + i
	printf "{\"process\":%d,\"f\":\"delete-min\",\"key\":\"p\",\"value\":null,\"output\":\"%d\",\"start\":0,\"end\":9}\n", 50 + i, 10 + i / 2 } }' >"$tmp/hard.jsonl"

echo '{"id":0,"process":0,"f":"put","key":"x","value":"1","after":[1]}
{"id":1,"process":1,"f":"put","key":"x","value":"2","after":[0]}' >"$tmp/cycle.jsonl"
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "{\"id\":%d,\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"1\"}\n", i }' >"$tmp/big.jsonl"
t 0 '^ok .*is linearizable \(model queue\)' "a good history" -history "$tmp/good.jsonl" -model queue
t 0 'model     queue \(guessed' "the model is guessed and said" -history "$tmp/good.jsonl"
t 0 '2 operations \(2 ok\), 2 processes, 1 key, at most 1 at once' "sizes are told first" "$tmp/good.jsonl"
t 0 'dequeue\("q"\) = "1-0" +\["1-0"\] -> \[\]' "the witness shows states" --history="$tmp/good.jsonl"
t 1 'value never written: 2.s dequeue \(line 3\) returned "9-9"' "a bad history" -history "$tmp/bad.jsonl"
n=$((n + 1))
if [ -s "$tmp/bad.jsonl.html" ]; then passed=$((passed + 1)); echo "ok $n - the timeline is written beside it"; else failed=$((failed + 1)); echo "not ok $n - no timeline beside the history"; fi
t 2 'undecided after' "a spent budget is unknown" -history "$tmp/hard.jsonl" -budget 3k
t 2 'undecided after 200000 configurations' "little memory costs time, never the verdict" -history "$tmp/hard.jsonl" -memory 1M -budget 200000
t 2 'time: -timeout' "the safety net" -history "$tmp/hard.jsonl" -budget 100G -timeout 300ms
t 125 'wrong.jsonl:3: history \(model queue\): operation "pop" is not one of dequeue, enqueue' "an unknown operation" -history "$tmp/wrong.jsonl" -model queue
t 125 'broken.jsonl:1:34: expected a value' "malformed input has line and column" -history "$tmp/broken.jsonl"
t 125 'cannot open' "no such file" -history "$tmp/none.jsonl"
t 129 'no -history given' "no history"
t 129 "unknown option '-hist'" "an unknown option" -hist x
t 129 'there is no model' "an unknown model" -history "$tmp/good.jsonl" -model quue
t 129 "there is no level" "an unknown level" -history "$tmp/good.jsonl" -consistency strong
t 129 "needs a value" "a missing value" -history
t 129 "is not one of realtime, process" "an unknown order" -history "$tmp/good.jsonl" -order time
t 129 "is not a number" "a bad number" -history "$tmp/good.jsonl" -budget many
t 0 'usage: simrun check' "help" -h
t 0 '"verdict":"linearizable".*"witness":\[0,1\]' "JSON on standard output" -history "$tmp/good.jsonl" -json -
t 1 '"verdict":"not linearizable".*"minimal":\[1\]' "JSON of a violation" -history "$tmp/bad.jsonl" -json - -timeline none
t 0 'order     each process' "process order" -history "$tmp/good.jsonl" -order process
t 0 '^ok' "standard input" -history - <"$tmp/good.jsonl"
t 125 'does not fit into -memory' "a file beyond memory is refused, and why" -history "$tmp/big.jsonl" -memory 1M
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "{\"type\":\"invoke\",\"process\":0,\"f\":\"read\",\"value\":null}\n{\"type\":\"ok\",\"process\":0,\"f\":\"read\",\"value\":{\"a\":%d,\"b\":%d}}\n", i, 100 - i }' >"$tmp/bank.jsonl"
t 0 'read as a stream: 40000 events' "a bank is read as a stream" -history "$tmp/bank.jsonl" -model bank -memory 1M -negative-balances
t 1 'negative-value: the read on line 204 ' "and judged" -history "$tmp/bank.jsonl" -model bank -memory 1M
t 125 'a cycle: operation 0' "a cycle in the order" -history "$tmp/cycle.jsonl"
if ${CC:-cc} -shared -fPIC -I. -o "$tmp/max.so" examples/model/max_register.c; then
	t 0 'max 3 -> max 7' "a model of one's own" -history examples/model/good.jsonl -model "$tmp/max.so"
	t 1 'impossible result: 1.s read \(line 7\) returned 3, but in every order that is allowed the state before it is max 7' "which rejects" -history examples/model/bad.jsonl -model "$tmp/max.so" -timeline none
	t 125 'operation "enqueue" is not one of read, write' "and has its operations" -history "$tmp/good.jsonl" -model "$tmp/max.so"
	sed 's/"value":3,"time":20/"value":"x","time":20/' examples/model/good.jsonl >"$tmp/typed.jsonl"
	t 125 'typed.jsonl:2: history \(model max-register\): operation "write": its value is not an integer' "and its own check" -history "$tmp/typed.jsonl" -model "$tmp/max.so"
fi

# Reasons in words where no monitor knows a pattern: MODEL|REASON|operations, one a line: process f value output start end
while IFS='|' read -r model reason ops; do
	echo "$ops" | tr ';' '\n' | awk '{ printf "{\"process\":%s,\"f\":\"%s\",\"key\":\"k\",\"value\":%s,\"output\":%s,\"start\":%s,\"end\":%s}\n", $1, $2, $3, $4, $5, $6 }' >"$tmp/why.jsonl"
	t 1 "reason: $reason" "a reason in words: $model, $reason" -history "$tmp/why.jsonl" -model "$model" -timeline none
done <<'X'
mutex|two holders: 2.s acquire \(line 2\) succeeded, .* is held|1 acquire null true 0 1;2 acquire null true 2 3;1 release null null 4 5
owner-mutex|not the holder: 2.s release \(line 2\) .* is held by 1|1 acquire null null 0 1;2 release null null 2 3
reentrant-mutex|two holders: 2.s acquire \(line 3\) .* held by 1|1 acquire null null 0 1;1 acquire null null 2 3;2 acquire null true 4 5
fenced-mutex|fence of the past: 2.s acquire \(line 3\) .* free, fence 5|1 acquire null 5 0 1;1 release null null 2 3;2 acquire null 4 4 5
semaphore|no permit left: 2.s acquire \(line 2\)|1 acquire 1 null 0 1;2 acquire 1 null 2 3
lease|two holders: 2.s acquire \(line 2\) succeeded, .* is held by 1 until 10|1 acquire 100 true 0 1;2 acquire 100 true 2 3
priority-queue|out of order: 2.s delete-min \(line 3\) returned "b", .* is \["a" "b"\]|1 insert "a" null 0 1;1 insert "b" null 2 3;2 delete-min null "b" 4 5
deque|lost element: 2.s pop-front \(line 2\) found nothing|1 push-front "a" null 0 1;2 pop-front null "" 2 3
multi-register|impossible result: 2.s txn \(line 2\) .* is "x"=1|1 txn [["write","x",1]] null 0 1;2 txn [["read","x",null]] [["read","x",0]] 2 3
register|value never written: 1.s read \(line 2\) returned 5|1 write 1 null 0 1;1 read null 5 2 3
register|stale read: 2.s read \(line 3\) returned 1 although 1.s write \(line 2\) wrote 2 before it started|1 write 1 null 0 1;1 write 2 null 2 3;2 read null 1 4 5
queue|delivered twice|1 enqueue "a" null 0 1;1 dequeue null "a" 2 3;2 dequeue null "a" 4 5
queue|out of order|1 enqueue "a" null 0 1;1 enqueue "b" null 2 3;1 dequeue null "b" 4 5;2 dequeue null "a" 6 7
set|lost element|1 add "a" null 0 1;1 read null [] 2 3
counter|wrong sum|1 add 1 null 0 1;1 read null 3 2 3
X
t 125 'cannot load model' "no such model file" -history "$tmp/good.jsonl" -model ./none.so
echo "1..$n"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
