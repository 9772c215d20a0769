#!/usr/bin/env bash
# make fuzz: every fuzzer in tests/fuzz/ for SECONDS (default 60) each, under the sanitizers. fuzz.sh [SECONDS [NAME...]]
# A file with LLVMFuzzerTestOneInput is a target of libFuzzer (clang) and keeps its corpus in build/fuzz/NAME/; any other
# is a program that draws its own inputs and fails by its status. A comment "fuzz: FILE..." names sources beyond those of
# base, vclock, kernel, netsim and checker.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-60}
[ $# -gt 0 ] && shift
out=build/fuzz
passed=0 failed=0
pure=(base/*.c vclock/*.c kernel/*.c netsim/*.c checker/*.c)
flags=(-g -O1 -std=gnu11 -I. -D_GNU_SOURCE -DSIMRUN_SAN -fno-omit-frame-pointer)
libs=(-ljansson -lxxhash -lZydis -lm)

report() { # NAME STATUS
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
		echo "ok - fuzz $1"
	else
		failed=$((failed + 1))
		echo "not ok - fuzz $1"
		tail -n 20 "$out/$1.log" | sed 's/^/# /'
	fi
}

for src in tests/fuzz/*.c; do
	name=$(basename "$src" .c)
	if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
	mkdir -p "$out/$name"
	read -ra more < <(sed -n 's/^.*fuzz: \([a-z_ /.0-9]*\).*$/\1/p' "$src" | head -n 1)
	if grep -q LLVMFuzzerTestOneInput "$src"; then
		clang "${flags[@]}" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -w -o "$out/$name.bin" \
			"$src" "${more[@]}" "${pure[@]}" "${libs[@]}" >"$out/$name.log" 2>&1 &&
			"$out/$name.bin" -max_total_time="$seconds" -max_len=65536 "$out/$name" >>"$out/$name.log" 2>&1
	else
		gcc "${flags[@]}" -fsanitize=address,undefined -fno-sanitize-recover=undefined -w -o "$out/$name.bin" \
			"$src" "${more[@]}" "${pure[@]}" "${libs[@]}" >"$out/$name.log" 2>&1 &&
			timeout -k 5 "$((seconds * 4))" "$out/$name.bin" >>"$out/$name.log" 2>&1
	fi
	report "$name" $?
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
