#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compares pmctl with perf under icount on six unmodified programs of Debian: their counts; the functions with
# more than 2 % of the instructions, in user and in kernel mode, sampled without and with stacks of both
# kinds; these stacks, frame by frame; the instructions of such functions; the kernel's part of exec; and the
# columns of stat -x. pmctl_perf one|all [PROGRAM]...: "all" compares all of this; "one" the counts of one program, the
# samples of a program of the tests with its stacks, exec, and the columns. With PROGRAM only these, and nothing else.
subject=perf
# shellcheck source=tests/lib/verdict.sh
. verdict.sh || exit 1

PERIOD=10007 LONG_PERIOD=15013 PAGES=32768
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
# The numbers have 1 to 20 digits: a program that does the same for each of them would repeat after a constant
# number of instructions, and a period of nearly a multiple of that would sample the same few places of its loop.
awk 'BEGIN {
	for (n = 1; n <= 10000; n++) {
		x = x * 16807 % 2147483647
		if (!x) x = 1
		print substr(x x x, 1, 1 + x % 20)
	}
}' >numbers

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
	"$1" stat -x, -o counts -e "$2" -- "${alone[@]}" "${@:3}" >output 2>&1
	value counts "$2"
}

counts() { # NAME COMMAND...
	close "$(count pmctl instructions:u "${@:2}")" "$(count perf instructions:u "${@:2}")" 5 "$1, user mode"
}

copy=(dd if=/dev/zero of=/dev/null bs=1)

# more perf|pmctl: the difference of the least counts of the larger and the smaller copy.
more() {
	awk -v by="$1" '$1 == by && (!($2 in least) || $3 < least[$2]) { least[$2] = $3 }
		END { print least[220000] - least[20000] }' copies
}

# In kernel mode the two tools differ at the end of a process: perf stops before its memory is freed. So the
# test compares how much additional work adds. In some runs the kernel does other work, too, and the counts of
# one copy differ by up to 30,000: the larger copy is so large that 5 parts of 10,000 are four times that, and of
# several runs the least counts are compared. The smaller copy lasts some ticks, in which the kernel frees what
# the process before it left.
kernel_counts() {
	local round by blocks
	for ((round = 0; round < 5; round++)); do
		for by in pmctl perf; do
			for blocks in 20000 220000; do
				echo "$by $blocks $(count "$by" instructions:k "${copy[@]}" count=$blocks)"
			done
		done
	done >copies
	close "$(more pmctl)" "$(more perf)" 5 "what 200,000 reads and writes take in the kernel"
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
# names, the tools choose different ones. Functions whose names are equal then become one row, for both tools.
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
	dwarf) period=$LONG_PERIOD theirs=(--call-graph dwarf -m 32M) ours=(-g dwarf -m "$PAGES") ;;
	esac
	[ "$3" = none ] || name+=" with stacks ($3)"
	shift 3
	perf record -q -e "$event" -c "$period" "${theirs[@]}" -o theirs -- "${alone[@]}" "$@" >output 2>&1
	pmctl record -e "$event" -c "$period" "${ours[@]}" -o ours -- "${alone[@]}" "$@" >output 2>said
	whole "$name"
	perf report -q -i theirs --stdio --no-children -g none -F overhead,sym -t, 2>/dev/null |
		sed -nE 's/^ *([0-9.]+)% *, *\[[.k]\] *([^ ]+).*/\1 \2/p' | bare ' ' |
		awk '{ sum[$2] += $1 } END { for (name in sum) print sum[name], name }' | sort -rn >all
	pmctl report -x, --sort symbol ours 2>err | bare , |
		awk -F, '{ sum[$NF] += $2 } END { for (name in sum) print "-," sum[name] "," name }' >flat
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
	perf annotate -i theirs --stdio --objdump "$PWD/each-byte" "$2" 2>err | tr -d : |
		awk '$1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9a-f]+$/ { print $2, $1 }' |
		offsets | awk '$2 > 0' >theirs.code
	pmctl annotate -x, -i ours -s "$2" --objdump "$PWD/each-byte" 2>err |
		awk -F, '$7 ~ /^0x/ { print substr($7, 3), $2 }' | offsets >ours.code
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

# Reads lines with an address and its share. Prints the distance to the first address instead of the address.
offsets() {
	local at part first=''
	while read -r at part; do
		: "${first:=$at}"
		echo "$((16#$at - 16#$first)) $part"
	done
}

# stacks perf|pmctl LOG [PART-OF-FILE]: prints the stack of each sample as a line, the outermost frame first. Of a
# caller without a symbol it prints the offset in the file, which perf prints as the address; of an innermost frame
# without a symbol, the file. perf would run addr2line, which this machine does not have, to find inlined functions.
stacks() {
	local options=(-F "ip,sym,dso" --no-inline)
	[ "$1" = perf ] || options=(-F "ip,sym,dso,dsoff")
	"$1" script -i "$2" "${options[@]}" 2>>err | awk -v only="$3" '
		function frame(file, offset) {
			file = $NF
			gsub(/^\(|\)$/, "", file)
			sub(/.*\//, "", file)
			offset = file
			if (!sub(/^.*\+0x/, "", offset))
				offset = $1
			sub(/\+0x[0-9a-f]*$/, "", file)
			if ($2 ~ /^\[unknown\]|@plt$/)
				return stack == "" ? "[" file "]" : offset
			sub(/^_+/, "", $2)
			return $2
		}
		# perf does not count the end of a process, as said above. During exec it unwinds the stack of the program
		# before; pmctl does not, since that is no longer mapped.
		function end() { if (stack != "" && stack !~ /;(do_exit|x64_sys_execve)/) print stack; stack = "" }
		NF < 3 || /^ / { end() }
		NF >= 3 && (!only || index($NF, only)) { stack = frame() (stack == "" ? "" : ";" stack) }
		END { end() }'
}

# Compares the stacks of the logs theirs and ours frame by frame: for each chain of frames that begins with the
# outermost one, the share of the samples whose stacks begin with it. "[kernel": only the kernel's frames.
frames() { # NAME [PART-OF-FILE]
	: >err
	stacks perf theirs "${2:-}" >theirs.stacks
	stacks pmctl ours "${2:-}" >ours.stacks
	awk -F';' '
		{
			all[FILENAME]++
			path = ""
			for (i = 1; i <= NF; i++) {
				path = path ";" $i
				n[FILENAME, path]++
				depth[path] = i
			}
		}
		END {
			for (path in depth) {
				a = all["ours.stacks"] ? n["ours.stacks", path] * 100 / all["ours.stacks"] : 0
				b = all["theirs.stacks"] ? n["theirs.stacks", path] * 100 / all["theirs.stacks"] : 0
				if (b >= 2) { of++; if (depth[path] > deep) deep = depth[path] }
				d = a > b ? a - b : b - a
				if (d > most) { most = d; worst = sprintf("%s (%.2f %%, by perf %.2f)", path, a, b) }
			}
			printf "%d have 2 %% of %d samples, up to %d deep; at most %.2f points apart", of, all["theirs.stacks"], deep, most
			if (most > 2) printf ": %s", worst
			exit !(deep >= 3 && most <= 2)
		}' theirs.stacks ours.stacks >compared
	verdict $? "$1, frame by frame: $(cat compared)"
}

# For an assignment to a variable with a long name, bash executes two loops over that name, in functions that it
# exports: its file has no other symbols.
long_name=$(printf 'x%.0s' {1..2000})
annotates() {
	local line symbol
	PERIOD=10007 shares "bash, a long name" instructions:u none bash -c "for ((i = 0; i < 700; i++)); do $long_name=1; done"
	awk '$1 >= 20' large >hot
	[ -s hot ]
	verdict $? "functions with many samples: $(wc -l <hot)"
	while read -r line symbol; do annotate bash "$symbol"; done <hot
}

# The lines of stat -x with N for each number, and without the values of the last two fields: perf has no metric
# for CPUs, pmctl none for intervals, and perf calls cycles of user mode alone a frequency.
fields_of() { # perf|pmctl OPTION...
	"$1" stat -x, -o counts "${@:2}" >/dev/null 2>&1
	grep -v '^#\|^$' counts | sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/,[^,]*,[^,]*$/,METRIC,UNIT/'
}
same_fields() { # NAME OPTION...
	fields_of perf "${@:2}" >fields.perf
	fields_of pmctl "${@:2}" >fields.pmctl
	[ -s fields.perf ] && diff fields.perf fields.pmctl >err
	verdict $? "stat -x, $1: perf's fields ($(head -n 1 fields.perf))"
	[ $failed -eq 0 ] || sed 's/^/# /' err
}
all_fields() {
	local events=cycles:u,instructions:u,task-clock,context-switches
	same_fields "a program" -e $events -- true
	same_fields "repeated" -r 2 -e $events -- true
	same_fields "each CPU" -a -A -e cycles,instructions -- sleep 0.1
	same_fields "intervals" -I 100 -e $events -- t-work_spin 25
	same_fields "what there is not" -e LLC-store-misses -- true
}

# With "all" the programs work longer, so that what differs at exec and at the end of a process is a small part.
# LONG_PERIOD stays: of 1,500 samples with a copied stack, a share of 10 % was off by 2 points in some runs; four
# times as many halve this error. The output is a file, since grep would end at the first match if it were /dev/null.
files=(numbers) times=1 lines=1
if [ "$1" = all ]; then
	times=4 lines=10 PERIOD=40009 PAGES=65536
	for ((i = 1; i < 40; i++)); do files+=(numbers); done
fi

programs=(sha256sum sort mawk grep sed bash)
[ "$1" != one ] || programs=(bash)
# shellcheck disable=SC2016 # mawk's, and the inner shell's
choose() { # NAME: sets the array words to its command
	case $1 in
	sha256sum) words=(sha256sum "${files[@]:0:6*times}") ;;
	sort) words=(sort -r "${files[@]:0:lines}") ;;
	mawk) words=(mawk '{ sum += $1 * 3 } END { print sum }' "${files[@]:0:lines}") ;;
	grep) words=(grep -c '7.*7' "${files[@]:0:10*times}") ;;
	sed) words=(sed -n 's/7/x/p' "${files[@]:0:lines}") ;;
	bash) words=(bash -c 'mapfile -t -n "$0" a <numbers; for n in "${a[@]}"; do s=${n//7/x}; done' $((500 + 1000 * times))) ;;
	esac
}

# The kernel's functions and their callers. Not dd: the period would always hit the same places of its loop.
# The first find takes other paths in the kernel, because the inodes of these files are not cached yet.
kernel_shares() { # STACKS...
	local kind searched=(find /sys/devices -size +1000G)
	"${searched[@]}"
	for kind; do
		PERIOD=7507 LONG_PERIOD=15013 shares find instructions:k "$kind" "${searched[@]}"
		[ "$kind" = none ] || frames "find, instructions:k ($kind)" '[kernel'
	done
}

# A program of the tests: it has frame pointers, which Debian's do not have.
framed() {
	PERIOD=10007 shares t-work_shares instructions:u fp t-work_shares 1
	frames "t-work_shares (fp)"
}

compare() { # one|all PROGRAM
	local kind event
	choose "$2"
	"${words[@]}" >output
	counts "$2" "${words[@]}"
	[ "$1" = all ] || return
	for kind in none fp dwarf; do
		event=instructions
		[ "$kind" != none ] || event+=:u
		shares "$2" "$event" "$kind" "${words[@]}"
		[ "$kind" != dwarf ] || frames "$2, $event ($kind)"
	done
}

if [ $# -gt 1 ]; then
	programs=("${@:2}")
else
	exec_alone
	all_fields
	framed
fi
if [ $# = 1 ] && [ "$1" = all ]; then
	kernel_counts
	annotates
	kernel_shares none fp dwarf
fi
for name in "${programs[@]}"; do compare "$1" "$name"; done
[ $failed -eq 0 ] || head -n 40 large flat err | sed 's/^/# /'
exit $failed
