#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compares pmctl with perf under icount on six unmodified programs of Debian: their counts; the functions with
# more than 2 % of the instructions, in user and in kernel mode, sampled without and with stacks of both
# kinds; the instructions of such functions; and the kernel's part of exec. pmctl_perf two|few|all: "two" runs
# two of the programs, "few" and "all" run all; "all" samples each in all of these ways, the others in one.
subject=perf
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

PERIOD=10007
export LC_ALL=C
# The same addresses in each run, so that hash tables and alignment are the same.
echo 0 >/proc/sys/kernel/randomize_va_space
# No throttling. Here an instruction takes a nanosecond: by default perf would take 400 samples after a tick
# and none until the next tick, so code that follows a tick would have too many samples. The module would
# throttle in the same way.
limit=/sys/module/hwpmc/parameters/max_samples
before=$(cat $limit)
trap 'echo $before >$limit' EXIT
echo 1000000 >$limit
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
seq 1 20000 >numbers

# close OURS THEIRS PARTS NAME: the values differ by at most PARTS of 10,000, plus 2,000.
close() {
	awk -v a="${1:-0}" -v b="${2:-0}" -v parts="$3" \
		'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b > 0 && d <= b * parts / 10000 + 2000) }'
	verdict $? "$4: ${1:-none}, by perf ${2:-none}"
}
value() { awk -F, -v event="$2" '$3 == event { print $1 }' "$1"; } # FILE EVENT

# perf adds variables to the environment of its command, and the dynamic linker reads all of them: env(1)
# gives each program the same environment.
alone=(env -i PATH="$PATH" LC_ALL=C)

count() { # perf|pmctl EVENT COMMAND...: the count
	"$1" stat -x, -o counts -e "$2" -- "${alone[@]}" "${@:3}" >/dev/null 2>&1
	value counts "$2"
}

counts() { # NAME COMMAND...
	close "$(count pmctl instructions:u "${@:2}")" "$(count perf instructions:u "${@:2}")" 5 "$1, user mode"
}

copy=(dd if=/dev/zero of=/dev/null bs=1)

# more perf|pmctl: the difference of the least counts of the larger and the smaller copy.
more() {
	awk -v by="$1" '$1 == by && (!($2 in least) || $3 < least[$2]) { least[$2] = $3 }
		END { print least[120000] - least[20000] }' copies
}

# In kernel mode the two tools differ in the end of a process: perf stops before its memory is freed. So the
# test compares how much additional work adds. In some runs the kernel does other work, too, and the counts of
# one copy differ by up to 30,000: the larger copy is so large that 5 parts of 10,000 are twice that. The
# smaller copy lasts some ticks, in which the kernel frees what the process before it left.
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

# Neither tool counts before exec, and no process ends while they count. Our count includes the module's own
# work at exec.
exec_alone() {
	perf stat -x, -o theirs -e instructions:k --timeout 1000 -- sleep 20 >/dev/null 2>&1
	pmctl stat -x, -o ours -e instructions:k --timeout 1000 -- sleep 20 >/dev/null 2>&1
	close "$(value ours instructions:k)" "$(value theirs instructions:k)" 500 "the kernel's part of exec"
}

# bare SEPARATOR: removes leading underscores of the names in the last column. If a function has several
# names, the tools choose different ones.
bare() { sed -E "s/$1_+([^$1]*)\$/$1\1/"; }

# Checks that the logs theirs and ours have all samples.
whole() { # NAME
	local lacks
	lacks=$(perf report -i theirs --stats 2>/dev/null | grep -E '(LOST|THROTTLE)[A-Z_]* events: *[1-9]')
	verdict "$((${#lacks} > 0))" "$1: perf has all samples${lacks:+ but:$lacks}"
	says said ' 0 lost, throttled 0 times' "$1: so has pmctl ($(tail -n 1 said))"
}

# Writes perf's functions over 2 % to the file large, and the logs to theirs and ours.
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

# Replaces objdump, which this machine does not have: prints an instruction at each address.
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

# Compares the shares of each address of a function in the logs theirs and ours.
annotate() { # NAME SYMBOL
	perf script -i theirs -F ip,sym,symoff 2>/dev/null |
		awk -v s="$2" 'index($2, s "+0x") == 1 { n[substr($2, length(s) + 4)]++; all++ }
			END { for (at in n) print at, n[at] * 100 / all }' >theirs.code
	pmctl annotate -x, -i ours -s "$2" --objdump "$PWD/each-byte" 2>err |
		awk -F, '$7 ~ /^0x/ { if (!rows++) first = $7; print first, $7, $2 }' |
		while read -r first at part; do printf '%x %s\n' $((at - first)) "$part"; done >ours.code
	# At least one share must be above 2 %, so that missing shares exceed the tolerance.
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

# An assignment to a variable with a long name is two loops over that name, in functions that bash exports:
# its file has no other symbols.
long_name=$(printf 'x%.0s' {1..2000})
annotates() {
	local line symbol
	shares "bash, a long name" instructions:u none bash -c "for ((i = 0; i < 700; i++)); do $long_name=1; done"
	awk '$1 >= 20' large >hot
	[ -s hot ]
	verdict $? "functions with many samples: $(wc -l <hot)"
	while read -r line symbol; do annotate bash "$symbol"; done <hot
}

# With "all" there is enough work for 3,000 samples.
files=(numbers)
[ "$1" != all ] || for ((i = 1; i < 50; i++)); do files+=(numbers); done

programs=(sha256sum sort mawk grep sed bash)
[ "$1" != two ] || programs=(sort bash)
# shellcheck disable=SC2016 # mawk's
choose() { # NAME: sets the array words to its command
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
# Not dd: the period would always hit the same places of its loop. The first find takes other paths in the
# kernel, because the inodes of these files are not cached yet.
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
