#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# x86: pmctl_x86 intel|amd|none: what pmctl reports of the machine, and the names of one event there. "none"
# is a machine without a PMU: pmctl reports that, and counts the TSC.
flavour=$1
subject=pmctl-$flavour
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# same NAME EVENT...: all these events count the ten million instructions, or five million branches, of one
# program, so that their values are equal.
same() {
	local name=$1 values
	shift
	pmctl stat -x, -o csv -e "$(IFS=,; echo "$*")" -- t-work_spin 1 2>err
	values=$(awk -F, '{ print $1 }' csv | sort -u)
	[ "$(wc -l <csv)" = $# ] && [[ $values =~ ^[0-9]{7,8}$ ]]
	verdict $? "$name: ${values//$'\n'/, }"
	[[ $values =~ ^[0-9]+$ ]] || sed 's/^/# /' err csv
}

# What an unprivileged user may count with real counters, and what not.
unprivileged() { # STATUS NAME OPTION...
	status "$1" "$2" su user -c "pmctl stat -x, ${*:3} -- t-work_spin 1"
}
refused() {
	unprivileged 0 "his own program" -e instructions:u
	says err '^1[0-9]{7},,instructions:u,' "is counted by an unprivileged user"
	unprivileged 125 "its kernel mode" -e instructions:k
	says err '^pmctl: .*CAP_PERFMON' "is refused, and what it needs is said"
	unprivileged 125 "all CPUs" -a -e instructions:u
	says err '^pmctl: .*CAP_PERFMON' "are refused to him, and what they need is said"
}

with_pmu() { # FLAVOUR CLASS ROWS INSTRUCTIONS BRANCHES
	status 0 "info" pmctl info
	says out "^PMU: +$1, .* rows, 48 bits" "prints the PMU"
	says out "^  $2 +$3 rows of 48 bits .*interrupt user system" "and its classes"
	status 0 "list" pmctl list
	says out '^  cycles or cpu-cycles ' "has cycles"
	says out '^  instructions ' "and instructions"
	says out "^  $4 " "and libpfm4's name"
	says out '^Any other event by its number' "and mentions other events"
	same "instructions by five names" instructions:u "$4:u" rc0:u cpu/event=0xc0,umask=0/u r00c0:u
	same "branches by four names" branches:u branch-instructions:u "r$5:u" "cpu/event=0x$5/u"
	refused
	status 0 "doctor" pmctl doctor
	says out '^\[ok\] the NMI watchdog' "has looked for the NMI watchdog"
	echo 1 >/proc/sys/kernel/nmi_watchdog
	status 1 "doctor beside the NMI watchdog" pmctl doctor
	says out "^\\[!!\\] the NMI watchdog .*'pmctl doctor --fix'" "names it and the way out"
	status 125 "stat beside it" pmctl stat -e cycles -- true
	says err "the NMI watchdog is on, and 'pmctl doctor --fix' disables it" "does, too"
	mkdir -p /etc/sysctl.d
	status 0 "doctor --fix" pmctl doctor --fix
	grep -qx 'kernel.nmi_watchdog = 0' /etc/sysctl.d/60-hwpmc.conf
	verdict $? "disables it for the next boots"
	status 0 "stat after it" pmctl stat -e cycles -- true
}

case $flavour in
intel)
	with_pmu 'Intel v5' IAP 8 INSTRUCTION_RETIRED c4
	pmctl info >out
	says out '^  IAF +4 rows' "fixed counters are a class of their own"
	export LIBPFM_FORCE_PMU=skl
	same "a model's own name" instructions:u INST_RETIRED:ANY_P:u
	status 0 "ref-cycles" pmctl stat -x, -e ref-cycles:u -- true
	says err '^[1-9][0-9]*,,ref-cycles:u,' "are counted"
	status 0 "what this CPU lacks" pmctl stat -- true
	says err '^ +<not supported>      cache-misses$' "is shown as that"
	;;
amd)
	with_pmu 'AMD v2' AMD 6 RETIRED_INSTRUCTIONS c2
	pmctl info >out
	says out '^Events: +amd64_fam19h_zen4' "libpfm4 supports the CPU"
	status 125 "an event of Intel's" pmctl stat -e INST_RETIRED:ANY_P -- true
	says err "unknown event 'INST_RETIRED:ANY_P'" "is unknown"
	;;
none)
	status 0 "info" pmctl info
	says out '^PMU: +TSC only, 1 row per CPU$' "prints that there is no PMU"
	says out '^Problem: +.*virtual PMU in the hypervisor$' "why, and what to do"
	says out '^  SOFT +7 rows' "and what there is nevertheless"
	status 0 "list" pmctl list
	says out '^  tsc ' "has the TSC"
	says out '^  task-clock or cpu-clock ' "has the tasks' clock"
	says out '^  context-switches or cs ' "their switches"
	says out '^  page-faults or faults ' "their faults"
	says out '^  cpu-migrations or migrations ' "their migrations"
	says out '^  off-cpu ' "and the time that they are off the CPU"
	[ "$(grep -c '^  ' out)" = 8 ]
	verdict $? "and nothing else but minor and major ones"
	says err '^pmctl: .*virtual PMU in the hypervisor$' "and says why"
	status 0 "stat" pmctl stat -- true
	[ "$(grep -c '^ *<not supported>' err)" = 6 ]
	verdict $? "shows no event as 0"
	says err '^ +[0-9,]+\.[0-9]{2} msec task-clock +# +[01]\.[0-9]+ CPUs utilized$' "but the time on a CPU"
	says err '^ +[0-9]+ +context-switches ' "the switches"
	says err '^ +[0-9]+ +page-faults ' "and the faults"
	says err '^pmctl: .*virtual PMU in the hypervisor$' "and says why"
	status 0 "stat -e tsc" pmctl stat -x, -e tsc,rc0,cpu/event=0xc0/ -- true
	says err '^[1-9][0-9]{4,},,tsc,' "counts"
	says err '^<not supported>,,rc0,' "and raw events are known, but not there"
	says err '^pmctl: .*virtual PMU in the hypervisor$' "and why"
	status 0 "stat of software events" pmctl stat -x, -e cpu-clock,cs,faults,minor-faults,major-faults -- t-work_spin 1
	says err '^[0-9]+\.[0-9]{2},msec,cpu-clock,' "counts all five"
	says err '^[1-9][0-9]+,,minor-faults,' "faults of a new program, too"
	[ "$(wc -l <err)" = 5 ]
	verdict $? "and reports no problem"
	status 0 "page faults of CPUs" pmctl stat -a -e page-faults -- true
	says err '^pmctl: .*count the other software events for tasks' "are refused, and why"
	status 0 "faults of user mode" pmctl stat -e page-faults:u -- true
	says err '^pmctl: .*user and kernel mode together' "are refused, too"
	! grep -q hypervisor err
	verdict $? "and the PMU is not to blame"
	status 0 "record" pmctl record -g -o log -- t-work_shares 300
	says err '^pmctl: .*virtual PMU in the hypervisor$' "says why it has no cycles"
	says err '^pmctl: .*sampling time \(cpu-clock\)$' "and what it samples instead"
	pmctl report --no-inline -x, --sort symbol log >flat
	# The shares of time depend on the host's load: pmctl_report checks shares.
	for function in seventy twenty ten; do
		[ "$(share $function <flat)" ]
		verdict $? "its report has the function $function"
	done
	status 1 "doctor" pmctl doctor
	says out '^\[!!\] .*virtual PMU in the hypervisor$' "finds it"
	;;
esac
exit $failed
