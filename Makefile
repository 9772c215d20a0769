# simrun. Targets: all (default), check, soak, bench, lint, fuzz, install, clean. SAN=1: with ASan and UBSan.
VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
PKGS := libseccomp libunwind-ptrace libunwind-generic libcap jansson libxxhash zydis
CC ?= gcc
PKG_CONFIG ?= pkg-config

B := build$(if $(SAN),-san)
# Warnings stop developers (a git checkout), never users who build a release.
WERROR := $(if $(wildcard .git),-Werror)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wno-unused-parameter $(WERROR)
# jansson, zydis and others without a .pc file on some systems fall back to plain -l.
LIBS := -lseccomp -lunwind-ptrace -lunwind-x86_64 -lunwind -lcap -ljansson -lxxhash -lZydis -lm
CFLAGS ?= -O2 -g
comma := ,
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-omit-frame-pointer -DSIMRUN_SAN)
SIMCFLAGS := -std=gnu11 -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DSIMRUN_VERSION='"$(VERSION)"' $(WARN) $(SANFLAGS) -MMD -MP
ALLCFLAGS = $(CFLAGS) $(SIMCFLAGS) $(CPPFLAGS)

DIRS := base vclock kernel netsim fsfaults checker tracer
SRCS := $(foreach d,$(DIRS),$(sort $(wildcard $(d)/*.c)))
OBJS := $(SRCS:%.c=$(B)/%.o) $(B)/tracer/vdso_blob.o $(B)/tracer/guest_files.o $(B)/sdk/c/simrun.o
LIBOBJS := $(filter-out $(B)/tracer/main.o,$(OBJS))
UNITS := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*_test.c))
GUESTS := $(patsubst %.c,build/%,$(wildcard tests/guest/*.c))

# Short lines, unless V=1.
Q := $(if $(V),,@)
say = @$(if $(V),:,echo '  $(1)')

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all check soak bench lint fuzz install clean units guests FORCE
all: $(if $(SAN),$(B)/simrun,simrun)

simrun: $(B)/simrun
	cp $< $@.tmp && mv $@.tmp $@

# The table of calls refers to its handlers weakly, so a program that is to have them must name their objects.
HANDLERS := $(filter $(B)/tracer/sys_%.o $(B)/tracer/exec.o,$(OBJS))

$(B)/simrun: $(B)/tracer/main.o $(B)/libsimrun.a
	$(call say,LD $@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -rdynamic $(LDFLAGS) -o $@ $< $(HANDLERS) $(B)/libsimrun.a $(LIBS)

$(B)/libsimrun.a: $(LIBOBJS)
	@rm -f $@
	$(call say,AR $@)
	@ar rcs $@ $^

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(ALLCFLAGS) -c -o $@ $<

# A change of compiler or flags rebuilds everything.
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(CC) $(ALLCFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALLCFLAGS)' > $@

# The vDSO that guests get: freestanding, one segment, no relocations (see tracer/vdso/vdso.lds).
VDSO_CFLAGS := -O2 -fPIC -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
	-fno-builtin -mno-sse -I. -Wall -Wextra -Wno-unused-parameter
$(B)/vdso.so: tracer/vdso/vdso.c tracer/vdso/vdso.map tracer/vdso/vdso.lds tracer/vdso.h
	@mkdir -p $(B)
	$(call say,CC $<)
	$(Q)$(CC) $(VDSO_CFLAGS) -nostdlib -shared -Wl,-soname,linux-vdso.so.1 -Wl,--version-script=tracer/vdso/vdso.map \
		-Wl,--hash-style=both -Wl,-z,max-page-size=4096 -Wl,--build-id=none -Wl,-Bsymbolic \
		-Wl,-T,tracer/vdso/vdso.lds -o $@ tracer/vdso/vdso.c

$(B)/tracer/vdso_blob.o: tracer/vdso_blob.S $(B)/vdso.so
	@mkdir -p $(@D)
	$(call say,AS $<)
	$(Q)$(CC) -DVDSO_SO='"$(B)/vdso.so"' -c -o $@ $<

# Files of every run's view: freestanding too, since they must suit any libc, or none.
GUESTFILE_CFLAGS := -O2 -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -I. -Wall -Wextra
$(B)/voidstar.so: sdk/antithesis/voidstar.c sdk/c/simrun_wire.h
	@mkdir -p $(B)
	$(call say,CC $<)
	$(Q)$(CC) $(GUESTFILE_CFLAGS) -fPIC -nostdlib -shared -Wl,-soname,libvoidstar.so -Wl,--hash-style=both -Wl,-z,noexecstack \
		-Wl,--build-id=none -s -o $@ $<

$(B)/stop_faults: sdk/antithesis/stop_faults.c sdk/c/simrun_wire.h
	@mkdir -p $(B)
	$(call say,CC $<)
	$(Q)$(CC) $(GUESTFILE_CFLAGS) -fno-pie -no-pie -nostdlib -static -Wl,-z,noexecstack -Wl,--build-id=none -s -o $@ $<

$(B)/tracer/guest_files.o: tracer/guest_files.S $(B)/voidstar.so $(B)/stop_faults
	@mkdir -p $(@D)
	$(call say,AS $<)
	$(Q)$(CC) -DVOIDSTAR_SO='"$(B)/voidstar.so"' -DSTOP_FAULTS='"$(B)/stop_faults"' -c -o $@ $<

$(B)/tests/unit/syscalls_test: tests/unit/syscalls_test.c $(B)/libsimrun.a
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) -o $@ $< $(HANDLERS) $(B)/libsimrun.a $(LIBS) -lcmocka

$(B)/tests/unit/%_test: tests/unit/%_test.c $(B)/libsimrun.a
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(ALLCFLAGS) -o $@ $< $(B)/libsimrun.a $(LIBS) -lcmocka

# Guests are plain programs of plain users: no flags of ours. NAME_static.c is linked statically.
build/tests/guest/%: tests/guest/%.c $(wildcard tests/guest/*.h)
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) -O1 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -pthread $(if $(filter %_static,$*),-static) \
		-o $@ $< -lrt -lm

# The library for guests, as plain as they are.
$(B)/sdk/libsimrun.a: sdk/c/simrun.c sdk/c/simrun.h sdk/c/simrun_wire.h
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) -O2 -g -fPIC -std=gnu11 -Wall -Wextra -Isdk/c -c -o $(@D)/simrun.o $<
	@rm -f $@ && ar rcs $@ $(@D)/simrun.o

units: $(UNITS)
guests: $(GUESTS)

check: all units guests
	tests/check.sh

soak: all guests
	tests/soak.sh

bench: all
	bench/run.sh

lint:
	tests/lint.sh

fuzz:
	tests/fuzz.sh

compile_commands.json: $(SRCS)
	@tests/compile_commands.sh '$(CC) $(ALLCFLAGS)' $(SRCS) > $@

install: simrun $(B)/sdk/libsimrun.a
	install -d '$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/lib/pkgconfig' '$(DESTDIR)$(PREFIX)/share/simrun/go'
	install -m 644 sdk/c/simrun.h sdk/c/simrun_wire.h '$(DESTDIR)$(PREFIX)/include'
	install -m 644 $(B)/sdk/libsimrun.a '$(DESTDIR)$(PREFIX)/lib'
	printf 'prefix=%s\nName: simrun\nDescription: what a program can tell the simulator\nVersion: %s\nCflags: -I$${prefix}/include\nLibs: -L$${prefix}/lib -lsimrun\n' \
		'$(PREFIX)' '$(VERSION)' > '$(DESTDIR)$(PREFIX)/lib/pkgconfig/simrun.pc'
	install -m 644 sdk/go/go.mod sdk/go/*.go '$(DESTDIR)$(PREFIX)/share/simrun/go'
	install -d '$(DESTDIR)$(PREFIX)/share/simrun/go/history'
	install -m 644 sdk/go/history/go.mod sdk/go/history/go.sum sdk/go/history/history.go '$(DESTDIR)$(PREFIX)/share/simrun/go/history'
	install -d '$(DESTDIR)$(PREFIX)/include/simrun'
	install -m 644 checker/model.h '$(DESTDIR)$(PREFIX)/include/simrun'
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 simrun '$(DESTDIR)$(PREFIX)/bin/simrun'
	install -m 644 docs/simrun.1 '$(DESTDIR)$(PREFIX)/share/man/man1/simrun.1'
	install -d '$(DESTDIR)$(PREFIX)/share/man/man5'
	install -m 644 docs/*.5 '$(DESTDIR)$(PREFIX)/share/man/man5'

clean:
	rm -rf build build-san simrun compile_commands.json

FORCE:
-include $(OBJS:.o=.d)
