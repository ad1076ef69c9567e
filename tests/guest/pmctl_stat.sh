#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl against the real module: its output, its exit status, and what does not stop it.
subject=pmctl
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

status 0 "stat of a program" pmctl stat -e cycles:u -- true
says err '[0-9,]+ +cycles:u' "and prints its count on stderr"
status 0 "stat without -e" pmctl stat -- true
says err '<not supported> +branch' "and shows what the machine lacks as <not supported>"
status 7 "the child's status" pmctl stat -e cycles:u -- sh -c 'exit 7'
status 143 "a child that dies of SIGTERM" pmctl stat -e cycles:u -- sh -c 'kill -TERM $$'
status 127 "a missing program" pmctl stat -e cycles:u -- /no/such/program
status 126 "a program that is none" pmctl stat -e cycles:u -- /etc/passwd
status 125 "an unknown event" pmctl stat -e cylces -- true
says err 'cycles' "and names the nearest"
status 125 "one more event than rows" pmctl stat -e r11,r11,r11,r11,r11,r11,r11,r11 -- true
says err 'only rows 0-[0-9]+ can count 0x11; this command holds them all' "and names the rows"
status 0 "a group" pmctl stat -x, -e '{cycles:u,r11:u}' -- true
[ "$(grep -cE '^[1-9][0-9]*,,(cycles|r11):u,' err)" = 2 ]
verdict $? "is counted together"
status 0 "a group of which the machine lacks one" pmctl stat -x, -e '{cycles:u,r7fff:u},r11:u' -- true
says err '^<not counted>,,cycles:u,' "is not counted at all"
says err '^<not supported>,,r7fff:u,' "for want of that one"
says err '^[1-9][0-9]*,,r11:u,' "and others are counted"
status 125 "a group of one more than rows" \
	pmctl stat -e '{cycles:u,r11,r11,r11,r11,r11,r11,r11}' -- true
says err "^pmctl: event 'r11': only rows 0-[0-9]+ can count 0x11" "and the one without a row is named"
status 0 "CSV" pmctl stat -x, -e cycles:u -- true
says err '^[0-9]+,,cycles:u,[0-9]+,100\.00,' "with perf's columns"
status 0 "details" pmctl stat -d -- true
says err ' instructions' "count instructions, too"
says err 'L1-dcache-load-misses' "and the level 1 cache"
status 0 "JSON" pmctl stat -j -e cycles:u -- true
says err '"counter-value" *: *"?[0-9.]+' "with perf's keys"
# On a busy host there are fewer intervals in the same time.
# shellcheck disable=SC2016
status 0 "intervals" timeout 60 pmctl stat -I 100 -e cycles:u -- \
	sh -c 'until [ "$(grep -c cycles err)" -ge 4 ]; do sleep 0.1; done'
[ "$(grep -c 'cycles' err)" -ge 4 ]
verdict $? "print a line each, while it runs"
status 0 "system-wide, one line a CPU" pmctl stat -a --no-aggr -e cycles --timeout 200
says err '^CPU1 +[0-9,]+ +cycles' "and CPU 1 has its own"
status 0 "one CPU" pmctl stat -C 0 --no-aggr -e cycles --timeout 50
says err '^CPU0 +[0-9,]+ +cycles' "has its own"
! grep -q '^CPU[1-9]' err
verdict $? "and no other one"
status 0 "one line a socket" pmctl stat -a --per-socket -x, -e cycles --timeout 50
[ "$(awk -F, '{ cpus += $2 } END { print cpus }' err)" = "$(nproc)" ]
verdict $? "has each CPU in one"
status 0 "a number of intervals" pmctl stat -I 50 --interval-count 2 -e cycles:u -- sleep 600
[ "$(grep -c ' cycles:u' err)" = 2 ]
verdict $? "ends after them"
status 0 "one line a thread" pmctl stat --per-thread -e cycles:u -p $$ --timeout 50
says err "^ +[^ ]+-$$ +[0-9,]+ +cycles:u" "has the thread's name and number"
sleep 30 &
status 0 "a thread" pmctl stat -t $! -e cycles:u --timeout 50
says err "^ Performance counter stats for thread id '$!':" "is named above its counts"
kill $!
status 0 "repeated runs" pmctl stat -r 3 -e cycles:u -- true
says err '\( \+- +[0-9.]+% \)' "with their spread"

echo 'module hwpmc +p' >/proc/dynamic_debug/control
pmctl stat -e cycles:u -- true 2>err
pmctl stat -e r7fff -- true 2>err
echo 'module hwpmc -p' >/proc/dynamic_debug/control
dmesg | grep 'hwpmc: ' >log
says log 'the PMU is claimed' "with dynamic debug on, the kernel's log has the PMU's reservation"
says log 'pid [0-9]+ \(pmctl\): PMC 0x[0-9a-f]+ of mode 4 on row [0-9]+ counts event 0x11' "of allocations"
says log 'PMC 0x[0-9a-f]+ follows process [0-9]+: 0' "of targets"
says log 'PMC 0x[0-9a-f]+ is released' "of releases"
says log 'error -22: ' "of refusals"
says log '\(pmctl\) closed the device' "and of owners that go"

pmctl stat -e cycles:u -- true 2>&- >&-
verdict $? "survives a closed stdout and stderr"
pmctl list | head -n 1 >/dev/null
verdict "${PIPESTATUS[1]}" "list survives a reader that leaves"

pmctl stat -e cycles:u -o interrupted -- sleep 30 &
pid=$!
wait_signalfd $pid
sleep 0.5
kill -INT $pid
wait $pid
[ $? -eq 130 ] && grep -q cycles interrupted
verdict $? "prints on SIGINT, then dies of it"

echo 'module hwpmc +p' >/proc/dynamic_debug/control
# shellcheck disable=SC2016
sh -c 'until dmesg | grep -q "follows process $$: 0"; do sleep 0.1; done' &
status 0 "a target that exits" timeout 60 pmctl stat -e cycles:u -p $!
echo 'module hwpmc -p' >/proc/dynamic_debug/control
true &
wait $!
status 125 "a target that is gone" timeout 20 pmctl stat -e cycles:u -p $!
says err "$!" "is named"
status 0 "info" pmctl stat -e cycles:u -o counts -- pmctl info
says out ' thread, held by pmctl \(pid [0-9]+\), TC, event 0x11$' "says who holds a row"
status 0 "list" pmctl list '*cycles*'
says out '^  cycles or cpu-cycles ' "has tried its events"
status 0 "doctor" pmctl doctor
su user -c 'pmctl stat -e cycles -- true' 2>err
says err 'cycles:u' "an unprivileged user counts user mode"
su user -c 'pmctl stat -e cycles:k -- true' 2>err
says err 'CAP_PERFMON' "kernel mode is refused with the capability it needs"
su user -c 'pmctl stat -e cycles:u -p 1 --timeout 10' 2>err
says err 'CAP_SYS_PTRACE' "and what another user's process needs"
exit $failed
