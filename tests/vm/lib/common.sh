# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # those who source it use the variables
# Paths and small helpers that every script here needs. Source it with VM set to tests/vm.

ROOT=$(cd "$VM/../.." && pwd)
CACHE=${HWPMC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hwpmc}
# Compiled objects are kept here, shared by all checkouts.
OBJECTS=${HWPMC_OBJECTS:-$CACHE/build}
export CACHE OBJECTS
# The Debian release of guests, kernels and toolchains.
SUITE=bookworm

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 125; }

# arch_set ARCH: sets the three names of an architecture, and its compiler.
arch_set() {
	ARCH=$1
	case $ARCH in
	arm64)
		DEB_ARCH=arm64 KARCH=arm64 CROSS=aarch64-linux-gnu- TRIPLET=aarch64-linux-gnu
		BOOT_IMAGE=arch/arm64/boot/Image ;;
	x86_64)
		DEB_ARCH=amd64 KARCH=x86 CROSS='' TRIPLET=x86_64-linux-gnu
		BOOT_IMAGE=arch/x86/boot/bzImage ;;
	*) die "unknown architecture '$ARCH': say arm64 or x86_64" ;;
	esac
	export ARCH DEB_ARCH KARCH CROSS TRIPLET BOOT_IMAGE
}

# copy_changed DIR PATH...: copies these paths from the top of the tree to a build directory. It copies only
# files whose content differs, so that make rebuilds only what depends on them, and removes files that are no
# longer in the tree.
copy_changed() {
	local dir=$1
	shift
	(cd "$ROOT" && rsync -rlpcR --delete --exclude='*.o' --exclude='*.o.d' --exclude='*.cmd' --exclude='*.gc??' "$@" "$dir/")
}

# hash_of FILE...: prints a short hash of the content of files.
hash_of() { cat -- "$@" | sha256sum | cut -c1-12; }
