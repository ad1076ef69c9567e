#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl stat -T, -u and -G against the real module: which processes are counted, at the start and later.
# shellcheck disable=SC2016 # for the script that it writes
subject='targets'
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

# Each thread that runs has a line: "NAME-TID,COUNT,,cycles:u,...".
count() { # ARGUMENT...
	pmctl stat --per-thread -x, -e cycles:u -o counts "$@" 2>err
}
has() { grep -qE "^ *([0-9.]+,)?$1,[1-9][0-9]*,,cycles:u" counts; } # LABEL
counted() { has "$1"; verdict $? "$2"; }
uncounted() { ! has "$1"; verdict $? "$2"; }
comes() { # LABEL NAME: it is counted soon
	local patience=200
	until has "$1" || [ $((patience -= 1)) -eq 0 ]; do sleep 0.1; done
	counted "$1" "$2"
	[ $patience -gt 0 ] || tail -n 20 counts | sed 's/^/# /'
}
# Each process of this script executes a little all the time, so that it is counted, and mostly sleeps.
mkfifo -m 666 /tmp/never
printf '#!/bin/bash\nexec 5<>/tmp/never\nwhile [ ! -e "$1" ]; do read -r -t 0.02 -u 5; done\n' >/tmp/work-here
chmod 755 /tmp/work-here
cp /tmp/work-here /tmp/work-there
/tmp/work-here /tmp/end &
here=$!
/tmp/work-there /tmp/end &
there=$!
su user -c 'exec /tmp/work-there /tmp/end' &
until theirs=$(pgrep -u user work-there); do sleep 0.1; done

count -T '^work-here$' --timeout 300
verdict $? "-T ends with 0"
counted work-here-$here "-T counts the processes that match"
uncounted 'work-there-[0-9]+' "and nobody else"
status 125 "-T of nobody" pmctl stat -e cycles:u -T wombat
says err 'no process matches -T wombat; list processes with: ps' "says what to do"
count -u user --timeout 300
counted "work-there-$theirs" "-u counts that user's"
uncounted "work-(here-$here|there-$there)" "and nobody else's"
status 0 "-T where one is permitted" su user -c 'pmctl stat -e cycles:u -T ^work-there$ --timeout 100'
says err '^pmctl: 1 of 2 processes that match -T \^work-there\$ are not counted: no permission .*CAP_SYS_PTRACE' \
	"says how many are not, and what they need"
status 125 "-T where none is permitted" su user -c 'pmctl stat -e cycles:u -T ^work-here$ --timeout 100'
says err '^pmctl: none of 1 processes .*CAP_SYS_PTRACE' "says so"

web=/sys/fs/cgroup/web
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p $web/workers
status 125 "-G of an empty cgroup" pmctl stat -e cycles:u -G web
status 125 "-G of no cgroup" pmctl stat -e cycles:u -G wub
says err "there is no cgroup 'wub'.*find /sys/fs/cgroup -type d" "says how to find one"
echo $here >$web/workers/cgroup.procs
count -I 100 -G web &
stat=$!
comes work-here-$here "-G counts a process in a nested cgroup"
uncounted 'work-there-[0-9]+' "and none outside"
echo $there >$web/cgroup.procs
comes work-there-$there "one that is moved in later"
bash -c "echo \$\$ >$web/cgroup.procs; cp /tmp/work-here /tmp/work-child; /tmp/work-child /tmp/end & wait" &
# pmctl shows a thread by its name at the time it found the thread, which may be before exec.
comes '(bash|work-child)-[0-9]+' "one that a later one forks"
bash -c "/tmp/work-there /tmp/end & echo \$! >$web/workers/cgroup.procs; wait" &
until late=$(grep -vxE "$here|$there" $web/workers/cgroup.procs); do sleep 0.1; done
comes "(bash|work-there)-$late" "one that is moved into a nested cgroup later"
counted work-here-$here "and the first one is still counted"
touch /tmp/end
patience=300
while kill -0 $stat 2>/dev/null && [ $((patience -= 1)) -gt 0 ]; do sleep 0.1; done
[ $patience -gt 0 ]
verdict $? "counting ends with the last process"
wait $stat
verdict $? "with 0"
[ ! -s err ]
verdict $? "and without a message"
sed 's/^/# /' err
exit $failed
