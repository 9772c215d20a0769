#!/usr/bin/env bash
# For make check.
exec "$(dirname "$0")/../../tests/example.sh" redis-sentinel 5 redis-server redis-cli
