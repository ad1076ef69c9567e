// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMUv3: its overflow interrupt, described by device tree or ACPI.
 *
 * Only per-CPU interrupts (PPIs) are supported; SBSA requires a PPI on servers. Machines with
 * big and small cores may have one interrupt for each cluster.
 */
#include <linux/acpi.h>
#include <linux/irq.h>
#include <linux/list.h>
#include <linux/of.h>
#include <linux/of_irq.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "pmuv3_irq.h"

struct pmuv3_irq {
	struct list_head node;
	int irq;
	bool requested;
};

static LIST_HEAD(pmuv3_irqs);
/* request_percpu_irq() requires a per-CPU cookie; the handler does not use it. */
static DEFINE_PER_CPU(char, pmuv3_irq_cookie);

static const char pmuv3_irq_none[] =
	"the firmware describes no PMU interrupt: in a virtual machine, enable its PMU in the hypervisor";
static const char pmuv3_irq_not_percpu[] =
	"the PMU interrupts of this machine are shared (SPIs); hwpmc supports per-CPU ones (PPIs) only";

static bool pmuv3_irq_known(int irq)
{
	struct pmuv3_irq *it;

	list_for_each_entry(it, &pmuv3_irqs, node)
		if (it->irq == irq)
			return true;
	return false;
}

static const char *pmuv3_irq_add(int irq)
{
	struct pmuv3_irq *it;

	if (pmuv3_irq_known(irq))
		return NULL;
	if (!irq_is_percpu_devid(irq))
		return pmuv3_irq_not_percpu;
	it = kzalloc(sizeof(*it), GFP_KERNEL);
	if (!it)
		return "cannot list the PMU interrupts: out of memory";
	it->irq = irq;
	list_add_tail(&it->node, &pmuv3_irqs);
	return NULL;
}

#ifdef CONFIG_ACPI
/*
 * Add the performance interrupt of every enabled GICC entry. perf's driver may have mapped it
 * already. Mappings have no reference count, so it is never unregistered: the next
 * acpi_register_gsi() returns the same mapping.
 */
static const char *pmuv3_irq_walk_madt(struct acpi_table_header *table)
{
	struct acpi_table_madt *madt = (struct acpi_table_madt *)table;
	struct acpi_subtable_header *sub = (void *)(madt + 1);
	void *end = (void *)madt + table->length;
	const char *why = pmuv3_irq_none;

	for (; (void *)(sub + 1) <= end && sub->length; sub = (void *)sub + sub->length) {
		struct acpi_madt_generic_interrupt *gicc = (void *)sub;
		int irq, trigger = ACPI_LEVEL_SENSITIVE;

		if (sub->type != ACPI_MADT_TYPE_GENERIC_INTERRUPT ||
		    !(gicc->flags & ACPI_MADT_ENABLED) || !gicc->performance_interrupt)
			continue;
		if (gicc->flags & ACPI_MADT_PERFORMANCE_IRQ_MODE)
			trigger = ACPI_EDGE_SENSITIVE;
		irq = acpi_register_gsi(NULL, gicc->performance_interrupt, trigger,
					ACPI_ACTIVE_HIGH);
		why = irq < 0 ? pmuv3_irq_none : pmuv3_irq_add(irq);
		if (why)
			break;
	}
	return why;
}

static const char *pmuv3_irq_find_acpi(void)
{
	struct acpi_table_header *madt;
	const char *why;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_MADT, 0, &madt)))
		return pmuv3_irq_none;
	why = pmuv3_irq_walk_madt(madt);
	acpi_put_table(madt);
	return why;
}
#else
static const char *pmuv3_irq_find_acpi(void)
{
	return pmuv3_irq_none;
}
#endif

/*
 * "arm,armv8-pmuv3", "arm,cortex-a72-pmu", "apple,firestorm-pmu", ... Names of interconnect PMUs
 * also match, but their interrupts are not per CPU.
 */
static bool pmuv3_irq_is_pmu(struct device_node *np)
{
	const char *name;
	int i;

	for (i = 0; !of_property_read_string_index(np, "compatible", i, &name); i++) {
		size_t len = strlen(name);

		if (!strcmp(name, "arm,armv8-pmuv3") ||
		    (len > 4 && !strcmp(name + len - 4, "-pmu")))
			return true;
	}
	return false;
}

static const char *pmuv3_irq_find_dt(void)
{
	const char *why = pmuv3_irq_none;
	struct device_node *np;

	for_each_node_with_property(np, "interrupts") {
		int irq;

		if (!pmuv3_irq_is_pmu(np))
			continue;
		irq = irq_of_parse_and_map(np, 0);
		if (irq > 0)
			why = pmuv3_irq_add(irq);
	}
	return list_empty(&pmuv3_irqs) ? why : NULL;
}

const char *pmuv3_irq_find(void)
{
	return acpi_disabled ? pmuv3_irq_find_dt() : pmuv3_irq_find_acpi();
}

void pmuv3_irq_drop(void)
{
	struct pmuv3_irq *it, *next;

	list_for_each_entry_safe(it, next, &pmuv3_irqs, node) {
		list_del(&it->node);
		kfree(it);
	}
}

int pmuv3_irq_request(irq_handler_t handler)
{
	struct pmuv3_irq *it;

	list_for_each_entry(it, &pmuv3_irqs, node) {
		int err = request_percpu_irq(it->irq, handler, "hwpmc", &pmuv3_irq_cookie);

		if (err) {
			pmuv3_irq_release();
			return err;
		}
		it->requested = true;
	}
	return 0;
}

void pmuv3_irq_release(void)
{
	struct pmuv3_irq *it;

	list_for_each_entry(it, &pmuv3_irqs, node) {
		if (it->requested)
			free_percpu_irq(it->irq, &pmuv3_irq_cookie);
		it->requested = false;
	}
}

void pmuv3_irq_enable(void)
{
	struct pmuv3_irq *it;

	list_for_each_entry(it, &pmuv3_irqs, node)
		enable_percpu_irq(it->irq, IRQ_TYPE_NONE);
}

void pmuv3_irq_disable(void)
{
	struct pmuv3_irq *it;

	list_for_each_entry(it, &pmuv3_irqs, node)
		disable_percpu_irq(it->irq);
}
