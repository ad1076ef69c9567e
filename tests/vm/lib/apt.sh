# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian packages of other architectures and suites, without touching the host's package system.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_sources SUITE [TYPE]: prints lines of a sources.list, with the mirrors that this machine already uses.
# Another suite uses the mirror of this machine's main archive. TYPE deb-src: the packages' sources.
apt_sources() {
	local want=$1 type=${2:-deb} codename uri
	# shellcheck disable=SC2016 # apt's own placeholders
	apt-get indextargets --format '$(CREATED_BY)|$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' |
		grep '^Packages|Debian|main|' | cut -d'|' -f4- | sort -u |
		while IFS='|' read -r codename uri; do
			case $codename in
			"$SUITE") codename=$want ;;
			"$want"-*) ;;
			*) continue ;;
			esac
			printf '%s [signed-by=%s] %s %s main\n' "$type" "$KEYRING" "$uri" "$codename"
		done
}

# apt_candidate PACKAGE...: prints the versions in the host's package lists, as "name=version" lines. They are
# used for other architectures, too, so that a cache lookup needs no network. apt takes half a second, so the
# result is kept until the lists change.
apt_candidate() {
	local lists memo
	lists=$(apt-config shell dir Dir::State::lists/d)
	lists=${lists#*\'} lists=${lists%\'*}
	memo=$CACHE/candidates/$(printf '%s ' "$@" "$(stat -c %Y "$lists")" | sha256sum | cut -c1-12)
	if [ ! -s "$memo" ]; then
		mkdir -p "$CACHE/candidates"
		apt-cache policy "$@" | awk '/^[^ ]/ { p = $1 } /Candidate:/ { print p "=" $2 }' |
			sed 's/:=/=/' >"$memo.$$"
		mv "$memo.$$" "$memo"
	fi
	cat "$memo"
}

# apt_stale: prints apt's option to accept expired package lists, such as those of a mirror that lags. apt
# still checks their signatures. The caller decides whether expired lists are acceptable.
apt_stale() {
	[ -z "${HWPMC_STALE_MIRROR:-}" ] || echo 'Acquire::Check-Valid-Until "false";'
}

# apt_private DIR ARCH...: creates a private apt state under DIR, which apt uses from then on. With
# APT_TYPE=deb-src it has the sources of packages instead of the packages; with APT_SUITE it is for that
# suite.
apt_private() {
	local dir=$1 arch
	shift
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/etc"
	: >"$dir/status"
	apt_sources "${APT_SUITE:-$SUITE}" "${APT_TYPE:-deb}" >"$dir/sources.list"
	{
		printf 'APT::Architecture "%s";\n' "$1"
		for arch; do printf 'APT::Architectures { "%s"; };\n' "$arch"; done
		cat <<-CONF
			Dir::State "$dir";
			Dir::State::status "$dir/status";
			Dir::State::lists "$dir/lists";
			Dir::Cache "$dir/cache";
			Dir::Etc::sourcelist "$dir/sources.list";
			Dir::Etc::sourceparts "$dir/etc";
			Acquire::Languages "none";
			Acquire::Retries "3";
		CONF
		apt_stale
	} >"$dir/apt.conf"
	export APT_CONFIG=$dir/apt.conf
	apt-get -q update
}

# apt_unpack DEST PACKAGE...: downloads into the private state and unpacks.
apt_unpack() {
	local dest=$1 debs deb
	shift
	debs=$(mktemp -d)
	(cd "$debs" && apt-get -q download -o APT::Sandbox::User=root "$@")
	for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$dest"; done
	rm -rf "$debs"
}
