/* SPDX-License-Identifier: GPL-2.0-only */
/* PMUv3: the way to its interrupt, by device tree or ACPI. */
#ifndef HWPMC_PMUV3_IRQ_H
#define HWPMC_PMUV3_IRQ_H

#include <linux/interrupt.h>

/**
 * pmuv3_irq_find - find the PMU's interrupts. May sleep
 *
 * Return: NULL, or why there is none: a sentence in static storage.
 */
const char *pmuv3_irq_find(void);

/** pmuv3_irq_drop - undo pmuv3_irq_find() */
void pmuv3_irq_drop(void);

/**
 * pmuv3_irq_request - take the interrupts, on no CPU yet. May sleep
 * @handler: runs with its CPU's interrupts off
 *
 * Return: 0, or -EBUSY when another driver (perf) has one of them, or -ENOMEM.
 */
int pmuv3_irq_request(irq_handler_t handler);

/** pmuv3_irq_release - undo pmuv3_irq_request(); off on every CPU before */
void pmuv3_irq_release(void);

/* On this CPU, interrupts off: let them come, or not. */
void pmuv3_irq_enable(void);
void pmuv3_irq_disable(void);

#endif /* HWPMC_PMUV3_IRQ_H */
