#!/bin/bash
# Servers in the background, ended by a trap.
# needs: memcached
set -e
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
memcached -u nobody -l 127.0.0.1 -p 21211 &
memcached -u nobody -l 127.0.0.1 -p 21212 &
for port in 21211 21212; do
	until (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do sleep 0.1; done
	exec 3<>/dev/tcp/127.0.0.1/$port
	printf 'set a 0 0 2\r\n%s\r\nget a\r\nquit\r\n' ${port: -2} >&3
	grep -q "^${port: -2}" <&3
done
echo both answer
