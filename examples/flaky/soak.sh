#!/usr/bin/env bash
# The full numbers: 2000 native runs of each program, 500 seeds of each fixed one.
SEEDS=500 RUNS=2000 exec "$(dirname "$0")/check.sh"
