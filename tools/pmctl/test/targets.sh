# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# Sourced by run after cases.sh: which processes stat -T, -u and -G count, with a fake /proc and cgroups.

people=$tmp/people
person() { # PID COMMAND UID
	mkdir -p "$people/proc/$1"
	echo "$2" >"$people/proc/$1/comm"
	printf 'Name:\t%s\nUid:\t0\t%d\t%d\t%d\n' "$2" "$3" "$3" "$3" >"$people/proc/$1/status"
}
cgroup() { # PATH PID...
	local path=$people/sys/fs/cgroup$1
	shift
	mkdir -p "$path"
	printf '%s\n' "$@" >"$path/cgroup.procs"
}
person 101 nginx 0
person 102 nginx 65534
person 103 sshd 0
person 104 nginxd 65534
mkdir -p "$people/proc/self"
printf 'proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n' >"$people/proc/self/mounts"
cgroup '' 103
cgroup /web 101 0
cgroup /web/workers 102
cgroup /empty

counts() { # PIDS ARGUMENT...: stat with these arguments attaches to these processes
	local pids=$1
	shift
	: >"$tmp/attached"
	FAKE_ROOT=$people FAKE_ATTACHED=$tmp/attached expect 0 "stat $*" pretend stat -e cycles "$@" --timeout 1
	[ "$(paste -sd ' ' "$tmp/attached")" = "$pids" ]
	say $? "counts $pids"
}
nobody() { # ARGUMENT...
	FAKE_ROOT=$people expect 125 "stat $*" pretend stat -e cycles "$@" --timeout 1
}
counts '101 102 104' -T nginx
err "^ Performance counter stats for processes of '-T nginx':$" "the title has the option"
counts '101 102' -T '^nginx$'
counts '101 102 103' -T '^nginx$' -T '^ss+hd'
counts '102 104' -u 65534
counts '101 103' -u root
counts '101 102 103 104' --user root,65534
counts '102' --command 'nginx$' -u 65534
counts '101 102' -G web
counts '101 102' -G /web/
counts '102' -G /sys/fs/cgroup/web/workers
counts '101 102 103' -G /
counts '101 102 103' --cgroup /web,/
counts '101' -G web -u root
nobody -T wombat
err "^pmctl: no process matches -T wombat; list processes with: ps " "says what to do"
nobody -G empty
err 'no process matches -G empty' "likewise"
nobody -T 'a('
err "-T 'a\(' is not a regular expression: " "says why"
nobody -u nobody-of-that-name
err "there is no user 'nobody-of-that-name'" "is reported"
nobody -G nothing
err "^pmctl: there is no cgroup 'nothing': .*find /sys/fs/cgroup -type d$" "says where cgroups are"
FAKE_ROOT=$tmp/nowhere expect 125 "stat -G without cgroup v2" pretend stat -G web
err '^pmctl: cgroup v2 is not mounted: mount -t cgroup2' "says how to mount it"
# A space and a backslash in a mount point; hierarchies of version 1 beside it.
two=$tmp/two
mkdir -p "$two/proc/self" "$two/sys/fs/my cg\\s/web" "$two/sys/fs/perf event/old/below" "$two/sys/fs/cpu/old"
cp -r "$people"/proc/1?? "$two/proc"
cat >"$two/proc/self/mounts" <<'MOUNTS'
cgroup /sys/fs/perf\040event cgroup rw,perf_event 0 0
none /sys/fs/my\040cg\134s cgroup2 rw 0 0
cgroup /sys/fs/cpu cgroup rw,cpu 0 0
MOUNTS
echo 101 >"$two/sys/fs/my cg\\s/web/cgroup.procs"
echo 102 >"$two/sys/fs/perf event/old/cgroup.procs"
echo 103 >"$two/sys/fs/perf event/old/below/cgroup.procs"
echo 104 >"$two/sys/fs/cpu/old/cgroup.procs"
one=$people people=$two
counts '101' -G web
counts '101' -G '/sys/fs/my cg\s/web'
counts '102 103' -G /old
counts '103' -G '/sys/fs/perf event/old/below/'
counts '104' -G /sys/fs/cpu/old
counts '101 104' -G web,/sys/fs/cpu/old
nobody -G nothing
err "^pmctl: there is no cgroup 'nothing': .*find /sys/fs/my cg\\\\s -type d$" "the first place is that of version 2"
FAKE_ROOT=$people expect 125 "probe --cgroup of version 1" pretend probe -e syscall:read:entry --cgroup old -- true
err "^pmctl: there is no cgroup 'old'" "the kernel compares cgroups of version 2 only"
people=$one
FAKE_REFUSED=102 counts '101 104' -T nginx
err '^pmctl: 1 of 3 processes that match -T nginx are not counted: no permission .*CAP_SYS_PTRACE' "says how many are not"
FAKE_REFUSED=103 nobody -T sshd
err '^pmctl: none of 1 processes that match -T sshd can be counted: no permission' "and when it is none"
nobody -T sshd -p 1
err '^pmctl: -p and -t cannot be combined with -T, -u and -G' "is refused"
nobody -u root -a
err '^pmctl: -T, -u and -G choose tasks' "likewise"
