# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
# The steps of the guest's init. NONCE, NOW, INTERACTIVE, KMEMLEAK and COVERAGE come from the host's settings.

# The modules of all runs first, then those of this run's options.
load_kernel_modules() {
	cat /hwpmc/kernel-modules* | while read -r file; do
		insmod "$file"
	done
}

# port NAME: prints the device of a virtio-serial port. A port appears a moment after its driver is loaded.
port() {
	while :; do
		for dir in /sys/class/virtio-ports/*; do
			if [ "$(cat "$dir/name" 2>/dev/null)" = "hwpmc.$1" ]; then
				echo "/dev/${dir##*/}"
				return
			fi
		done
		usleep 2000
	done
}

ports_open() {
	exec 3>"$(port ctl)"
	out=$(port out) err=$(port err) log=$(port log)
}

# The host saves the machine here, and resumes it for each run. What differs between these runs arrives then. The
# clock must not go on from the time when the machine was saved. (Random numbers do, until the kernel seeds its
# generator anew.)
await_payload() {
	echo booted >&3
	(cd / && cpio -idum) <"$(port payload)" || {
		echo "The run's files did not arrive."
		poweroff -f
	}
	# shellcheck source=/dev/null
	. /hwpmc/settings
	date -s "@$NOW" >/dev/null
}

# ctl WORD...: sends a line to the host, which ignores lines without this run's nonce.
ctl() { echo "$NONCE $*" >&3; }

load_test_modules() {
	loaded=''
	while read -r file args; do
		# shellcheck disable=SC2086 # the arguments are words
		insmod "/hwpmc/modules/$file" $args 2>/run/insmod || {
			ctl "failed to load $file: $(cat /run/insmod)"
			report_log
			poweroff -f
		}
		loaded="${file%.ko} $loaded"
	done </hwpmc/test-modules
	[ -e /dev/hwpmc ] && chgrp hwpmc /dev/hwpmc && chmod 660 /dev/hwpmc
}

# The command writes to pipes, as in a shell. A port cannot be opened a second time. The command starts when both
# relays wait for its output: a program that counts what a CPU executes would count a relay that starts.
run_command() {
	mkfifo -m 666 /run/out /run/err
	cat </run/out >"$out" 3>&- &
	relays=$!
	cat </run/err >"$err" 3>&- &
	relays="$relays $!"
	cd /root || :
	{
		await_relays
		exec bash /hwpmc/command
	} </dev/null >/run/out 2>/run/err 3>&- &
	wait $!
	status=$?
	cd /
	kill_others
	# shellcheck disable=SC2086 # a list of process ids
	wait $relays
	ctl "status $status"
}

# A relay that waits sleeps in the kernel's function pipe_read or, in new versions, anon_pipe_read.
await_relays() {
	for pid in $relays; do
		until grep -q pipe_read "/proc/$pid/wchan"; do usleep 1000; done
	done
}

# Processes that the command left running would keep the module and the relays' pipes in use.
kill_others() {
	for dir in /proc/[0-9]*; do
		pid=${dir#/proc/}
		case " 1 $relays " in *" $pid "*) continue ;; esac
		kill -9 "$pid" 2>/dev/null
	done
}

run_shell() {
	relays=''
	cd /root || :
	setsid cttyhack bash -l 3>&-
	cd /
	kill_others
	ctl "status 0"
}

unload_test_modules() {
	for name in $loaded; do
		name=$(echo "$name" | tr - _)
		[ -d "/sys/module/$name" ] || continue
		# The release of the last file may not be finished.
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			rmmod "$name" 2>/run/rmmod && continue 2
			usleep 100000
		done
		ctl "failed to unload $name: $(cat /run/rmmod)"
	done
}

# The kernel keeps the counts of an unloaded module. Their files have size 0 in debugfs, so copy them before
# tar reads them.
report_coverage() {
	[ -n "$COVERAGE" ] || return
	{ cp -r /sys/kernel/debug/gcov /run/ && tar -C /run/gcov -c . >"$(port gcov)"; } 2>/run/counts ||
		ctl "failed to copy the counts: $(cat /run/counts)"
}

check_kmemleak() {
	[ -n "$KMEMLEAK" ] || return
	find_leaks 2>/run/kmemleak || ctl "failed to look for leaks: $(cat /run/kmemleak)"
}

# Fails if there is no kmemleak, or if kmemleak has disabled itself.
find_leaks() {
	leaks=/sys/kernel/debug/kmemleak
	true >$leaks || return
	# kmemleak ignores objects younger than 5 s, and reports only what two scans found unchanged.
	sleep 5.2
	echo scan >$leaks && echo scan >$leaks && cat $leaks >/run/leaks
}

# Sends the whole kernel log, and the other reports that fail a run.
report_log() {
	{
		dmesg
		cat /run/leaks
	} >"$log" 2>/dev/null
	ctl "tainted $(cat /proc/sys/kernel/tainted)"
}
