#!/usr/bin/env bash
# The core utilities, one line each.
set -e; d=$(mktemp -d); cd $d
seq 200 | shuf --random-source=/dev/zero | sort -n | cmp - <(seq 200); seq 200 | shuf | split -l 50 - part.; cat part.* | sort -n | cmp - <(seq 200)
cp -a /etc/passwd p; ln p hard; ln -s p soft; mkdir -p x/y; mv hard x/y/; cmp x/y/hard soft; stat -c "%n %s %h %f" p soft x
install -m 640 p q; chmod a+x q; touch -d 2001-02-03 q; ls -l --time-style=+%F q; readlink -f soft | sed "s:.*/::"; realpath --relative-to=. x/y/hard
dd if=/dev/urandom of=r bs=1k count=100 status=none; md5sum r; base64 r | base64 -d | cmp - r; od -An -tx1 r | head -n 2; truncate -s 10 r; wc -c r
head -c 65536 /dev/zero | tee z | cksum; cut -d: -f1 p | head -n 3; tr a-z A-Z <p | tail -n 1; paste -d, <(seq 3) <(seq 4 6); join <(seq 5) <(seq 3 7)
comm -12 <(seq 5) <(seq 3 7); uniq -c <(printf "a\\na\\nb\\n"); expr 6 \* 7; factor 1234567; date -d @0; env -i A=1 env; nproc; tty || true
timeout 3 tail -f p >/dev/null || [ $? = 124 ]; (sleep 1; echo grown >>p) & tail -n 0 -f --pid=$! p; du -s x | cut -f2; rm -rf x; mkdir e; rmdir e; sync; test ! -e x
nohup echo hup 2>/dev/null; nice -n 3 nice; id -un; whoami; pwd | wc -l; mkfifo f; cat f & echo through >f; wait; stdbuf -oL echo lines; df -P / | wc -l
