#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# "pmctl_rate [TENS]": pmctl record at 20,000 samples per second and CPU, on all CPUs (with -icount a cycle
# is 1 ns). On one CPU the default rings lose nothing; with small rings the reported losses are exact.
subject=rate
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1
export tens=${1:-60}

ring=/sys/module/hwpmc/parameters/ring_kb
said() { # WORD
	sed -nE "s/^pmctl: (.*, )?([0-9,]+) $1,.*/\2/p" err | tail -n 1 | tr -d ,
}
# A line for each CPU: its number, samples, lost samples of DROP records, the events of both, and the time in ns.
tally() { # LOG
	pmctl script "$1" | awk '
		function of(key) { match($0, " " key "=[0-9]+"); return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) }
		/ SAMPLE / { if (!n[$2]++) first[$2] = $1; last[$2] = $1; events[$2] += of("period") }
		/ DROP id=[1-9]/ { lost[$2] += of("lost"); events[$2] += of("events") }
		END { for (cpu in n) printf "%s %d %d %d %d\n", cpu, n[cpu], lost[cpu], events[cpu], (last[cpu] - first[cpu]) * 1e9 }'
}
# This takes as long on several CPUs as on one: with -icount they share one clock.
# shellcheck disable=SC2317 # pmctl's child calls it
load() {
	local cpus cpu
	cpus=$(nproc --all)
	for ((cpu = 0; cpu < cpus; cpu++)); do taskset -c "$cpu" t-work_spin $((tens / cpus)) & done
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
		# If all CPUs are busy the reader may be late; the losses must be reported.
		[ $((events / 50000)) -ge $((tens * 1000 / 6)) ] && { [ "$2" = $((lost > 0)) ] || [ "$(nproc --all)" -gt 1 ]; }
		verdict $? "$1, $cpu: the run has enough periods: $((events / 50000))"
		# A sample that is late or throttled represents several periods.
		[ $(((samples + lost) * 100)) -ge $((events * 98 / 50000)) ]
		verdict $? "$1, $cpu: at least 98 % of these have a sample: $((samples + lost))"
	done < <(tally log)
	[ $cpus = "$(nproc --all)" ] && [ $all_samples = "$(said samples)" ] && [ $all_lost = "$(said lost)" ]
	verdict $? "$1: pmctl reports the samples ($all_samples) and losses ($all_lost) of $cpus CPUs in the log"
	grep -q ', throttled 0 times;' err
	verdict $? "$1: no sample is throttled"
}

rate "default rings" 0
before=$(cat $ring)
echo 8 >$ring
rate "rings of 8 KiB" 1
echo "$before" >$ring
[ $failed -eq 0 ] || sed 's/^/# /' err
exit $failed
