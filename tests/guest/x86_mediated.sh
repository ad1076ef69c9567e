#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# x86: KVM's mediated PMU gives the whole PMU to a guest while the guest runs. hwpmc is refused while KVM is loaded
# with it. The test loads and unloads KVM with it; at the end it leaves KVM loaded without it.
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
say $? "hwpmc is refused with the reason: $(tail -n 1 /tmp/out)"
pmctl doctor >/tmp/out 2>&1
grep -q '^\[!!\] the counters are not available: KVM gives the counters to guests' /tmp/out
say $? "pmctl doctor reports it"
# Unload kvm, too: it has the variable that enables the mediated PMU.
rmmod kvm_amd kvm && count
say $? "hwpmc counts when KVM is unloaded"
# A command for pmctl stat that runs until this script writes a line.
mkfifo /tmp/end
exec 9<>/tmp/end
echo 'echo >>/tmp/begun; read -r _ </tmp/end' >/tmp/held.sh
: >/tmp/begun
# begun COUNT: waits until this number of the commands has begun.
begun() { until [ "$(wc -l </tmp/begun)" = "$1" ]; do sleep 0.1; done; }

# kvm_intel sets a variable of kvm and then fails to load; the variable keeps this value. busy.ko, which is loaded
# next, is not a module of KVM.
pmctl stat -e instructions:u bash /tmp/held.sh >/tmp/held 2>&1 & held=$!
begun 1
module kvm && ! module kvm-intel enable_mediated_pmu=1 && insmod busy.ko && rmmod busy
echo >&9
wait $held && cp /tmp/held /tmp/out && ! grep -q mediated /tmp/held
say $? "hwpmc continues to count when a module of KVM fails to load"
rmmod kvm

# Counts of a task, of a CPU, and of software events, which need no PMU.
: >/tmp/begun
pmctl stat -e instructions:u bash /tmp/held.sh >/tmp/held 2>&1 & held=$!
pmctl stat -e instructions:u -C 1 bash /tmp/held.sh >/tmp/held-cpu 2>&1 & held_cpu=$!
pmctl stat -e task-clock,tsc bash /tmp/held.sh >/tmp/held-soft 2>&1 & held_soft=$!
begun 3
module kvm && module kvm-amd enable_mediated_pmu=1 && [ "$(cat $parameter)" = Y ]
say $? "KVM can be loaded with its mediated PMU while hwpmc counts"
refused
say $? "hwpmc is refused at once"
printf '\n\n\n' >&9
wait $held $held_cpu
cat /tmp/held /tmp/held-cpu >/tmp/out
grep -q 'loaded KVM with its mediated PMU' /tmp/held && grep -q 'loaded KVM with its mediated PMU' /tmp/held-cpu
say $? "counts of a task and of a CPU end with the reason: $(grep -h -m 1 mediated /tmp/held)"
wait $held_soft && cp /tmp/held-soft /tmp/out && grep -q 'task-clock' /tmp/held-soft && ! grep -q mediated /tmp/held-soft
say $? "counts of software events and the TSC, which need no PMU, continue"
rmmod kvm_amd kvm
module kvm && module kvm-amd enable_mediated_pmu=0 && [ "$(cat $parameter)" = N ] && count
say $? "hwpmc counts when KVM is loaded without its mediated PMU"
exit $failed
