#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl probe against the real module: counts, sizes and times of a program whose calls are known.
subject=pmctl
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# One process makes 5 reads of 100 bytes and 3 of 5000; dd reads its input by one call each.
head -c 500 /dev/zero >small
head -c 15000 /dev/zero >large
status 0 "a histogram of reads of known sizes" pmctl probe -e syscall:read:return \
	--hist 'retval by comm' -o out.hist -- sh -c 'dd bs=100 count=5 if=small of=/dev/null; exec dd bs=5000 count=3 if=large of=/dev/null'
says out.hist '^  comm=dd: ' "is of dd"
says out.hist '^ +64 - 127 +5 ' "has the small ones"
says out.hist '^ +4,096 - 8,191 +3 ' "and the large ones"
says err '^pmctl: [0-9,]+ events, 0 lost, 0 throttled, [0-9,]+ skipped$' "and lost none"

status 0 "latencies of known sleeps" pmctl probe --latency 'kprobe:do_nanosleep by comm' -j -o out.json -- \
	sh -c 'for i in 1 2 3; do sleep 0.2; done'
[ "$(grep -c '"comm": "sleep"' out.json)" = 1 ] && grep '"comm": "sleep"' out.json | grep -q '"count": 3,'
verdict $? "are of three"
awk -F'"min": ' '/"comm": "sleep"/ { split($2, n, ","); exit !(n[1] >= 200000000 && n[1] < 400000000) }' out.json
verdict $? "of 0.2 seconds"

status 1 "openat, with its arguments" pmctl probe -e syscall:openat:entry,syscall:openat:return \
	--args --comm -o out.open -- cat /no/such/file
says out.open ' cat +syscall:openat:entry +dfd=-100 filename=0x[0-9a-f]+ flags=0x0 ' "has names and types"
says out.open ' syscall:openat:return .* = -2 ENOENT$' "and the error"

# The same counts as strace -c; exec itself precedes the first event of ours.
if command -v strace >/dev/null; then
	strace -f -c -o out.strace -- sh -c 'cat small >/dev/null; ls / >/dev/null'
	pmctl probe -e 'syscall:write:entry,syscall:close:entry,syscall:openat:entry' --count event \
		-j -o out.count -- sh -c 'cat small >/dev/null; ls / >/dev/null' 2>err
	for call in write close openat; do
		wanted=$(awk -v call=$call '$NF == call { print $4 }' out.strace)
		got=$(sed -nE "s/.*\"event\": \"syscall:$call:entry\".*\"count\": ([0-9]+).*/\1/p" out.count)
		[ -n "$got" ] && [ "$got" = "$wanted" ]
		verdict $? "as many calls of $call as strace counts (${got:-none}, ${wanted:-none})"
	done
fi

status 0 "stacks as keys" pmctl probe -e kprobe:vfs_read --count 'by kstack' -o out.stack -- cat small
says out.stack '^ +vfs_read$' "begin with the function"
status 0 "list --args of a tracepoint" pmctl list --args tracepoint:sched_switch
says out '^  arg[0-9]+ ' "has arguments"

exit $failed
