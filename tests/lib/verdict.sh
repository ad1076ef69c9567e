# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # the scripts that source this file exit with $failed
# Functions that the scripts of tests/guest share. A script sets $subject, the first word of each case, before it
# sources this file. In the guest the file is in the directory of the test programs.
: "${subject:?}"
failed=0

verdict() { # STATUS NAME
	if [ "$1" -eq 0 ]; then echo "ok - $subject: $2"; else echo "not ok - $subject: $2"; failed=1; fi
}

# Runs the command, and leaves its output in the files out and err.
status() { # WANTED NAME COMMAND...
	local want=$1 name=$2 got
	shift 2
	"$@" >out 2>err
	got=$?
	[ $got -eq "$want" ]
	verdict $? "$name ends with $want (got $got)"
	[ $got -eq "$want" ] || sed 's/^/# /' err
}

says() { # FILE PATTERN NAME
	grep -qE -- "$2" "$1"
	verdict $? "$3"
	grep -qE -- "$2" "$1" || head -n 30 "$1" | sed 's/^/# /'
}

# wait_signalfd PID: waits until this pmctl receives its signals by signalfd. Until then it ignores SIGINT, as the
# shell's background jobs do.
wait_signalfd() {
	local patience=300
	until find "/proc/$1/fd" -lname '*signalfd*' 2>/dev/null | grep -q . || [ $((patience -= 1)) -eq 0 ]; do
		sleep 0.1
	done
}

# Prints the share of a symbol in pmctl report's CSV on standard input, in percent.
share() { # SYMBOL
	awk -F, -v s="$1" '{ for (i = 2; i <= NF; i++) if ($i == s) { print $2; exit } }'
}
# Whether a share is within 2 points of the expected one.
near() { # SHARE WANTED NAME
	awk -v a="${1:-0}" -v b="$2" 'BEGIN { exit !(a >= b - 2 && a <= b + 2) }'
	verdict $? "$3: ${1:-none} %, expected $2"
}
