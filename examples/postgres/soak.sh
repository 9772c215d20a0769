#!/usr/bin/env bash
# For make soak: as check.sh, with more seeds.
exec "$(dirname "$0")/../../tests/example.sh" postgres "${SEEDS:-100}" psql setpriv
