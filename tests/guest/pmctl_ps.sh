#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl ps against the real module: root, another user and a container list two measurements.
subject='ps'
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# plain FILE: prints the file with repeated blanks removed.
plain() { tr -s ' ' <"$1" | sed 's/^ //'; }
# seen TEXT NAME: a line of the last ps begins with it.
seen() {
	plain out | grep -qE -- "^$1"
	verdict $? "$2"
	plain out | grep -qE -- "^$1" || sed 's/^/# /' out
}
unseen() { ! plain out | grep -qE -- "^$1"; verdict $? "$2"; }
# Waits until ps shows TEXT, and fails if it does not.
comes() {
	local patience=300
	until pmctl ps >out 2>err && plain out | grep -qE -- "^$1"; do
		if [ $((patience -= 1)) -eq 0 ]; then
			verdict 1 "shows '$1' after a while"
			return
		fi
		sleep 0.1
	done
}

status 0 "without a measurement" pmctl ps
says out '^no PMC is allocated$' "says so"

pmctl stat -a -e cycles sleep 600 2>stat.err &
stat=$!
su user -c 'exec pmctl record -e instructions:u -c 100000 -o /tmp/user.log -- sleep 600' 2>record.err &
record=$!
comes "[0-9]+ user .* running"
comes "$stat root .* running"
status 0 "root" pmctl ps
seen "$stat root pmctl counts cycles CPUs 0-[0-9]+ running [0-9]+m?[0-9]*s - -" "sees what is counted on all CPUs"
seen "[0-9]+ user pmctl samples instructions:u sleep \([0-9]+\) and children running" "and what another user samples"
[ "$(wc -l <out)" = 3 ]
verdict $? "a line each"
user=$(plain out | awk '$2 == "user" { print $1 }')
status 0 "-u" pmctl ps -u user -x,
[ "$(cut -d, -f1 out | sort -u | paste -sd ' ')" = "$user pid" ]
verdict $? "shows one user's"
status 0 "a plain user" su user -c 'pmctl ps'
seen "[0-9]+ user pmctl samples instructions:u" "sees its own"
unseen "$stat " "and nobody else's"
says out "^[0-9]+ more PMCs? cannot be shown" "but how many there are"
status 0 "another one without the device" setpriv --reuid=65534 --clear-groups --regid=65534 pmctl ps
says out "^[0-9]+ more PMCs? cannot be shown" "sees that number alone"
[ "$(wc -l <out)" = 1 ]
verdict $? "and nothing else"
status 0 "root of a PID namespace" unshare --pid --fork pmctl ps
[ "$(wc -l <out)" = 1 ]
verdict $? "sees nothing of what is outside"
status 0 "-j" pmctl ps -j
says out '"hidden": 0' "is JSON"
kill $stat "$user"
wait $stat $record
comes 'no PMC is allocated'
sleep 600 &
one=$!
sleep 601 &
other=$!
pmctl stat -e task-clock -p $one,$other -- sleep 602 2>stat.err &
stat=$!
comes "$stat root .* running"
status 0 "-t" pmctl ps -t -p $other
seen "$stat root pmctl counts task-clock sleep \($one\) and children running" "shows a PMC by its second target"
seen "sleep \($other\) and children\$" "and each target"
status 0 "-p without -t" pmctl ps -p $other
seen "$stat root pmctl counts task-clock sleep \($one\) and 1 more running" "finds it, too"
status 0 "-t of a plain user" su user -c 'pmctl ps -t'
unseen '.*sleep' "shows no target of others"
kill $stat $one $other
wait $stat $one $other
comes 'no PMC is allocated'
status 0 "after the measurements" pmctl ps
says out '^no PMC is allocated$' "nothing is left"
exit $failed
