# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# Sourced by run, after cases.sh: pmctl probe, and list --args.

root=$tmp/probe
calls=$root/sys/kernel/tracing/events/syscalls
mkdir -p "$root/sys/kernel/btf" "$root/proc" "$calls"
"$HERE/make_btf.py" "$root/sys/kernel/btf"
printf 'ffff800010000000 T vfs_read\n' >"$root/proc/kallsyms"
format() { # CALL FIELD...
	mkdir -p "$calls/sys_enter_$1"
	{
		printf '\tfield:%s;\toffset:8;\tsize:8;\tsigned:0;\n' 'int common_pid' 'int __syscall_nr'
		printf '\tfield:%s;\toffset:8;\tsize:8;\tsigned:0;\n' "${@:2}"
		echo 'print fmt: "fd: 0x%08lx", ((unsigned long)(REC->fd))'
	} >"$calls/sys_enter_$1/format"
}
format read 'unsigned int fd' 'char * buf' 'size_t count'
format openat 'int dfd' 'const char * filename' 'int flags' 'umode_t mode'
format newfstat 'unsigned int fd' 'struct stat * statbuf'
format sync
args() { FAKE_ROOT=$root LD_PRELOAD=$fake "$pmctl" list --args "$@" >"$tmp/out" 2>"$tmp/err"; }
run() { FAKE_ROOT=$root pretend "$@"; }
probe() { run probe "$@"; }
is() { # NAME <EXPECTED: the last command's output
	diff - "$tmp/out" >"$tmp/diff"
	local result=$?
	[ $result = 0 ] || cat "$tmp/diff"
	say $result "$1"
}

# Arguments
expect 0 "list --args of a system call" args syscall:read:return
is "has the fields of tracefs, and what is returned" <<'END'
syscall:read:return:
  arg1   fd               unsigned int
  arg2   buf              char *
  arg3   count            size_t
  retval                  long
END
expect 0 "list --args of a call with another name there" args syscall:fstat:entry
out '^  arg2   statbuf +struct stat \*$' "is found"
expect 0 "list --args of a call without arguments" args syscall:sync:entry
is "has none" <<'END'
syscall:sync:entry:
  none
END
expect 0 "list --args of a call that tracefs has not" args syscall:close:entry
out '^  arg1   fd  +int$' "types are those of BTF"
expect 0 "list --args of a function" args kprobe:vfs_read
is "has its parameters" <<'END'
kprobe:vfs_read:
  arg1   file             void *
  arg2   buf              const char *
  arg3   count            size_t
END
expect 0 "list --args of its return" args kprobe:vfs_read:return
is "has what it returns" <<'END'
kprobe:vfs_read:return:
  retval                  ssize_t
END
expect 0 "list --args of the return of a function without a result" args kprobe:do_exit:return
is "has nothing" <<'END'
kprobe:do_exit:return:
  none
END
expect 0 "list --args of a tracepoint" args tracepoint:sched:sched_switch
is "has its prototype, without the probe's own argument" <<'END'
tracepoint:sched:sched_switch:
  arg1   prev             struct task_struct *
  arg2   next             struct task_struct *
  arg3   state            enum state
END
expect 0 "list --args of one without names" args tracepoint:nameless
out '^  arg1   arg1  +int$' "has numbers"
expect 0 "list --args of a module's function" args kprobe:one_open
out '^  arg1   task +struct task_struct \*$' "has types of the kernel"
out '^  arg2   mode +u16$' "and of its own"
expect 0 "list --args of what is not known" args kprobe:no_such
[ "$(grep -c '^  arg' "$tmp/out")" = 10 ]
say $? "has as many as there may be"
err "^pmctl: the number and types of the arguments of 'kprobe:no_such' are unknown" "and says so"
expect 0 "list --args of an instruction within a function" args kprobe:vfs_read+4
err 'number and types of the arguments of .* are unknown' "knows none"
expect 0 "list -j --args" args tracepoint:sched_switch -j
out '"name": "prev"' "JSON"
out '"known": true' "of it"
expect 125 "list --args of an event of the PMU" args cycles
err "needs one probe, .* not 'cycles'" "says what it needs"
expect 125 "list --args and a GLOB" args syscall:read:entry '*'
for size in 0 10 24 100 400; do
	mkdir -p "$tmp/cut-off/sys/kernel/btf"
	head -c $size "$root/sys/kernel/btf/vmlinux" >"$tmp/cut-off/sys/kernel/btf/vmlinux"
	root=$tmp/cut-off expect 0 "types that are cut off at byte $size" args kprobe:vfs_read
	err 'number and types of the arguments of .* are unknown' "are not used"
done

# What was typed
expect 125 "probe without an event" probe -- true
err 'give one with -e' "says so"
expect 125 "probe of nothing" probe -e syscall:read:entry
err 'no target' "says so"
expect 125 "probe of an event of the PMU" probe -e cycles -- true
err "'cycles' is not a probe, .*pmctl record" "and what is for it"
expect 125 "probe of no such call" probe -e syscall:reed:entry -- touch "$tmp/probed"
err "event 'syscall:reed:entry': there is no such system call" "has the module's sentence"
[ ! -e "$tmp/probed" ]
say $? "and nothing was run"
FAKE_USER_ONLY=1 expect 125 "probe without the right to" probe -e syscall:read:entry -- true
err "event 'syscall:read:entry': probes need CAP_PERFMON" "says so"
expect 127 "probe of no such program" probe -e syscall:read:entry -- "$tmp/nothing"
wrong() { # MESSAGE OPTION...
	expect 125 "${*:2}" probe -e syscall:read:entry,syscall:read:return "${@:2}" -- true
	grep -qFx "pmctl: $1" "$tmp/err"
	say $? "$1"
}
wrong "--hist 'cuont by comm': 'cuont' is not a value of these events; did you mean 'count'?" \
	--hist 'cuont by comm'
wrong "--hist 'count by kstak': 'kstak' is not a key of these events; did you mean 'kstack' or 'ustack'?" \
	--hist 'count by kstak'
wrong "--sum 'comm by pid': 'comm' is a key, not a number: write it after 'by'" --sum 'comm by pid'
wrong "--sum 'arg4': 'arg4' is not a value of these events; 'pmctl list --args EVENT' shows their arguments" \
	--sum arg4
wrong "--count: it has no value: 'fd' before 'by' is one word too many" --count 'fd by comm'
wrong "--hist: a key is missing after a comma" --hist 'count by comm,'
wrong "--latency 'tracepoint:sched_switch': a tracepoint has no return; give a system call or a function, such as syscall:read or kprobe:vfs_read" \
	--latency tracepoint:sched_switch
wrong "-I needs results, such as of --count: without them each event is shown at once" -I 5
wrong "--top needs results, such as of --count" --top 5
wrong "--args, --string, --comm and -g apply to lines of events: with results, such as of --count, use arguments, comm, kstack and ustack as keys" \
	--args --count pid
expect 125 "retval of entries" probe -e syscall:read:entry --hist retval -- true
err "no event returns a value: 'retval' needs an event that ends in :return" "says what to take"

# Conditions of stat and record
expect 125 "stat --filter without -e" run stat --filter 'fd == 3' -- true
err '^pmctl: --filter needs probes: give some with -e' "says what it needs"
expect 125 "record --filter without -e" run record --filter 'fd == 3' -o "$tmp/log" -- true
err '^pmctl: --filter needs probes: give some with -e' "says what it needs"
for command in stat "record -o $tmp/log"; do
	# shellcheck disable=SC2086 # words
	expect 125 "${command%% *} --filter of a counter" run $command -e syscall:read:entry,cycles --filter 'pid == 1' -- touch "$tmp/filtered"
	err "^pmctl: --filter needs probes, .*; 'cycles' is not a probe$" "names it"
	# shellcheck disable=SC2086 # words
	expect 125 "${command%% *} --filter of no argument" run $command -e syscall:read:entry --filter 'size == 3' -- touch "$tmp/filtered"
	err "^pmctl: --filter, for 'syscall:read:entry': 'size' is not a key of these events" "names it"
	# shellcheck disable=SC2086 # words
	expect 0 "${command%% *} --filter" run $command -e syscall:read:entry,syscall:read:return --filter 'fd == 3' --filter 'comm != sh' -- true
done
[ ! -e "$tmp/filtered" ]
say $? "and nothing was run"
expect 125 "probe --cgroup of none" probe -e syscall:read:entry --cgroup /no/such -- touch "$tmp/filtered"
err "^pmctl: (there is no cgroup '/no/such'|cgroup v2 is not mounted): " "says so"
expect 125 "probe of a directory that is no cgroup" probe -e syscall:read:entry --filter "cgroup != $tmp" -- touch "$tmp/filtered"
err "^pmctl: (there is no cgroup '$tmp'|cgroup v2 is not mounted): " "says so"
expect 125 "probe of a part of a cgroup" probe -e syscall:read:entry --filter 'cgroup > /' -- touch "$tmp/filtered"
err "^pmctl: --filter: cgroup is compared with == or !=, not with >$" "says so"
[ ! -e "$tmp/filtered" ]
say $? "and nothing was run"

# Lines
lines() { sed -E 's/^ +[0-9.]+ ([ 0-9]{3}) +[0-9]+ +[0-9]+/T \1 P/' "$tmp/out" >"$tmp/lines"; mv "$tmp/lines" "$tmp/out"; }
FAKE_CALLS=4 expect 0 "probe" probe -e syscall:read:entry,syscall:read:return --args --comm -- true
err '^pmctl: 8 events, 0 lost, 0 throttled, 0 skipped$' "counts what it shows"
lines
is "is a line an event, in the order of time over all CPUs" <<'END'
        TIME CPU     PID     TID COMM            EVENT
T   1 P cat             syscall:read:entry  fd=3 buf=0x7ffe0001 count=100
T   1 P cat             syscall:read:return fd=3 buf=0x7ffe0001 count=100 = 100
T   0 P sh              syscall:read:entry  fd=3 buf=0x7ffe0002 count=400
T   0 P sh              syscall:read:return fd=3 buf=0x7ffe0002 count=400 = 400
T   1 P cat             syscall:read:entry  fd=3 buf=0x7ffe0003 count=900
T   1 P cat             syscall:read:return fd=3 buf=0x7ffe0003 count=900 = 900
T   0 P sh              syscall:read:entry  fd=3 buf=0x7ffe0004 count=1600
T   0 P sh              syscall:read:return fd=3 buf=0x7ffe0004 count=1600 = -2 ENOENT
END
FAKE_CALLS=1 expect 0 "probe of a call with flags" probe -e syscall:openat:entry --args -- true
lines
is "has them in hexadecimal, and numbers with a sign" <<'END'
        TIME CPU     PID     TID EVENT
T   1 P syscall:openat:entry dfd=3 filename=0x7ffe0001 flags=0x64 mode=2989
END
FAKE_CALLS=4 expect 0 "probe --string" probe -e syscall:openat:entry --string filename -- true
lines
is "has the string: with dots if it is cut, and the address if it cannot be read" <<'END'
        TIME CPU     PID     TID EVENT
T   1 P syscall:openat:entry filename="/etc/?name"
T   0 P syscall:openat:entry filename="/etc/?name"
T   1 P syscall:openat:entry filename="/etc/?name"...
T   0 P syscall:openat:entry filename=0x7ffe0004
END
FAKE_CALLS=1 expect 0 "probe --string --args" probe -e syscall:openat:entry --string arg2 --args -- true
lines
is "has the other arguments, too" <<'END'
        TIME CPU     PID     TID EVENT
T   1 P syscall:openat:entry dfd=3 filename="/etc/?name" flags=0x64 mode=2989
END
FAKE_CALLS=1 expect 0 "probe --string retval" probe -e syscall:read:return --string retval -- true
lines
is "has what is returned as one" <<'END'
        TIME CPU     PID     TID EVENT
T   1 P syscall:read:return = "/etc/?name"
END
FAKE_CALLS=4 expect 0 "probe --string -j" probe -j -e syscall:openat:entry --string filename -- true
sed -i -E 's/"time": "[0-9.]+"/"time": "T"/; s/("[pt]id": )[0-9]+/\1N/g' "$tmp/out"
is "has it as a key" <<'END'
{"time": "T", "cpu": 1, "pid": N, "tid": N, "event": "syscall:openat:entry", "string": "/etc/?name"}
{"time": "T", "cpu": 0, "pid": N, "tid": N, "event": "syscall:openat:entry", "string": "/etc/?name"}
{"time": "T", "cpu": 1, "pid": N, "tid": N, "event": "syscall:openat:entry", "string": "/etc/?name", "string-cut": true}
{"time": "T", "cpu": 0, "pid": N, "tid": N, "event": "syscall:openat:entry", "string": null}
{"events": 4, "lost": 0, "throttled": 0, "skipped": 0}
END
expect 125 "probe --string of no argument" probe -e syscall:openat:entry --string fiename -- true
err "'fiename' is not a key of these events; did you mean 'filename'" "suggests one"
expect 125 "probe --string of no string" probe -e syscall:openat:entry --string comm -- true
err "^pmctl: --string: 'comm' is neither an argument nor retval$" "is refused"
FAKE_CALLS=1 expect 0 "probe -g" probe -e syscall:read:return -g -- true
lines
is "has both stacks" <<'END'
        TIME CPU     PID     TID EVENT
T   1 P syscall:read:return = 100
                vfs_read
                sh+0x10
                sh+0x1f
END
FAKE_CALLS=1 expect 0 "probe -j" probe -j -e syscall:read:return -g --args --comm -- true
sed -i -E 's/"time": "[0-9.]+"/"time": "T"/; s/("[pt]id": )[0-9]+/\1N/g' "$tmp/out"
is "is an object a line" <<'END'
{"time": "T", "cpu": 1, "pid": N, "tid": N, "comm": "cat", "event": "syscall:read:return", "args": {"fd": 3, "buf": "0x7ffe0001", "count": 100}, "retval": 100, "kstack": ["vfs_read"], "ustack": ["sh+0x10", "sh+0x1f"]}
{"events": 1, "lost": 0, "throttled": 0, "skipped": 0}
END
expect 3 "probe: the program's status" probe -e syscall:read:entry -o "$tmp/file" -- sh -c 'echo hello; exit 3'
[ "$(cat "$tmp/out")" = hello ] && [ "$(grep -c syscall:read "$tmp/file")" = 8 ]
say $? "-o keeps the program's output apart"
expect 0 "probe without -o" probe -e syscall:read:entry -- echo hello
err '^hello$' "has only events on standard output"
no_out() { ! grep -qE -- "$1" "$tmp/out"; say $? "$2"; }
no_out hello "and nothing of the program"
expect 125 "probe -o where nothing can be written" probe -e syscall:read:entry -o "$tmp/no/file" -- true
expect 125 "probe -o to a full device" probe -e syscall:read:entry -o /dev/full -- true
# shellcheck disable=SC2016 # eval expands them
expect 125 "probe to a full standard output" \
	eval 'FAKE_ROOT=$root LD_PRELOAD=$fake PMCTL_DEVICE=fake "$pmctl" probe -e syscall:read:entry -- true >/dev/full 2>"$tmp/err"'
FAKE_CALLS=5000 FAKE_SKIPPED=12 expect 0 "probe of more than there is room for" \
	probe -e syscall:read:return --count '' -- true
recorded=$(sed -n 's/^pmctl: \([0-9,]*\) events, .*/\1/p' "$tmp/err" | tr -d ,)
lost=$(sed -n 's/.* \([0-9,]*\) lost.*/\1/p' "$tmp/err" | tr -d ,)
[ "$lost" -gt 0 ] && [ $((recorded + lost)) = 5000 ]
say $? "read and lost are all there were"
grep -qx " *$(printf "%'d" "$recorded")" "$tmp/out" || grep -qx " *${recorded}" "$tmp/out"
say $? "the result is of those that were read"
err '^pmctl: events were lost .* \(-m 128\)' "and what to do is said"
err ' 12 skipped$' "and what was skipped since it began"
FAKE_CALLS=4 FAKE_THROTTLE=1 expect 0 "probe of one that is throttled" \
	probe -e syscall:read:return --count '' -- true
err '^pmctl: events were not recorded because .* max_cpu_percent .*--filter' "says what to do"
err '^pmctl: 4 events, 0 lost, 7 throttled, 0 skipped$' "and how many were not recorded"
expect 0 "probe --duration" probe -e syscall:read:entry --duration 0.2 -- sleep 60
expect 0 "probe -D -1" probe -e syscall:read:entry -D -1 --count '' -- true
is "has no events" <<'END'
count:
  no events

END
expect 130 "SIGINT ends probing" interrupt probe -e syscall:read:return --count comm -- sleep 60
out '^count by comm:$' "with its results"

# Results
expect 0 "probe --hist" probe -e syscall:read:entry,syscall:read:return --hist 'retval by comm' -- true
is "is of the events that have the value" <<'END'
hist of retval by comm:
  comm=cat: 4 events, min 100, avg 2,100.0, max 4,900
                   64 - 127            1 |########################################|
                  128 - 255            0 |                                        |
                  256 - 511            0 |                                        |
                512 - 1,023            1 |########################################|
              1,024 - 2,047            0 |                                        |
              2,048 - 4,095            1 |########################################|
              4,096 - 8,191            1 |########################################|
  comm=sh: 4 events, min -2, avg 999.0, max 3,600
                    below 0            2 |########################################|
                        ...
                  256 - 511            1 |####################                    |
                512 - 1,023            0 |                                        |
              1,024 - 2,047            0 |                                        |
              2,048 - 4,095            1 |####################                    |

END
expect 0 "probe --lhist" probe -e syscall:read:return --lhist 'count 500,4500,1500' -- true
is "has equal steps, and what is outside of them" <<'END'
lhist of count:
  8 events, min 100, avg 2,550.0, max 6,400
                  below 500            2 |########################################|
                500 - 1,999            2 |########################################|
              2,000 - 3,499            1 |####################                    |
              3,500 - 4,499            1 |####################                    |
                 from 4,500            2 |########################################|

END
expect 0 "probe --latency" probe --latency 'syscall:read by comm' -- true
is "is of each thread, whichever CPU it was on" <<'END'
latency of syscall:read by comm:
  comm=sh: 4 events, min 2.00 us, avg 5.00 us, max 8.00 us
          1.02 us - 2.05 us            1 |####################                    |
          2.05 us - 4.10 us            1 |####################                    |
          4.10 us - 8.19 us            2 |########################################|
  comm=cat: 4 events, min 1.00 us, avg 4.00 us, max 7.00 us
           512 ns - 1.02 us            1 |####################                    |
          1.02 us - 2.05 us            0 |                                        |
          2.05 us - 4.10 us            1 |####################                    |
          4.10 us - 8.19 us            2 |########################################|

END
FAKE_ODD_CALLS=1 FAKE_CALLS=3 expect 0 "probe --latency of calls without both ends" \
	probe --latency syscall:read:entry -- true
is "counts them" <<'END'
latency of syscall:read:entry:
  1 events, min 2.00 us, avg 2.00 us, max 2.00 us
          1.02 us - 2.05 us            1 |########################################|
  not matched: entries without a return 1, returns without an entry 1

END
expect 0 "several results" probe -e syscall:read:entry,syscall:read:return \
	--count 'by event, comm, fd' --sum 'retval by comm' --avg retval --min 'retval by kstack' \
	--max 'count by ustack,retval' --top 3 -- true
is "are a table each" <<'END'
count by event, comm, fd:
         COUNT  EVENT                COMM  FD
             4  syscall:read:entry   cat   3
             4  syscall:read:return  cat   3
             4  syscall:read:entry   sh    3
  and 1 more: --top shows 3

sum of retval by comm:
           SUM  COMM
         8,400  cat
         3,996  sh

avg of retval:
       1,549.5

min of retval by kstack:
           MIN
            -2
                  vfs_read

max of count by ustack, retval:
           MAX  RETVAL
         6,400  -2 ENOENT
                  sh+0x10
                  sh+0x1f
         4,900  4900
                  sh+0x10
                  sh+0x1f
         3,600  3600
                  sh+0x10
                  sh+0x1f
  and 4 more: --top shows 3

END
expect 0 "--max-keys" probe -e syscall:read:return --max-keys 3 --count count --count ustack -- true
is "counts what is left out" <<'END'
count by count:
         COUNT  COUNT
             1  100
             1  400
             1  900
  left out: 5 events of other keys; --max-keys is 3

count by ustack:
         COUNT
             8
                  sh+0x10
                  sh+0x1f

END
expect 0 "results in JSON" probe -j -e syscall:read:return --hist 'retval by comm,kstack' --top 1 -- true
is "are a line for each key" <<'END'
{"aggregation": "hist", "value": "retval", "key": {"comm": "cat", "kstack": ["vfs_read"]}, "count": 4, "sum": 8400, "min": 100, "max": 4900, "avg": 2100.0, "buckets": [{"from": 64, "to": 127, "count": 1}, {"from": 512, "to": 1023, "count": 1}, {"from": 2048, "to": 4095, "count": 1}, {"from": 4096, "to": 8191, "count": 1}]}
{"aggregation": "hist", "keys-not-shown": 1, "events-of-other-keys": 0}
{"events": 8, "lost": 0, "throttled": 0, "skipped": 0}
END
expect 0 "probe -I" probe -I 100 -e syscall:read:return --count comm -- sleep 0.35
[ "$(grep -c '^--- ' "$tmp/out")" -ge 3 ] && [ "$(grep -c '  cat$' "$tmp/out")" = 1 ]
say $? "shows each event in one interval"
