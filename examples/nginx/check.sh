#!/usr/bin/env bash
# For make check.
exec "$(dirname "$0")/../../tests/example.sh" nginx 5 nginx curl
