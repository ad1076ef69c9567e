#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl_off_cpu: pmctl record --off-cpu of a program that blocks for times that it measures itself, in
# known functions, in a child and after an exec; and pmctl stat of the same event.
subject=pmctl
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1
us=100000 times=3

# Prints what the program measured in a function of a caller, in ns.
measured() { awk -v c="$1" -v f="$2" '$1 == c && $2 == f { print $3 }' out; }
# Prints the nanoseconds of all stacks in which CALLER calls FUNCTION, directly or not.
sampled() { # FOLDED CALLER FUNCTION
	awk -v c=";$2;" -v f=";$3;" '{ n = $NF; s = $0; sub(/ [0-9]+$/, "", s); s = ";" s ";"
		at = index(s, c); if (at && index(substr(s, at), f)) sum += n } END { print sum + 0 }' "$1"
}
# Whether what was sampled in a function is within 1 % of what the program measured; sets $found.
agrees() { # CALLER FUNCTION
	found="$(sampled folded "$1" "$2") of $(measured "$1" "$2") ns"
	awk -v a="${found%% *}" -v b="${found#* of }" 'BEGIN { b += 0; d = a > b ? a - b : b - a; exit !(b > 0 && d <= b / 100) }'
}
places=("in_parent block_sleep" "in_parent block_wait" "in_parent block_read" "in_child block_sleep" "after_exec block_wait")
# Several tries: see block_agrees() in tests/lib/blocks.h.
for try in {1..10}; do
	pmctl record --off-cpu -o log -- t-work_blocks $us $times >out 2>err || break
	pmctl report --folded --no-inline log >folded 2>report.err
	all=yes
	for place in "${places[@]}"; do
		# shellcheck disable=SC2086 # two words
		agrees $place || all=no
	done
	[ $all = no ] || break
done
[ "${all:-no}" = yes ]
verdict $? "record --off-cpu, try $try: $(tail -n 1 err)"
for place in "${places[@]}"; do
	# shellcheck disable=SC2086 # two words
	agrees $place
	verdict $? "$place: $found"
done
says folded ';block_sleep;.*nanosleep.*_\[k\];.*schedule_\[k\] [0-9]+$' "stacks end in the scheduler"
! grep -qE 'hwpmc|finish_task_switch|preempt_notifiers' folded
verdict $? "and have no function of the module, or of its callers"
[ $failed -eq 0 ] || head -n 30 folded | sed 's/^/# /'
pmctl report log >text
says text "^# event 'off-cpu': [0-9,]+ samples, [0-9,]+\.[0-9]{2} ms off the CPU, 0 lost$" "report says how long"
pmctl report --flamegraph flame.svg log
says flame.svg '>Off-CPU time: pmctl record --off-cpu' "the flame graph says what it shows"

# A program that is blocked when sampling begins, and is woken while it is sampled.
mkfifo go.fifo
t-work_spin wait 1 <go.fifo &
pid=$!
exec 5>go.fifo
sleep 0.2
pmctl record --off-cpu -p $pid -o log -- bash -c 'sleep 0.5; echo >&5; sleep 0.2' 2>err
verdict $? "record --off-cpu -p: $(tail -n 1 err)"
wait $pid
exec 5>&-
pmctl report --folded log >folded
blocked=$(awk '/read/ { sum += $NF } END { print sum + 0 }' folded)
awk -v n="$blocked" 'BEGIN { exit !(n >= 480e6 && n < 2e9) }'
verdict $? "a block that was there before counts since sampling began: $blocked ns"
[ $failed -eq 0 ] || sed 's/^/# /' folded

status 125 "record -e off-cpu of CPUs" pmctl record -a -e off-cpu -o log -- true
says err 'off-CPU time is that of tasks' "says what it is of"
status 0 "record of time and off-CPU time" pmctl record -e cpu-clock --off-cpu -g dwarf -o log -- t-work_blocks 10000 3
pmctl report --event off-cpu --folded log >folded 2>report.err
# Expect at least one of the three blocks: a slow machine throttles copies of stacks.
[ "$(sampled folded in_parent block_sleep)" -ge 10000000 ]
verdict $? "stacks are unwound from copies, too"
status 0 "stat of off-CPU time" pmctl stat -x, -e off-cpu,task-clock -- sleep 0.5
# A slow machine may stop the program after it read the clock and before it blocks: that time is on the CPU. The two
# are all of its time. The millisecond is for rounding, and for the switches, whose time belongs to neither.
awk -F, '$3 == "off-cpu" { off = $1; unit = $2; whole = $4 / 1e6 } $3 == "task-clock" { on = $1 }
	END { exit !(unit == "msec" && off > 250 && off + on > 499 && off + on < whole + 1) }' err
verdict $? "in milliseconds: $(tr '\n' ' ' <err)"
pmctl list >events
says events '^  off-cpu or offcpu-time ' "list has it"
exit $failed
