#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module's tracepoints in tracefs: a line for each event, as many as the module's statistics count.
# shellcheck disable=SC2016 # for other shells
subject='trace'
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

tracefs=/sys/kernel/tracing
events=$tracefs/events/hwpmc
for event in allocate attach start stop overflow throttle drop; do
	[ -d $events/hwpmc_$event ]
	verdict $? "there is events/hwpmc/hwpmc_$event"
done
[ "$(cat $events/enable)" = 0 ]
verdict $? "all are disabled after a load"
echo 20000 >$tracefs/buffer_size_kb
# traced COMMAND...: its trace lines are in the file lines, and its standard error in err.
traced() {
	echo >$tracefs/trace
	echo 1 >$events/enable
	"$@" >out 2>err
	echo 0 >$events/enable
	grep -E ' hwpmc_(allocate|attach|start|stop|overflow|throttle|drop): ' $tracefs/trace >lines
}
number() { grep -cE -- " hwpmc_$1" lines; } # PATTERN
are() { # NUMBER PATTERN NAME
	local n
	n=$(number "$2")
	[ "$n" = "$1" ]
	verdict $? "$3 ($n of $1)"
	[ "$n" = "$1" ] || head -n 20 lines | sed 's/^/# /'
}
statistic() { pmctl info -js | grep -oE "\"$1\": *[0-9]+" | grep -oE '[0-9]+$'; } # NAME

traced bash -c 'echo $$ >pid; exec pmctl stat -e cycles:u,task-clock -- true'
pid=$(cat pid)
are 2 "allocate: owner=$pid id=0x[0-9a-f]+ mode=TC class=[0-9]+ event=0x[0-9a-f]+ row=[0-9]+ cpu=-1$" "each ALLOCATE"
are 2 "attach: owner=$pid id=0x[0-9a-f]+ process=[0-9]+$" "each ATTACH"
are 2 "start: owner=$pid id=0x[0-9a-f]+ mode=TC " "each START"
are 2 "stop: owner=$pid id=0x[0-9a-f]+ mode=TC " "each STOP"
are 8 '' "there are no other lines"
traced pmctl stat -C 1 -e cycles --timeout 50
are 1 'allocate: .* mode=SC .* cpu=1$' "a PMC of a CPU"
are 0 'attach: ' "a PMC of a CPU is not attached"

before=$(statistic interrupts-processed)
traced pmctl record -e cycles:u -c 20000 -o log -- bash -c 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); done'
after=$(statistic interrupts-processed)
[ "$((after - before))" -gt 20 ]
verdict $? "a program has overflows ($((after - before)))"
are $((after - before)) 'overflow: class=[0-9]+ rows=0x[0-9a-f]+( deferred)?$' "each overflow interrupt"
# The program stops its parent, which is pmctl, so that nobody reads the ring, until a sample is lost. On a busy host
# the overflows of a loop may be few.
traced pmctl record -e cycles:u -c 5000 -m 16 -o log -- bash -c '
	kill -STOP $PPID
	turns=0
	until grep -q -m 1 " hwpmc_drop: " "$0" || [ $((turns += 1)) -gt 500 ]; do
		i=0
		while [ $i -lt 50 ]; do i=$((i + 1)); done
	done
	kill -CONT $PPID' $tracefs/trace
lost=$(sed -nE 's/^pmctl: .* ([0-9,]+) lost.*/\1/p' err | tr -d ,)
[ "${lost:-0}" -gt 0 ]
verdict $? "a ring that nobody reads loses samples ($lost)"
are "${lost:-none}" 'drop: owner=[0-9]+ id=0x[0-9a-f]+ events=[1-9][0-9]*$' "each lost sample"
# With a lower limit the timer alone could use all of that time on a slow machine.
echo 10 >/sys/module/hwpmc/parameters/max_cpu_percent
# The time beyond the limit is charged to at most 16 windows of 10 ms, which must end before the run does.
traced pmctl record -e cycles:u -c 1000 -o log -- bash -c 'while [ $SECONDS -lt 2 ]; do :; done'
echo 100 >/sys/module/hwpmc/parameters/max_cpu_percent
throttles=$(sed -nE 's/^pmctl: .* throttled ([0-9,]+) times.*/\1/p' err | tr -d ,)
[ "${throttles:-0}" -gt 0 ]
verdict $? "a short period is throttled ($throttles times)"
are "$throttles" 'throttle: owner=[0-9]+ id=0x[0-9a-f]+ on$' "each time a PMC is throttled"
[ "$(number 'throttle: .* off$')" -gt 0 ]
verdict $? "an end of throttling is traced, too"
traced pmctl stat -e cycles:u -- true
echo >$tracefs/trace
pmctl stat -e cycles:u -- true 2>err
! grep -q ' hwpmc_allocate: ' $tracefs/trace
verdict $? "disabled events make no lines"
status 0 "a probe of a tracepoint of the module" pmctl stat -e tracepoint:hwpmc:hwpmc_overflow -- true
says err '<not supported> *tracepoint:hwpmc:hwpmc_overflow' "is not supported"
says err 'hwpmc:hwpmc_overflow is a tracepoint of this module, which cannot probe itself' "says why"
exit $failed
