/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: whose the counters are: arbitration with perf and the NMI watchdog. */
#ifndef HWPMC_X86_RESERVE_H
#define HWPMC_X86_RESERVE_H

#include "id.h"

/**
 * x86_reserve_claim - take every counter that any CPU has
 * @id: of the machine
 *
 * Return: whether they were free. While they are ours perf gets EBUSY.
 */
bool x86_reserve_claim(const struct x86_id *id);

/** x86_reserve_release - give them back */
void x86_reserve_release(const struct x86_id *id);

/**
 * x86_reserve_available - whether nobody has them
 * @id: of the machine; its counters are not taken by us
 *
 * perf takes every counter's selection or none, so the first one tells. It shows only when
 * it is asked for, so it is ours for two instructions, interrupts off: perf's first event
 * (or the watchdog's) gets EBUSY if another CPU asks in between. Context: any.
 */
bool x86_reserve_available(const struct x86_id *id);

/**
 * x86_reserve_test - whether this machine's counters hold what is put into them
 * @id: of the machine; its counters are taken
 *
 * A hypervisor may show counters and not have them. Context: any CPU, may be
 * preempted; the first counter is written and put back.
 */
bool x86_reserve_test(const struct x86_id *id);

#endif /* HWPMC_X86_RESERVE_H */
