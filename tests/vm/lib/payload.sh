# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What belongs to one run: its command, settings, modules and files. A machine that boots has them in its
# initramfs, one that is resumed gets them through a port.

# payload_modules DIR: the modules to load, in order, and their names in hwpmc/test-modules.
payload_modules() {
	local dir=$1 module file args build=$ROOT/build/$ARCH-$OPT_KERNEL
	: >"$dir/hwpmc/test-modules"
	if [ -z "$OPT_NO_MODULE" ] && [ "${#OPT_MODULE[@]}" = 0 ]; then
		[ -e "$build/hwpmc.ko" ] || make -C "$ROOT" modules ARCH="$ARCH" KERNEL="$OPT_KERNEL" >&2 ||
			die "the module could not be built"
		OPT_MODULE=("$build/hwpmc.ko$OPT_PARAM")
	fi
	for module in "${OPT_MODULE[@]}"; do
		file=${module%% *}
		args=${module#"$file"}
		cp -- "$file" "$dir/hwpmc/modules/" || exit 125
		# Strip the debug information: it is most of the module's size.
		"${CROSS}strip" --strip-debug "$dir/hwpmc/modules/${file##*/}" || die "not a module for $ARCH: $file"
		printf '%s%s\n' "${file##*/}" "$args" >>"$dir/hwpmc/test-modules"
	done
}

# payload_command FILE WORD...: one word is a line of shell, several are a program and its arguments.
payload_command() {
	local file=$1
	shift
	if [ $# = 1 ]; then
		printf '%s\n' "$1" >"$file"
	else
		{
			printf 'exec'
			printf ' %q' "$@"
			echo
		} >"$file"
	fi
}

# payload_programs DIR: copies the built programs to DIR. The directories among them have intermediate files,
# which are left out.
payload_programs() {
	local dir=$1 programs=$ROOT/build/guest-$ARCH name without=()
	[ -d "$programs" ] || return 0
	for name in "${OPT_WITHOUT[@]}"; do without+=('!' -name "$name"); done
	find -L "$programs" -maxdepth 1 -type f "${without[@]}" -exec cp -t "$dir/usr/local/bin" {} +
}

# payload_make DIR NONCE WORD...: fills DIR and packs it as DIR.cpio.
payload_make() {
	local dir=$1 nonce=$2 path
	shift 2
	mkdir -p "$dir/hwpmc/modules" "$dir/root" "$dir/usr/local/bin"
	chmod 700 "$dir/root"
	payload_modules "$dir"
	[ $# = 0 ] || payload_command "$dir/hwpmc/command" "$@"
	printf 'NONCE=%s\nNOW=%s\nINTERACTIVE=%s\nKMEMLEAK=%s\nCOVERAGE=%s\n' "$nonce" "$(date +%s)" "$INTERACTIVE" \
		"$OPT_KMEMLEAK" "${OPT_COVERAGE:+yes}" >"$dir/hwpmc/settings"
	chmod 600 "$dir/hwpmc/settings"
	payload_programs "$dir"
	for path in "${OPT_COPY[@]}"; do cp -rpL -- "$path" "$dir/root/" || exit 125; done
	(cd "$dir" && find . | cpio --quiet -o -H newc -R 0:0 >"$dir.cpio")
}
