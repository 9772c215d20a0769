#!/usr/bin/env bash
# make -j4 of a small C project with gcc; its binaries are, byte for byte, those that are made natively.
# needs: make gcc
set -e
cc=${CC:-gcc}
here=$(cd "$(dirname "$0")" && pwd)
build() { mkdir "$1" && make -s -C "$1" -j4 -f "$here/cproject/Makefile" SRC="$here/../.." CC="$cc"; }
if [ -d "$BUILT/$cc" ]; then
	d=$(mktemp -d)
	cd "$d"
	build made
	for f in prog prog.static libproject.a; do cmp "made/$f" "$BUILT/$cc/$f"; done
	made/prog
	rm -rf "$d"
else # natively, the first time
	build "$BUILT/$cc"
	"$BUILT/$cc/prog"
fi
