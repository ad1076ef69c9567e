#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a context switch may cost more while one of the two tasks is counted, in instructions: with
# -icount, as the benchmark measures it. exact_switch_cost ONE SIX OTHER: the limits for 1 and 6 counters,
# and for tasks that nobody counts while another one is.
subject=switch
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# A line of the benchmark that has to be there.
within() { # KEY LIMIT NAME
	awk -v key="$1" -v limit="$2" '$1 == key { got = $2; found = 1 } END { exit !(found && got <= limit) }' costs
	verdict $? "$3: $(awk -v key="$1" '$1 == key { print $2 }' costs) instructions more, at most $2"
}

bench hwpmc switch >costs
verdict $? "measured, at $(awk '$1 == "switch" { print $2 }' costs) instructions without a counter"
within switch-1 "${1:?}" "1 counter"
within switch-6 "${2:?}" "6 counters"
within switch-other "${3:?}" "another task's counter"
exit $failed
