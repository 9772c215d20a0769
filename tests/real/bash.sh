#!/usr/bin/env bash
# Background jobs, traps, pipelines, coprocesses, process substitution, job control without a terminal.
set -e
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
timeout 5 sleep 1000 || [ $? = 124 ]
exec {COPROC[1]}>&-; wait
set -m
(while :; do sleep 0.05; done) & j=$!
kill -STOP %%; sleep 0.1; jobs | grep -q Stopped; bg %%; sleep 0.1; jobs | grep -q Running
kill -TSTP %%; sleep 0.1; jobs | grep -q Stopped; kill -CONT %%; kill %%; wait $j || [ $? = 143 ]
(trap "exit 5" INT; kill -INT $BASHPID; sleep 1) & wait $! || [ $? = 5 ]
trap "echo exit trap" EXIT; trap "echo child" CHLD; (exit 3) & wait $! || [ $? = 3 ]; trap - CHLD
paste <(seq 3) <(seq 4 6) > >(cat; echo substituted)
sleep 0.1
SECONDS=0; read -t 2 x < <(exec sleep 2.5) || [ $? -gt 128 ]; [ $SECONDS = 2 ]
rm -rf "$d"
