# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of cases.sh
# On a terminal: the pager, and lines that fit. Read by cases.sh.
bare -o "$tmp/paged" -e cycles -- true
on_terminal() { # COMMAND...: on a terminal of 60 columns
	COLUMNS=60 timeout 60 "$HERE/terminal.py" '' '' "$@" >"$tmp/out" 2>"$tmp/err"
}
mark='sed s/^/paged:/'
by_pager() { ! tr -d '\r' <"$tmp/out" | grep -qv '^paged:'; say $? "$1"; }
by_none() { ! grep -q 'paged:' "$tmp/out" && grep -q . "$tmp/out"; say $? "$1"; }
for command in report script; do
	PAGER=false PMCTL_PAGER=$mark expect 0 "$command on a terminal" on_terminal "$pmctl" "$command" "$tmp/paged"
	by_pager "is read by PMCTL_PAGER"
done
PMCTL_PAGER=$mark expect 0 "diff on a terminal" on_terminal "$pmctl" diff "$tmp/paged" "$tmp/paged"
by_pager "too"
PAGER=$mark expect 0 "report with PAGER only" on_terminal "$pmctl" report "$tmp/paged"
by_pager "is read by that"
PAGER=$mark expect 0 "report --no-pager" on_terminal "$pmctl" report --no-pager "$tmp/paged"
by_none "is not"
PAGER=$mark expect 0 "pmctl --no-pager report" on_terminal "$pmctl" --no-pager report "$tmp/paged"
by_none "nor is this"
PAGER=$mark PMCTL_PAGER='' expect 0 "report with an empty PMCTL_PAGER" on_terminal "$pmctl" report "$tmp/paged"
by_none "nor this"
PAGER=$mark expect 0 "report to a file" real report "$tmp/paged"
by_none "output that is no terminal"
PAGER='sleep 1; cat' expect 0 "report with a slow pager" on_terminal "$pmctl" report "$tmp/paged"
out '\[sh\]' "waits for it"
PAGER=false expect 0 "report with a pager that leaves" on_terminal "$pmctl" report "$tmp/paged"
expect 1 "report of a log that was cut off" env PAGER="$mark" \
	COLUMNS=60 "$HERE/terminal.py" '' '' "$pmctl" report "$tmp/cut"
mkdir -p "$tmp/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "less has LESS=$LESS"\ncat >/dev/null\n' >"$tmp/bin/less"
chmod +x "$tmp/bin/less"
PATH=$tmp/bin:$PATH expect 0 "report without PAGER" on_terminal env -u PAGER "$pmctl" report "$tmp/paged"
out '^less has LESS=FRX' "is read by less, which ends if all is on one screen"
LESS=S PATH=$tmp/bin:$PATH expect 0 "report with LESS" on_terminal env -u PAGER "$pmctl" report "$tmp/paged"
out '^less has LESS=S' "keeps that"

widest() { tr -d '\r' <"$tmp/out" | grep -v '^#' | awk '{ print length }' | sort -n | tail -n 1; }
long=$tmp/a-name-of-a-program-that-is-longer-than-a-line-of-the-terminal
cp /bin/true "$long"
FAKE_PATH=$long bare -o "$tmp/wide" -e cycles -- true
real report "$tmp/wide"
[ "$(widest)" -gt 60 ]
say $? "a long name in a file"
expect 0 "a long name on a terminal" on_terminal "$pmctl" --no-pager report "$tmp/wide"
[ "$(widest)" -le 60 ] && [ "$(widest)" -gt 40 ]
say $? "is cut to its width"
expect 0 "a long name through a pager" env PAGER='cat -' "$HERE/terminal.py" '' '' env COLUMNS=60 "$pmctl" report "$tmp/wide"
