#!/usr/bin/env bash
# tail -f, which watches by inotify.
set -e; d=$(mktemp -d); cd $d; : >log; tail -f log >out & t=$!
for i in 1 2 3; do sleep 0.3; echo line $i >>log; done; sleep 0.2; kill $t; test "$(wc -l <out)" = 3; rm -rf $d
