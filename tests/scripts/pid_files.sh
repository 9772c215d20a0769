#!/bin/sh
# Pid files, and kill $(cat …), in plain sh.
# needs: redis-server redis-cli
dir=`mktemp -d`
redis-server --port 21401 --bind 127.0.0.1 --dir $dir --save '' >$dir/log 2>&1 &
echo $! > $dir/server.pid
n=0
while ! redis-cli -p 21401 ping >/dev/null 2>&1; do
	n=`expr $n + 1`; [ $n -gt 100 ] && { echo "no server"; exit 1; }
	sleep 0.1
done
redis-cli -p 21401 incr counter
kill -0 `cat $dir/server.pid` || exit 1
kill `cat $dir/server.pid`
while kill -0 $(cat $dir/server.pid) 2>/dev/null; do sleep 0.1; done
redis-cli -p 21401 ping >/dev/null 2>&1 && { echo "still there"; exit 1; }
grep -q 'bye bye' $dir/log || exit 1
rm -rf $dir
