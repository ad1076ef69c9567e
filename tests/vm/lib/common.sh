# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # those who source it use the variables
# Paths and small helpers that every script here needs. Source it with VM set to tests/vm.

ROOT=$(cd "$VM/../.." && pwd)
CACHE=${HWPMC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hwpmc}
# Objects are kept here between checkouts.
OBJECTS=${HWPMC_OBJECTS:-$CACHE/build}
export CACHE OBJECTS
# The one Debian release that guests, kernels and toolchains come from.
SUITE=bookworm

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 125; }

# arch_set ARCH: the three names an architecture goes by, and its compiler.
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

# copy_changed DIR PATH...: copies these from the top of the tree to where something is built from them. Only files whose
# content differs are copied, so that make sees what changed, and nothing is left that is not in the tree any more.
copy_changed() {
	local dir=$1
	shift
	(cd "$ROOT" && rsync -rlpcR --delete --exclude='*.o' --exclude='*.o.d' --exclude='*.cmd' --exclude='*.gc??' "$@" "$dir/")
}

# hash_of FILE...: a short name for the content of files.
hash_of() { cat -- "$@" | sha256sum | cut -c1-12; }
