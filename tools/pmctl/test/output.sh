# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# Sourced by run after cases.sh: where record writes its logs: to a collector, into several files, from memory.

samples() { # LOG: the number of its samples
	"$pmctl" script "$1" 2>"$tmp/err" | grep -c ' SAMPLE '
}
whole() { # LOG SAMPLES NAME: LOG is complete, and has that many samples and the records of their process and PMC
	real report -i "$1" -x,
	status=$?
	[ $status = 0 ] && [ "$(samples "$1")" = "$2" ] && ! grep -q . "$tmp/err" && grep -q '^cycles,' "$tmp/out"
	say $? "$3"
}

# --- record --log-to, collect
collector() { # ARGUMENT...: starts one; sets $address
	rm -f "$tmp/collected"
	"$pmctl" collect "$@" 2>"$tmp/collected" &
	collecting=$!
	for ((tries = 0; tries < 400; tries++)); do
		address=$(sed -n "s/^pmctl: listening on //p" "$tmp/collected" 2>/dev/null)
		[ -z "$address" ] || break
		sleep 0.05
	done
}
collector 127.0.0.1:0 -o "$tmp/far"
expect 0 "record --log-to" pretend record --log-to "$address" -e cycles -- true
err "100 samples, 0 lost, .* MB in $address$" "says where the log is"
wait $collecting
say $? "collect ends after it"
whole "$tmp/far" 100 "and has the log"
collector 127.0.0.1:0 -o "$tmp/more" -n 2
exec 8<>"/dev/tcp/${address%:*}/${address##*:}"
echo "GET / HTTP/1.1 and so on, for longer than the first record of a log, which has a magic number" >&8
exec 8>&-
expect 0 "record --log-to" pretend record --log-to "$address" -e cycles -- true
expect 0 "a second record --log-to" pretend record --no-compress --log-to "$address" -e cycles -- true
wait $collecting
say $? "collect -n 2 ends after both"
grep -qE '^pmctl: 127\.0\.0\.1:[0-9]+ sends something that is not a log: its connection is closed$' "$tmp/collected"
say $? "and refuses what is not a log"
whole "$tmp/more" 100 "the first log"
whole "$tmp/more.2" 100 "and the second"
expect 125 "record --log-to of nobody" pretend record --log-to "$address" -e cycles -- true
err "^pmctl: --log-to: '$address': Connection refused$" "says so"
expect 125 "record --log-to without a port" pretend record --log-to here -e cycles -- true
err "^pmctl: --log-to needs HOST:PORT, not 'here'$" "says what it needs"
expect 125 "record --log-to -o" pretend record --log-to "$address" -o "$tmp/x" -e cycles -- true
err 'cannot be combined' "is refused"
expect 125 "collect of no address" real collect
expect 125 "collect of no port" real collect 127.0.0.1:none
err "^pmctl: collect: there is no address '127.0.0.1:none': " "says so"

# --- record --switch-output: the program continues when the next log is open
# shellcheck disable=SC2016 # for the program
next() { printf 'kill -USR2 $PPID; until [ -s %s ]; do sleep 0.05; done; ' "$1"; }
expect 0 "record --switch-output" pretend record --switch-output -o "$tmp/turn" -e cycles -- sh -c "$(next "$tmp/turn.2")$(next "$tmp/turn.3")"
err "^pmctl: 100 samples, .* in 3 logs up to $tmp/turn\.3$" "says how many logs there are"
whole "$tmp/turn.1" 100 "the first log has the samples before the signal"
for n in 2 3; do
	[ "$("$pmctl" script "$tmp/turn.$n" 2>&1 | grep -cE ' (ALLOCATE|MAP_IN|CLOSE)( |$)')" -ge 3 ]
	say $? "log $n has what describes samples, and an end"
done
[ ! -e "$tmp/turn" ]
say $? "and there is no other file"
expect 0 "record --switch-output=1s" pretend record --switch-output=1s -o "$tmp/old" -e cycles -- sh -c "until [ -s $tmp/old.2 ]; do sleep 0.05; done"
expect 0 "record --switch-output=1K" pretend record --switch-output=1K --no-compress -o "$tmp/large" -e cycles -- sh -c "until [ -s $tmp/large.2 ]; do sleep 0.05; done"
mkdir "$tmp/gone"
expect 125 "record --switch-output to a directory that vanishes" pretend record --switch-output=1s -o "$tmp/gone/log" -e cycles -- sh -c "rm -r $tmp/gone; sleep 60"
err "^pmctl: cannot write '$tmp/gone/log\.2': No such file or directory$" "says so"
expect 125 "record --switch-output=soon" pretend record --switch-output=soon -e cycles -- true
err "^pmctl: --switch-output takes 'signal', a size such as 10M or a time such as 30s, not 'soon'$" "says what it takes"
expect 125 "record --switch-output to standard output" pretend record --switch-output -o - -e cycles -- true
err 'need files' "is refused"

# --- record --overwrite
expect 0 "record --overwrite" pretend record --overwrite -o "$tmp/kept" -e cycles -- sh -c "[ ! -e $tmp/kept.1 ] && $(next "$tmp/kept.1")"
whole "$tmp/kept.1" 100 "the snapshot has the samples"
[ "$(samples "$tmp/kept.2")" = 0 ]
say $? "and the log at the end only those after it"
FAKE_SAMPLES=40000 expect 0 "record --overwrite of many samples" pretend record --overwrite=1 -m 4096 -o "$tmp/newest" -e cycles -- true
"$pmctl" script "$tmp/newest.1" | grep ' SAMPLE ' >"$tmp/newest.txt"
"$pmctl" report -i "$tmp/newest.1" >"$tmp/out" 2>"$tmp/err"
say $? "writes a log that can be read"
count=$(wc -l <"$tmp/newest.txt")
[ "$count" -gt 5000 ] && [ "$count" -lt 30000 ]
say $? "keeps as many samples as there is room for ($count)"
expect 125 "record --overwrite=0" pretend record --overwrite=0 -e cycles -- true
