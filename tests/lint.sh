#!/usr/bin/env bash
# Rules of the source that a compiler does not check. Each that is broken is named with its place.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
simrun=${SIMRUN:-build/simrun}
CC=${CC:-gcc}

# ---- who may include whom (ARCHITECTURE.md) ----
declare -A allowed=(
	[base]='base'
	[vclock]='base|vclock'
	[kernel]='base|vclock|kernel'
	[netsim]='base|vclock|kernel|netsim'
	[fsfaults]='base|vclock|kernel|fsfaults'
	[checker]='base|checker'
	[tracer]='base|vclock|kernel|netsim|fsfaults|checker|tracer|sdk/c'
)
# Outside of tracer: ISO C, and the headers of POSIX that kernel/abi.h takes its numbers from.
posix='assert|ctype|dlfcn|errno|fcntl|inttypes|limits|math|poll|regex|signal|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|strings|threads|time|unistd'
for dir in base vclock kernel netsim fsfaults checker tracer; do
	mapfile -t files < <(find $dir -maxdepth 1 -name "*.[ch]" 2>/dev/null | sort)
	[ ${#files[@]} != 0 ] || continue
	clean "layers: $dir includes only what is below it" \
		"$(grep -nHE '^#\s*include "' "${files[@]}" | grep -vE "include \"(${allowed[$dir]})/")"
	[ $dir = tracer ] && continue
	# base/arena.c reserves address space, which POSIX has in sys/mman.h.
	clean "headers: $dir includes no header of Linux or of a library for it" \
		"$(grep -nHE '^#\s*include <' "${files[@]}" | grep -vE "<($posix)\.h>|<(xxhash|jansson)\.h>" |
			grep -vE '^base/arena\.c:[0-9]+:#include <sys/mman\.h>')"
done

shopt -s nullglob
all_c=({base,vclock,kernel,netsim,fsfaults,checker,tracer}/*.c)
all_h=({base,vclock,kernel,netsim,fsfaults,checker,tracer}/*.h)
shopt -u nullglob

# ---- state of a run lies in its arena, and nothing reads the host's clock ----
clean 'memory: kernel and netsim take state from the arena, never from malloc' \
	"$(grep -nHE '\b(x?malloc|x?calloc|x?realloc|x?strn?dup|xnewn?|xasprintf|xmemdup)\(' kernel/*.[ch] netsim/*.[ch] 2>/dev/null)"
# sweep.c, cmd_*.c and checker/cmd.c are the command's side, which is no part of a run; real_ms() makes a raw call.
clean 'clocks: nobody but the command reads a clock of the C library' \
	"$(grep -nHE '(^|[^_a-z>.])(clock_gettime|gettimeofday|time|clock|times|usleep|nanosleep|rand|random)\(' "${all_c[@]}" |
		grep -vE '^(tracer/(sweep|cmd_[a-z_]*|sys_[a-z_]*|syscalls)|checker/cmd)\.c:|SYS_clock_gettime|^[^:]*:[0-9]+:\s*(\*|/\*|//|")')"

# ---- form ----
clean 'form: no file of more than 650 lines' \
	"$(wc -l "${all_c[@]}" "${all_h[@]}" | awk '$1 > 650 && $2 != "total" { print $2 ": " $1 " lines" }')"
clean 'form: no function of more than 80 lines' \
	"$(awk 'FNR == 1 { start = 0 } /^\{/ { start = FNR } /^\}/ { if (start && FNR - start > 80) print FILENAME ":" start ": " FNR - start " lines"; start = 0 }' "${all_c[@]}")"
clean 'form: no line wider than 140 columns' \
	"$(for f in "${all_c[@]}" "${all_h[@]}"; do expand -t8 "$f" | awk -v f="$f" 'length($0) > 140 { print f ":" NR ": " length($0) " columns" }'; done)"
clean 'form: a source file includes its own header first' \
	"$(for c in "${all_c[@]}"; do
		h=${c%.c}.h
		[ -f "$h" ] || continue
		first=$(grep -m1 -E '^#\s*include' "$c")
		# NAME_int.h is what the files of one module share; it includes NAME.h.
		[ "$first" = "#include \"$h\"" ] || [ "$first" = "#include \"${c%.c}_int.h\"" ] || echo "$c: $first"
	done)"
clean 'form: no function that cannot be used safely' \
	"$(grep -nHE '(^|[^_a-z])(gets|sprintf|vsprintf|strcat|strtok|alloca|tmpnam|mktemp)\(' "${all_c[@]}" "${all_h[@]}")"

# ---- every header compiles alone ----
flags=(-std=gnu11 -I. -D_GNU_SOURCE '-DSIMRUN_VERSION="lint"' -Wall -Wextra -Wno-unused-parameter -Wno-unused-function
	-fsyntax-only)
bad=
for h in "${all_h[@]}"; do
	out=$(printf '#include "%s"\n#include "%s"\n' "$h" "$h" | $CC "${flags[@]}" -x c - 2>&1) || bad+="$h: $out"$'\n'
done
clean 'headers: each compiles alone, and twice' "$bad"

# ---- the manual ----
# "-name ARG" of each option in a help text.
help_options() { sed -n 's/^  -\([A-Za-z][a-z-]*\)\( [^ ][^ ]*\)\{0,1\}\( .*\)\{0,1\}$/\1\2/p' | sort; }
# The same from a section of the manual.
manual_options() { # SECTION
	awk -v s="$1" '/^\.S[sh] / { on = ($0 == ".Ss " s) } on && /^\.It Fl / { print }' docs/simrun.1 |
		sed 's/^\.It Fl //; s/ Ar / /' | sort
}
if [ -x "$simrun" ]; then
	clean 'manual: the options of run are those of -h' \
		"$(diff <("$simrun" run -h | help_options) <(manual_options Run))"
	clean 'manual: the options of start are those of -h' \
		"$(diff <("$simrun" start -h | help_options) <(manual_options Start))"
	# replay names those of run that it takes.
	clean 'manual: replay takes the options of -h' \
		"$(diff <("$simrun" replay -h | help_options | cut -d' ' -f1) \
			<(awk '/^\.S[sh] / { on = ($0 == ".Ss Replay") } on && /^\.Fl / { print $2 } on && /^\.It Fl / { print $3 }' docs/simrun.1 | sort))"
	clean 'manual: every command is in the synopsis' \
		"$("$simrun" -h | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p' |
			while read -r c; do
				sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' docs/simrun.1 | grep -qE "Cm $c\$" || echo "no $c"
			done)"
	clean 'docs/faults.md: its tables are those of simrun faults' \
		"$(diff <("$simrun" faults -markdown) <(sed -n '/^<!-- simrun faults/,/^<!-- end/p' docs/faults.md | sed '1d;$d'))"
else
	skip 'manual: options and commands against -h' "no $simrun"
fi
clean 'manual: the members of simrun.json are those of the parser' \
	"$(diff <(sed -n '/^static const struct field top_fields/,/};/p; /^static const struct field program_fields/,/};/p' tracer/scenario_parse.c |
			grep -oE '\{"[a-z_]+"' | tr -d '{"' | sort -u) \
		<(grep '^\.It Cm' docs/simrun-config.5 | tr -d ',' | cut -d' ' -f3- | tr -s ' ' '\n' | sort -u))"
codes_man() {
	awk '/^\.Sh / { on = ($0 == ".Sh EXIT STATUS") } !on { next }
		/^\.El/ { exit } /^\.It / { if (text) print text; text = $2; next } /^[^.]/ { text = text " " $0 }
		END { print text }' docs/simrun.1
}
codes_c() {
	sed -n 's/^\tX(STATUS_[A-Z_]*, \([0-9]*\), "\(.*\)").*/\1 \2/p' tracer/exit_codes.h
}
clean 'manual: the exit statuses are those of exit_codes.h' "$(diff <(codes_c) <(codes_man))"
if command -v mandoc >/dev/null; then
	clean 'manual: mandoc has no complaint' "$(mandoc -Tlint -Wstyle docs/*.[1-9] 2>&1 | grep -vE 'outdated mandoc.db|referenced manual not found: Xr simrun')"
else
	skip 'manual: mandoc has no complaint' 'no mandoc'
fi

# ---- scripts ----
mapfile -t scripts < <(find tests bench examples .ci -name '*.sh' -o -path .ci/run | sort)
if command -v shellcheck >/dev/null; then
	# Those of tests/scripts and tests/real are written as people write them.
	mapfile -t ours < <(printf '%s\n' "${scripts[@]}" | grep -vE '^tests/(scripts|real)/')
	clean 'scripts: shellcheck has no complaint' "$(shellcheck -x -f gcc "${ours[@]}")"
else
	skip 'scripts: shellcheck has no complaint' 'no shellcheck'
fi
clean 'scripts: all can be executed' \
	"$(for s in "${scripts[@]}"; do [ -x "$s" ] || [ "$s" = tests/tap.sh ] || echo "$s"; done)"

done_testing
