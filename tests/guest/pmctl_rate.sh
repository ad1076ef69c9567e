#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl record at 20,000 samples a second and CPU, on every CPU at once (with -icount, a cycle is 1 ns):
# its default rings are enough on one; and what it says that it lost is what it lost, when they are not.
subject=rate
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

ring=/sys/module/hwpmc/parameters/ring_kb
said() { # WORD
	sed -nE "s/^pmctl: (.*, )?([0-9,]+) $1,.*/\2/p" err | tail -n 1 | tr -d ,
}
# A line for each CPU: its number, samples, what DROP records tell, what all of it stands for, and in how many ns.
tally() { # LOG
	pmctl script "$1" | awk '
		function of(key) { match($0, " " key "=[0-9]+"); return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) }
		/ SAMPLE / { if (!n[$2]++) first[$2] = $1; last[$2] = $1; events[$2] += of("period") }
		/ DROP id=[1-9]/ { lost[$2] += of("lost"); events[$2] += of("events") }
		END { for (cpu in n) printf "%s %d %d %d %d\n", cpu, n[cpu], lost[cpu], events[cpu], (last[cpu] - first[cpu]) * 1e9 }'
}
# As long on so many CPUs as on one: there is one clock, and they share it.
# shellcheck disable=SC2317 # pmctl's child calls it
load() {
	local cpus cpu
	cpus=$(nproc --all)
	for ((cpu = 0; cpu < cpus; cpu++)); do taskset -c "$cpu" t-work_spin $((60 / cpus)) & done
	wait
}
export -f load
rate() { # NAME LOSSY
	local cpu samples lost events ns all_samples=0 all_lost=0 cpus=0
	pmctl record -a -e cycles -c 50000 -o log -- bash -c load 2>err
	verdict $? "$1: $(tail -n 1 err)"
	while read -r cpu samples lost events ns; do
		echo "# $1, $cpu: $samples samples and $lost lost in $((ns / 1000000)) ms: $(((samples + lost) * 1000 / (ns / 1000000 + 1))) a second; $((events * 1000 / (ns / 1000000 + 1))) events"
		all_samples=$((all_samples + samples)) all_lost=$((all_lost + lost)) cpus=$((cpus + 1))
		# Where all CPUs are busy the reader may come late; what that loses has to be told.
		[ $((events / 50000)) -ge 10000 ] && { [ "$2" = $((lost > 0)) ] || [ "$(nproc --all)" -gt 1 ]; }
		verdict $? "$1, $cpu: of $((events / 50000)) periods"
		# One that comes late, or while it is throttled, stands for several.
		[ $(((samples + lost) * 100)) -ge $((events * 98 / 50000)) ]
		verdict $? "$1, $cpu: $((samples + lost)) samples for them"
	done < <(tally log)
	[ $cpus = "$(nproc --all)" ] && [ $all_samples = "$(said samples)" ] && [ $all_lost = "$(said lost)" ]
	verdict $? "$1: $all_samples of $cpus CPUs are in the log, and $all_lost told lost"
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
