#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# x86: KVM's mediated PMU, by which a guest has the whole PMU while it runs: hwpmc is refused while it is
# enabled. The test loads KVM with it, without it, and unloads KVM; at the end it loads KVM with the machine's
# defaults.
set -u
failed=0
say() { # STATUS NAME
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; sed 's/^/# /' /tmp/out; failed=1; fi
}
parameter=/sys/module/kvm_amd/parameters/enable_mediated_pmu
count() { pmctl stat -e instructions:u true >/tmp/out 2>&1; }
refused() { ! count && grep -q "mediated PMU.*enable_mediated_pmu=0" /tmp/out; }
# module NAME [PARAMETER]
module() { insmod "$(grep -h "/$1\.ko" /hwpmc/kernel-modules-kvm /hwpmc/modules-unloaded)" "${@:2}" >/tmp/out 2>&1; }

echo "# by default: $(cat $parameter)"
rmmod kvm_amd && module kvm-amd enable_mediated_pmu=1 && [ "$(cat $parameter)" = Y ]
say $? "KVM enables its mediated PMU on this machine"
refused
say $? "hwpmc is refused then: $(tail -n 1 /tmp/out)"
pmctl doctor >/tmp/out 2>&1
grep -q '^\[!!\] the counters are not available: KVM gives the counters to guests' /tmp/out
say $? "pmctl doctor says so"
# If only kvm_amd is unloaded, kvm keeps the variable.
rmmod kvm_amd kvm && count
say $? "hwpmc counts when KVM is unloaded"
# Counts last while a command waits for a line from this script.
mkfifo /tmp/end
exec 9<>/tmp/end
echo 'echo >>/tmp/begun; read -r _ </tmp/end' >/tmp/held.sh
: >/tmp/begun
# begun COUNT: waits until so many of these commands have begun.
begun() { until [ "$(wc -l </tmp/begun)" = "$1" ]; do sleep 0.1; done; }

# kvm keeps the variable that kvm_intel set before it failed to load; the module that is loaded next has
# nothing to do with KVM.
pmctl stat -e instructions:u bash /tmp/held.sh >/tmp/held 2>&1 & held=$!
begun 1
module kvm && ! module kvm-intel enable_mediated_pmu=1 && insmod busy.ko && rmmod busy
echo >&9
wait $held && cp /tmp/held /tmp/out && ! grep -q mediated /tmp/held
say $? "a module of KVM that fails to load ends no counting"
rmmod kvm

# Counts of a task, of a CPU, and of software events, which need no PMU.
: >/tmp/begun
pmctl stat -e instructions:u bash /tmp/held.sh >/tmp/held 2>&1 & held=$!
pmctl stat -e instructions:u -C 1 bash /tmp/held.sh >/tmp/held-cpu 2>&1 & held_cpu=$!
pmctl stat -e task-clock,tsc bash /tmp/held.sh >/tmp/held-soft 2>&1 & held_soft=$!
begun 3
module kvm && module kvm-amd enable_mediated_pmu=1 && [ "$(cat $parameter)" = Y ]
say $? "KVM is loaded with it while hwpmc counts"
refused
say $? "hwpmc is refused at once"
printf '\n\n\n' >&9
wait $held $held_cpu
cat /tmp/held /tmp/held-cpu >/tmp/out
grep -q 'loaded KVM with its mediated PMU' /tmp/held && grep -q 'loaded KVM with its mediated PMU' /tmp/held-cpu
say $? "what counted a task or a CPU ends with the reason: $(grep -h -m 1 mediated /tmp/held)"
wait $held_soft && cp /tmp/held-soft /tmp/out && grep -q 'task-clock' /tmp/held-soft && ! grep -q mediated /tmp/held-soft
say $? "software events and the TSC, which need no PMU, count on"
rmmod kvm_amd kvm
module kvm && module kvm-amd enable_mediated_pmu=0 && [ "$(cat $parameter)" = N ] && count
say $? "and when it is loaded without the mediated PMU"
exit $failed
