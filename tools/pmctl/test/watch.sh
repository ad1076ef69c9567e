# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# Sourced by run after cases.sh: ps, monitor and admin, with the fake netlink family and device.

# shows LINE NAME: standard output has this line, whose columns are separated by any number of blanks.
shows() {
	tr -s ' ' <"$tmp/out" | sed 's/^ //' | grep -qxF -- "$1"
	say $? "$2"
}
FAKE_NO_FAMILY=1 expect 125 "ps without the module" pretend ps
err "^pmctl: the module is not loaded; try 'modprobe hwpmc'" "says what to do"
expect 125 "ps of an argument" pretend ps 812
expect 125 "an unknown option of ps" pretend ps -Q
expect 125 "ps -x and -j" pretend ps -x, -j
expect 125 "ps --sort" pretend ps --sort name
err 'needs pid, user, command, event, age, samples or lost' "names the keys"
expect 125 "a wrong process of ps" pretend ps -p 0
expect 125 "an unknown user of ps" pretend ps -u nobody-of-that-name
err "there is no user 'nobody-of-that-name'" "is reported"

expect 0 "ps" pretend ps
shows 'PID USER COMMAND HOW EVENT WHOM STATE AGE SAMPLES LOST' "has a heading"
shows '812 root make counts cycles:u cc1 (813) and children running 3m05s - -' "shows a process and whom it counts"
shows '1044 nobody pmctl samples instructions CPUs 0-3,6 running 12s 5,000,000 15' "adds up what is sampled on several CPUs"
shows '1050 root a?b counts MOCK 0x1b 1049 (ended) and 6 more ended 1h02m - -' "scrubs names, and shows when all have ended"
shows '1051! root old counts task-clock nothing yet new 3d04h - -' "marks a pid that may be another's"
[ "$(wc -l <"$tmp/out")" = 5 ]
say $? "and nothing else"
! grep -q ' $' "$tmp/out"
say $? "no line ends in a blank"
[ "$(awk '{ print $1 }' "$tmp/out" | paste -sd ' ')" = 'PID 812 1044 1050 1051!' ]
say $? "by pid"
ps_order() { # KEY PIDS
	expect 0 "ps -s $1" pretend ps -s "$1"
	[ "$(awk 'NR > 1 { print $1 }' "$tmp/out" | paste -sd ' ')" = "$2" ]
	say $? "sorts"
}
ps_order user '1044 812 1050 1051!'
ps_order command '1050 812 1051! 1044'
ps_order event '1050 812 1044 1051!'
ps_order age '1051! 1050 812 1044'
ps_order lost '1044 812 1050 1051!'
FAKE_HIDDEN=1 expect 0 "ps of a plain user" pretend ps
out "^1 more PMC cannot be shown: other users' or outside of this PID namespace$" "counts what is hidden"
FAKE_PMCS=0 expect 0 "ps of nothing" pretend ps
shows 'no PMC is allocated' "says so"
FAKE_PMCS=0 FAKE_HIDDEN=2 expect 0 "ps of what is hidden" pretend ps
shows "2 more PMCs cannot be shown: other users' or outside of this PID namespace" "says no more than that"

ps_pids() { # PIDS ARGUMENT...
	local pids=$1
	shift
	expect 0 "ps $*" pretend ps -x, "$@"
	[ "$(awk -F, 'NR > 1 { print $1 }' "$tmp/out" | uniq | paste -sd ' ')" = "$pids" ]
	say $? "has $pids"
}
ps_pids '812 1051' -p 812,1051
ps_pids 812 -p 813
ps_pids 1050 -p 1063
ps_pids '812 1050 1051' -u root
ps_pids 1044 -u 65534
ps_pids '812 1044' -c 'ma*,pmctl'
expect 0 "ps -j" pretend ps -j
python3 - "$tmp/out" <<'PYTHON'
import json, sys
top = json.load(open(sys.argv[1]))
pmcs = top["pmcs"]
assert len(pmcs) == 8 and top["hidden"] == 0
assert sorted(pmc["cpu"] for pmc in pmcs if pmc["pid"] == 1044) == [0, 1, 2, 3, 6]
assert pmcs[0]["command"] == "make" and pmcs[0]["age-ns"] == 185 * 10**9
assert pmcs[0]["target-pid"] == 813 and pmcs[0]["event"] == "cycles:u"
PYTHON
say $? "is JSON, an object for each PMC"
expect 0 "ps -t" pretend ps -t
shows '812 root make counts cycles:u cc1 (813) and children running 3m05s - -' "shows a PMC with one target as before"
shows '1050 root a?b counts MOCK 0x1b 1049 (ended) ended 1h02m - -' "one with several with the first of them"
shows 'thread cc1 (1065)' "and the others below"
[ "$(wc -l <"$tmp/out")" = 11 ]
say $? "a line each"
! grep -q ' $' "$tmp/out"
say $? "no line ends in a blank"
expect 0 "ps -t -x" pretend ps --targets -x,
[ "$(wc -l <"$tmp/out")" = 15 ]
say $? "has a line for each target"
out '^1050,.*,1064,cc1,0,[0-9]+,0,0,6,1$' "with its pid, name, handle and that it is a thread"
expect 0 "ps -t -j" pretend ps -tj
python3 - "$tmp/out" <<'PYTHON'
import json, sys
pmcs = json.load(open(sys.argv[1]))["pmcs"]
targets = [pmc["target-list"] for pmc in pmcs if pmc["pid"] == 1050][0]
assert [target["pid"] for target in targets] == [1049, 1060, 1061, 1062, 1063, 1064, 1065]
assert targets[0] == {"pid": 1049, "command": "", "handle": 1, "thread": 0}
assert all(pmc["target-list"] == [] for pmc in pmcs if pmc["pid"] == 1044)
PYTHON
say $? "has the targets of each PMC"
FAKE_HIDDEN=3 expect 0 "ps -x" pretend ps -x ';'
err '^pmctl: 3 more PMCs' "has the number of what is hidden on standard error"
[ "$(grep -c '^1044;nobody;65534;pmctl;' "$tmp/out")" = 5 ]
say $? "and a line for each PMC"

FAKE_INTERRUPTED=3 expect 0 "ps while PMCs come and go" pretend ps
no_err . "reads the list again"
[ "$(grep -c . "$tmp/out")" = 5 ]
say $? "and shows each once"
FAKE_INTERRUPTED=1000 expect 0 "ps while they never rest" pretend ps
err 'the list may have gaps' "says so"

# On a terminal no line is longer than the terminal is wide.
narrow() { # COLUMNS
	LD_PRELOAD=$fake PMCTL_DEVICE=fake COLUMNS=$1 python3 "$HERE/terminal.py" '' '' "$pmctl" ps >"$tmp/out" 2>"$tmp/err"
}
expect 0 "ps on a terminal of 80 columns" narrow 80
[ "$(tr -d '\r' <"$tmp/out" | awk '{ print length }' | sort -n | tail -n 1)" = 80 ]
say $? "fits into its lines"
out '^ +812 .* cc1 .*\+ running ' "cuts what is long"
out '^ 1044 .* 5,000,000 +15.?$' "and no number"

# monitor
FAKE_NO_FAMILY=1 expect 125 "monitor without the module" pretend monitor
expect 125 "monitor of an argument" pretend monitor 812
expect 125 "monitor -w of an unknown kind" pretend monitor -w start,begin
err "not 'begin'" "names the unknown kind"
expect 125 "monitor -n 0" pretend monitor -n 0
expect 125 "monitor until the module is unloaded" pretend monitor
err '^pmctl: the module was unloaded$' "says so"
[ "$(wc -l <"$tmp/out")" = 10 ]
say $? "and has shown what happened before"
prints() { # TEXT NAME
	cut -d' ' -f3- <"$tmp/out" | grep -qxF -- "$1"
	say $? "$2"
}
prints 'make (812, root): opened the device' "opening"
prints 'pmctl (1044, nobody): allocated instructions on CPU 0' "allocations"
prints 'make (812, root): attached cycles:u to cc1 (813)' "targets"
prints 'make (812, root): started 6 PMCs, first cycles:u' "starts of several"
prints 'make (812, root): started cycles:u' "and of one"
prints 'pmctl (1044, nobody): instructions on CPU 0 lost 345 samples' "losses"
prints 'the module claimed the PMU from perf' "the PMU"
prints 'make (812, root): was refused 3 PMCs: perf or another user holds the PMU' "refusals"
prints 'CPU 3 went offline' "CPUs"
prints '2 notices were lost: they were not read in time' "and that some were lost"
out '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6}  make' "each with its time"
expect 0 "monitor -n" pretend monitor -n 3
[ "$(wc -l <"$tmp/out")" = 3 ]
say $? "ends after so many lines"
monitor_has() { # LINES ARGUMENT...
	local lines=$1
	shift
	expect 125 "monitor $*" pretend monitor "$@"
	[ "$(wc -l <"$tmp/out")" = "$lines" ]
	say $? "has $lines lines"
}
monitor_has 6 -p 812
monitor_has 2 -p 813
monitor_has 3 -u nobody
monitor_has 6 -c 'ma*'
monitor_has 4 -w start,offline
expect 125 "monitor -j" pretend monitor -j
python3 - "$tmp/out" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert [line["what"] for line in lines] == ["open", "allocate", "attach", "start", "start", "drop",
                                            "claim", "refuse", "offline", "lost"]
assert lines[2]["target-command"] == "cc1" and lines[2]["event"] == "cycles:u"
assert lines[8]["cpu"] == 3 and "pid" not in lines[8] and "event" not in lines[0]
assert lines[7]["count"] == 3 and lines[9]["count"] == 2
PYTHON
say $? "is a JSON object per line"

# admin
expect 125 "admin without a device" real admin
expect 125 "admin of an unknown word" pretend admin grant
err 'list, enable, disable or evict' "names the words that it knows"
expect 125 "admin disable of nothing" pretend admin disable
expect 125 "admin disable of no list" pretend admin disable one
expect 125 "admin enable of two lists" pretend admin enable 1 2
expect 0 "admin" pretend admin -c 0,2
shows 'CPU ROW CLASS COUNTER USE HOLDER' "has a heading"
shows '0 0 ARMV8 counter 0 free -' "shows what is free"
shows '2 1 ARMV8 counter 1 threads make (812) and 1 more' "who holds a row"
shows '0 2 ARMV8 counter 2 threads somebody else' "that somebody does who is hidden"
shows '2 3 ARMV8 counter 3 disabled -' "and what is disabled"
[ "$(wc -l <"$tmp/out")" = 15 ]
say $? "for each row of these CPUs"
FAKE_ABSENT=1 expect 0 "admin of a CPU without a row" pretend admin -c 0
shows '0 6 ARMV8 counter 6 absent -' "shows that it is absent"
asked() { # REQUESTS COMMAND...: the requests that a command makes to the module
	local requests=$1
	shift
	rm -f "$tmp/admin"
	FAKE_ADMIN=$tmp/admin expect "$@"
	[ "$(paste -sd , "$tmp/admin")" = "$requests" ]
	say $? "asks for $requests"
}
asked '0.0 disabled,0.4 disabled,1.0 disabled,1.4 disabled' 0 "admin disable" pretend admin disable 0,4 -c 0-1
asked '2.3 free' 0 "admin enable" pretend admin enable 3 -C 2
asked '2.1 free force,2.3 disabled force' 0 "admin evict" pretend admin evict 1,3 -c 2
asked '0.0 disabled,0.1 disabled,0.0 free' 125 "admin disable of a row that is held" pretend admin disable 0-2 -c 0
err '^pmctl: cannot disable row 1 of CPU 0: row 1 is held by pid 812 \(make\)$' "says who holds it"
