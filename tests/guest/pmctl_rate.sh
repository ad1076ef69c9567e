#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl record at 20,000 samples a second and CPU (with -icount, a cycle is 1 ns): its default rings
# are enough; and what it says that it lost is what it lost, when they are not.
subject=rate
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

ring=/sys/module/hwpmc/parameters/ring_kb
said() { # WORD
	sed -nE "s/^pmctl: (.*, )?([0-9,]+) $1,.*/\2/p" err | tail -n 1 | tr -d ,
}
# Samples, what DROP records tell, what all of it stands for, and in how many ns.
tally() { # LOG
	pmctl script "$1" | awk '
		function of(key) { match($0, " " key "=[0-9]+"); return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) }
		/ SAMPLE / { if (!n++) first = $1; last = $1; events += of("period") }
		/ DROP id=[1-9]/ { lost += of("lost"); events += of("events") }
		END { printf "%d %d %d %d\n", n, lost, events, (last - first) * 1e9 }'
}
rate() { # NAME LOSSY
	local samples lost events ns
	pmctl record -a -e cycles -c 50000 -o log -- t-spins 60 2>err
	verdict $? "$1: $(tail -n 1 err)"
	read -r samples lost events ns < <(tally log)
	echo "# $1: $samples samples and $lost lost in $((ns / 1000000)) ms: $(((samples + lost) * 1000 / (ns / 1000000 + 1))) a second; $((events * 1000 / (ns / 1000000 + 1))) events"
	[ "$samples" = "$(said samples)" ] && [ "$lost" = "$(said lost)" ]
	verdict $? "$1: $samples are in the log, and $lost told lost"
	[ $((events / 50000)) -ge 10000 ] && [ "$2" = $((lost > 0)) ]
	verdict $? "$1: of $((events / 50000)) periods"
	# One that comes late, or while it is throttled, stands for several.
	[ $(((samples + lost) * 100)) -ge $((events * 98 / 50000)) ]
	verdict $? "$1: $((samples + lost)) samples for them"
	grep -q ', throttled 0 times;' err
	verdict $? "$1: none was put off"
}

rate "default rings" 0
before=$(cat $ring)
echo 8 >$ring
rate "rings of 8 KiB" 1
echo "$before" >$ring
[ $failed -eq 0 ] || sed 's/^/# /' err
exit $failed
