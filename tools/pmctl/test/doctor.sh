# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# Sourced by run after cases.sh, whose functions it uses: each problem that doctor finds, on a fake
# machine that has it, and the advice.

machine() { # FILE TEXT...: a new machine with these files
	rm -rf "$tmp/machine"
	export FAKE_ROOT=$tmp/machine FAKE_MACHINE=x86_64
	unset FAKE_DENIED FAKE_PROBLEM FAKE_NO_PMU
	put /sys/module/hwpmc/version 1
	while [ $# -gt 0 ]; do
		put "$1" "$2"
		shift 2
	done
}
put() { # FILE TEXT
	mkdir -p "$(dirname "$FAKE_ROOT$1")"
	printf '%b\n' "$2" >"$FAKE_ROOT$1"
}
unload() { rm -r "${FAKE_ROOT:?}/sys/module/hwpmc"; }
ill() { # PATTERN NAME: this is the only problem
	expect 1 "doctor: $2" pretend doctor
	out "^\\[!!\\] $1" "is found, with what to do"
	[ "$(grep -c '^\[!!\]' "$tmp/out")" = 1 ]
	say $? "and nothing else"
}

machine /proc/sys/kernel/nmi_watchdog 0
expect 0 "doctor where all is well" pretend doctor
out '^No problems\.$' "says so"
machine /proc/sys/kernel/nmi_watchdog 1
ill "the NMI watchdog .* run 'pmctl doctor --fix' as root, or 'sysctl kernel.nmi_watchdog=0'" "the NMI watchdog"
FAKE_PERF=1 expect 125 "stat beside the NMI watchdog" pretend stat -e cycles -- true
err "^pmctl: event 'cycles': perf holds .*; the NMI watchdog is on, and 'pmctl doctor --fix' disables it$" "says what to do"
put /proc/sys/kernel/nmi_watchdog 0
FAKE_PERF=1 expect 125 "stat beside perf" pretend stat -e cycles -- true
no_err 'watchdog is on' "does not blame it if it is off"
put /proc/sys/kernel/nmi_watchdog 1
expect 1 "doctor --fix where it cannot" pretend doctor --fix
out '^\[!!\] the NMI watchdog .* cannot be disabled: /etc/sysctl\.d/60-hwpmc\.conf: No such file' "says so"
mkdir -p "$FAKE_ROOT/etc/sysctl.d"
expect 0 "doctor --fix" pretend doctor --fix
out '^\[ok\] the NMI watchdog is disabled, and will be at the next boots' "disables it"
[ "$(<"$FAKE_ROOT/proc/sys/kernel/nmi_watchdog")" = 0 ]
say $? "now"
grep -qx 'kernel.nmi_watchdog = 0' "$FAKE_ROOT/etc/sysctl.d/60-hwpmc.conf"
say $? "and at the next boots"
rm "$FAKE_ROOT/etc/sysctl.d/60-hwpmc.conf"
expect 0 "doctor --fix where all is well" pretend doctor --fix
[ ! -e "$FAKE_ROOT/etc/sysctl.d/60-hwpmc.conf" ]
say $? "changes nothing"
expect 125 "doctor --cure" pretend doctor --cure
err "^pmctl: unknown or incomplete option '--cure'; 'pmctl doctor --help' lists them" "and the message names the option"
machine
export FAKE_PROBLEM="perf holds the counters; end it"
ill 'the counters are not available: perf holds the counters; end it$' "perf holds the PMU"
descriptor() { # PID NAME WHAT: a process with a descriptor of that kind
	put "/proc/$1/comm" "$2"
	mkdir -p "$FAKE_ROOT/proc/$1/fd"
	ln -s /dev/null "$FAKE_ROOT/proc/$1/fd/0"
	ln -s "anon_inode:$3" "$FAKE_ROOT/proc/$1/fd/9"
	ln -s "anon_inode:$3" "$FAKE_ROOT/proc/$1/fd/10"
}
descriptor 812 perf '[perf_event]'
descriptor 77 qemu kvm-vm
descriptor 78 sleep '[eventfd]'
mkdir -p "$FAKE_ROOT/proc/self/fd"
ill 'the counters are not available: .* end it; perf events: perf \(812\); guests of KVM: qemu \(77\)$' "and who may be the holder"
for pid in $(seq 1000 1100); do descriptor "$pid" collector '[perf_event]'; done
ill 'the counters are not available: .*collector \(1[0-9]*\), \.\.\.; guests of KVM: qemu \(77\)$' "or some of them, if there are many"
machine
export FAKE_NO_PMU=1
ill "hwpmc does not support the PMU of this CPU .*'pmctl info'" "a CPU without a PMU"
machine /sys/hypervisor/type xen
export FAKE_NO_PMU=1
ill 'this virtual machine has no PMU: enable it on the host' "a virtual machine without a PMU"
export FAKE_PROBLEM="the hypervisor hides them"
ill 'hardware counters are not available: the hypervisor hides them$' "the module knows why there is none"
machine /proc/cmdline 'quiet initcall_blacklist=other'
export FAKE_MACHINE=aarch64 FAKE_PROBLEM="perf's driver has it"
ill "the counters are not available: perf's driver has it" "another trouble of arm64's PMU"
put /sys/bus/event_source/devices/armv8_pmuv3_0/type 8
ill "the counters are not available: perf's driver has it" "perf counts"
unset FAKE_PROBLEM
expect 0 "doctor: perf's driver of arm64 does not count" pretend doctor
out "claims the PMU from perf's driver while it counts.*no boot option" "says how the two take turns"
export FAKE_PROBLEM="perf's driver has it"
put /proc/cmdline 'initcall_blacklist=other,armv8_pmu_driver_init quiet'
ill "the counters are not available: perf's driver has it" "the boot option is there"
machine
export FAKE_MACHINE=aarch64 FAKE_NO_PMU=1
ill 'hwpmc does not support the PMU of this CPU' "an arm64 machine without a PMU"
machine /sys/kernel/security/lockdown 'none integrity [confidentiality]'
ill 'kernel lockdown is in mode confidentiality: only user mode can be sampled' "lockdown"
machine
export FAKE_DENIED=1
ill "cannot open fake: permission denied; join the group hwpmc \\('usermod" "no right to the device"
export FAKE_MACHINE=aarch64
ill "cannot open fake" "no right to it on arm64"
machine /dev/hwpmc text
PMCTL_DEVICE=/dev/hwpmc
plain() { LD_PRELOAD=$fake "$pmctl" "$@" >"$tmp/out" 2>"$tmp/err"; }
expect 1 "doctor: a file in the device's place" plain doctor
out '^\[!!\] /dev/hwpmc is not a device: remove it' "is found, with what to do"
rm "$FAKE_ROOT/dev/hwpmc"
expect 1 "doctor: no device, though the module is loaded" plain doctor
out '^\[!!\] /dev/hwpmc does not exist: check that udev runs' "is found, with what to do"

# Reasons why the module is not loaded.
release=$(uname -r)
installed() {
	machine "/lib/modules/$release/updates/dkms/hwpmc.ko.xz" module \
		/proc/kallsyms '0 T preempt_notifier_register' "$@"
	unload
	export PMCTL_DEVICE=fake
}
installed
ill "the module hwpmc is not loaded: run 'modprobe hwpmc' as root$" "the module is not loaded"
rm -r "${FAKE_ROOT:?}/lib"
expect 1 "doctor: it is not installed" pretend doctor
out "^\\[!!\\] the module is not installed for this kernel, .*: install linux-headers-.*'dkms autoinstall'" "is found"
installed /proc/kallsyms '0 T preempt_notifier_registers'
expect 1 "doctor: a kernel without preempt notifiers" pretend doctor
out '^\[!!\] the kernel lacks CONFIG_PREEMPT_NOTIFIERS: use one' "is found, with what to do"
installed /sys/kernel/security/lockdown 'none [integrity] confidentiality'
expect 1 "doctor: lockdown" pretend doctor
out '^\[!!\] kernel lockdown is in mode integrity: only a signed module loads' "is found"
installed /sys/module/module/parameters/sig_enforce Y
expect 1 "doctor: signatures are asked for" pretend doctor
out "^\\[!!\\] Secure Boot or sig_enforce requires signed modules: .*'mokutil --import" "is found, with what to do"
installed /sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c '\06\00\00\00\01'
expect 1 "doctor: Secure Boot" pretend doctor
out "^\\[!!\\] Secure Boot or sig_enforce requires signed modules: .*'mokutil --import" "is found, with what to do"
installed /dev/kmsg '4,1,2,-;Loading of module with unavailable key is rejected'
expect 1 "doctor: a rejected key" pretend doctor
out "^\\[!!\\] the kernel rejected the key of a module: sign the module" "is found, with what to do"
unset FAKE_ROOT FAKE_MACHINE FAKE_DENIED FAKE_PROBLEM FAKE_NO_PMU
