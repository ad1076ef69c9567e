#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl admin against the real module: it disables rows, and evicts their holders.
subject='admin'
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

status 0 "admin" pmctl admin -c 0
says out '^ +0 +[0-9]+ .* free +-$' "shows rows that are free"
row=$(awk '/event counter/ && / free / { print $2; exit }' out)
status 0 "disable" pmctl admin disable "$row"
status 0 "admin" pmctl admin
[ "$(grep -cE "^ +[0-9]+ +$row .* disabled " out)" = "$(nproc)" ]
verdict $? "shows that no CPU has row $row"
status 0 "enable" pmctl admin enable "$row"
status 125 "disable of a row that does not exist" pmctl admin disable 4000
says err 'there is no row 4000' "is refused"
su user -c 'exec pmctl stat -e cycles:u sleep 600' 2>stat.err &
stat=$!
patience=300
until pmctl admin -c 0 | grep -q ' threads .*pmctl' || [ $((patience -= 1)) -eq 0 ]; do sleep 0.1; done
status 0 "admin while somebody counts" pmctl admin -c 0
says out ' threads .*pmctl \([0-9]+\)$' "shows who holds a row"
row=$(awk '/ threads .*pmctl/ { print $2; exit }' out)
status 125 "disable of a row that is held" pmctl admin disable "$row" -c 0
says err "cannot disable row $row of CPU 0: .* held by pid [0-9]+ \(pmctl\)" "says who holds it"
status 125 "evict without the right" su user -c "pmctl admin evict $row -c 0"
status 0 "evict" pmctl admin evict "$row" -c 0
status 0 "ps" pmctl ps
says out 'user .* evicted ' "and what is left of the PMC"
kill "$(pmctl ps -u user -x, | awk -F, 'NR == 2 { print $1 }')"
wait $stat
exit $failed
