#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl record, script and stat -W -E against the real module.
subject=pmctl
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# shellcheck disable=SC2317 # called by name, in another shell
work() { sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'; }
export -f work

status 0 "record of a program" pmctl record -e cycles:u -c 1000000 -o log -- bash -c work
samples=$(sed -nE 's/^pmctl: ([0-9,]+) samples.*/\1/p' err | tr -d ,)
[ "${samples:-0}" -gt 0 ]
verdict $? "and has samples (${samples:-none})"
status 0 "script" pmctl script log
[ "$(grep -c ' SAMPLE ' out)" = "$samples" ]
verdict $? "shows as many"
says out ' SAMPLE .*mode=user.*at=[^[]' "and where they were"
says out ' EXEC .*path=/' "and the programs that were run"
says out ' MAP_IN .*build-id' "and their build-ids"
says out ' CLOSE$' "up to the end"
[ ! -s err ]
verdict $? "nothing is wrong with the log"
status 3 "the child's status" pmctl record -e cycles:u -o log -- sh -c 'exit 3'
status 127 "a missing program" pmctl record -e cycles:u -o log -- /no/such/program
status 0 "record with call chains" pmctl record -g -e cycles -c 1000000 -o log -- bash -c work
status 0 "its log" pmctl script log
says out ' SAMPLE .* chain=0x' "has chains"
says out ' SAMPLE .*mode=kernel.*at=[a-z_]' "and the kernel's symbols"
! grep -q ' SAMPLE .*comm=pmctl' out
verdict $? "and no sample of pmctl: sampling begins when the program is executed"
status 0 "record of a short program" pmctl record -e cycles -o log -- true
[ "$(stat -c %s log)" -lt 32768 ]
verdict $? "writes a small log: $(stat -c %s log) bytes"
status 0 "record with stacks" pmctl record -gdwarf -e cycles:u -c 1000000 -o log -- bash -c work
pmctl script log >out
says out ' SAMPLE .* regs=[0-9]+ stack-size=[0-9]+' "has registers and stacks"
status 0 "record of all CPUs" pmctl record -a -z -F 100 --duration 1 -o log
status 0 "its log" pmctl script log
says out ' PROCESS .*comm=' "has the processes that existed before"
says out ' PROCESS .*path=/' "and what they execute"
# 0x80: HWPMC_F_FREQUENCY, the count is a frequency.
says out ' ALLOCATE .* flags=0x80 .* count=100 ' "was sampled as often as -F says"
# pmctl itself writes the log of 20,000 samples a second while little else runs: most samples would be its
# own.
status 0 "record of an idle machine" pmctl record -a -F 20000 -g --duration 0.3 -o log
pmctl script log >out
says out ' SAMPLE ' "has samples"
! grep -q ' SAMPLE .*comm=pmctl' out
verdict $? "and none of pmctl"
status 0 "record with those of pmctl" pmctl record -a --no-exclude-self -F 20000 -g --duration 0.3 -o log
pmctl script log >out
says out ' SAMPLE .*comm=pmctl' "has them"
status 0 "record of CPU 0" pmctl record -C 0 -e cycles -c 1000000 -o log -- taskset -c 0 bash -c work
pmctl script log >out
says out '\[000\] SAMPLE .*comm=bash ' "has its samples"
! grep ' SAMPLE ' out | grep -vqF '[000]'
verdict $? "and no other one's"
status 0 "record of the kernel" pmctl record --all-kernel -e cycles -c 100000 -o log -- true
pmctl script log >out
says out ' SAMPLE .*event=cycles:k .*mode=kernel' "has its samples"
status 0 "record without children" pmctl record -i -e cycles:u -c 100000 -o log -- sh -c 'bash -c true; true'
! pmctl script log | grep -q ' SAMPLE .*comm=bash '
verdict $? "has none of their samples"
bash -c 'while :; do :; done' &
status 0 "record of a thread" pmctl record -t $! -e cycles:u -c 1000000 --duration 1 -o log
pmctl script log >out
says out " SAMPLE .*tid=$! " "has its samples"
kill $!
status 0 "record without -e" pmctl record -o log -- bash -c work
status 0 "record with buffers of its own size" pmctl record -m 64 -e cycles:u -o log -- true
pmctl record -e cycles:u -o log -- sleep 30 2>err &
pid=$!
wait_signalfd $pid
sleep 0.5
kill -INT $pid
wait $pid
[ $? -eq 130 ] && pmctl script log | grep -q ' CLOSE$'
verdict $? "on SIGINT it ends the log, then dies of it"
# The program exits when the kernel's log shows that it is followed.
echo 'module hwpmc +p' >/proc/dynamic_debug/control
# shellcheck disable=SC2016 # for the other shell
sh -c 'until dmesg | grep -q "follows process $$: 0"; do sleep 0.1; done' &
status 0 "a target that exits" timeout 60 pmctl record -e cycles:u -o log -p $!
echo 'module hwpmc -p' >/proc/dynamic_debug/control
pmctl record -e cycles:u -o - -- bash -c work 2>err | pmctl script - >out
says out ' SAMPLE ' "through a pipe"
status 0 "stat -W" pmctl stat -W -e cycles:u -- sleep 0.1
says err ' \(switch\)$' "has lines"
status 0 "stat -E" pmctl stat -E -e cycles:u -- sh -c 'true & wait'
[ "$(grep -c ' (exit)$' err)" = 2 ]
verdict $? "has a line for each task"
status 0 "stat -i -E" pmctl stat -i -E -e cycles:u -- sh -c 'true & wait'
[ "$(grep -c ' (exit)$' err)" = 1 ]
verdict $? "has one without the children"
exit $failed
