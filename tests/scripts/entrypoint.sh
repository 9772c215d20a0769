#!/bin/sh
# As the entry points of containers: started as root, prepares, gives up its rights and becomes the server by exec.
# needs: setpriv redis-server redis-cli
set -e
if [ "$1" = serve ]; then
	shift
	if [ "$(id -u)" = 0 ]; then
		mkdir -p "$DATA"
		chown -R nobody "$DATA"
		exec setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$0" serve "$@"
	fi
	cd "$DATA"
	umask 077
	exec redis-server "$@"
fi
top=$(mktemp -d)
chmod 755 "$top"
cp "$0" "$top/entrypoint.sh"
DATA=$top/data
export DATA
"$top/entrypoint.sh" serve --port 22101 --bind 127.0.0.1 --save '' --dbfilename dump >/dev/null &
pid=$!
until redis-cli -p 22101 ping >/dev/null 2>&1; do sleep 0.1; done
redis-cli -p 22101 set a b
redis-cli -p 22101 save
[ "$(id -u)" != 0 ] || [ "$(stat -c %U "$DATA/dump")" = nobody ]
grep -q '^redis-server' /proc/$pid/cmdline
redis-cli -p 22101 info server | grep "^process_id:$pid"
kill $pid
wait $pid || [ $? = 143 ]
