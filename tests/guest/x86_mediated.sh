#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# x86: KVM's mediated PMU, by which a guest has the whole PMU while it runs: hwpmc is refused while it is enabled. KVM is
# loaded with it, without it, and not at all. Last it is as the machine had it.
set -u
failed=0
say() { # STATUS NAME
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; sed 's/^/# /' /tmp/out; failed=1; fi
}
parameter=/sys/module/kvm_amd/parameters/enable_mediated_pmu
count() { pmctl stat -e instructions:u true >/tmp/out 2>&1; }
refused() { ! count && grep -q "mediated PMU.*enable_mediated_pmu=0" /tmp/out; }
# module NAME [PARAMETER]
module() { insmod "$(grep "/$1\.ko" /hwpmc/kernel-modules-kvm)" "${@:2}" >/tmp/out 2>&1; }

echo "# by default: $(cat $parameter)"
rmmod kvm_amd && module kvm-amd enable_mediated_pmu=1 && [ "$(cat $parameter)" = Y ]
say $? "KVM enables its mediated PMU on this machine"
refused
say $? "hwpmc is refused then: $(tail -n 1 /tmp/out)"
pmctl doctor >/tmp/out 2>&1
grep -q '^\[!!\] the counters are not available: KVM gives the counters to guests' /tmp/out
say $? "pmctl doctor says so"
# Without kvm_amd alone kvm keeps the variable.
rmmod kvm_amd kvm && count
say $? "hwpmc counts when KVM is unloaded"
# hwpmc counts a task and a CPU, each while a command waits for a line from this script.
mkfifo /tmp/end
exec 9<>/tmp/end
echo 'echo >>/tmp/begun; read -r _ </tmp/end' >/tmp/held.sh
: >/tmp/begun
pmctl stat -e instructions:u bash /tmp/held.sh >/tmp/held 2>&1 & held=$!
pmctl stat -e instructions:u -C 1 bash /tmp/held.sh >/tmp/held-cpu 2>&1 & held_cpu=$!
until [ "$(wc -l </tmp/begun)" = 2 ]; do sleep 0.1; done
module kvm && module kvm-amd enable_mediated_pmu=1 && [ "$(cat $parameter)" = Y ]
say $? "KVM is loaded with it while hwpmc counts"
refused
say $? "hwpmc is refused at once"
printf '\n\n' >&9
wait $held $held_cpu
cat /tmp/held /tmp/held-cpu >/tmp/out
grep -q 'loaded KVM with its mediated PMU' /tmp/held && grep -q 'loaded KVM with its mediated PMU' /tmp/held-cpu
say $? "what counted a task or a CPU ends with the reason: $(grep -h -m 1 mediated /tmp/held)"
rmmod kvm_amd kvm
module kvm && module kvm-amd enable_mediated_pmu=0 && [ "$(cat $parameter)" = N ] && count
say $? "and when it is loaded without the mediated PMU"
exit $failed
