#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl report on what the real module recorded: shares of time, by place and by call graph.
failed=0
verdict() { # STATUS NAME
	if [ "$1" -eq 0 ]; then echo "ok - pmctl: $2"; else echo "not ok - pmctl: $2"; failed=1; fi
}
# The share of a symbol in the CSV on standard input, in percent.
share() { # SYMBOL
	awk -F, -v s="$1" '{ sub(/\r$/, ""); for (i = 2; i <= NF; i++) if ($i == s) { print $2; exit } }'
}
near() { # SHARE WANTED NAME
	awk -v a="${1:-0}" -v b="$2" 'BEGIN { exit !(a >= b - 2 && a <= b + 2) }'
	verdict $? "$3: ${1:-none} %, should be $2"
}

pmctl record -e cycles:u -c 200000 -g -o log -- t-shares 2>err
verdict $? "record: $(tail -n 1 err)"
pmctl report --no-inline -x, --sort symbol log >flat 2>err
verdict $? "report"
near "$(share seventy <flat)" 70 "in the program"
near "$(share twenty <flat)" 20 "in its child"
near "$(share ten <flat)" 10 "after an exec"
[ $failed -eq 0 ] || { head -n 20 flat; cat err; } | sed 's/^/# /'
pmctl report --no-inline --folded log >folded
[ "$(awk '/main;seventy [0-9]+$/ { n++ } END { print n + 0 }' folded)" -ge 1 ]
verdict $? "folded: main calls seventy"
pmctl report --flamegraph flame.svg log >/dev/null
grep -q '</svg>' flame.svg && grep -q seventy flame.svg
verdict $? "a flame graph of $(stat -c %s flame.svg) bytes"
pmctl record -e cycles:k -c 200000 -g -o log -- dd if=/dev/zero of=/dev/null bs=1 count=20000 2>err
pmctl report -x, --sort dso,symbol log >kernel
grep -qE 'kernel' kernel && grep -qE 'write|read|el0|syscall' kernel
verdict $? "kernel work has kernel symbols"
[ $failed -eq 0 ] || head -n 20 kernel | sed 's/^/# /'
exit $failed
