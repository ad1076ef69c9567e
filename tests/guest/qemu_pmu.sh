#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# qemu_pmu FLAVOUR [late]: tests the emulated PMU with the kernel's own driver and perf(1). "late" is for runs
# without -icount, where perf throttles. With two CPUs both are busy, and each counts its own instructions.
flavour=$1 late=${2:-}
subject=$flavour
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

same() { # GOT WANTED NAME
	[ "$1" = "$2" ]
	verdict $? "$3: $1 (want $2)"
}

# The C library scans strings on the stack, and the number of instructions for that depends on their
# addresses.
echo 0 >/proc/sys/kernel/randomize_va_space

# count EVENT TENS [CPU]: the count of a program with so many tens of millions of instructions.
count() {
	local out=count.${3:-0}
	taskset -c "${3:-0}" perf stat -x, -o "$out" -e "$1" t-work_spin "$2"
	awk -F, '/^[0-9]/ { print $1 }' "$out"
}

dmesg >log
case $flavour in
intel) want='generic architected perfmon, .*full-width counters, Intel PMU driver' version=5 counters=8 ;;
intel-v6) want='generic architected perfmon, .*full-width counters, Intel PMU driver' version=6 counters=8 ;;
intel-v2) want='generic architected perfmon, Intel PMU driver' version=2 counters=4 ;;
amd) want='core perfctr, AMD PMU driver' version=2 counters=6 ;;
amd-core) want='core perfctr, AMD PMU driver' version=0 counters=6 ;;
amd-legacy) want='Performance Events: AMD PMU driver' version=0 counters=4 ;;
arm64) want='armv8.*PMU driver, 7 counters available' version='' ;;
esac
grep -q "$want" log
verdict $? "the kernel's driver takes it"
if [ -n "$version" ]; then
	# Newer kernels print the counters as a bitmap.
	grep -qE "\.\.\. version: +$version\$" log &&
		grep -qE "\.\.\. generic (registers: +$counters|bitmap: +0*$(printf %x $(((1 << counters) - 1))))\$" log
	verdict $? "version $version, $counters counters"
fi

# Both counts include the instructions of libc.
one=$(count instructions:u 1)
same "$(($(count instructions:u 2) - one))" 10000000 "instructions of ten million"
same "$(($(count instructions:u 3) - one))" 20000000 "instructions of twenty million"
if [ -n "$version" ]; then
	same "$(($(count cycles:u 2) - 2 * one))" 20000000 "cycles, two an instruction"
	same "$(($(count branches:u 2) - $(count branches:u 1)))" 5000000 "branches, every other instruction"
	case $flavour in
	intel*) same "$(($(count ref-cycles:u 2) - one))" 10000000 "reference cycles, one an instruction" ;;
	esac
	same "$(count r15a:u 1)" 0 "synthetic events that nobody made"
	# The emulated PMU counts all instructions by the unit mask's extension.
	[ "$version" != 6 ] || same "$(count cpu/event=0xc4,umask=0x100/u 1)" "$one" "instructions by an extended unit mask"
fi
if [ "$(nproc)" -gt 1 ]; then
	for _ in 1 2 3; do
		count instructions:u 3 0 >first &
		count instructions:u 2 1 >second
		wait
		same "$(($(cat first) - $(cat second)))" 10000000 "two busy CPUs, the difference of their counts"
		same "$(($(cat second) - one))" 10000000 "two busy CPUs, the second one's count"
	done
fi

if [ -z "$late" ]; then
	for period in 10000 99998; do
		perf record -q -c $period -e instructions:u -o data t-work_spin 1
		perf script -i data -F ip >ips 2>/dev/null
		same "$(wc -l <ips)" $((one / period)) "samples, one every $period instructions"
		# Both loops have two instructions, and the period is even.
		most=$(sort ips | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')
		same "$most" $((10000000 / period)) "of these at the same place in the loop"
		perf report -i data --stats 2>/dev/null | grep -qE 'LOST|THROTTLE'
		same $? 1 "and none lost"
	done
fi
dmesg | grep -qiE 'unknown (reason|nmi)|dazed|perfevents: irq loop'
same $? 1 "no unknown interrupt"
exit $failed
