# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # those who source it use the variables
# What the kernel writes when something is wrong with it.

SPLATS='BUG:|BUG at |WARNING:|KASAN:|UBSAN:|Kernel panic|Oops|Unable to handle kernel|general protection fault'
SPLATS+='|INFO: possible|possible (recursive locking|circular locking|irq lock inversion|deadlock)|inconsistent lock state'
SPLATS+='|suspicious RCU usage|sleeping function called|scheduling while atomic|Invalid wait context'
SPLATS+='|bad unlock balance|held lock freed|lock held when returning|locks? still held|nested lock was not taken'
SPLATS+='|unreferenced object|suspected memory leaks|leak detector disabled|Kmemleak disabled|ODEBUG:|list_(add|del) corruption|refcount_t:'
SPLATS+='|Uhhuh|Unknown NMI|NMI received for unknown reason|detected stalls|rcu: INFO:|self-detected stall|stalls on CPUs'
SPLATS+='|blocked for more than|soft lockup|hard LOCKUP|workqueue lockup|unexpected IRQ trap|nobody cared'
SPLATS+='|Initramfs unpacking failed'
SPLATS+='|Internal error|unchecked MSR access|Bad page state|slab.*(corrupt|overwritten|not freed)|Objects remaining'

# The kernel's message if it was booted with kmemleak=off.
KMEMLEAK_OFF='kmemleak: Kernel memory leak detector disabled'

# splats FILE [LINE]: prints each splat with the lines after it; fails if there is none. LINE is an expected
# message, which is not a splat.
splats() { LC_ALL=C sed ${2:+-e "/$2\$/d"} -e b -- "$1" | LC_ALL=C grep -a -E -m 8 -A 40 -e "$SPLATS"; }
