#!/bin/sh
# A Makefile whose recipes start and stop servers.
# needs: make redis-server redis-cli
cd "$(mktemp -d)" || exit 1
cat >Makefile <<'M'
.PHONY: test up down
test: up
	redis-cli -p 21801 set from make
	test "`redis-cli -p 21801 get from`" = make
	$(MAKE) --no-print-directory down
up: redis.pid
redis.pid:
	redis-server --port 21801 --bind 127.0.0.1 --save '' >redis.log 2>&1 & echo $$! >$@
	@for i in 1 2 3 4 5 6 7 8 9 10; do redis-cli -p 21801 ping 2>/dev/null && exit 0; sleep 0.5; done; exit 1
down:
	-kill `cat redis.pid`
	rm -f redis.pid
M
make -j2 test
