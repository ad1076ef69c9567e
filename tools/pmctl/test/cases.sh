# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# Sourced by run: tests of the pmctl binary. Uses $pmctl, $fake, $tmp and say.

export PMCTL_DEVICE=$tmp/nothing
real() { "$pmctl" "$@" >"$tmp/out" 2>"$tmp/err"; }
pretend() { LD_PRELOAD=$fake PMCTL_DEVICE=fake "$pmctl" "$@" >"$tmp/out" 2>"$tmp/err"; }
expect() { # STATUS NAME COMMAND...
	local wanted=$1 name=$2 got
	shift 2
	"$@"
	got=$?
	[ $got = "$wanted" ]
	say $? "$name (status $got)"
}
err() { # PATTERN NAME: in the last command's standard error
	grep -qE -- "$1" "$tmp/err"
	say $? "$2"
}
no_err() { ! grep -qE -- "$1" "$tmp/err"; say $? "$2"; }
out() { grep -qE -- "$1" "$tmp/out"; say $? "$2"; }

# Without a device
expect 125 "stat without a device" real stat -- true
err 'modprobe hwpmc' "says what to do"
[ "$(wc -l <"$tmp/err")" = 1 ]
say $? "in one sentence"
expect 125 "info without a device" real info
expect 125 "list without a device" real list
expect 1 "doctor without a device" real doctor
out '^\[!!\] .*does not exist' "doctor names the missing device"
expect 0 "version without a device" real version
PMCTL_DEVICE=/dev/null expect 125 "a device that is not ours" real info
err 'not the device of hwpmc' "is called that"
expect 125 "no command" real
expect 125 "an unknown command" real sta
err "did you mean 'stat'" "the nearest command"
expect 0 "help" real help
for command in stat record report annotate diff script probe ps monitor admin list info doctor version help; do
	expect 0 "$command --help" real "$command" --help
	out "^usage: pmctl $command" "is about $command"
done
about() { # COMMAND [ARGUMENT]...: a command line that asks for help
	expect 0 "$*" real "$@"
	out "^usage: pmctl $1" "is help"
}
about report -i log --help
about report -s comm --help
about report --sort=comm -h
about report -g callees log --help
about report log --help
about script --input log --help
about stat -r 3 --per-thread --timeout 5 -h
about record -ah
about record -g dwarf --help
about list -j 'cyc*' --help
about probe -e syscall:read:entry --count comm --help
expect 125 "--help as the name of a log" real report -i --help
err "no log '--help'" "is that"
expect 125 "--help of the program" real stat -a -- true --help
err 'modprobe hwpmc' "is not ours"

# Options
expect 125 "stat of nothing" real stat
expect 125 "an unknown option" real stat -Q -- true
expect 125 "an option without its value" real stat -e
expect 125 "a value that an option does not take" real stat --json=3 -- true
err "^pmctl: option '--json=3' takes no value; 'pmctl stat --help'" "and the message names the option"
expect 125 "one of an option without a letter" real report --folded=yes
err "option '--folded=yes' takes no value" "likewise"
expect 125 "an unknown letter behind a word with a value" real stat --event=cycles -Qa
err "unknown option '-Q'" "and the message names the letter"
expect 125 "a wrong process id" real stat -p 12x
expect 125 "a wrong CPU" real stat -C 1-0 -- true
expect 125 "-x and -j" real stat -x, -j -- true
expect 125 "-a and -p" real stat -a -p 1
expect 125 "-r without a program" real stat -a -r 3
expect 125 "--append without -o" real stat --append -- true
expect 125 "-I 0" real stat -I 0 -- true
expect 125 "-W with -a" real stat -W -a
expect 125 "-E with -r" real stat -E -r 2 -- true
expect 125 "record of nothing" real record
err 'give a program' "says what is missing"
expect 125 "an unknown option of record" real record --qq true
err 'pmctl record --help' "and where options are explained"
expect 125 "-c and -F" real record -c 1000 -F 99 true
expect 125 "-c 0" real record -c 0 true
expect 125 "-c with a word" real record -c many true
expect 125 "-F 0" real record -F 0 true
expect 125 "-gfast" real record -gfast true
err "not 'fast'" "is no way to get a call chain"
expect 125 "--all-user and --all-kernel" real record --all-user --all-kernel true
expect 125 "--off-cpu of CPUs" real record --off-cpu -a true
err '^pmctl: --off-cpu follows threads, not CPUs: give a program to run, -p PID or -t TID$' "says what to give instead"
expect 125 "--off-cpu with a frequency" real record --off-cpu -F 99 true
err '^pmctl: off-CPU time is sampled by a period \(-c\), not by a frequency \(-F\)$' "says what it needs"
expect 125 "--duration of a word" real record --duration 1s true
err "^pmctl: --duration needs a number of seconds from 0\.001 to [0-9]+, not '1s'$" "and the message has the bounds"
expect 125 "--duration nan" real record --duration nan true
expect 125 "--duration 0" real record --duration 0 true
expect 125 "record without a device" real record true

# With the fake device
expect 0 "stat" pretend stat -e cycles,instructions -- true
err "^ Performance counter stats for 'true':$" "its title"
err '^ +1,000,000      cycles  ' "cycles"
err '^ +1,360,000      instructions  .*# +1\.36 insn per cycle$' "instructions per cycle"
err '^ +[0-9.]+ seconds time elapsed$' "the time"
err '^ +[0-9.]+ seconds user$' "the user time"
expect 0 "stat of CPUs while a program runs" pretend stat -a -e cycles -- true
err '^ +[0-9.]+ seconds time elapsed$' "the time"
no_err 'seconds (user|sys)' "the times of a program that is not counted are left out"
expect 0 "stat of a process while a program runs" pretend stat -p $$ -e cycles -- true
no_err 'seconds (user|sys)' "likewise"
expect 0 "stat of a process that is named twice" pretend stat -p $$,$$ -e cycles -- true
err "^ Performance counter stats for process id '[0-9]+':$" "counts it once"
expect 0 "stat without -e" pretend stat -- true
err '^ +<not supported>      branches$' "what is not there is not 0"
no_err '^ +0 ' "nothing is"
no_err '^pmctl:' "nobody is scolded for our choice"
expect 0 "an event that is not there" pretend stat -e cycles,branches -- true
err "^pmctl: event 'branches': this CPU does not count that" "and why"
expect 0 "a group" pretend stat -e '{cycles,branches},instructions' -- true
err '<not counted>      cycles$' "is counted together or not at all"
err '1,360,000      instructions' "others are not concerned"
expect 3 "the program's status" pretend stat -e cycles -- sh -c 'exit 3'
# shellcheck disable=SC2016
expect 143 "the program's signal" pretend stat -e cycles -- sh -c 'kill -TERM $$'
expect 127 "no such program" pretend stat -e cycles -- "$tmp/nothing"
no_err 'counter stats' "has no results"
err 'No such file' "and that is said"
expect 126 "no program" pretend stat -e cycles -- "$tmp"
printf 'exit 6\n' >"$tmp/bare"
chmod +x "$tmp/bare"
PATH=$tmp:$PATH expect 6 "a script without #!, found in PATH" pretend stat -e cycles -- bare
mkdir "$tmp/first" && mkdir "$tmp/first/bare"
PATH=$tmp/first:$tmp:$PATH expect 6 "a directory of that name is passed over" \
	pretend stat -e cycles -- bare
expect 125 "an unknown event" pretend stat -e cylces -- touch "$tmp/ran"
err "did you mean 'cycles'" "the nearest event"
[ ! -e "$tmp/ran" ]
say $? "nothing was run"
FAKE_ROWS=1 expect 125 "one more than rows" pretend stat -e cycles,instructions -- true
err 'held by pid 812 \(make\)' "the module's sentence"
FAKE_ROWS=1 FAKE_CONSTRAINED=1 expect 125 "one more than an event's rows" \
	pretend stat -e cycles,instructions -- true
err "^pmctl: event 'instructions': only rows 1,5-7 can count 0x8; this command holds them all$" \
	"names the rows"
FAKE_ROWS=1 expect 0 "one more than rows, of our choice" pretend stat -- true
err '<not counted>      instructions' "is not counted"
FAKE_USER_ONLY=1 expect 0 "user mode only" pretend stat -e cycles,instructions:u -- true
err 'cycles:u  ' "is shown"
err 'kernel mode needs CAP_PERFMON: counting user mode only' "with the module's reason"
err 'insn per cycle' "and both are of one mode"
FAKE_USER_ONLY=1 expect 125 ":k is not turned into :u" pretend stat -e cycles:k -- true

FAKE_LOSS=1 expect 0 "a child that could not be followed" pretend stat -e cycles -- true
err '^pmctl: 1 children .* too low' "is not passed over"
expect 0 "the program's output" pretend stat -o "$tmp/file" -e cycles -- echo hello
[ "$(cat "$tmp/out")" = hello ]
say $? "is its own"
grep -q 'cycles' "$tmp/file" && [ ! -s "$tmp/err" ]
say $? "-o takes the results"
pretend stat -o "$tmp/file" --append -e instructions -- true
grep -q 'cycles' "$tmp/file" && grep -q 'instructions' "$tmp/file"
say $? "--append keeps what is there"
expect 125 "-o where nothing can be written" pretend stat -o "$tmp/no/file" -e cycles -- true
expect 125 "-o on a full device" pretend stat -o /dev/full -e cycles -- true
expect 0 "-x" pretend stat -x, -e cycles:u,instructions -- true
err '^1000000,,cycles:u,1000000000,100\.00,' "CSV"
expect 0 "-j" pretend stat -j -e cycles:u,branches -- true
err '^\{.*"counter-value": "1000000".*"event": "cycles:u"' "JSON"
err '"counter-value": "<not supported>"' "JSON of what is not there"
expect 0 "stat -d" pretend stat -d -- true
err 'L1-dcache-load-misses' "has level 1"
err 'LLC-loads' "and the last"
no_err 'dTLB' "and no TLB"
expect 0 "stat -dd" pretend stat -dd -- true
err 'dTLB-loads' "has the TLBs"
expect 125 "stat -d -e" pretend stat -d -e cycles -- true
err '-d chooses the events' "says why"
expect 0 "-r" pretend stat -r 3 -e cycles -- true
err "^ Performance counter stats for 'true' \(3 runs\):$" "three runs"
err '1,000,000      cycles .*\( \+-  0\.00% \)$' "their mean and deviation"
expect 0 "-r -j" pretend stat -r 3 -j -e cycles -- true
err '"event-runtime": 1000000000, "pcnt-running": 100' "the mean of the times too"
# shellcheck disable=SC2016
expect 0 "-I" pretend stat -I 50 -e cycles -- \
	sh -c 'until [ "$(grep -c "1,000,000 " "$0")" -ge 3 ]; do sleep 0.02; done' "$tmp/err"
[ "$(grep -c '  1,000,000      cycles' "$tmp/err")" -ge 3 ]
say $? "each interval shows what came in it"
expect 125 "a CPU that there is not" pretend stat -C 4096 -e cycles -- true
err 'no CPU 4096' "is called that"
expect 0 "-D" pretend stat -D 50 -e cycles -- sleep 0.5
err '1,000,000      cycles' "counts in the end"
expect 0 "-D -1" pretend stat -D -1 -e cycles -- true
expect 0 "--timeout" pretend stat --timeout 100 -e cycles -- sleep 60
err '1,000,000      cycles' "shows what was counted till then"

# list and info
expect 0 "list" pretend list
out '^generic events:$' "has a heading"
out '^  cycles or cpu-cycles  +cycles the CPU was running$' "an event with two names"
out '^  INST_RETIRED  +instructions retired$' "one of the architecture's"
out '^Any other event by its number: rHEX' "and the last line says how to count others"
expect 0 "list GLOB" pretend list 'CYC*'
[ "$(grep -c '^  ' "$tmp/out")" = 1 ] && grep -q '^  cycles' "$tmp/out"
say $? "shows what matches, in whatever case"
expect 1 "list of what nothing matches" pretend list 'wombat*'
err "^pmctl: no event that this machine can count matches 'wombat\*'; 'pmctl list' shows" "says so"
expect 0 "list -j" pretend list -j 'inst*'
out '"event": "instructions"' "JSON"
out '"verified": true' "with all fields"
expect 0 "info" pretend info
out '^CPU: .*0x41009999' "has the CPU"
out '^  ARMV8 +7 rows' "its classes"
out '^   0  ARMV8   counter 0 +32 bits  free$' "and rows"
out '^   1 .*  thread, held by make \(pid 812\), TC, event 0x11, and 1 more$' "who holds one"
out '^   2 .*  thread, held by a process that you may not see$' "whose name is not shown"
out '^   3 .*  disabled$' "and what is out of use"
FAKE_ABSENT=1 expect 0 "info of a CPU without a row" pretend info
out '^   6 .*  absent$' "shows that it is absent"
expect 0 "info --stats" pretend info --stats
out '^  calls +1,234,567$' "has statistics"
expect 0 "info -js" pretend info -js
out '"comm": "make"' "JSON"
out '"calls": 1234567' "of all of it"
out '"cpuid": "0x41009999"' "and the id of each CPU"
FAKE_NO_PMU=1 FAKE_PROBLEM="the hypervisor hides them" expect 0 "info without a PMU" pretend info
out '^Problem:  the hypervisor hides them$' "says why"

# Counts at switches and exits
expect 0 "stat -W" pretend stat -W -e cycles -- true
err '^ +[0-9.]+ CPU0 .* 1,234,567      cycles \(switch\)$' "a line a switch"
[ "$(sed -nE 's/.* ([0-9,]+)      cycles \(switch\)/\1/p' "$tmp/err" | tr '\n' ' ')" = '1,234,567 2,222,222 ' ]
say $? "in the order of time"
err '^ +1,000,000      cycles' "and the sum"
expect 0 "stat --per-thread of a program" pretend stat --per-thread -e cycles -- true
err '^ +true-[0-9]+ +7,654,321      cycles' "has the thread that has exited"
no_err 'exited|\(exit\)' "and neither a rest nor a line of -E"
expect 0 "stat -E -x" pretend stat -E -x, -e cycles:u -- true
err '^[0-9.]+,0,[0-9]+,[0-9]+,7654321,,cycles:u,exit$' "CSV of an exit"
expect 0 "stat -E -j" pretend stat -E -j -e cycles -- true
err '^\{"time": .*"counter-value": "7654321".*"at": "exit"\}$' "JSON of an exit"

# Recording
log=$tmp/log
expect 3 "record: the program's status" pretend record -o "$log" -e cycles:u -- sh -c 'exit 3'
err '^pmctl: 100 samples, 0 lost, throttled 0 times; [0-9.]+ MB in ' "and what was sampled"
expect 0 "script" real script "$log"
[ "$(grep -c ' SAMPLE id=1 event=cycles:u ' "$tmp/out")" = 100 ]
say $? "shows each sample"
out 'SAMPLE .* comm=fake .* pc=0x400010 at=/bin/sh\+0x10$' "and where it was"
out ' SYSTEM .* command=pmctl record -o .*-- sh -c exit 3$' "how it was recorded"
out ' BUILD_ID build-id=[0-9a-f]{32,} path=/bin/sh$' "build-ids"
id=$(od -An -tx1 /sys/kernel/notes | tr -d ' \n' | sed -n 's/.*040000001400000003000000474e5500\(.\{40\}\).*/\1/p')
[ -n "$id" ] && grep -q " BUILD_ID build-id=$id path=\[kernel\]$" "$tmp/out"
say $? "that of the kernel, too"
[ ! -s "$tmp/err" ]
say $? "and has nothing to complain of"
head -n 1 "$tmp/out" | grep -q 'INITIALIZE version=2\.' && tail -n 1 "$tmp/out" | grep -q ' CLOSE$'
say $? "from its beginning to its end"
expect 0 "script -j" real script -j "$log"
out '^\{"time":"[0-9.]+","cpu":1,"type":"SAMPLE","id":1,.*"pc":"0x400010"' "JSON"
FAKE_MEMORY=64 expect 0 "record -m of more than the user may have" \
	pretend record -m 200 -o "$tmp/less" -e cycles -- true
err '^pmctl: rings of 64 KiB instead of 256 KiB, .*ulimit -l' "takes less, and that is said"
FAKE_MEMORY=64 expect 0 "record -m of what the user may have" \
	pretend record -m 64 -o "$tmp/less" -e cycles -- true
no_err 'rings of' "says nothing"
FAKE_MEMORY=1 expect 125 "record without memory for the smallest rings" \
	pretend record -m 64 -o "$tmp/less" -e cycles -- true
err 'cannot create the rings: too much memory' "says why"
# Without the symbols of /proc/kallsyms, which would be most of the log.
bare() { FAKE_ROOT=$tmp/nowhere pretend record "$@"; }
mkdir -p "$tmp/kernel/proc"
for i in {0..999}; do printf 'ffff8000100%05x t function_%d\n' $((i * 256)) "$i"; done >"$tmp/kernel/proc/kallsyms"
FAKE_KERNEL=1 FAKE_ROOT=$tmp/kernel expect 0 "record in the kernel" \
	pretend record -o "$tmp/kernel.log" -e cycles -- true
real script -S "$tmp/kernel.log"
[ "$(sed -n 's/.* KSYM .*=//p' "$tmp/out" | tr '\n' ' ')" = 'function_2 function_1 ' ]
say $? "logs the symbol that was hit and the one behind it"
out ' SAMPLE .*mode=kernel .*at=function_1\+0x10$' "by which the sample has its name"
# Reading the kernel's symbols must not be sampled: it would be most of the profile of an idle machine.
rm -f "$tmp/order"
FAKE_ORDER=$tmp/order FAKE_ROOT=$tmp/kernel expect 0 "record of all CPUs" \
	pretend record -a -C 0 -o "$tmp/kernel.log" -e cycles --duration 0.1
[ "$(sed 2q "$tmp/order" | paste -sd ' ')" = 'symbols start' ]
say $? "reads the kernel's symbols before it samples"
FAKE_SAMPLES=2000 expect 0 "record --no-compress" bare --no-compress -o "$tmp/plain" -e cycles -- true
FAKE_SAMPLES=2000 expect 0 "record of many samples" bare -o "$tmp/default" -e cycles -- true
# shellcheck disable=SC2016 # the inner shell expands them
FAKE_SAMPLES=2000 expect 0 "record to a pipe" sh -c 'LD_PRELOAD=$1 PMCTL_DEVICE=fake FAKE_ROOT=$2 "$3" \
	record -o - -e cycles -- true | cat >"$4"' sh "$fake" "$tmp/nowhere" "$pmctl" "$tmp/pipe"
FAKE_SAMPLES=2000 expect 0 "record -z" bare -z -o "$tmp/small" -e cycles -- true
size() { stat -c %s "$tmp/$1"; }
[ $(($(size default) * 4)) -lt "$(size plain)" ]
say $? "a file is compressed by default"
[ $(($(size pipe) + 1000)) -gt "$(size plain)" ]
say $? "a pipe is not"
[ $(($(size small) * 4)) -lt "$(size plain)" ]
say $? "makes a much smaller log"
expect 0 "what was compressed" real script "$tmp/small"
[ "$(grep -c ' SAMPLE ' "$tmp/out")" = 2000 ]
say $? "says the same"
real report -x, --sort symbol --by-address "$tmp/plain"
cp "$tmp/out" "$tmp/report"
expect 0 "its report" real report -x, --sort symbol --by-address "$tmp/small"
[ "$(wc -l <"$tmp/report")" = 2001 ] && cmp -s "$tmp/out" "$tmp/report"
say $? "is that of the other one"
FAKE_THROTTLE=1 expect 0 "record that is throttled" bare -c 1000 -o "$log" -e cycles -- true
[ "$(grep -c '^pmctl: sampling is throttled: ' "$tmp/err")" = 1 ]
say $? "says so once, while it samples"
err '^pmctl: 75\.0% of the events occurred while .*\[throttled\]; take a longer period \(-c 10000\)$' \
	"and how much it is at the end, and what to do"
FAKE_CALLS=4 FAKE_THROTTLE=1 expect 0 "record of a probe that is throttled" \
	bare -c 1 -o "$tmp/probe.log" -e syscall:read:entry -- true
err '^pmctl: 7 samples of probes were not taken .*\(--filter\)$' "says how many are missing"
! grep -q 'buffers were full' "$tmp/err"
say $? "and not that the buffers were full"
real script "$tmp/probe.log"
out ' DROP .*lost=7 .*throttled=7' "its records have it, too"
FAKE_THROTTLE=1 expect 0 "record that is throttled" bare -c 1000 -o "$log" -e cycles -- true
tail -n 1 "$tmp/err" | grep -q '^pmctl: 101 samples, 0 lost, throttled 1 times; '
say $? "before the last line"
real report -x, -s symbol "$log"
out '^cycles,75\.0000,300000,1,\[throttled\]$' "its report has it as a line"
FAKE_THROTTLE=1 expect 0 "record -F that is throttled" bare -F 1000 -o "$log" -e cycles -- true
err 'take fewer samples \(-F 100\)$' "and the message suggests fewer samples"
FAKE_LOSS=1 expect 0 "record of a child that could not be followed" bare -o "$log" -e cycles -- true
err '^pmctl: 1 child or thread could not be followed and is not in the log: .*dmesg' "says so"
FAKE_SAMPLES=5000 expect 0 "more samples than room" pretend record -o "$log" -e cycles -- true
recorded=$(sed -n 's/^pmctl: \([0-9,]*\) samples.*/\1/p' "$tmp/err" | tr -d ,)
lost=$(sed -n 's/.* \([0-9,]*\) lost.*/\1/p' "$tmp/err" | tr -d ,)
[ "$lost" -gt 0 ] && [ $((recorded + lost)) = 5000 ]
say $? "recorded and lost are all there were"
err '^pmctl: samples were lost .* \(-m 128\) ' "and what to do is said"
tail -n 1 "$tmp/err" | grep -q '^pmctl: [0-9,]* samples'
say $? "before the last line"
real script "$log"
[ "$(grep -c ' SAMPLE ' "$tmp/out")" = "$recorded" ] && grep -q " DROP .*lost=$lost " "$tmp/out"
say $? "as the log says"
FAKE_SAMPLES=5000 expect 0 "record -m" bare -m 1000 -o "$log" -e cycles -- true
err '^pmctl: 5,000 samples, 0 lost' "makes room for them"
no_err 'were lost' "and has nothing more to say"
FAKE_SAMPLES=5000 expect 0 "record of stacks" bare -g dwarf -o "$log" -e cycles -- true
err '^pmctl: 5,000 samples, 0 lost' "has buffers for samples of that size"
FAKE_MEMORY=64 FAKE_SAMPLES=5000 expect 0 "record of stacks with little memory" bare -g dwarf -o "$log" -e cycles -- true
no_err 'rings of' "has as much as there is for small samples, and says nothing"
expect 125 "record -m of more than a number holds" bare -m 18014398509481983 -o "$log" -e cycles -- true
err '^pmctl: -m needs a number from 1 to 2147483647,' "and the message has the bounds"
expect 125 "record -m 0" bare -m 0 -o "$log" -e cycles -- true
expect 0 "record --buffer" bare --buffer 1 -o "$log" -e cycles -- true
expect 0 "record -o -" pretend record -o - -e cycles -- echo hello
err '^hello$' "what the program prints is not in the log"
cp "$tmp/out" "$tmp/piped"
expect 0 "script of standard input" real script - <"$tmp/piped"
out ' SAMPLE ' "shows it"
cp "$log" "$tmp/before"
expect 127 "record of no such program" pretend record -o "$log" -e cycles -- "$tmp/nothing"
cmp -s "$log" "$tmp/before"
say $? "leaves the log alone that was there"
expect 126 "record of what is no program" pretend record -z -o "$tmp/none" -e cycles -- "$tmp"
[ ! -e "$tmp/none" ]
say $? "makes none"
yes | head -c 1000000 >"$log"
expect 0 "record over a large file" pretend record -o "$log" -e cycles -- true
expect 0 "its log" real script "$log"
[ ! -s "$tmp/err" ]
say $? "has nothing of it behind its end"
expect 125 "record where nothing can be written" pretend record -o "$tmp/no/log" -- true
expect 125 "record to a full device" pretend record -o /dev/full -e cycles -- true
err "cannot write '/dev/full': No space" "and why"
[ "$(wc -l <"$tmp/err")" = 1 ]
say $? "once"
expect 125 "a program that is ended for that" pretend record -o /dev/full -e cycles -- sleep 60
FAKE_NO_SAMPLING=1 expect 125 "record where nothing samples" pretend record -o "$log" -- true
err 'sampling is not available here' "in the module's words"
expect 0 "record without -e" pretend record -o "$log" -- true
real script "$log"
out ' EVENT id=1 event=cycles$' "takes cycles"
FAKE_USER_ONLY=1 expect 0 "record in user mode only" pretend record -o "$log" -- true
real script "$log"
out ' EVENT id=1 event=cycles:u$' "and says so"
for how in '-g dwarf' '-gdwarf' '-g fp' '-g'; do
	# shellcheck disable=SC2086 # words
	expect 0 "record $how" bare $how -e cycles -o "$log" true
done
expect 127 "record -g -- of a program of such a name" pretend record -g -e cycles -o "$log" -- fp
expect 0 "record --all-user" pretend record --all-user -e cycles,instructions -o "$log" -- true
real script "$log"
out ' EVENT id=2 event=instructions:u$' "is for all events"
expect 0 "record -a" pretend record -a -C 0-1 -e cycles -o "$log" -- true
no_err 'pmctl itself' "has no samples of pmctl to leave out"
holds() { # SAMPLES NAME: the log has that many samples
	real script "$log"
	[ "$(grep -c ' SAMPLE ' "$tmp/out")" = "$1" ]
	say $? "$2"
}
FAKE_SELF=30 expect 0 "record -C while pmctl runs" bare -C 0 -e cycles -o "$log" -- true
err '^pmctl: 100 samples, 0 lost, 30 of pmctl itself left out, throttled 0 times; ' "leaves its own samples out"
holds 100 "as the log does"
FAKE_SELF=30 expect 0 "record --no-exclude-self" bare -C 0 --no-exclude-self -e cycles -o "$log" -- true
err '^pmctl: 130 samples, 0 lost, throttled 0 times; ' "keeps them"
holds 130 "in the log, too"
FAKE_SELF=30 expect 0 "record of a program" bare -e cycles -o "$log" -- true
err '^pmctl: 130 samples, 0 lost, throttled' "leaves nothing out"
FAKE_SELF=30 expect 0 "record --exclude-self" bare --exclude-self -e cycles -o "$log" -- true
err '^pmctl: 100 samples, 0 lost, 30 of pmctl itself left out, ' "does"
expect 0 "record --duration" pretend record --duration 1 -e cycles -o "$log" -- sleep 60
expect 0 "record --duration of a part of a second" pretend record --duration 0.3 -e cycles -o "$log" -- sleep 60
for delay in -1 60000; do
	expect 0 "record -D $delay" pretend record -D $delay -e cycles -o "$log" -- true
	err '^pmctl: 0 samples, 0 lost' "samples nothing of a program that ends before"
done
expect 0 "record -D" bare -D 50 -e cycles -o "$log" -- sleep 2
err '^pmctl: 100 samples' "samples in the end"
no_err $'\r' "and shows no progress if standard error is no terminal"
real script "$log"
awk '/ INITIALIZE / { begin = $1 } / SAMPLE / { first = $1; exit }
	END { exit !(first - begin >= 0.05) }' "$tmp/out"
say $? "and none before"
# On a terminal: types KEYS when WORD was printed.
typed() { timeout 60 "$HERE/terminal.py" "$@" >"$tmp/out" 2>"$tmp/err"; } # WORD KEYS COMMAND...
in_place() { # WORDS NAME: WORDS replace the progress line that was shown before
	[[ $(<"$tmp/out") == *$'\r[ 100 samples, 0.0 MB ]\e[K'*$'\r\e[K'"$1"* ]]
	say $? "$2"
}
there=(env LD_PRELOAD="$fake" PMCTL_DEVICE=fake FAKE_ROOT="$tmp/nowhere" "$pmctl")
expect 0 "record on a terminal" \
	typed ' 100 samples' $'\n' "${there[@]}" record -e cycles -o "$log" -- sh -c 'read -r _'
in_place 'pmctl: 100 samples, 0 lost' "shows its progress, till it has ended"
# shellcheck disable=SC2016
expect 0 "record to a reader that leaves" \
	typed '' '' sh -c '"$@" | head -c 1 >/dev/null' sh "${there[@]}" record -e cycles -o - sleep 60
in_place "pmctl: cannot write '-': Broken pipe" "gives the reason, and no progress before it"
pretend record -o "$tmp/one" -e cycles -- true
pretend record -o "$tmp/other" -e instructions -- true
cat "$tmp/one" "$tmp/other" >"$tmp/both"
expect 0 "script of two logs in a file" real script "$tmp/both"
[ "$(grep -c ' SAMPLE id=1 event=cycles ' "$tmp/out")" = 100 ] &&
	[ "$(grep -c ' SAMPLE id=1 event=instructions ' "$tmp/out")" = 100 ]
say $? "knows which id is whose"
[ "$(sed -n 's/.* \(INITIALIZE\|CLOSE\).*/\1/p' "$tmp/out" | tr '\n' ' ')" = \
	'INITIALIZE CLOSE INITIALIZE CLOSE ' ]
say $? "and shows one after the other"
expect 125 "script of nothing" real script "$tmp/nothing"
err "^pmctl: there is no log '.*': run 'pmctl record' first" "says what to do"
expect 125 "report of nothing" real report "$tmp/nothing"
err "^pmctl: there is no log '.*': run 'pmctl record' first" "does, too"
expect 125 "script of no log" real script "$tmp/file"
err 'is not a log of hwpmc' "says so"
head -c 4000 "$tmp/plain" >"$tmp/cut"
expect 1 "script of a log that was cut off" real script "$tmp/cut"
err "was cut off: it ends in the record that begins at byte [0-9]+$" "says where"

# shellcheck source=tools/pmctl/test/pager.sh
. "$HERE/pager.sh"

# shellcheck source=tools/pmctl/test/signals.sh
. "$HERE/signals.sh"
