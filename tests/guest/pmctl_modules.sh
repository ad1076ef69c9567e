#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# "pmctl_modules [TIMES]": modules that are loaded and unloaded while pmctl records. Needs busy.ko in
# the working directory.
subject=modules
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

record() { # LOG LINE
	pmctl record -e cycles:k -c 100000 -o "$1" -- sh -c "$2" 2>err
	verdict $? "$(tail -n 1 err)"
	pmctl script -S "$1" >"$1.txt" 2>err
}

record in "insmod busy.ko && echo $((20000000 * ${1:-1})) >/sys/module/busy/parameters/spin"
says in.txt ' MAP_IN pid=-1 .*path=\[busy\]' "record logs the loading of a module"
says in.txt ' KSYM .*busy_spin \[busy\]' "record logs the module's symbols"
says in.txt ' SAMPLE .*at=busy_spin' "script resolves samples in the module"
share=$(pmctl report -x, --sort dso,symbol in |
	awk -F, '/busy_spin/ { print $2; exit }')
awk -v share="${share:-0}" 'BEGIN { exit !(share > 50) }'
verdict $? "report has most samples in the module: busy_spin ${share:-none} %"
record out 'rmmod busy'
says out.txt ' MAP_OUT pid=-1 ' "record logs the unloading of a module"
pmctl record -e cycles:u -c 100000 -o user -- sh -c 'insmod busy.ko; rmmod busy' 2>err
pmctl script -S user >user.txt
! grep -q 'pid=-1' user.txt
verdict $? "record of user mode logs no modules"
! grep -q ' KSYM ' user.txt
verdict $? "and none of the kernel's symbols"
[ $failed -eq 0 ] || { head -n 20 err; grep -E 'MAP|KSYM.*busy' in.txt out.txt | tail -n 20; } | sed 's/^/# /'
exit $failed
