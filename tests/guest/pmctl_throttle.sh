#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A recording that samples so often that it is throttled, with the module's default limits: what pmctl record
# prints of it, and that reports, stacks and script show the events of the throttled time as [throttled] and no
# function has more than its share. Needs -icount, where a cycle is an instruction.
subject=throttle
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

limit=/sys/module/hwpmc/parameters/max_cpu_percent
before=$(cat $limit)
trap 'echo $before >$limit' EXIT
echo 25 >$limit

# Of the samples in the three functions of the program, FUNCTION has a share within 5 points of the expected one:
# the times at which sampling begins and ends do not depend on the functions.
of_program() { # FUNCTION WANTED
	local got
	got=$(awk -F, -v f="$1" '$5 ~ /^(seventy|twenty|ten)$/ { all += $2; if ($5 == f) mine += $2 }
		END { printf "%.2f", all ? 100 * mine / all : 0 }' flat)
	awk -v got="$got" -v want="$2" 'BEGIN { exit !(got >= want - 5 && got <= want + 5) }'
	verdict $? "of what has samples, $1 has $got %, expected $2"
}

pmctl record -e cycles -c 2000 -o log -- t-work_shares 40 2>err
verdict $? "record: $(tail -n 1 err)"
[ "$(grep -c '^pmctl: sampling is throttled: ' err)" = 1 ]
verdict $? "it prints once while it samples that it is throttled"
part=$(sed -nE 's/^pmctl: ([0-9.]+)% of the events occurred while .*/\1/p' err)
period=$(sed -nE 's/.*; take a longer period \(-c ([0-9]+)\)$/\1/p' err)
awk -v part="${part:-0}" 'BEGIN { exit !(part > 20) }'
verdict $? "and at the end how many of the events that is: ${part:-none} %"
pmctl report --no-inline -x, --sort symbol log >flat 2>said
near "$(share '[throttled]' <flat)" "${part:-0}" "report: [throttled]"
near "$(pmctl report --folded log | awk '{ all += $NF } /;\[throttled\] / { some += $NF }
	END { printf "%.2f", all ? 100 * some / all : 0 }')" "${part:-0}" "stacks: [throttled]"
near "$(pmctl script -F period,sym log | awk '{ all += $1 } $2 == "[throttled]" { some += $1 }
	END { printf "%.2f", all ? 100 * some / all : 0 }')" "${part:-0}" "script: [throttled]"
pmctl report -x, --sort dso log >by
near "$(share '[hwpmc]' <by)" 0 "the module's own code"
of_program seventy 70
of_program twenty 20
of_program ten 10
pmctl record -e cycles -c "${period:-1}" -o log -- t-work_shares 40 2>err
verdict $? "record with the period that was suggested (${period:-none}): $(tail -n 1 err)"
says err ' throttled 0 times;' "it is not throttled"
[ $failed -eq 0 ] || head -n 20 flat by | sed 's/^/# /'
exit $failed
