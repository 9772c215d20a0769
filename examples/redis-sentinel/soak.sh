#!/usr/bin/env bash
# For make soak: as check.sh, with more seeds.
exec "$(dirname "$0")/../../tests/example.sh" redis-sentinel "${SEEDS:-100}" redis-server redis-cli
