#!/usr/bin/env bash
# For make check.
exec "$(dirname "$0")/../../tests/example.sh" postgres 3 psql setpriv
