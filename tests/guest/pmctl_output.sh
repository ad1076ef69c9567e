#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl against the real module: stat --bias, --control and stat record; record --log-to, --switch-output and --overwrite.
# shellcheck disable=SC2016 # for other shells
subject='output'
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

between() { # VALUE LEAST MOST NAME
	[ "${1:-0}" -ge "$2" ] && [ "${1:-0}" -le "$3" ]
	verdict $? "$4 ($1)"
}
counted() { sed -nE 's/^([0-9]+),,instructions:u,.*/\1/p' "$1"; }

status 0 "stat --bias" pmctl stat --bias -x, -e instructions:u,instructions:k -- t-work_spin 1
between "$(counted err)" 10000000 10400000 "leaves what the program executes"
says err '^pmctl: --bias: 3 instructions:u are subtracted' "an empty program executes three instructions in user mode"
says err '^pmctl: --bias: [1-9][0-9,]+ instructions:k are subtracted' "and more in the kernel"

status 0 "stat record" pmctl stat record -o results -e instructions:u -- t-work_spin 1
status 0 "stat report" pmctl stat report -x, results
between "$(counted out)" 10000000 10400000 "has the count"

mkfifo control ack
request='exec 5<>control 6<>ack; request() { echo $1 >&5; read -r -t 100 _ <&6; }; '
status 0 "stat --control" pmctl stat -D -1 --control control,ack -x, -e instructions:u -- \
	bash -c "$request"'t-work_spin 5; request enable; t-work_spin 1; request disable; t-work_spin 5'
between "$(counted err)" 10000000 30000000 "counts from enable to disable"
status 0 "stat --control stop" pmctl stat --control control,ack -x, -e instructions:u -- \
	bash -c "$request request stop; while sleep 1; do :; done"
between "$(counted err)" 1 100000000 "ends with a count"

has_spin() { # LOG NAME
	pmctl report -i "$1" -x, >out 2>err
	near "$(share spin <out)" 100 "$2"
	[ ! -s err ]
	verdict $? "nothing is wrong with it"
	sed 's/^/# /' err
}
# shellcheck disable=SC2317 # called by name
sample() { pmctl record -e instructions:u -c 100000 "$@"; }
busybox ip link set lo up
pmctl collect 127.0.0.1:0 -o far 2>collected &
collector=$!
until address=$(sed -n 's/^pmctl: listening on //p' collected) && [ -n "$address" ]; do sleep 0.1; done
status 0 "record --log-to" sample --log-to "$address" -- t-work_spin 5
wait $collector
verdict $? "collect ends with it"
has_spin far "its log has the program's samples"

turn='kill -USR2 $PPID; until [ -s FILE ]; do sleep 0.1; done'
status 0 "record --switch-output" sample --switch-output -o turn -- sh -c "t-work_spin 5; ${turn/FILE/turn.2}; t-work_spin 5"
has_spin turn.1 "the first log has the samples before the signal"
has_spin turn.2 "the second one those after it, of a process that began later"
# The mappings of this process are in the first log, too. 24,000 samples: pmctl reads the ring when half of it is full,
# and all that it reads then is in one log.
status 0 "record --switch-output of one process" sample -c 50000 --switch-output=16K --no-compress -o size -- t-work_spin 120
says err ' in [0-9]+ logs up to size\.[0-9]+$' "has several logs"
has_spin size.2 "a log that begins in the middle knows the program"

status 0 "record --overwrite" sample --overwrite=1 -o kept -- sh -c "t-work_spin 5; ${turn/FILE/kept.1}"
has_spin kept.1 "the log at the signal has what was before it"
pmctl script kept.2 >out
! grep -q ' SAMPLE .*at=spin' out
verdict $? "and the one at the end has it not again"
# 40,000 samples, more than fit; a slow machine may throttle some.
status 0 "record --overwrite of much" pmctl record -e instructions:u -c 10000 -m 4096 --overwrite=1 -o newest -- t-work_spin 40
pmctl report -i newest.1 -x, >out 2>err
near "$(awk -v a="$(share spin <out)" -v b="$(share '[throttled]' <out)" 'BEGIN { print a + b }')" 100 "keeps the newest samples"
between "$(pmctl script newest.1 | grep -c ' SAMPLE ')" 5000 30000 "as many as there is room for"
exit $failed
