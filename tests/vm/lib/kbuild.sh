# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # KDIR and the others: what tests/vm/kernel printed, to who sources this
# Building modules for a kernel of tests/vm/kernel.

# module_make DIR ARG...: runs make in DIR with these arguments. The kernel of another suite was built by a
# compiler that this machine does not have, and its tools need that suite's libraries: its modules are built
# in the root of that suite.
module_make() {
	local dir=$1 tree
	shift
	if [ -z "$TOOLS" ]; then
		make -j"$(nproc)" -C "$KDIR" M="$dir" ARCH="$KARCH" CROSS_COMPILE="$CROSS" "$@"
	else
		tree=$(realpath "$KDIR/../../..")
		"$VM/in-suite" "$TOOLS" "$dir" --with "$tree" \
			make -j"$(nproc)" -C "$(realpath "$KDIR")" M=/mnt ARCH="$KARCH" CROSS_COMPILE="$CROSS" "$@"
	fi
}
