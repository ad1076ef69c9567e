/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: whose the counters are: arbitration with perf and the NMI watchdog. */
#ifndef HWPMC_X86_SHARE_H
#define HWPMC_X86_SHARE_H

#include "id.h"

/**
 * x86_share_take - take every counter that any CPU has
 * @id: of the machine
 *
 * Return: whether they were free. While they are ours perf gets EBUSY.
 */
bool x86_share_take(const struct x86_id *id);

/** x86_share_give - give them back */
void x86_share_give(const struct x86_id *id);

/**
 * x86_share_free - whether nobody has them
 * @id: of the machine; its counters are not taken by us
 *
 * perf takes every counter's selection or none, so the first one tells. It shows only when
 * it is asked for, so it is ours for two instructions, interrupts off: perf's first event
 * (or the watchdog's) gets EBUSY if another CPU asks in between. Context: any.
 */
bool x86_share_free(const struct x86_id *id);

/**
 * x86_share_works - whether this machine's counters hold what is put into them
 * @id: of the machine; its counters are taken
 *
 * A hypervisor may show counters and not have them. Context: any CPU, may be
 * preempted; the first counter is written and put back.
 */
bool x86_share_works(const struct x86_id *id);

#endif /* HWPMC_X86_SHARE_H */
