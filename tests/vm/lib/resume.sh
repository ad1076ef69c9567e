# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Machines that have booted are saved in the cache, and resumed by later runs with the same options: most of a short
# run is its boot.

# resume_wanted: whether this run resumes a machine. A machine boots if its user may stop it, if another QEMU than ours
# emulates it, and if its kernel uses the emulated PMU of x86 at boot (for the NMI watchdog): QEMU does not save that
# PMU.
resume_wanted() {
	[ "${HWPMC_RESUME:-}" = yes ] || return
	[ -z "$INTERACTIVE$OPT_GDB$OPT_MONITOR${HWPMC_QEMU:-}" ] || return
	[ -z "$FLAVOUR" ] || [[ $OPT_APPEND == *nmi_watchdog=0* ]]
}

# resume_state DIR FILE... -- COMMAND...: prints the path of the saved machine that COMMAND starts. Its channels are in
# DIR/boot. Its initramfs is made of the FILEs.
resume_state() {
	local dir=$1 files=("$IMAGE") key entry
	shift
	while [ "$1" != -- ]; do
		files+=("$1")
		shift
	done
	shift
	key=$({
		stat -Lc '%n %s %Y' "${files[@]}"
		# The firmware, and the frequency of the time-stamp counter, which x86 guests measure at boot.
		dpkg-query -W qemu-system-data seabios qemu-efi-aarch64 || :
		grep -m 1 'model name' /proc/cpuinfo || :
		printf '%s\n' "${@//$dir/}"
		cat "$VM/build/booted"
	} | sha256sum | cut -c1-12)
	entry=$(cache_entry "booted-$ARCH-$key" "$VM/build/booted" "$OPT_TIMEOUT" "$dir/boot" "$@") || return
	printf '%s\n' "$entry/state.zst"
}
