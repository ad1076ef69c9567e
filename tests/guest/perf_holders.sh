#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While perf top runs, pmctl is refused with the module's sentence, and pmctl doctor names perf. The same
# holds for an event of a sleeping process on x86; on arm64 pmctl counts beside such an event.
# shellcheck disable=SC2317 # soon calls functions by name
set -u
failed=0
say() { # STATUS NAME
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; sed 's/^/# /' /tmp/out; failed=1; fi
}
count() { pmctl stat -e instructions:u true >/tmp/out 2>&1 && grep -q 'instructions:u' /tmp/out; }
refused() { ! count && grep -q 'perf holds the counters' /tmp/out; }
doctor() { pmctl doctor >/tmp/out 2>&1; }
soon() { # COMMAND...
	for _ in $(seq 200); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
holds() { doctor; grep -q "^\[!!\] the counters are not available: perf holds .*; perf events: perf ($1)" /tmp/out; }

count
say $? "pmctl counts"
# perf top reads keys, so it needs a terminal.
mkfifo /tmp/keys
exec 3<>/tmp/keys
perf top --stdio -e instructions -d 1 <&3 >/tmp/top 2>&1 &
top=$!
soon holds "$top"
say $? "pmctl doctor names perf top, which runs: $(grep 'not available' /tmp/out)"
refused
say $? "pmctl is refused: $(tail -n 1 /tmp/out)"
kill -INT $top
wait $top
soon count
say $? "pmctl counts when perf top has ended"
doctor
grep -q '^\[ok\] the counters are available' /tmp/out
say $? "pmctl doctor reports no holder then"

sleep 1000 &
asleep=$!
perf stat -e instructions:u -p $asleep >/tmp/stat 2>&1 &
stat=$!
opened() {
	local descriptor
	for descriptor in "/proc/$stat/fd"/*; do
		[ "$(readlink "$descriptor")" != 'anon_inode:[perf_event]' ] || return 0
	done
	return 1
}
soon opened
say $? "perf has an event of a process that sleeps"
if [ "$(uname -m)" = x86_64 ]; then refused; else count; fi
say $? "pmctl is refused on x86, and counts on arm64: $(tail -n 1 /tmp/out)"
kill -INT $stat
wait $stat
count
say $? "pmctl counts when perf has ended"
kill $asleep
exit $failed
