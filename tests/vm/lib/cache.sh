# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The cache outside the checkout: an entry is a directory that is either complete or absent.

# Time limit of a builder in seconds, for builders that hang.
BUILD_LIMIT=9000

# cache_entry NAME BUILDER [ARG...]: prints the entry's path; runs `BUILDER ARG... DIR` to make it if it is
# absent. The builder is a program, not a function: `set -e` has no effect in a function called under ||.
cache_entry() {
	local name=$1 dir=$CACHE/$1 tmp=$CACHE/.tmp/$1 log=$CACHE/log/$1 status
	shift
	if [ -d "$dir" ]; then
		touch -c "$dir"
		printf '%s\n' "$dir"
		return
	fi
	mkdir -p "$CACHE/lock" "$CACHE/log" "$CACHE/.tmp"
	(
		flock 9
		# Another process may have made the entry while this one waited.
		[ -d "$dir" ] && exit 0
		say "making $name (log: $log)"
		rm -rf "$tmp"
		mkdir -p "$tmp"
		# The builder must not get the variables and the job server of a make that runs this script.
		timeout -k 10 "$BUILD_LIMIT" env -u MAKEFLAGS -u MFLAGS LC_ALL=C.UTF-8 \
			"$@" "$tmp" >"$log" 2>&1 </dev/null 9>&- &
		# In the background: a shell that waits for a foreground program handles no signals.
		trap 'kill $!' HUP INT TERM
		status=0
		wait $! || status=$?
		if [ "$status" != 0 ]; then
			tail -n 40 "$log" >&2
			[ "$status" != 124 ] || say "it was not done after $BUILD_LIMIT s"
			say "making $name failed"
			exit 1
		fi
		# Unpacking may have set an old date: set the current date, so that the entry is not removed
		# as unused.
		touch "$tmp"
		mv "$tmp" "$dir"
		# Each use of an entry updates its date.
		find "$CACHE" -mindepth 1 -maxdepth 1 -type d -name '*-*' \
			'(' -mtime +30 -o -name 'booted-*' -mtime +3 ')' -exec rm -rf {} +
	) 9>"$CACHE/lock/$name" || return 125
	printf '%s\n' "$dir"
}
