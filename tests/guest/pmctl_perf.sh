#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl beside perf under icount: six programs of Debian as they are, their counts in user mode and the functions that
# took more than 2 % of the instructions; and the kernel's part of exec.
subject=perf
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

PERIOD=10007
export LC_ALL=C
# The same addresses in each run, so that hash tables and alignment are the same.
echo 0 >/proc/sys/kernel/randomize_va_space
seq 1 20000 >numbers

# close OURS THEIRS PARTS NAME: they differ by at most so many parts of 10,000, and 2,000.
close() {
	awk -v a="${1:-0}" -v b="${2:-0}" -v parts="$3" \
		'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b > 0 && d <= b * parts / 10000 + 2000) }'
	verdict $? "$4: ${1:-none}, by perf ${2:-none}"
}
value() { awk -F, -v event="$2" '$3 == event { print $1 }' "$1"; } # FILE EVENT

# perf adds to the environment of what it runs, and the dynamic linker reads all of it: env(1) has each program get the
# same one.
alone=(env -i PATH="$PATH" LC_ALL=C)

# In the kernel the two differ by what ends a process: perf stops before its memory is freed.
counts() { # NAME COMMAND...
	local name=$1
	shift
	perf stat -x, -o theirs -e instructions:u -- "${alone[@]}" "$@" >/dev/null 2>&1
	pmctl stat -x, -o ours -e instructions:u -- "${alone[@]}" "$@" >/dev/null 2>&1
	close "$(value ours instructions:u)" "$(value theirs instructions:u)" 5 "$name, user mode"
}

# Neither counts what is before exec, and nothing ends while they count. The module's own work at exec is in ours.
exec_alone() {
	perf stat -x, -o theirs -e instructions:k --timeout 1000 -- sleep 20 >/dev/null 2>&1
	pmctl stat -x, -o ours -e instructions:k --timeout 1000 -- sleep 20 >/dev/null 2>&1
	close "$(value ours instructions:k)" "$(value theirs instructions:k)" 500 "the kernel's part of exec"
}

# bare SEPARATOR: names in the last column without leading underscores. Of several names of one function each chooses
# another.
bare() { sed -E "s/$1_+([^$1]*)\$/$1\1/"; }

shares() { # NAME COMMAND...
	local name=$1 line symbol
	shift
	perf record -q -e instructions:u -c $PERIOD -o theirs -- "${alone[@]}" "$@" >/dev/null 2>&1
	pmctl record -e instructions:u -c $PERIOD -o ours -- "${alone[@]}" "$@" >/dev/null 2>&1
	perf report -q -i theirs --stdio --no-children -F overhead,sym -t, 2>/dev/null | sed -nE 's/^ *([0-9.]+)% *, *\[\.\] *([^ ]+).*/\1 \2/p' | bare ' ' >large
	pmctl report -x, --sort symbol ours 2>err | bare , >flat
	[ -s large ]
	verdict $? "$name: perf's report has functions"
	while read -r line symbol; do
		[[ $symbol == 0x* ]] || awk -v s="$line" 'BEGIN { exit !(s < 2) }' ||
			near "$(share "$symbol" <flat)" "$line" "$name, $symbol"
	done <large
}

both() {
	"${@:2}" >/dev/null
	counts "$@"
	shares "$@"
}

exec_alone
both sha256sum sha256sum numbers
both sort sort -r numbers
# shellcheck disable=SC2016
both mawk mawk '{ sum += $1 * 3 } END { print sum }' numbers
both grep grep -c '7.*7' numbers
both sed sed -n 's/7/x/p' numbers
both bash bash -c 'for ((i = 0; i < 3000; i++)); do :; done'
[ $failed -eq 0 ] || head -n 40 large flat err | sed 's/^/# /'
exit $failed
