#!/usr/bin/env bash
# The same with clang, whose library is searched for RDRAND: most of what looks like it is none, and must stay as it is.
# needs: make clang
CC=clang exec "$(dirname "$0")/gcc.sh"
