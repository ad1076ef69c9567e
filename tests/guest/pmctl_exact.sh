#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl stat beside a program whose instructions are known. With -icount, where an instruction is
# 1 ns, so that intervals and delays are as exact.
subject=pmctl-exact
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# What libc and exec take is in both terms of a difference.
exact() { # NAME WANTED MORE LESS
	awk -v got="$((${3:-0} - ${4:-0}))" -v want="$2" 'BEGIN {
		off = got > want ? got - want : want - got; exit !(off <= want / 10000 + 2000) }'
	verdict $? "$1: $((${3:-0} - ${4:-0})) instructions, should be $2"
}
# The sum of a field of the lines in the file csv, and how many they are.
sum() { awk -F, -v field="$1" '{ sum += $field } END { printf "%.0f", sum }' csv; }
count() { # OPTION...
	: >csv
	pmctl stat -x, -o csv -e instructions:u "$@" 2>err || sed 's/^/# /' err
}
of() { # TENS OPTION...: of the program that is started
	count "${@:2}" -- t-work_spin "$1"
	sum 1
}
lines() { # TENS OPTION...: the same, with a field in front
	count "${@:2}" -- t-work_spin "$1"
	sum 2
}
# Of one that is there already. It is told to go when all is set up, and does not end before
# counting does.
mkfifo go gone
exec 3<>go 4<>gone
living() { # TENS FIELD OPTION...
	t-work_spin tell wait "$1" tell stay <&3 >&4 &
	read -r <&4
	count "${@:3}" $! -- sh -c 'echo >&3; read -r _ <&4'
	kill $!
	wait $! 2>/dev/null
	sum "$2"
}

exact "of a program" 20000000 "$(of 3)" "$(of 1)"
exact "-r: the mean" 20000000 "$(of 3 -r 3)" "$(of 1 -r 3)"
exact "-I: the sum of all intervals" 80000000 "$(lines 9 -I 20)" "$(lines 1 -I 20)"
count -I 20 -- t-work_spin 9
[ "$(wc -l <csv)" -ge 4 ]
verdict $? "they are $(wc -l <csv)"
exact "--per-thread" 20000000 "$(lines 3 --per-thread)" "$(lines 1 --per-thread)"
exact "-p of a running one" 20000000 "$(living 3 1 -p)" "$(living 1 1 -p)"
exact "-t of a running one" 20000000 "$(living 3 1 -t)" "$(living 1 1 -t)"
exact "--per-thread of a running one" 20000000 "$(living 3 2 --per-thread -p)" \
	"$(living 1 2 --per-thread -p)"
count -D 60000 -- t-work_spin 1
grep -q '^<not counted>,,instructions,u,' csv
verdict $? "-D past the program's end: nothing is counted"
all=$(of 6) delayed=$(of 6 -D 20)
[ "$delayed" -ge $((all / 2)) ] && [ "$delayed" -le $((all * 9 / 10)) ]
verdict $? "-D of a third of it: $delayed of $all"
[ $failed -eq 0 ] || sed 's/^/# /' csv err
exit $failed
