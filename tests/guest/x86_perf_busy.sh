#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# x86: perf and hwpmc take the counters in turns, and each is told when it is the other's turn.
set -u
failed=0
say() { # STATUS NAME
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; sed 's/^/# /' /tmp/out; failed=1; fi
}

perf stat -e instructions:u true >/tmp/out 2>&1 && grep -q 'instructions:u' /tmp/out
say $? "perf counts while hwpmc does not"
pmctl stat -e instructions:u -- perf stat -e instructions:u true >/tmp/out 2>&1
grep -qi 'busy' /tmp/out
say $? "perf is refused while hwpmc counts"
perf stat -e instructions:u true >/tmp/out 2>&1 && grep -q 'instructions:u' /tmp/out
say $? "and counts again afterwards"
perf stat -e instructions:u pmctl stat -e instructions:u true >/tmp/out 2>&1
grep -q 'perf holds the counters' /tmp/out
say $? "hwpmc is refused while perf counts, and says so"
pmctl stat -e instructions:u true >/tmp/out 2>&1 && ! grep -q 'perf holds' /tmp/out
say $? "and counts again afterwards"
# What a guest of KVM does with its own PMU is such an event of the host.
pmctl stat -e instructions:u -- perf stat -e instructions:G true >/tmp/out 2>&1
grep -qi 'busy' /tmp/out
say $? "an event that counts guests only is refused while hwpmc counts"
perf stat -e instructions:G pmctl stat -e instructions:u true >/tmp/out 2>&1
grep -q 'perf holds the counters' /tmp/out
say $? "and hwpmc is refused while there is one"
dmesg >/tmp/out
! grep -qi 'unknown reason' /tmp/out
say $? "no NMI was unknown"
exit $failed
