# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # those who source it use the variables
# The virtual machine: everything that differs between the architectures' QEMU command lines.

# qemu_flavour: prints the name in our QEMU of the PMU that --pmu selects, or nothing.
qemu_flavour() {
	case $OPT_PMU in
	'' | none) return ;;
	esac
	[ "$ARCH" = x86_64 ] || die "--pmu is for x86_64: arm64 has a PMU"
	case $OPT_PMU in
	intel) echo intel-v5 ;;
	amd) echo amd-v2 ;;
	intel-v2 | intel-v6 | amd-core | amd-legacy) printf '%s\n' "$OPT_PMU" ;;
	*) die "unknown PMU '$OPT_PMU': say none, intel, intel-v2, intel-v6, amd, amd-core or amd-legacy" ;;
	esac
}

# packed_image: prints the path of the packed kernel. By default x86 boots an unpacked kernel, which QEMU
# loads again at each reset. A wake-up from S3 starts with a reset, which would overwrite the sleeping kernel.
packed_image() {
	local packed=${IMAGE%/*}/vmlinuz

	if [ "$ARCH" != x86_64 ] || [ ! -f "$packed" ]; then
		die "--packed is for x86_64 and a packaged kernel"
	fi
	printf '%s\n' "$packed"
}

# qemu_binary: prints the QEMU to run: our own build. Only it has PMUs for x86 and an instruction count for each
# CPU, does not set arm's counters back, runs every CPU under -icount, and translates a program once, not once for
# each of its processes. HWPMC_QEMU overrides this.
qemu_binary() {
	if [ -n "${HWPMC_QEMU:-}" ]; then
		printf '%s\n' "$HWPMC_QEMU"
	else
		"$VM/qemu" "$ARCH"
	fi
}

# qemu_machine: sets MACHINE (QEMU's arguments), CONSOLE (the kernel's name of the serial port) and BUS (the
# name of the virtio-serial device). Always emulated: a host may not have KVM.
qemu_machine() {
	local thread='' tags=''
	case $ARCH in
	arm64)
		CONSOLE=ttyAMA0 BUS=virtio-serial-device
		# The CPU that has every feature has memory tags (MTE) if the machine has memory for them.
		[[ ${OPT_CPU:-} != max* ]] || tags=,mte=on
		MACHINE=(-machine "virt,gic-version=3,acpi=${OPT_ACPI:-off}$tags" -cpu "${OPT_CPU:-cortex-a57}")
		# Without firmware there is no ACPI.
		[ -z "$OPT_ACPI" ] || MACHINE+=(-bios /usr/share/qemu-efi-aarch64/QEMU_EFI.fd)
		;;
	x86_64)
		# Not pc: the debug kernel spends over half a minute on its ACPI table of interrupt routes,
		# and then fails.
		CONSOLE=ttyS0 BUS=virtio-serial-pci
		# With these two features the kernel copies and clears memory by bytes, and QEMU runs an iteration for
		# each byte; without them, by eight bytes.
		MACHINE=(-machine q35 -cpu "${OPT_CPU:-max},-erms,-fsrm${FLAVOUR:+,hwpmc=$FLAVOUR}")
		# SeaBIOS writes to pages that contain code, and QEMU discards translations at each such write: a fifth
		# of the time of a boot. qboot does not, but cannot wake up from S3.
		[ -n "$OPT_PACKED" ] || MACHINE+=(-bios qboot.rom)
		;;
	esac
	# x86's CPUs run in turn, in one thread. In parallel, a CPU may run a stale translation of a
	# breakpoint while another CPU patches a tracepoint, and the guest hangs.
	[ "$ARCH" != x86_64 ] || thread=,thread=single
	MACHINE+=(-accel "tcg${thread:-}" -smp "$OPT_SMP${OPT_NUMA:+,sockets=2}" -m "$OPT_MEM" -nodefaults -no-user-config -display none -no-reboot)
	# Our own build does not have Debian's path of firmware.
	[ "${QEMU%/*}" = "$QEMU" ] || MACHINE+=(-L /usr/share/seabios -L /usr/share/qemu -L /usr/lib/ipxe/qemu)
	[ -z "$OPT_NUMA" ] || qemu_nodes
	[ -z "$OPT_ICOUNT" ] || MACHINE+=(-icount "shift=0,sleep=off")
	[ -z "$OPT_MONITOR" ] || MACHINE+=(-chardev "pipe,id=monitor,path=$OPT_MONITOR" -mon chardev=monitor
		-dfilter 0x8000000000000000+0x7fffffffffffffff)
	[ -z "$OPT_GDB" ] || MACHINE+=(-S -gdb "unix:$OPT_GDB,server=on,wait=off")
}

# qemu_nodes: splits MACHINE's CPUs and memory into two NUMA nodes. Each node is a socket: x86 logs a warning
# about a socket whose CPUs are on two nodes.
qemu_nodes() {
	local half=$((OPT_SMP / 2)) size=$((OPT_MEM / 2))
	[ $((OPT_SMP % 2)) -eq 0 ] || die "--numa needs an even number of CPUs"
	MACHINE+=(-object "memory-backend-ram,id=node0,size=${size}M" -numa "node,cpus=0-$((half - 1)),memdev=node0"
		-object "memory-backend-ram,id=node1,size=$((OPT_MEM - size))M" -numa "node,cpus=$half-$((OPT_SMP - 1)),memdev=node1")
}

# qemu_channels DIR: sets CHANNELS, the ports for the guest's reports and, if it is resumed, for its payload.
qemu_channels() {
	local dir=$1 name
	CHANNELS=(-device "$BUS,max_ports=8")
	for name in ctl out err log ${OPT_COVERAGE:+gcov}; do
		CHANNELS+=(-chardev "file,id=$name,path=$dir/$name" -device "virtserialport,chardev=$name,name=hwpmc.$name")
	done
	[ -n "$RESUME" ] || return 0
	mkfifo "$dir/payload.in" "$dir/payload.out"
	CHANNELS+=(-chardev "pipe,id=payload,path=$dir/payload" -device "virtserialport,chardev=payload,name=hwpmc.payload")
}
