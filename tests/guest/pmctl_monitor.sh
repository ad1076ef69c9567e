#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl monitor against the real module: what it shows of a measurement, and to whom.
subject=monitor
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# listens FILE COMMAND...: runs a monitor in the background, and returns when it shows events.
listens() {
	local file=$1 patience=300
	shift
	"$@" >"$file" 2>"$file.err" &
	listener=$!
	until [ -s "$file" ] || [ $((patience -= 1)) -eq 0 ]; do
		pmctl stat -e cycles:u -- true 2>/dev/null
		su user -c 'pmctl stat -e cycles:u -- true' 2>/dev/null
		sleep 0.1
	done
}
# until_printed FILE PATTERN NAME
until_printed() {
	local patience=300
	until grep -qE -- "$2" "$1" || [ $((patience -= 1)) -eq 0 ]; do sleep 0.1; done
	says "$1" "$2" "$3"
}
us='^[0-9:.]+  pmctl \([0-9]+, root\): '

listens root pmctl monitor
root=$listener
listens json pmctl monitor -j -w allocate,start
json=$listener
listens user su user -c 'exec pmctl monitor'
user=$listener
su user -c 'pmctl stat -e instructions:u true' 2>err
pmctl stat -e cycles:u -- true 2>err
# For longer than a tenth of a second, because shorter changes of the PMU's holder are not reported.
pmctl stat -C 0 -e cycles --timeout 1000 2>err
until_printed root "$us.*started cycles on CPU 0$" "a start on a CPU is shown"
says root "$us""opened the device$" "with the file"
says root "$us""allocated cycles:u$" "allocations"
says root "$us""attached cycles:u to [a-z]+ \([0-9]+\)$" "targets"
says root "$us""(started|stopped) cycles:u$" "starts and stops"
until_printed root "$us""closed the device" "and the end"
says root '^[0-9:.]+  pmctl \([0-9]+, user\): allocated instructions:u$' "root sees other users"
until_printed root '  the module (claimed the PMU from perf|released the PMU to perf)$' "and claims and releases of the PMU"
until_printed json '"what":"start"' "JSON has what was asked for"
! grep -qvE '^\{"what":"(allocate|start)",.*\}$' json
verdict $? "and nothing else"
until_printed user ', user\): allocated instructions:u$' "a user sees what it does itself"
! grep -q ', root)' user
verdict $? "and nothing of root"

kill $json $user
wait $json $user 2>/dev/null
rmmod hwpmc 2>err || { sleep 5; rmmod hwpmc; }
verdict $? "the module is unloaded while somebody listens"
wait $root
[ $? -eq 125 ]
verdict $? "pmctl monitor ends"
says root.err '^pmctl: the module was unloaded$' "with that reason"
insmod /hwpmc/modules/hwpmc.ko max_cpu_percent=100
# Mounted as the guest's init does it, for later programs.
chgrp hwpmc /dev/hwpmc && chmod 660 /dev/hwpmc
exit $failed
