#!/usr/bin/env bash
# tar, rsync, find, sort --parallel, cpio-like pipelines of a tree of files.
# needs: rsync
set -e
d=$(mktemp -d)
cd "$d"
mkdir -p tree/{a,b,c}/{x,y}
for f in tree/*/*; do seq $((RANDOM % 5000)) >"$f/numbers"; head -c 3000 /dev/urandom >"$f/bytes"; done
ln -s ../a/x/numbers tree/b/link
ln tree/a/x/bytes tree/c/hard
mkfifo tree/fifo
touch -d '2001-02-03 04:05:06' tree/c/y/numbers
tar -czf tree.tar.gz tree
mkdir out
tar -C out -xzpf tree.tar.gz
list() { (cd "$1" && find . -printf '%y %m %n %l %P\n' | sort); }
diff <(list tree) <(list out/tree)
rsync -a --delete tree/ copy/
echo changed >tree/a/y/numbers
rm tree/b/x/bytes
rsync -aHi --delete --checksum tree/ copy/
rsync -a --dry-run -i --delete --checksum tree/ copy/ | { ! grep .; }
find tree -type f -newermt '2001-02-04' -size +1k -exec sha256sum {} + | sort >sums
find tree -type f -print0 | xargs -0 -P 4 -n 2 wc -c | sort | tail -n 1
find tree ! -newermt '2001-02-04' -printf '%P %TY\n'
seq 60000 | shuf >many
sort -n --parallel=4 -S 200k many >sorted
sort -c -n sorted
sort -R many | sort -n --parallel=2 | cmp - sorted
ls -laR --time-style=full-iso tree | tail -n 20
du -sb --exclude=fifo copy | cut -f 1
rm -rf "$d"
