#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl report on what the real module recorded: shares of time, by place and by call graph. With
# -icount, where a cycle is an instruction: elsewhere it is the host's time. pmctl_report [SLOWER
# [PERCENT]]: a stack is copied every SLOWER times 100,000 cycles; the program runs PERCENT of its time.
subject=pmctl
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1
slower=${1:-1} percent=${2:-100}

# The share of a symbol in the CSV on standard input, in percent.
share() { # SYMBOL
	awk -F, -v s="$1" '{ sub(/\r$/, ""); for (i = 2; i <= NF; i++) if ($i == s) { print $2; exit } }'
}
near() { # SHARE WANTED NAME
	awk -v a="${1:-0}" -v b="$2" 'BEGIN { exit !(a >= b - 2 && a <= b + 2) }'
	verdict $? "$3: ${1:-none} %, should be $2"
}

# Of a function and what it calls, in percent of all.
under() { # FUNCTION
	awk -v f=";$1;" '{ n = $NF; sub(/ [0-9]+$/, ""); all += n; if (index(";" $0 ";", f)) sum += n }
		END { printf "%.2f", all ? 100 * sum / all : 0 }' folded
}

graph() { # NAME
	pmctl report --no-inline --folded log >folded
	near "$(under from_library)" 70 "$1: under who called the library"
	near "$(under twenty)" 20 "$1: in its child"
	near "$(under ten)" 10 "$1: after an exec"
	near "$(under main)" 100 "$1: all of it under main"
	deep=$(awk '/;ten [0-9]+$/ && $NF > most { most = $NF; deep = gsub(/;level/, "") } END { print deep }' folded)
	[ "${deep:-0}" = 40 ]
	verdict $? "$1: below 40 calls of one function (${deep:-none})"
	[ $failed -eq 0 ] || head -n 20 folded | sed 's/^/# /'
}

pmctl record -e cycles:u -c 100000 -g -o log -- t-work_shares "$percent" 2>err
verdict $? "record: $(tail -n 1 err)"
samples=$(sed -nE 's/^pmctl: ([0-9,]+) samples.*/\1/p' err | tr -d ,)
[ "${samples:-0}" -ge $((100 * percent)) ]
verdict $? "the log has at least one sample for each 100,000 cycles of the program (${samples:-none})"
pmctl report --no-inline -x, --sort symbol log >flat 2>err
verdict $? "report"
near "$(share seventy <flat)" 70 "in a library that it opened"
near "$(share twenty <flat)" 20 "in its child"
near "$(share ten <flat)" 10 "after an exec"
[ $failed -eq 0 ] || { head -n 20 flat; cat err; } | sed 's/^/# /'
graph "by call graph"
pmctl report --flamegraph flame.svg log >/dev/null
grep -q '</svg>' flame.svg && grep -q seventy flame.svg
verdict $? "a flame graph of $(stat -c %s flame.svg) bytes"
top() { # WANTED NAME: in the first line of the report by its last column
	local line
	line=$(sed -n '2s/\r$//p' by)
	[[ $line =~ $1 ]]
	verdict $? "$2: ${line:-none}"
}
pmctl report --no-inline -x, --sort srcline log >by
top ',"?work_shares.c:[0-9]+"?$' "by line of source"
pmctl report -x, --sort tid log >by
[ "$(wc -l <by)" = 3 ]
verdict $? "by thread: two of them"
near "$(awk -F, 'NR == 2 { print $2 }' by)" 80 "the parent, before and after its exec"

# The programs of the whole machine are known by what the log tells of each of them.
pmctl record -a -e cycles:u -c 100000 -o all -- t-work_shares 10 2>err
verdict $? "record -a: $(tail -n 1 err)"
pmctl report --no-inline -x, --sort comm,symbol all >flat
near "$(grep ',t-work_shares,' flat | share seventy)" 70 "of all CPUs: in a library"
near "$(grep ',t-work_shares,' flat | share twenty)" 20 "in a child"
near "$(grep ',exe,' flat | share ten)" 10 "after an exec, by its new name"
[ $failed -eq 0 ] || { head -n 20 flat; cat err; } | sed 's/^/# /'

# One that was there before: when it tells, it has been mapped.
mkfifo told
t-work_spin tell 100000 >told &
read -r <told
pmctl record -p $! -e cycles:u -c 100000 -o log -- sleep 0.1 2>err
verdict $? "record -p: $(tail -n 1 err)"
kill $!
pmctl report --no-inline -x, --sort comm,symbol log >by
top ',(9[5-9]|100)\..*,t-work_spin,spin$' "is nearly all in its loop"

pmctl record -e cycles:u -c 100000 -o log -- t-work_spin clock memory 2>err
verdict $? "record of code that is in no file: $(tail -n 1 err)"
pmctl report -x, --sort dso,symbol log | tr -d '\r' >by
says by ',\[vdso\],[a-z_]*clock_gettime$' "the vdso's has a name"
says by ',[3-9][0-9]\.[0-9]+,.*,spin_in_memory$' "and so has what the program told of in /tmp"

# SLOWER: what a copy of the stack takes the kernel must fit between two of them.
pmctl record -gdwarf -e cycles:u -c $((100000 * slower)) -o log -- t-work_shares-bare 10 2>err
verdict $? "record -gdwarf: $(tail -n 1 err)"
graph "without frame pointers"

pmctl record -e cycles:k -c 200000 -g -o log -- dd if=/dev/zero of=/dev/null bs=1 count=20000 2>err
pmctl report -x, --sort dso,symbol log >kernel
grep -qE ',\[kernel\],.*(write|read|el0|syscall)' kernel
verdict $? "kernel work has kernel symbols"
# A place that no symbol is known of is shown by its address.
tr -d '\r' <kernel | awk -F, '$5 == "[kernel]" { all += $2; if ($6 !~ /^(0x|\[)/) named += $2 }
	END { printf "%.1f %% of %.1f\n", named, all; exit !(all > 50 && named >= 0.9 * all) }' >named
verdict $? "nearly all of them: $(cat named)"
[ $failed -eq 0 ] || head -n 20 kernel | sed 's/^/# /'
# Also after an exec, whose memory is another than the one it began with.
pmctl report --no-inline --folded log | grep -qE '^dd;[^;]*[^];];.*_\[k\] '
verdict $? "and chains of it go on in user mode"
exit $failed
