#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl_report [SLOWER [PERCENT]]: pmctl report shows the shares of time of a known program, by place
# and by call graph. Needs -icount, where a cycle is an instruction; elsewhere it is the host's time.
# A stack is copied every SLOWER times 100,000 cycles; the program runs PERCENT of its usual time.
subject=pmctl
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1
slower=${1:-1} percent=${2:-100}

# Prints the share of a function and its callees, in percent.
under() { # FUNCTION
	awk -v f=";$1;" '{ n = $NF; sub(/ [0-9]+$/, ""); all += n; if (index(";" $0 ";", f)) sum += n }
		END { printf "%.2f", all ? 100 * sum / all : 0 }' folded
}

graph() { # NAME
	pmctl report --no-inline --folded log >folded
	near "$(under from_library)" 70 "$1: the caller of the library"
	near "$(under twenty)" 20 "$1: the child"
	near "$(under ten)" 10 "$1: the function after an exec"
	near "$(under main)" 100 "$1: all under main"
	deep=$(awk '/;ten [0-9]+$/ && $NF > most { most = $NF; deep = gsub(/;level/, "") } END { print deep }' folded)
	[ "${deep:-0}" = 40 ]
	verdict $? "$1: 40 frames of a recursive function (${deep:-none})"
	[ $failed -eq 0 ] || head -n 20 folded | sed 's/^/# /'
}

pmctl record -e cycles:u -c 100000 -g -o log -- t-work_shares "$percent" 2>err
verdict $? "record: $(tail -n 1 err)"
samples=$(sed -nE 's/^pmctl: ([0-9,]+) samples.*/\1/p' err | tr -d ,)
[ "${samples:-0}" -ge $((100 * percent)) ]
verdict $? "the log has at least one sample for each 100,000 cycles of the program (${samples:-none})"
pmctl report --no-inline -x, --sort symbol log >flat 2>err
verdict $? "report"
near "$(share seventy <flat)" 70 "report: a function of a library from dlopen()"
near "$(share twenty <flat)" 20 "report: a function in the child"
near "$(share ten <flat)" 10 "report: a function after an exec"
[ $failed -eq 0 ] || { head -n 20 flat; cat err; } | sed 's/^/# /'
graph "call graph"
# Time needs no PMU. The other samples are of the kernel's work of starting the program.
pmctl record -e cpu-clock -c 100000 -o clock -- t-work_shares "$percent" 2>err
verdict $? "record of time: $(tail -n 1 err)"
pmctl report --no-inline -x, --sort symbol clock >shares 2>err
of_three() {
	awk -v a="$(share "$1" <shares)" -v b="$(share seventy <shares)" -v c="$(share twenty <shares)" -v d="$(share ten <shares)" \
		'BEGIN { printf "%.2f", b + c + d ? 100 * a / (b + c + d) : 0 }'
}
near "$(of_three seventy)" 70 "report of time: a function of a library"
near "$(of_three twenty)" 20 "report of time: a function in the child"
near "$(of_three ten)" 10 "report of time: a function after an exec"
pmctl report --flamegraph flame.svg log >/dev/null
grep -q '</svg>' flame.svg && grep -q seventy flame.svg
verdict $? "report --flamegraph writes an SVG of $(stat -c %s flame.svg) bytes"
top() { # WANTED NAME: the first line of the report in the file by
	local line
	line=$(sed -n '2p' by)
	[[ $line =~ $1 ]]
	verdict $? "$2: ${line:-none}"
}
pmctl report --no-inline -x, --sort srcline log >by
top ',"?work_shares.c:[0-9]+"?$' "report --sort srcline: the first line is in the program's source"
pmctl report -x, --sort tid log >by
[ "$(wc -l <by)" = 3 ]
verdict $? "report by thread has two threads"
near "$(awk -F, 'NR == 2 { print $2 }' by)" 80 "report by thread: the parent, before and after its exec"

# Processes of the whole machine are resolved by the log's records of them.
pmctl record -a -e cycles:u -c 100000 -o all -- t-work_shares 10 2>err
verdict $? "record -a: $(tail -n 1 err)"
pmctl report --no-inline -x, --sort comm,symbol all >flat
near "$(grep ',t-work_shares,' flat | share seventy)" 70 "report of all CPUs: a function of a library"
near "$(grep ',t-work_shares,' flat | share twenty)" 20 "report of all CPUs: a function in the child"
near "$(grep ',exe,' flat | share ten)" 10 "report of all CPUs: a function after an exec, by the new name"
[ $failed -eq 0 ] || { head -n 20 flat; cat err; } | sed 's/^/# /'

# A process that runs already, and writes a byte when it has mapped its program.
mkfifo ready.fifo
t-work_spin ready 100000 >ready.fifo &
read -r <ready.fifo
pmctl record -p $! -e cycles:u -c 100000 -o log -- sleep 0.1 2>err
verdict $? "record -p: $(tail -n 1 err)"
kill $!
pmctl report --no-inline -x, --sort comm,symbol log >by
top ',(9[5-9]|100)\..*,t-work_spin,spin$' "record -p: at least 95 % is in the program's loop"

pmctl record -e cycles:u -c 100000 -o log -- t-work_spin clock memory 2>err
verdict $? "record of code outside of any file: $(tail -n 1 err)"
pmctl report -x, --sort dso,symbol log >by
says by ',\[vdso\],[a-z_]*clock_gettime$' "report names the vdso's functions"
says by ',[3-9][0-9]\.[0-9]+,.*,spin_in_memory$' "report reads the program's /tmp/perf-PID.map"

# SLOWER: the kernel needs time to copy a stack between two samples.
pmctl record -gdwarf -e cycles:u -c $((100000 * slower)) -o log -- t-work_shares-bare 10 2>err
verdict $? "record -gdwarf: $(tail -n 1 err)"
graph "call graph without frame pointers"

pmctl record -e cycles:k -c 200000 -g -o log -- dd if=/dev/zero of=/dev/null bs=1 count=20000 2>err
pmctl report -x, --sort dso,symbol log >kernel
grep -qE ',\[kernel\],.*(write|read|el0|syscall)' kernel
verdict $? "report of the kernel has kernel symbols"
# A place without a symbol is shown as its address.
awk -F, '$5 == "[kernel]" { all += $2; if ($6 !~ /^(0x|\[)/) named += $2 }
	END { printf "%.1f %% of %.1f\n", named, all; exit !(all > 50 && named >= 0.9 * all) }' kernel >named
verdict $? "report of the kernel: at least 90 % has a symbol: $(cat named)"
[ $failed -eq 0 ] || head -n 20 kernel | sed 's/^/# /'
# Also after an exec, which replaces the memory map.
pmctl report --no-inline --by-address --folded log | grep -qE '^dd;[^;]*[^];];.*_\[k\] '
verdict $? "call chains of the kernel continue in user mode"
exit $failed
