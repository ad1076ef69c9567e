# SPDX-License-Identifier: GPL-2.0-only
# hwpmc. `make help` lists what there is.

# What to build for: the running kernel, or with ARCH (arm64, x86_64) and KERNEL
# (debian, trixie, sid, debug, plain, cover, kcsan) that of a virtual machine: see tests/vm/kernel.
ARCH   ?=
KERNEL ?= debian
KDIR   ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

top   := $(CURDIR)
build := $(top)/build
# What Kbuild and DKMS need.
parts := kmod arch uapi kunit Kbuild dkms.conf

.PHONY: help
help:
	@sed -n 's/^#: \?//p' Makefile

#: Build
#:   make modules           hwpmc.ko for the running kernel (KDIR=... for another)
#:   make modules ARCH=arm64 KERNEL=debug    for a virtual machine's kernel (KUNIT=y: with the suites)
.PHONY: modules
ifeq ($(ARCH),)
modules:
	$(MAKE) -C "$(KDIR)" M="$(top)" modules
else
modules:
	+@KBUILD_EXTRA="$(KBUILD_EXTRA)" tests/vm/module $(ARCH) $(KERNEL) $(if $(KUNIT),kunit)
endif

#:   make tools             pmctl, as build/pmctl
.PHONY: tools
tools:
	$(MAKE) -C tools/pmctl O="$(build)"

#: Try
#:   make demo              count and sample a real program in a machine with a PMU (ARCH=x86_64)
.PHONY: demo
demo: deps
	tests/demo $(or $(ARCH),arm64)

#:   make vm                a shell in that machine (ARCH=x86_64, KERNEL=debug)
.PHONY: vm
vm: deps
	tests/programs $(or $(ARCH),arm64) $(KERNEL)
	tests/vm/run --arch $(or $(ARCH),arm64) --kernel $(KERNEL)

#: Test
#:   make check             every behaviour once, in ten minutes; ends with "N passed, N failed"
#:   make soak              everything, with full rounds on every machine, in three hours: before and after a change of
#:                          switches, hooks, rings or interrupts
#:   make check-style       checkpatch, sparse, W=1, clang, clang-tidy, shellcheck (TIER=soak: soak's jobs of a part)
#:   make check-build       DKMS, the newest kernel's headers, pmctl's own tests
#:   make check-judge       that machines which should fail do
#:   make check-kunit       KUnit suites, on the debug kernel
#:   make check-demo        make demo
#:   make check-docs        that documents are true: their commands, paths and examples
#:   make check-vm          the lines of tests/inventory (one alone: tests/check-vm LINE[:PROGRAM])
.PHONY: check soak check-style check-build check-judge check-kunit check-demo check-vm check-docs
check: deps
	TIER=check tests/check
soak: deps
	TIER=soak tests/check
check-style check-build check-judge check-kunit check-demo check-vm check-docs: check-%: deps
	tests/check $*

#:   make bench             hwpmc beside perf, probes beside BPF too, samples by both of arm64's interrupts, in guest
#:                          instructions; their reports, in seconds of this machine
.PHONY: bench
bench: deps tools
	bench/run
	bench/probes
	bench/bpftrace
	bench/interrupts
	bench/slopes
	bench/reports

#: Install
#:   make deps              Debian packages that demo, check and bench need
.PHONY: deps
deps:
	@tests/vm/deps --check || tests/vm/deps

#:   make install           pmctl, man pages, udev rule, headers, hwpmc.pc (PREFIX, DESTDIR)
.PHONY: install
install: tools
	install -D -m 755 build/pmctl "$(DESTDIR)$(PREFIX)/bin/pmctl"
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/man/man1" docs/man/*.1
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/man/man4" docs/man/*.4
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/include/linux" uapi/linux/*.h
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/include" uapi/*.h
	install -d "$(DESTDIR)$(PREFIX)/share/pkgconfig"
	sed 's#@PREFIX@#$(PREFIX)#; s#@VERSION@#$(VERSION)#' docs/dist/hwpmc.pc.in >"$(DESTDIR)$(PREFIX)/share/pkgconfig/hwpmc.pc"
	install -D -m 644 docs/dist/60-hwpmc.rules "$(DESTDIR)/usr/lib/udev/rules.d/60-hwpmc.rules"
	install -D -m 644 docs/dist/hwpmc.sysusers "$(DESTDIR)/usr/lib/sysusers.d/hwpmc.conf"
	install -D -m 644 docs/dist/hwpmc.modules-load "$(DESTDIR)/usr/lib/modules-load.d/hwpmc.conf"

#:   make dkms-install      the module by DKMS, for this kernel and others that have it;
#:                          with DESTDIR only its source, for a package
.PHONY: dkms-install
dkms-install: module := hwpmc/$(VERSION)
dkms-install: source := $(DESTDIR)/usr/src/hwpmc-$(VERSION)
dkms-install:
	rm -rf "$(source)"
	install -d "$(source)"
	cp -r $(parts) LICENSE "$(source)/"
ifeq ($(DESTDIR),)
	@# DKMS would keep what it built of older source of the same version.
	others=$$(dkms status "$(module)" | sed -n 's/^[^,]*, \([^,]*\), .*/\1/p' | grep -vxF "$$(uname -r)" || :); \
	[ -z "$$(dkms status "$(module)")" ] || dkms remove "$(module)" --all; \
	for kernel in "$$(uname -r)" $$others; do dkms install "$(module)" -k "$$kernel"; done
endif

#: Release
#:   make release           check this commit, then tag it with its version (DRY_RUN=y: no tag)
.PHONY: release
release: deps
	.ci/release $(if $(DRY_RUN),--dry-run)

#:   make clean             what was built here; the cache of kernels stays
.PHONY: clean
clean:
	rm -rf "$(build)"
	find kmod arch kunit . -maxdepth 4 \( -name '*.o' -o -name '*.ko' -o -name '*.mod' \
		-o -name '*.mod.c' -o -name '.*.cmd' -o -name Module.symvers \
		-o -name modules.order \) -not -path './.git/*' -delete
