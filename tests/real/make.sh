#!/usr/bin/env bash
# make by time stamps, and a binary with the time of day in it.
# needs: make gcc
set -e; d=$(mktemp -d); cd $d
for i in 1 2 3 4; do echo "int f$i(void) { return $i; }" >f$i.c; done
cat >main.c <<\EOF
#include <stdio.h>
int f1(void), f2(void), f3(void), f4(void);
int main(void) { printf("%d at %s\n", f1() + f2() + f3() + f4(), __TIME__); }
EOF
printf "hello: main.o f1.o f2.o f3.o f4.o\n\t\$(CC) -o \$@ \$^\n" >Makefile
make -j2 CC=gcc; ./hello; ./hello | grep -q "^10 at "; make -q CC=gcc; sleep 1; touch f2.c; make CC=gcc; ! make nothing
