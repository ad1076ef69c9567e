#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl stat counts a known number of instructions exactly, and pmctl record samples it as often. Needs
# -icount, where an instruction takes 1 ns, so that intervals and delays are exact, too.
subject=pmctl-exact
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# The difference of two runs is compared, because libc and exec cost the same in both.
exact() { # NAME WANTED MORE LESS
	awk -v got="$((${3:-0} - ${4:-0}))" -v want="$2" 'BEGIN {
		off = got > want ? got - want : want - got; exit !(off <= want / 10000 + 2000) }'
	verdict $? "$1: $((${3:-0} - ${4:-0})) instructions, expected $2"
}
# The sum of a field over the lines of the file csv.
sum() { awk -F, -v field="$1" '{ sum += $field } END { printf "%.0f", sum }' csv; }
count() { # OPTION...
	: >csv
	pmctl stat -x, -o csv -e instructions:u "$@" 2>err || sed 's/^/# /' err
}
of() { # TENS OPTION...: the count of a program that pmctl starts
	count "${@:2}" -- t-work_spin "$1"
	sum 1
}
lines() { # TENS OPTION...: the same count if the lines have one more field in front
	count "${@:2}" -- t-work_spin "$1"
	sum 2
}
# The count of a program that runs already. It starts its work after pmctl has started counting, and does not
# exit before pmctl has finished.
mkfifo go gone
exec 3<>go 4<>gone
living() { # TENS FIELD OPTION...
	t-work_spin ready wait "$1" ready pause <&3 >&4 &
	read -r <&4
	count "${@:3}" $! -- sh -c 'echo >&3; read -r _ <&4'
	kill $!
	wait $! 2>/dev/null
	sum "$2"
}

exact "stat of a program" 20000000 "$(of 3)" "$(of 1)"
exact "stat -r: the mean" 20000000 "$(of 3 -r 3)" "$(of 1 -r 3)"
exact "stat -I: the sum of all intervals" 80000000 "$(lines 9 -I 20)" "$(lines 1 -I 20)"
count -I 20 -- t-work_spin 9
[ "$(wc -l <csv)" -ge 4 ]
verdict $? "stat -I prints at least 4 lines: $(wc -l <csv)"
exact "stat --per-thread" 20000000 "$(lines 3 --per-thread)" "$(lines 1 --per-thread)"
exact "stat -p of a running program" 20000000 "$(living 3 1 -p)" "$(living 1 1 -p)"
exact "stat -t of a running program" 20000000 "$(living 3 1 -t)" "$(living 1 1 -t)"
exact "stat --per-thread of a running program" 20000000 "$(living 3 2 --per-thread -p)" \
	"$(living 1 2 --per-thread -p)"
count -D 60000 -- t-work_spin 1
grep -q '^<not counted>,,instructions:u,' csv
verdict $? "stat -D longer than the program runs prints <not counted>"
all=$(of 6) delayed=$(of 6 -D 20)
[ "$delayed" -ge $((all / 2)) ] && [ "$delayed" -le $((all * 9 / 10)) ]
verdict $? "stat -D of a third of the program counts the rest: $delayed of $all"

# With a short period a sample is taken while exec renames the task, which begins the count.
least=/sys/module/hwpmc/parameters/mincount
usual=$(cat $least)
trap 'echo $usual >$least' EXIT
echo 50 >$least
for period in 50 100 150 200; do
	pmctl record -e cycles -c $period -o log -- sh -c : 2>err
	pmctl script log >out
	samples=$(grep -c ' SAMPLE ' out) before=$(grep -c ' SAMPLE .*comm=pmctl' out)
	[ "$samples" -gt 100 ] && [ "$before" = 0 ]
	verdict $? "period $period: each sample has the new name: of $samples samples, $before have the name before exec"
done

# A ring has room for 128 samples with 8 KiB of stack each: 125 wait in it while pmctl is stopped.
stack=$(printf %08192d 0) # in the environment, so it is on the stack
# shellcheck disable=SC2016 # for the other shell
status 0 "record with stacks, and no reader for 125 samples" \
	env "STACK=$stack" pmctl record -gdwarf -e instructions:u -c 800000 -o log -- \
	sh -c 'kill -STOP $PPID; t-work_spin 10; kill -CONT $PPID'
says err ' 12[5-9] samples, 0 lost, ' "loses none: $(tail -n 1 err)"
pmctl script log >out
[ "$(grep -c 'comm=t-work_spin .* stack-size=8192' out)" -ge 125 ]
verdict $? "and each has its stack"
[ $failed -eq 0 ] || sed 's/^/# /' csv err
exit $failed
