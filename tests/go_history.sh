#!/usr/bin/env bash
# sdk/go/history: reading history files, and Porcupine with a model of one's own; against the Porcupine module.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
out=$PWD/build/go_history.log
if ! command -v go >/dev/null; then
	skip "go history" "no go"
elif ! (cd sdk/go/history && go mod download) >"$out" 2>&1; then
	skip "go history" "the Porcupine module cannot be had: $(tail -n 1 "$out" | cut -c1-120)"
elif (cd sdk/go/history && [ -z "$(gofmt -l .)" ] && go vet . && go test -count=1 -v .) >"$out" 2>&1; then
	while read -r name; do ok "go history: $name"; done < <(sed -n 's/^--- PASS: \([^ ]*\).*/\1/p' "$out")
else
	not_ok "go history" "$(tail -n 30 "$out")"
fi
done_testing
