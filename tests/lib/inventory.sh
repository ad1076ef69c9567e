# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # the scripts that source this file use the variables
# Reads tests/inventory and tests/rounds. The current directory is the top of the tree; TIER is check or soak.
: "${TIER:=check}"
case $TIER in check | soak) ;; *) echo "TIER is check or soak, not '$TIER'" >&2; exit 2 ;; esac

declare -A machine_of suite_of tier_of options_of runs_of proves_of
lines=()

inventory_fail() { echo "tests/inventory: $*" >&2; exit 2; }

trim() { # TEXT: sets $trimmed to it without blanks around it
	trimmed=${1#"${1%%[![:space:]]*}"}
	trimmed=${trimmed%"${trimmed##*[![:space:]]}"}
}

inventory_line() { # NAME | TIER | MACHINE | PROGRAMS | WHAT IT PROVES
	local fields field name
	IFS='|' read -ra fields <<<"$1"
	[ ${#fields[@]} = 5 ] || inventory_fail "not five columns: $1"
	for field in "${!fields[@]}"; do
		trim "${fields[field]}"
		[ -n "$trimmed" ] || inventory_fail "an empty column: $1"
		fields[field]=$trimmed
	done
	name=${fields[0]}
	[ -z "${tier_of[$name]:-}" ] || inventory_fail "$name is defined twice"
	case ${fields[1]} in check | soak) ;; *) inventory_fail "$name: tier '${fields[1]}'" ;; esac
	lines+=("$name")
	tier_of[$name]=${fields[1]} options_of[$name]=${fields[2]} runs_of[$name]=${fields[3]} proves_of[$name]=${fields[4]}
}

inventory_read() {
	local text kind name
	while IFS= read -r text; do
		case $text in
		'' | '#'*) ;;
		'machine '* | 'suite '*)
			read -r kind name _ <<<"$text"
			trim "${text#*=}"
			if [ "$kind" = machine ]; then machine_of[$name]=$trimmed; else suite_of[$name]=$trimmed; fi
			;;
		*) inventory_line "$text" ;;
		esac
	done <tests/inventory
}

# inventory_options [MACHINE]... [OPTION]...: adds the options of tests/vm/run to the array options, with each
# machine replaced by its options.
inventory_options() {
	while [ $# -gt 0 ] && [[ $1 != -* ]]; do
		[ -n "${machine_of[$1]:-}" ] || inventory_fail "no machine '$1'"
		# shellcheck disable=SC2086 # a list of words
		inventory_options ${machine_of[$1]}
		shift
	done
	options+=("$@")
}

# inventory_programs WORD...: adds the programs to the array programs, with each suite replaced by its
# programs.
inventory_programs() {
	local word
	for word; do
		if [ -n "${suite_of[$word]:-}" ]; then
			# shellcheck disable=SC2086 # a list of words
			inventory_programs ${suite_of[$word]}
		elif [ -e "tests/guest/${word%%=*}.c" ] || [ -e "tests/guest/${word%%=*}.sh" ]; then
			programs+=("$word")
		else
			inventory_fail "no suite or program '$word'"
		fi
	done
}

# inventory_option NAME DEFAULT: prints the last word after NAME in the array options.
inventory_option() {
	local i value=$2
	for ((i = 0; i + 1 < ${#options[@]}; i++)); do
		[ "${options[i]}" = "$1" ] && value=${options[i + 1]}
	done
	printf '%s\n' "$value"
}

# inventory_jobs: prints the names of the lines that this tier runs.
inventory_jobs() {
	local name
	for name in "${lines[@]}"; do
		[ "$TIER" = check ] && [ "${tier_of[$name]}" != check ] || printf '%s\n' "$name"
	done
}

# inventory_arguments PROGRAM KERNEL: prints the program's arguments: its mode, then its rounds in this tier.
inventory_arguments() {
	local program=${1%%=*} mode='' name kernel check soak rest
	[ "$1" = "$program" ] || mode=${1#*=}
	while read -r name kernel check soak rest; do
		case $name in "$program") ;; *) continue ;; esac
		case $kernel in '*' | "$2") ;; *) continue ;; esac
		# Arguments on the line itself replace those of the table.
		[ -n "$mode" ] || mode=${!TIER}
		[ "$mode" != - ] || mode=
		break
	done < <(sed 's/#.*//' tests/rounds)
	printf '%s\n' "${mode//,/ }"
}
