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
module kvm && module kvm-amd enable_mediated_pmu=0 && [ "$(cat $parameter)" = N ] && count
say $? "and when it is loaded without the mediated PMU"
exit $failed
