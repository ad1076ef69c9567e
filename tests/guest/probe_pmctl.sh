#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl counts system calls as strace -c does, lists and samples probes, and prints the module's sentence if a
# probe is refused. Needs busy.ko in the working directory.
subject=probe-pmctl
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

work=(dd if=/dev/zero of=/dev/null bs=7 count=3000)
calls=(read write openat mmap close)
strace -f -c -o strace.log "${work[@]}" 2>/dev/null
events=$(printf 'syscall:%s:entry,' "${calls[@]}")
status 0 "stat of system calls" pmctl stat -x, -e "${events%,}" -- "${work[@]}"
for call in "${calls[@]}"; do
	want=$(awk -v call="$call" '$NF == call { print $4 }' strace.log)
	got=$(awk -F, -v name="syscall:$call:entry" '$3 == name { print $1 }' err)
	[ -n "$got" ] && [ "$got" = "$want" ]
	verdict $? "$call: $got calls, $want by strace -c"
done
status 0 "stat of all CPUs" pmctl stat -a -x, -e tracepoint:sched:sched_switch -- sleep 0.2
says err '^[1-9][0-9]*,,tracepoint:sched:sched_switch,' "counts switches"
status 0 "stat of a function" pmctl stat -x, -e kprobe:vfs_write,kprobe:vfs_write:return -- "${work[@]}"
want=$(awk '$NF == "write" { print $4 }' strace.log)
got=$(awk -F, '$3 ~ /vfs_write/ { printf "%s ", $1 }' err)
[ "$got" = "$want $want " ]
verdict $? "counts each entry and return of write's function: $got"
libc=$(ls /lib/*/libc.so.6)
status 0 "stat of a library's function" pmctl stat -x, -e "uprobe:$libc:write,uprobe:$libc:write:return" -- "${work[@]}"
got=$(awk -F, '$3 ~ /libc.*:write/ { printf "%s ", $1 }' err)
[ "$got" = "$want $want " ]
verdict $? "counts each call, and each return: $got"
status 0 "a histogram of the results of write" pmctl probe -e "uprobe:$libc:write:return" --hist 'retval by comm' -o out.hist -- "${work[@]}"
says out.hist "^ +4 - 7 +3,000 " "has each write of seven bytes"
status 0 "a filter of system calls" pmctl probe -e syscall:read:entry --filter 'count == 7 && comm == dd' --count comm -o out.filter -- "${work[@]}"
says out.filter "^ +3,000 +dd" "leaves the reads of seven bytes"
says err '^pmctl: 3,000 events, 0 lost' "and makes no other record"
status 0 "stat of calls that meet conditions" pmctl stat -x, -e syscall:read:entry,syscall:read:return \
	--filter 'count == 7 && comm == dd' -- "${work[@]}"
got=$(awk -F, '$3 ~ /syscall:read/ { printf "%s ", $1 }' err)
[ "$got" = "3000 3000 " ]
verdict $? "counts the reads of seven bytes, and their returns: $got"
status 0 "record of calls that meet a condition" pmctl record -q -e syscall:read:entry --filter 'count == 7' -o log -- "${work[@]}"
status 0 "and its script" pmctl script log
got=$(grep -c ' PROBE ' out)
[ "$got" = 3000 ]
verdict $? "has a record of each, and of no other: $got"
status 125 "a filter of an event that is not a probe" pmctl stat -e task-clock --filter 'pid == 1' -- true
says err "'task-clock' is not a probe" "is refused"
status 125 "a filter with an unknown key" pmctl probe -e syscall:read:entry --filter 'size == 7' -- true
says err "'size' is not a key of these events" "is refused"
status 125 "a function that the library does not have" pmctl stat -e "uprobe:$libc:no_such_function" -- true
says err 'has no function no_such_function' "is named"
status 125 "a library that does not exist" pmctl stat -e "uprobe:/no/such.so:write" -- true
says err 'cannot open /no/such.so' "is named"
status 125 "a function that the kernel does not have" pmctl stat -e kprobe:no_such_function -- true
says err 'the kernel has no function no_such_function' "is named"
status 125 "a user without the capability" su user -c 'pmctl stat -e syscall:read:entry -- true'
says err 'probes need CAP_PERFMON' "and the message names the capability"
status 0 "list of tracepoints" pmctl list 'tracepoint:sched_*'
says out '^tracepoint:sched_switch$' "has their names"
status 0 "list of system calls in JSON" pmctl list -j 'syscall:open*'
says out '"event": "syscall:openat:return"' "has entry and return"
status 1 "list of a pattern without a match" pmctl list 'tracepoint:no_such_*'
status 0 "record of a function, of user mode" pmctl record -q -g --all-user -e kprobe:vfs_read -o log -- cat /etc/passwd
pmctl report --stdio log >out
says out '\[k\] vfs_read' "has the function all the same: the probe is in the kernel"
status 0 "record of a function" pmctl record -q -g -e kprobe:vfs_read -o log -- cat /etc/passwd
status 0 "and its report" pmctl report --stdio log
says out '\[k\] vfs_read' "has the function"
status 0 "and its script" pmctl script log
says out 'PROBE' "has its records"
status 0 "record of ticks" pmctl record -q -a -g -e profile:hz:99 -o log -- dd if=/dev/zero of=/dev/null bs=7 count=300000
status 0 "and its report" pmctl report --stdio log
says out ' dd ' "has the program"
insmod busy.ko
again="rmmod busy; insmod busy.ko; pmctl stat -x, -e kprobe:busy_spin -- sh -c 'echo 1 >/sys/module/busy/parameters/spin' 2>inner"
status 0 "stat of a module's function" pmctl stat -e kprobe:busy_spin -- sh -c "$again"
says inner '^1,,kprobe:busy_spin,' "counts it again after the module is loaded again"
rmmod busy
exit $failed
