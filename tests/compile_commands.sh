#!/usr/bin/env bash
# compile_commands.sh 'COMPILER FLAGS' FILE...: the compilation database of these sources, on standard output.
set -eu
command=$1
shift
quote() { printf '%s' "$1" | sed 's/[\\"]/\\&/g'; }
sep='['
for file; do
	printf '%s\n{"directory": "%s", "file": "%s", "command": "%s"}' "$sep" "$(quote "$PWD")" "$(quote "$file")" \
		"$(quote "$command -c -o build/${file%.c}.o $file")"
	sep=,
done
printf '\n]\n'
