/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: reservation of the counters against perf and the NMI watchdog. */
#ifndef HWPMC_X86_RESERVE_H
#define HWPMC_X86_RESERVE_H

#include "id.h"

/**
 * x86_reserve_claim - reserve every counter that any CPU has
 * @id: of the machine
 *
 * While they are reserved perf's events fail with EBUSY. Return: whether all were free.
 */
bool x86_reserve_claim(const struct x86_id *id);

/** x86_reserve_release - undo x86_reserve_claim() */
void x86_reserve_release(const struct x86_id *id);

/**
 * x86_reserve_available - whether no other driver has reserved the counters
 * @id: of the machine; hwpmc has not reserved its counters
 *
 * perf reserves every counter's event select or none, so one is enough to test. The only test is
 * to reserve it, which lasts a few instructions with interrupts off: a first event of perf or
 * the watchdog on another CPU fails with EBUSY meanwhile. Context: any.
 */
bool x86_reserve_available(const struct x86_id *id);

/**
 * x86_reserve_test - whether a counter retains what is written to it
 * @id: of the machine; its counters are reserved
 *
 * A hypervisor may announce counters that it does not implement. The value of the tested
 * counter is restored. Context: any CPU, preemption allowed.
 */
bool x86_reserve_test(const struct x86_id *id);

#endif /* HWPMC_X86_RESERVE_H */
