/* SPDX-License-Identifier: GPL-2.0-only */
/* PMUv3: its overflow interrupt, described by device tree or ACPI. */
#ifndef HWPMC_PMUV3_IRQ_H
#define HWPMC_PMUV3_IRQ_H

#include <linux/interrupt.h>

/**
 * pmuv3_irq_find - find the PMU's interrupts
 *
 * May sleep. Return: NULL, or why there is none: a sentence in static storage.
 */
const char *pmuv3_irq_find(void);

/** pmuv3_irq_drop - undo pmuv3_irq_find() */
void pmuv3_irq_drop(void);

/**
 * pmuv3_irq_request - request the interrupts, without enabling them on any CPU
 * @handler: runs with its CPU's interrupts off
 *
 * May sleep. Return: 0, or -EBUSY when another driver (perf) holds one of them, or -ENOMEM.
 */
int pmuv3_irq_request(irq_handler_t handler);

/** pmuv3_irq_release - undo pmuv3_irq_request(), after pmuv3_irq_disable() on every CPU */
void pmuv3_irq_release(void);

/** pmuv3_irq_enable - enable the interrupts on this CPU. Context: interrupts off */
void pmuv3_irq_enable(void);

/** pmuv3_irq_disable - disable the interrupts on this CPU. Context: interrupts off */
void pmuv3_irq_disable(void);

#endif /* HWPMC_PMUV3_IRQ_H */
