# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of cases.sh
# Closed descriptors, and signals that pmctl or its program gets. Read by cases.sh.

LD_PRELOAD=$fake PMCTL_DEVICE=fake "$pmctl" stat -e cycles -- sh -c 'exit 4' >&- 2>&-
[ $? = 4 ]
say $? "stat with everything closed has the program's status"
LD_PRELOAD=$fake PMCTL_DEVICE=fake "$pmctl" stat -e cycles -- ls -l /proc/self/fd \
	>"$tmp/out" 2>"$tmp/err" <&-
! grep -q ' [0-9] -> .*null' "$tmp/out"
say $? "the device and what holds its place stay with pmctl"
"$pmctl" help >/dev/full 2>"$tmp/err"
[ $? = 125 ]
say $? "a full standard output is an error"
interrupt() { # OPTION...: sends SIGINT to pmctl alone
	LD_PRELOAD=$fake PMCTL_DEVICE=fake "$pmctl" "$@" >"$tmp/out" 2>"$tmp/err" &
	local pid=$!
	# Like all background jobs of this shell, pmctl ignores SIGINT until it opens its signalfd.
	until find /proc/$pid/fd -lname '*signalfd*' 2>/dev/null | grep -q . || [ ! -d /proc/$pid ]; do sleep 0.02; done
	sleep 0.3
	kill -INT $pid
	wait $pid
}
expect 130 "SIGINT" interrupt stat -e cycles -- sleep 60
err '1,000,000      cycles' "results first, then death by it"
expect 130 "SIGINT with -a" interrupt stat -e cycles -a
err 'system wide' "its results"
expect 130 "SIGINT ends repetitions" interrupt stat -r 100 -e cycles -- sleep 60
expect 130 "SIGINT ends a recording" interrupt record -e cycles -o "$log" -- sleep 60
err '^pmctl: 100 samples' "with its last line"
expect 0 "and its log" real script "$log"
[ ! -s "$tmp/err" ]
say $? "has an end"
death() { # NAME WORD KEYS COMMAND...: SIGINT ends COMMAND; a status of 130 would not prove that
	expect 1 "$1" typed "${@:2}"
	err '^-2$' "ends in death by it"
}
death "^C, for pmctl and for its program" ready $'\x03' \
	"${there[@]}" stat -e cycles -- sh -c 'echo ready; exec sleep 60'
out '1,000,000      cycles' "after the results"
death "^C while recording" ' 100 samples' $'\x03' "${there[@]}" record -e cycles -o "$log" sleep 60
in_place 'pmctl: 100 samples, 0 lost' "after its last line"
# shellcheck disable=SC2016
death "SIGINT for pmctl alone" '' '' "${there[@]}" stat -e cycles -- sh -c 'kill -INT $PPID; exec sleep 60'
out '1,000,000      cycles' "after the results"
ignored() { # SIGNAL OPTION...: starts pmctl with SIGNAL ignored; the program sends it SIGNAL
	local signal=$1
	shift
	(
		trap '' "$signal"
		# shellcheck disable=SC2016
		pretend "$@" -e cycles -- sh -c 'kill -"$1" "$PPID"; exit 3' sh "$signal"
	)
}
for signal in HUP TERM; do
	expect 3 "stat continues if SIG$signal is ignored" ignored $signal stat
	expect 3 "so does record" ignored $signal record -o "$log"
done
sleep 60 &
target=$!
(sleep 1; kill $target) &
expect 0 "-p ends with its target" timeout 10 env LD_PRELOAD="$fake" PMCTL_DEVICE=fake \
	sh -c "exec '$pmctl' stat -e cycles -p $target >'$tmp/out' 2>'$tmp/err'"
err "process id '$target'" "its results"
