# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # nonce, tmp and result are those of run
# Decides from what the guest has written to $tmp whether a run passed; ends the run with its exit status.

# said WORD...: prints the rest of the guest's line that begins with WORD..., if it has this run's nonce.
said() { sed -n "s/^$nonce $*//p" "$tmp/ctl" 2>/dev/null | tr -d '\r'; }

fail() {
	say "$@"
	verdict=125
}

verdict=0
[ -e "$tmp/console" ] || : >"$tmp/console"
[ -e "$tmp/log" ] || : >"$tmp/log"
if [ -n "$OPT_LOG" ]; then
	mkdir -p "$OPT_LOG"
	cp "$tmp/console" "$tmp/log" "$OPT_LOG/"
fi

status=$(said "status ")
failed=$(said "failed ")
tainted=$(said "tainted ")
[ -z "$failed" ] || fail "the guest failed $failed"

# The log is complete, but sent at the end; if the guest crashed, only the console has messages.
asked=''
[ -n "$OPT_KMEMLEAK" ] || asked=$KMEMLEAK_OFF
if splats "$tmp/log" "$asked" >"$tmp/splats" || splats "$tmp/console" "$asked" >"$tmp/splats"; then
	fail "the guest's kernel logged errors:"
	cat "$tmp/splats" >&2
elif [ $((${tainted:-0} & (1 << 4 | 1 << 5 | 1 << 7 | 1 << 9 | 1 << 14))) != 0 ]; then
	# Machine check, bad page, died, warned, soft lockup.
	fail "the guest's kernel is tainted ($tainted), though its log has no known error message"
fi

if ! grep -q "^$nonce done" "$tmp/ctl" 2>/dev/null; then
	if [ "$result" = 124 ] || [ "$result" = 137 ]; then
		fail "time limit: the guest had not ended after $OPT_TIMEOUT s"
		verdict=124
	else
		fail "the guest ended without reporting success (QEMU's exit status: $result)"
	fi
	cat "$tmp/qemu" >&2
	[ -s "$tmp/splats" ] || {
		say "the console's last lines:"
		tail -n 30 "$tmp/console" >&2
	}
else
	[ -n "$status" ] || [ -n "$failed" ] || fail "the guest did not report the command's exit status"
	# A missing log or console would hide errors, so each must be there.
	[ -n "$tainted" ] || fail "the guest did not report whether its kernel is tainted"
	[ -s "$tmp/log" ] || fail "the kernel's log was lost"
	# With kmemleak the log is small.
	if [ -n "$OPT_KMEMLEAK" ] && ! head -n 1 "$tmp/log" | grep -qF '[    0.000000] '; then
		fail "the kernel's log is full, and has lost its beginning"
	fi
	[ -s "$tmp/console" ] || fail "the console was lost"
fi
if [ -n "${OPT_COVERAGE:-}" ]; then
	mkdir -p "$OPT_COVERAGE"
	if ! tar -C "$OPT_COVERAGE" -xf "$tmp/gcov" || [ -z "$(find "$OPT_COVERAGE" -name '*.gcda' -print -quit)" ]; then
		fail "the guest did not report its counts"
	fi
fi
[ "$verdict" != 0 ] || verdict=$status
exit "$verdict"
