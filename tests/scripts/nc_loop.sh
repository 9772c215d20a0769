#!/bin/bash
# nc -z until a port is open, and nc as server and client.
# needs: nc
(sleep 2; nc -l 127.0.0.1 21701 </dev/null >/tmp/nc.$$) &
(sleep 1; exec nc -lk 127.0.0.1 21702 </dev/null >/dev/null) &
listener=$!
for i in {1..30}; do
	nc -z 127.0.0.1 21702 && break
	[ "$i" = 30 ] && exit 1
	sleep 0.5
done
until echo hello | nc -N -w 2 127.0.0.1 21701; do sleep 0.5; done
wait %1
grep -qx hello /tmp/nc.$$ || exit 1
rm /tmp/nc.$$
kill $listener
