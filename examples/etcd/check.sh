#!/usr/bin/env bash
# For make check.
exec "$(dirname "$0")/../../tests/example.sh" etcd 3 etcd etcdctl curl
