#!/usr/bin/env bash
# xz with two threads, gzip, bzip2: there and back, the same bytes each time.
# needs: xz
set -e
d=$(mktemp -d)
cd "$d"
seq 400000 >f
xz -T2 --block-size=500KiB -k -1 f
xz -dc -T2 f.xz | cmp - f
xz -l f.xz
sha256sum f.xz
gzip -k f && zcat f.gz | cmp - f
rm -rf "$d"
