#!/usr/bin/env bash
# An interactive shell on the terminal that script(1) makes.
# needs: script
set -e; d=$(mktemp -d); cd $d
script -qc "bash --norc -ic \"tty; stty size; echo hi >/dev/tty; sleep 0.1\"" out </dev/null
grep -q /dev/pts/ out; grep -q hi out; rm -rf $d
