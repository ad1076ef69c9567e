#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# examples.sh UNIT: runs the programs of examples/ and checks what they print. UNIT is what they count on this
# machine: instructions, or nanoseconds without a PMU.
subject='examples'
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1
unit=$1

# bounded FILE FIELD LEAST NAME: a field of the first line is a number of at least LEAST.
bounded() {
	awk -v field="$2" -v least="$3" 'NR == 1 { exit !($field >= least) }' "$1"
	verdict $? "$4"
	head -n 5 "$1" | sed 's/^/# /'
}
# rises FILE: the first numbers of its lines never decrease, and the last one is larger than the first.
rises() { awk 'NR == 1 { first = $1 } $1 < last { bad = 1 } { last = $1 } END { exit bad || NR < 2 || last <= first }' "$1"; }

# A round of the loop in work() has at least four instructions, and takes an emulated CPU more than one ns.
status 0 "count" example-count
says out "^[0-9]+ $unit in [0-9]+ ns$" "it prints both counts"
bounded out 1 1000000 "at least as many as rounds"
bounded out 4 1000 "some time"
status 0 "count, by a plain user" su user -c example-count

status 0 "page" example-page
says out "^page: [0-9]+ $unit, [0-9]+ ns ago$" "it reads the page"
grep -oE '^(page|call|counter|released): [0-9]+' out | cut -d' ' -f2 >values
[ "$(wc -l <values)" = 7 ] && sort -nc values && [ "$(tail -n 1 values)" -ge 3000000 ]
verdict $? "its readings never decrease, up to the last one of the released page"

sh -c 'while :; do :; done' &
loop=$!
example-attach $loop >attach.out 2>&1 &
attach=$!
sleep 1
kill $loop
wait $attach
verdict $? "attach ends with its thread"
says attach.out '^the thread is gone$' "it says that the thread is gone"
grep -E "^[0-9]+ $unit, [0-9]+ us ago$" attach.out >values
rises values
verdict $? "what it read rises"
[ "$(($(wc -l <values) + 1))" = "$(wc -l <attach.out)" ]
verdict $? "it prints nothing else"
status 1 "attach to nothing" example-attach 999999
says err 'there is no process 999999' "it prints the module's sentence"

status 0 "sample" example-sample
says out "^[0-9]+ samples of [0-9]+ $unit, [0-9]+ of these in busy\(\), 0 records lost$" "it prints how many"
bounded out 1 100 "a hundred samples at least"
# If time is sampled, the other samples are of the kernel's work for the child, which takes longer on a busy host.
least=0.9
[ "$unit" != nanoseconds ] || least=0.5
awk -v least=$least '{ exit !($6 >= least * $4) }' out
verdict $? "most is in the function that works"

status 0 "sample, by a plain user" su user -c example-sample

status 0 "netlink without a measurement" example-netlink
[ ! -s out ]
verdict $? "it prints nothing"
example-attach 1 >holder.out 2>&1 &
attach=$!
patience=100
until [ -s holder.out ] || [ $((patience -= 1)) -eq 0 ]; do sleep 0.1; done
status 0 "netlink" example-netlink
says out "^pid $attach \(example-attach\): event 0x[0-9a-f]+$" "it shows who measures"
status 0 "netlink, by a plain user" su user -c example-netlink
says out '^1 more are hidden$' "it shows how many are hidden"
kill $attach
wait $attach
exit $failed
