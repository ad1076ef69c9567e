// SPDX-License-Identifier: GPL-2.0-only
/* Probes and events that suites make; see fire_events.h. */
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "due.h"
#include "fire_events.h"
#include "records.h"

struct fire_case fire_it;
struct hwpmc_pmc fire_counter;

int fire_probe_init(struct hwpmc_probe *probe)
{
	probe->cpu = alloc_percpu(struct hwpmc_probe_cpu);
	if (!probe->cpu)
		return -ENOMEM;
	if (!hwpmc_fire_enable())
		return 0;
	free_percpu(probe->cpu);
	probe->cpu = NULL;
	return -ENOMEM;
}

void fire_probe_exit(struct hwpmc_probe *probe)
{
	if (!probe->cpu)
		return;
	hwpmc_fire_disable();
	free_percpu(probe->cpu);
}

static void fire_get_args(const struct hwpmc_fired *fired, u64 *to, unsigned int count)
{
	fire_it.asked = count;
	memcpy(to, fire_it.args, min(count, FIRE_ARGS) * sizeof(*to));
	if (!fire_it.again)
		return;
	fire_it.again--;
	hwpmc_fire(&fire_it.probe, fired);
}

void fire_add(struct hwpmc_link *link, struct hwpmc_context *ctx, struct hwpmc_probe *probe)
{
	bool of_cpu = ctx == &raw_cpu_ptr(&hwpmc_cpus)->sys;
	unsigned long flags;

	link->thread = of_cpu ? NULL : container_of(ctx, struct hwpmc_thread, ctx);
	if (!link->pmc)
		link->pmc = &fire_counter;
	link->ctx = ctx;
	link->probe = probe;
	link->slot = &link->own;
	link->active = true;
	local_irq_save(flags);
	hwpmc_fire_add(link);
	local_irq_restore(flags);
}

void fire_remove(struct hwpmc_link *link)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_fire_remove(link);
	local_irq_restore(flags);
}

int fire_init(struct kunit *test)
{
	struct fire_case *it = &fire_it;
	struct records *records;
	int err = records_init(test);

	memset(it, 0, sizeof(*it));
	if (err)
		return err;
	records = records_of(test);
	records->pmc.class = &hwpmc_fire_class;
	records->pmc.caps = HWPMC_CAP_SYSTEM;
	records->link.owner = records->owner;
	it->th = kunit_kzalloc(test, sizeof(*it->th), GFP_KERNEL);
	if (!it->th || fire_probe_init(&it->probe) ||
	    hwpmc_context_setup(&it->th->ctx, NUMA_NO_NODE))
		return -ENOMEM;
	it->fired = (struct hwpmc_fired) {
		.pc = FIRE_PC, .retval = FIRE_RETVAL, .get_args = fire_get_args,
	};
	fire_add(&records->link, &it->th->ctx, &it->probe);
	it->link = &records->link;
	return 0;
}

void fire_exit(struct kunit *test)
{
	struct fire_case *it = &fire_it;

	if (it->link) {
		fire_remove(it->link);
		hwpmc_context_teardown(&it->th->ctx);
	}
	fire_probe_exit(&it->probe);
	records_exit(test);
}

struct hwpmc_thread *fire_set_thread(struct hwpmc_thread *th)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	struct hwpmc_thread *before = pc->thread;

	pc->thread = th;
	return before;
}

u64 fire_set_offline(u64 since)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 before = pc->offline_since;

	pc->offline_since = since;
	return before;
}

void fire_here(struct hwpmc_probe *probe, unsigned int events)
{
	struct hwpmc_thread *before = fire_set_thread(fire_it.th);

	while (events--)
		hwpmc_fire(probe, &fire_it.fired);
	fire_set_thread(before);
}

void fire_events(unsigned int events)
{
	unsigned long flags;

	local_irq_save(flags);
	due_begin_window(U64_MAX);
	fire_here(&fire_it.probe, events);
	due_end_window();
	local_irq_restore(flags);
}

u64 fire_count(void)
{
	return fire_it.link->own.sum;
}

void fire_set_period(u64 period)
{
	fire_it.link->period = period;
	fire_it.link->due = fire_count() + period;
}

struct hwpmc_sampler_cpu fire_samples(struct kunit *test)
{
	struct hwpmc_sampler_cpu sum;

	hwpmc_sampler_sum(&records_of(test)->pmc, -1, &sum);
	return sum;
}
