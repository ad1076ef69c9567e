#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# "exact_switch_cost ONE SIX OTHER": limits of the additional cost of a context switch in instructions,
# as the benchmark measures it with -icount: while one of the two tasks has 1 or 6 counters, and while
# another task is counted. A counter that programs read from a page may cost 20 more. So may a counter that its
# thread reads in user mode, on machines that support this.
subject=switch
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# A case: the benchmark printed the line KEY, and its value is within LIMIT.
within() { # KEY LIMIT NAME
	awk -v key="$1" -v limit="$2" '$1 == key { got = $2; found = 1 } END { exit !(found && got <= limit) }' costs
	verdict $? "$3: $(awk -v key="$1" '$1 == key { print $2 }' costs) more instructions, at most $2"
}

bench hwpmc switch >costs
verdict $? "the benchmark runs: a switch without a counter takes $(awk '$1 == "switch" { print $2 }' costs) instructions"
within switch-1 "${1:?}" "1 counter"
within switch-6 "${2:?}" "6 counters"
within switch-other "${3:?}" "another task's counter"
within switch-page-1 $((${1:?} + 20)) "1 counter with a page"
[ "$(uname -m)" != aarch64 ] || within switch-direct-1 $((${1:?} + 20)) "1 counter that its thread reads in user mode"
exit $failed
