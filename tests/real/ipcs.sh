#!/usr/bin/env bash
# System V objects, made and removed from the shell.
# needs: ipcmk ipcs
set -e; m=$(ipcmk -M 10000); s=$(ipcmk -S 3); q=$(ipcmk -Q)
ipcs -m -i ${m##* } | grep bytes=10000; ipcs -s -i ${s##* } | grep "nsems = 3"; ipcs -q | grep " ${q##* } "
ipcrm -m ${m##* } -s ${s##* } -q ${q##* }; ! ipcs -m | grep -q " ${m##* } "
