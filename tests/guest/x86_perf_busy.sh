#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# x86: while perf has the counters hwpmc is refused, and the other way round, with a reason.
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
say $? "perf counts again when hwpmc has finished"
perf stat -e instructions:u pmctl stat -e instructions:u true >/tmp/out 2>&1
grep -q 'perf holds the counters' /tmp/out
say $? "pmctl is refused while perf counts, and prints why"
pmctl stat -e instructions:u true >/tmp/out 2>&1 && ! grep -q 'perf holds' /tmp/out
say $? "pmctl counts again when perf has finished"
# A guest of KVM that uses its PMU has such an event on the host.
pmctl stat -e instructions:u -- perf stat -e instructions:G true >/tmp/out 2>&1
grep -qi 'busy' /tmp/out
say $? "a perf event that counts guests only is refused while hwpmc counts"
perf stat -e instructions:G pmctl stat -e instructions:u true >/tmp/out 2>&1
grep -q 'perf holds the counters' /tmp/out
say $? "pmctl is refused while there is a perf event that counts guests only"
dmesg >/tmp/out
! grep -qi 'unknown reason' /tmp/out
say $? "the kernel's log has no unknown NMI"
exit $failed
