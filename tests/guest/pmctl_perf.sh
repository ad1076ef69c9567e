#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# pmctl beside perf under icount: six programs of Debian as they are, their counts and the functions that took more than
# 2 % of the instructions, in user and in kernel mode, sampled alone and with stacks of both kinds; the instructions of
# such functions; and the kernel's part of exec.
# pmctl_perf two|few|all: two of the programs, or all of them, are sampled in one of these ways each, or in all.
subject=perf
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

PERIOD=10007
export LC_ALL=C
# The same addresses in each run, so that hash tables and alignment are the same.
echo 0 >/proc/sys/kernel/randomize_va_space
# All samples are taken. Here an instruction is a nanosecond: by default perf would take 400 samples in a tick and none
# until the next, and so show too much of what follows a tick; and the module would throttle as soon.
limit=/sys/module/hwpmc/parameters/max_samples
before=$(cat $limit)
trap 'echo $before >$limit' EXIT
echo 1000000 >$limit
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
seq 1 20000 >numbers

# close OURS THEIRS PARTS NAME: they differ by at most so many parts of 10,000, and 2,000.
close() {
	awk -v a="${1:-0}" -v b="${2:-0}" -v parts="$3" \
		'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b > 0 && d <= b * parts / 10000 + 2000) }'
	verdict $? "$4: ${1:-none}, by perf ${2:-none}"
}
value() { awk -F, -v event="$2" '$3 == event { print $1 }' "$1"; } # FILE EVENT

# perf adds to the environment of what it runs, and the dynamic linker reads all of it: env(1) has each program get the
# same one.
alone=(env -i PATH="$PATH" LC_ALL=C)

count() { # perf|pmctl EVENT COMMAND...: the count
	"$1" stat -x, -o counts -e "$2" -- "${alone[@]}" "${@:3}" >/dev/null 2>&1
	value counts "$2"
}

counts() { # NAME COMMAND...
	close "$(count pmctl instructions:u "${@:2}")" "$(count perf instructions:u "${@:2}")" 5 "$1, user mode"
}

copy=(dd if=/dev/zero of=/dev/null bs=1)

# more perf|pmctl: by how much the least count of the larger copy is above that of the smaller one.
more() {
	awk -v by="$1" '$1 == by && (!($2 in least) || $3 < least[$2]) { least[$2] = $3 }
		END { print least[120000] - least[20000] }' copies
}

# In the kernel the two differ by what ends a process: perf stops before its memory is freed. So what more work adds is
# compared. In some of the runs the kernel does something else, too, and the counts of one copy are up to 30,000 apart:
# the larger copy is so large that 5 parts of 10,000 are twice that. The smaller copy lasts some ticks, in which the kernel
# frees what the process before it left behind.
kernel_counts() {
	local round by blocks
	for ((round = 0; round < 3; round++)); do
		for by in pmctl perf; do
			for blocks in 20000 120000; do
				echo "$by $blocks $(count "$by" instructions:k "${copy[@]}" count=$blocks)"
			done
		done
	done >copies
	close "$(more pmctl)" "$(more perf)" 5 "what 100,000 reads and writes take in the kernel"
	[ $failed -eq 0 ] || sed 's/^/# /' copies
}

# Neither counts what is before exec, and nothing ends while they count. The module's own work at exec is in ours.
exec_alone() {
	perf stat -x, -o theirs -e instructions:k --timeout 1000 -- sleep 20 >/dev/null 2>&1
	pmctl stat -x, -o ours -e instructions:k --timeout 1000 -- sleep 20 >/dev/null 2>&1
	close "$(value ours instructions:k)" "$(value theirs instructions:k)" 500 "the kernel's part of exec"
}

# bare SEPARATOR: names in the last column without leading underscores. Of several names of one function each chooses
# another.
bare() { sed -E "s/$1_+([^$1]*)\$/$1\1/"; }

# Whether all samples are in the logs theirs and ours.
whole() { # NAME
	local lacks
	lacks=$(perf report -i theirs --stats 2>/dev/null | grep -E '(LOST|THROTTLE)[A-Z_]* events: *[1-9]')
	verdict "$((${#lacks} > 0))" "$1: perf has all samples${lacks:+ but:$lacks}"
	says said ' 0 lost, throttled 0 times' "$1: so has pmctl ($(tail -n 1 said))"
}

# Leaves perf's functions over 2 % in the file large, and the logs in theirs and ours.
shares() { # NAME EVENT STACKS COMMAND...; STACKS is none, fp or dwarf
	local name="$1, $2" event=$2 period=$PERIOD theirs=() ours=() line symbol
	# The buffers have room for all samples of a run.
	case $3 in
	fp) theirs=(--call-graph fp -m 4M) ours=(-g fp -m 4096) ;;
	dwarf) period=15013 theirs=(--call-graph dwarf -m 32M) ours=(-g dwarf -m 32768) ;;
	esac
	[ "$3" = none ] || name+=" with stacks ($3)"
	shift 3
	perf record -q -e "$event" -c "$period" "${theirs[@]}" -o theirs -- "${alone[@]}" "$@" >/dev/null 2>&1
	pmctl record -e "$event" -c "$period" "${ours[@]}" -o ours -- "${alone[@]}" "$@" >/dev/null 2>said
	whole "$name"
	perf report -q -i theirs --stdio --no-children -g none -F overhead,sym -t, 2>/dev/null |
		sed -nE 's/^ *([0-9.]+)% *, *\[[.k]\] *([^ ]+).*/\1 \2/p' | bare ' ' >all
	pmctl report -x, --sort symbol ours 2>err | bare , >flat
	# pmctl report does not name entries of a procedure linkage table.
	awk '$2 !~ /^0x|@plt$/ && $1 >= 2' all >large
	[ -s all ]
	verdict $? "$name: perf's report has functions"
	while read -r line symbol; do
		near "$(share "$symbol" <flat)" "$line" "$name, $symbol"
	done <large
}

# Stands for objdump, which this machine does not have: an instruction at each address.
cat >each-byte <<'END'
#!/bin/bash
for word; do
	case $word in
	--start-address=*) at=${word#*=} ;;
	--stop-address=*) end=${word#*=} ;;
	esac
done
for ((at = at; at < end; at++)); do printf '%x:\t.byte\n' "$at"; done
END
chmod +x each-byte

# The shares of each address of a function in the logs theirs and ours.
annotate() { # NAME SYMBOL
	perf script -i theirs -F ip,sym,symoff 2>/dev/null |
		awk -v s="$2" 'index($2, s "+0x") == 1 { n[substr($2, length(s) + 4)]++; all++ }
			END { for (at in n) print at, n[at] * 100 / all }' >theirs.code
	pmctl annotate -x, -i ours -s "$2" --objdump "$PWD/each-byte" 2>err |
		awk -F, '$7 ~ /^0x/ { if (!rows++) first = $7; print first, $7, $2 }' |
		while read -r first at part; do printf '%x %s\n' $((at - first)) "$part"; done >ours.code
	# One has more than 2 %: no shares at all would be too far from that.
	awk 'NR == FNR { ours[$1] = $2; next }
		{ theirs[$1] = $2; of++; if ($2 > top) top = $2; if (!($1 in ours)) lacks++ }
		END {
			for (at in ours) {
				d = ours[at] - theirs[at]
				if (d < 0) d = -d
				if (d > most) most = d
			}
			printf "%d have samples, one %.2f %%; %d not in ours, at most %.2f points apart", of, top, lacks, most
			exit !(top > 2 && !lacks && most <= 2)
		}' ours.code theirs.code >compared
	verdict $? "$1, the instructions of $2: $(cat compared)"
}

# An assignment to a variable with a long name is two loops over that name, which bash exports: its file has no other
# symbols.
long_name=$(printf 'x%.0s' {1..2000})
annotates() {
	local line symbol
	shares "bash, a long name" instructions:u none bash -c "for ((i = 0; i < 700; i++)); do $long_name=1; done"
	awk '$1 >= 20' large >hot
	[ -s hot ]
	verdict $? "functions with many samples: $(wc -l <hot)"
	while read -r line symbol; do annotate bash "$symbol"; done <hot
}

# All: enough for 3,000 samples.
files=(numbers)
[ "$1" != all ] || for ((i = 1; i < 50; i++)); do files+=(numbers); done

programs=(sha256sum sort mawk grep sed bash)
[ "$1" != two ] || programs=(sort bash)
# shellcheck disable=SC2016 # mawk's
choose() { # NAME: what it does, as the array words
	case $1 in
	sha256sum) words=(sha256sum "${files[@]:0:6}") ;;
	sort) words=(sort -r numbers) ;;
	mawk) words=(mawk '{ sum += $1 * 3 } END { print sum }' numbers) ;;
	grep) words=(grep -c '7.*7' "${files[@]}") ;;
	sed) words=(sed -n 's/7/x/p' numbers) ;;
	bash) words=(bash -c 'for ((i = 0; i < 3000; i++)); do :; done') ;;
	esac
}

exec_alone
kernel_counts
# dd would always be sampled at the same places of its loop.
# The first find takes other ways through the kernel, which has no inodes of these files yet.
searched=(find /sys/devices -size +1000G)
"${searched[@]}"
PERIOD=15013 shares find instructions:k none "${searched[@]}"
annotates
for name in "${programs[@]}"; do
	choose "$name"
	"${words[@]}" >/dev/null
	counts "$name" "${words[@]}"
	case $1-$name in
	all-*) stacks=(none fp dwarf) ;;
	*-sort) stacks=(fp) ;;
	*-bash) stacks=(dwarf) ;;
	*) stacks=(none) ;;
	esac
	for kind in "${stacks[@]}"; do
		event=instructions
		[ "$kind" != none ] || event+=:u
		shares "$name" "$event" "$kind" "${words[@]}"
	done
done
[ $failed -eq 0 ] || head -n 40 large flat err | sed 's/^/# /'
exit $failed
