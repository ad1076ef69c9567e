# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The machines in which bench/run and bench/probes measure.

# Sets the options of tests/vm/run for a machine, with the defaults of Debian's kernel on such a CPU.
options() { # MACHINE
	case $1 in
	arm64) echo "--arch arm64 --kpti" ;;
	intel) echo "--arch x86_64 --pmu intel --kpti --append nmi_watchdog=0" ;;
	amd) echo "--arch x86_64 --pmu amd --append nmi_watchdog=0" ;;
	*) echo "bench: there is no machine '$1': say arm64, intel or amd" >&2; exit 2 ;;
	esac
}

arch_of() { # MACHINE
	case $1 in arm64) echo arm64 ;; *) echo x86_64 ;; esac
}
