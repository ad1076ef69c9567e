#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# papi.sh [NAME]...: Debian's PAPI with the component of examples/papi (tests/vm/papi builds it)
# counts by the module. PAPI's own tests have the results that the table examples/papi/tests lists; with
# names, only these tests run. PAPI and the table were copied to the directory of this script.
subject='papi'
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1
table=$PWD/tests
cd papi-* || exit 1
export LD_LIBRARY_PATH=$PWD/lib PATH=$PWD/ctests:$PWD/bin:$PATH
# libpfm4 does not know the emulated processor. Its PMU counts instructions, cycles and branches by
# the numbers that they have on this one.
export LIBPFM_FORCE_PMU=skl
# Seconds that a test may take.
limit=600

status 0 "papi_avail" papi_avail
says out '^PAPI_TOT_INS +0x80000032 +Yes +No ' "it knows the preset of instructions"
says out '^Of [0-9]+ possible events, [1-9][0-9]* are available' "it counts the presets"
status 0 "papi_component_avail" papi_component_avail
says out '^Name: +hwpmc +CPU counters of the module' "the component is there"
sed -n '/^Active components/,$p' out >active
says active '^Name: +hwpmc ' "it is active"
status 0 "papi_command_line" papi_command_line PAPI_TOT_INS
says out 'PAPI_TOT_INS *: [[:space:]]*2008[0-9]{5} ' "it counts instructions"

# The result of a test: pass, fail, skip or time. Some tests print nothing.
ending() { # STATUS
	if [ "$1" = 137 ]; then
		echo time
	elif [ "$1" != 0 ] || grep -q 'FAILED' test.out; then
		echo fail
	elif grep -q 'SKIPPED' test.out; then
		echo skip
	else
		echo pass
	fi
}

one() { # NAME EXPECTED REASON
	local start=$SECONDS expected=$2 got tries=1
	case $expected in
	none)
		echo "skip - $subject: $1: not run: $3"
		return
		;;
	busy) expected=pass tries=3 ;;
	esac
	while
		timeout -s KILL "$limit" "./ctests/$1" TESTS_QUIET >test.out 2>&1 </dev/null
		got=$(ending $?)
		[ "$got" != "$expected" ] && [ $((--tries)) -gt 0 ]
	do
		echo "# $1: $got, tried again: $(grep -m 1 -E 'tolerance|Interrupt rate' test.out)"
	done
	if [ "$got" != "$expected" ]; then
		verdict 1 "$1: expected $expected, got $got"
		tail -n 20 test.out | sed 's/^/# /'
	elif [ "$got" = pass ]; then
		verdict 0 "$1"
	else
		echo "skip - $subject: $1: $got: $3"
	fi
	[ $((SECONDS - start)) -lt 10 ] || echo "# $1: $((SECONDS - start)) s"
}

sed -E 's/#.*//; /^[[:space:]]*$/d' "$table" >wanted
while read -r name expected reason; do
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	one "$name" "$expected" "$reason"
done <wanted
find ctests -type f -printf '%f\n' | sort >built
awk '{ print $1 }' wanted | sort | diff - built >difference
verdict $? "the table has each test that was built, once"
sed 's/^/# /' difference
! awk '$2 != "pass" && NF < 3' wanted | grep .
verdict $? "each that does not pass has a reason"
exit $failed
