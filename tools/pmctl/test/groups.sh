# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# Sourced by run after cases.sh: stat --per-core, --per-socket and --per-node on a fake machine of two sockets, a node
# each; --interval-count, --pre and --post.

sockets=$tmp/sockets
at() { # CPU SOCKET CORE NODE
	local there=$sockets/sys/devices/system/cpu/cpu$1
	mkdir -p "$there/topology" "$there/node$4"
	echo "$2" >"$there/topology/physical_package_id"
	echo "$3" >"$there/topology/core_id"
	# As on firmware that has no number.
	echo -1 >"$there/topology/die_id"
}
at 0 0 0 0
at 1 0 1 0
at 2 1 0 1
at 3 1 1 1
at 4 0 0 0
echo 0-4 >"$sockets/sys/devices/system/cpu/online"
grouped() { FAKE_ROOT=$sockets pretend stat -a -e cycles --timeout 1 "$@"; }
expect 0 "stat --per-core" grouped --per-core
err '^S0-D0-C0 +2 +2,000,000 +cycles' "adds up the threads of a core"
err '^S0-D0-C1 +1 +1,000,000 +cycles' "a core of one thread"
err '^S1-D0-C0 +1 ' "and those of another socket"
[ "$(grep -c cycles "$tmp/err")" = 4 ]
say $? "a line for each"
expect 0 "stat --per-socket" grouped --per-socket
err '^S0 +3 +3,000,000 +cycles' "adds up a socket"
err '^S1 +2 +2,000,000 +cycles' "and the other"
expect 0 "stat --per-node -x" grouped --per-node -x,
err '^N0,3,3000000,,cycles,' "CSV has the node and its CPUs"
expect 0 "stat --per-socket -j" grouped --per-socket -j
err '"socket": "S1", "aggregate-number": 2, .*"counter-value": "2000000"' "JSON has them, too"
expect 0 "stat --per-socket of some CPUs" grouped --per-socket -C 1-3
err '^S0 +1 +1,000,000 ' "counts only these"
FAKE_ROOT=$tmp/nowhere expect 0 "stat --per-core without sysfs" pretend stat -C 0,1 -e cycles --timeout 1 --per-core
err '^S0-D0-C0 +2 +2,000,000 ' "takes all for one core"
expect 125 "stat --per-core of a program" pretend stat --per-core -- true
err '^pmctl: --per-core, --per-socket and --per-node need -a or -C' "says what it needs"
expect 125 "stat --per-core -A" grouped --per-core -A
expect 125 "stat --per-core --per-node" grouped --per-core --per-node
err 'cannot be combined: choose one' "is refused"

expect 0 "stat --interval-count" pretend stat -I 20 --interval-count 3 -e cycles -- sleep 60
[ "$(grep -c '  1,000,000      cycles' "$tmp/err")" = 3 ]
say $? "prints so many intervals, and no more"
expect 125 "--interval-count without -I" pretend stat --interval-count 3 -e cycles -- true
err '^pmctl: --interval-count needs -I MS' "says what it needs"
: >"$tmp/steps"
expect 0 "stat --pre --post" pretend stat -r 2 --pre "echo pre >>$tmp/steps" --post "echo post >>$tmp/steps" \
	-e cycles -- sh -c "echo program >>$tmp/steps"
[ "$(paste -sd ' ' "$tmp/steps")" = 'pre program post pre program post' ]
say $? "are run before and after each run"
expect 125 "stat --pre of a command that fails" pretend stat --pre 'exit 3' -e cycles -- touch "$tmp/not-run"
err "^pmctl: --pre 'exit 3' ended with status 3" "says so"
[ ! -e "$tmp/not-run" ]
say $? "and nothing is run"
expect 125 "stat --post of a command that fails" pretend stat --post false -e cycles -- true
err '1,000,000      cycles' "shows the counts"
err "^pmctl: --post 'false' ended with status 1" "and says so"

# --control: the program that is counted writes the commands.
mkfifo "$tmp/control" "$tmp/ack"
commands() { # SCRIPT ARGUMENT...: SCRIPT is the program; its "request" writes a command and waits for the answer
	local script=$1
	shift
	pretend stat -e cycles --control "$tmp/control,$tmp/ack" "$@" -- bash -c "exec 5<>$tmp/control 6<>$tmp/ack
		request() { echo \$1 >&5; read -r -t 20 answer <&6 && echo \$1 \$answer >>$tmp/answers; }; $script"
}
: >"$tmp/answers"
FAKE_ORDER=$tmp/calls expect 0 "stat --control" commands 'request ping; request enable; request enable; request disable; request enable' -D -1
[ "$(paste -sd ' ' "$tmp/answers")" = 'ping ack enable ack enable ack disable ack enable ack' ]
say $? "obeys, and answers"
[ "$(paste -sd ' ' "$tmp/calls")" = 'start start stop start stop' ]
say $? "starts and stops the PMCs"
expect 0 "stat --control stop" commands 'request enable; request stop; while sleep 1; do :; done' -D -1
err '1,000,000      cycles' "ends the run, with its counts"
expect 0 "stat --control of an unknown command" commands 'echo wait >&5; echo; request ping'
err "^pmctl: --control: 'wait' is not a command of this pmctl" "is ignored"
expect 0 "stat --control fd:" pretend stat -e cycles --control fd:7 --timeout 60000 -- bash -c 'sleep 100' 7< <(echo stop)
: >"$tmp/no-fifo"
expect 125 "stat --control of a file" pretend stat -e cycles --control "$tmp/no-fifo" -- true
err "^pmctl: --control: '$tmp/no-fifo' is not a FIFO; make one with: mkfifo$" "says what it needs"
expect 125 "stat --control of nothing" pretend stat -e cycles --control "fifo:$tmp/not-there" -- true
err "cannot open '$tmp/not-there': .*mkfifo" "says how to make it"

# stat record, stat report: the same results in every format
same() { # FORMAT ARGUMENT...: stat and stat report print the same, except for times
	local format=$1
	shift
	# shellcheck disable=SC2086 # no word or one
	pretend stat $format -o "$tmp/direct" "$@"
	pretend stat record -o "$tmp/results" "$@"
	# shellcheck disable=SC2086 # no word or one
	real stat report $format "$tmp/results" && diff <(strip "$tmp/direct") <(strip "$tmp/out") >"$tmp/err"
	say $? "stat record and stat report $format have what stat has: $*"
}
# Removes times, and values that are computed from times.
strip() {
	sed -E '/^# started/d; s/ +# .*//; s/ \( \+-.*//; s/, "metric.*//; s/,[^,]*,[^,]*$//
		s/[0-9]+\.[0-9]{6,}/N/g; s/^ +N/N/' "$1"
}
for format in '' '-x,' -j; do
	same "$format" -e cycles:u,instructions,task-clock -- true
	same "$format" -e cycles,instructions -r 3 -- true
	same "$format" -e cycles -a -A --timeout 5
	same "$format" -e cycles -I 20 --interval-count 2 -- sleep 60
done
cd "$tmp" || exit 1
expect 0 "stat record without -o" pretend stat record -e cycles -- true
cd - >/dev/null || exit 1
expect 0 "stat report of pmctl.stat" real stat report -i "$tmp/pmctl.stat"
out '1,000,000      cycles' "shows it"
expect 0 "a program of that name" pretend stat -e cycles -- sh -c 'exit 0' record
expect 125 "stat report of nothing" real stat report "$tmp/no-results"
err "^pmctl: cannot read '$tmp/no-results': .*'pmctl stat record' writes it$" "says what writes it"
head -n 2 "$tmp/results" >"$tmp/cut"
expect 125 "stat report of a file without an end" real stat report "$tmp/cut"
err "has no end" "says so"
echo '{"value": 1}' >>"$tmp/cut"
expect 125 "stat report of something else" real stat report "$tmp/cut"
err "^pmctl: line 3 of '$tmp/cut' is not of a file of 'pmctl stat record'$" "names the line"
expect 125 "stat record -j" pretend stat record -j -e cycles -- true
err 'choose -x or -j at stat report' "is refused"
expect 0 "stat record --help" real stat record --help
expect 0 "stat report --help" real stat report --help

# --bias: the n-th reading of a run has n million cycles, so the empty program and the program count the same.
expect 0 "stat --bias" pretend stat --bias -e cycles,instructions -- true
err '  0      cycles' "subtracts what the empty program counts"
err '^pmctl: --bias: 1,000,000 cycles are subtracted from each run' "and prints it"
err '^pmctl: --bias: 1,360,000 instructions are subtracted' "of each event"
: >"$tmp/steps"
expect 3 "stat --bias of a program that fails" pretend stat --bias --pre "echo pre >>$tmp/steps" -r 2 -e cycles -- sh -c 'exit 3'
[ "$(wc -l <"$tmp/steps")" = 2 ]
say $? "hooks are not part of it"
expect 125 "stat --bias -a" pretend stat --bias -a -e cycles --timeout 1
err '^pmctl: --bias needs a program that is counted' "says what it needs"
expect 125 "stat --bias -I" pretend stat --bias -I 100 -e cycles -- true
