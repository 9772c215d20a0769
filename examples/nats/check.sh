#!/usr/bin/env bash
# For make check.
exec "$(dirname "$0")/../../tests/example.sh" nats 3 nats-server
