// SPDX-License-Identifier: GPL-2.0-only
/* PMCs: their life and states. ALLOCATED -> RUNNING <-> STOPPED -> gone. */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../hwpmc.h"

#define HWPMC_FLAGS_LOG		(HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT)
#define HWPMC_FLAGS_SAMPLE	(HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN | HWPMC_F_FREQUENCY)
#define HWPMC_FLAGS_VIRTUAL	(HWPMC_FLAGS_LOG | HWPMC_F_DESCENDANTS | HWPMC_F_THREAD)
#define HWPMC_FLAGS		(HWPMC_FLAGS_VIRTUAL | HWPMC_FLAGS_SAMPLE | HWPMC_F_TRY)
#define HWPMC_CAPS		(2 * HWPMC_CAP_SYSWIDE - 1)

static struct kmem_cache *hwpmc_pmc_cache;

int __init hwpmc_pmc_init(void)
{
	hwpmc_pmc_cache = KMEM_CACHE(hwpmc_pmc, 0);
	return hwpmc_pmc_cache ? 0 : -ENOMEM;
}

void hwpmc_pmc_exit(void)
{
	kmem_cache_destroy(hwpmc_pmc_cache);
}

/**
 * hwpmc_pmc_preset - what the hardware counter is set to when @pmc is put in
 * @pmc: does not run
 * @value: of which the counter takes what fits
 *
 * PMCs that start from 0 share a selection: between them nothing need be
 * written. One with a start value gets a selection of its own, by a tag; so does
 * one that samples, whose row nobody else finds running.
 */
void hwpmc_pmc_preset(struct hwpmc_pmc *pmc, u64 value)
{
	static atomic64_t serial = ATOMIC64_INIT(1);

	pmc->want.preset = value;
	pmc->want.tag = value || pmc->sampled ? (u64)atomic64_inc_return(&serial) : 1;
}

static int hwpmc_allocate_check_mode(struct hwpmc_owner *owner, const struct hwpmc_allocate *args)
{
	bool virtual = hwpmc_mode_virtual(args->mode);

	if (args->mode < HWPMC_MODE_SS || args->mode > HWPMC_MODE_TC)
		return hwpmc_fail(owner, -EINVAL, "mode %u is none of SS, SC, TS and TC",
				  args->mode);
	if (virtual && args->cpu != -1)
		return hwpmc_fail(owner, -EINVAL, "a virtual PMC follows tasks: its cpu must be -1");
	if (!virtual && (args->cpu < 0 || args->cpu >= nr_cpu_ids || !cpu_possible(args->cpu)))
		return hwpmc_fail(owner, -EINVAL, "a system-wide PMC needs a cpu; there is no cpu %d",
				  args->cpu);
	if (!virtual && (args->flags & HWPMC_FLAGS_VIRTUAL))
		return hwpmc_fail(owner, -EINVAL,
				  "DESCENDANTS, THREAD and the process logs are for virtual PMCs only");
	if ((args->flags & HWPMC_F_THREAD) && (args->flags & HWPMC_F_DESCENDANTS))
		return hwpmc_fail(owner, -EINVAL, "THREAD and DESCENDANTS exclude each other");
	if (!hwpmc_mode_sampling(args->mode) && (args->flags & HWPMC_FLAGS_SAMPLE))
		return hwpmc_fail(owner, -EINVAL,
				  "call chains and frequencies are for sampling modes only");
	return 0;
}

/* A period, or a frequency, that can be had. */
static int hwpmc_pmc_check_count(struct hwpmc_owner *owner, u32 flags, u64 count)
{
	if ((flags & HWPMC_F_FREQUENCY) && (!count || count > hwpmc_period_max_rate()))
		return hwpmc_fail(owner, -EINVAL,
				  "a frequency is from 1 to %u samples a second (parameter max_samples)",
				  hwpmc_period_max_rate());
	if (!(flags & HWPMC_F_FREQUENCY) && count < hwpmc_period_min())
		return hwpmc_fail(owner, -EINVAL,
				  "a period of %llu is too small: the smallest is %llu (parameter mincount)",
				  count, hwpmc_period_min());
	if (count > S64_MAX)
		return hwpmc_fail(owner, -EINVAL, "a period of %llu never comes to its end", count);
	return 0;
}

static int hwpmc_allocate_check_sampling(struct hwpmc_owner *owner, const struct hwpmc_class *class,
					 const struct hwpmc_allocate *args)
{
	if (args->user_stack > HWPMC_USER_STACK_MAX || args->user_stack % 8)
		return hwpmc_fail(owner, -EINVAL,
				  "user_stack is a multiple of 8 up to %u bytes", HWPMC_USER_STACK_MAX);
	if (!hwpmc_mode_sampling(args->mode))
		return !args->user_stack ? 0 : hwpmc_fail(owner, -EINVAL,
							  "a copy of the stack is for sampling modes only");
	if (!class->aim)
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "counters of class %s raise no interrupt, so they cannot sample", class->name);
	if (args->user_stack && !hwpmc_mode_virtual(args->mode) && !hwpmc_privileged())
		return hwpmc_fail(owner, -EPERM,
				  "copies of everybody's stacks need CAP_PERFMON");
	return hwpmc_pmc_check_count(owner, args->flags, args->count);
}

static int hwpmc_allocate_check_rights(struct hwpmc_owner *owner, const struct hwpmc_class *class,
				       const struct hwpmc_allocate *args, u32 caps)
{
	if (!hwpmc_mode_virtual(args->mode) && !hwpmc_may_count_system())
		return hwpmc_fail(owner, -EPERM,
				  "system-wide counting needs CAP_PERFMON, or the module's parameter unprivileged_syspmcs=1");
	if ((caps & HWPMC_CAP_SYSTEM) && !class->public && !hwpmc_privileged() &&
	    !(!hwpmc_mode_virtual(args->mode) && hwpmc_may_count_system()))
		return hwpmc_fail(owner, -EPERM,
				  "counting in kernel mode needs CAP_PERFMON; count user mode only (:u)");
	return 0;
}

static int hwpmc_allocate_encode(struct hwpmc_owner *owner, const struct hwpmc_class *class,
				 const struct hwpmc_allocate *args, u32 caps,
				 struct hwpmc_encoding *enc)
{
	struct hwpmc_request req = {
		.event = args->event,
		.config = { args->config[0], args->config[1] },
		.caps = caps,
	};
	int err;

	if (args->caps & ~HWPMC_CAPS)
		return hwpmc_fail(owner, -EOPNOTSUPP, "unknown capability bits 0x%x",
				  args->caps & ~HWPMC_CAPS);
	err = class->encode(&req, args->cpu, enc);
	if (err)
		return hwpmc_fail(owner, err, "event 0x%llx: %s", args->event, enc->why);
	return 0;
}

static struct hwpmc_pmc *hwpmc_pmc_new(struct hwpmc_owner *owner, int class_index,
				       const struct hwpmc_allocate *args, u32 caps,
				       const struct hwpmc_encoding *enc)
{
	struct hwpmc_pmc *pmc = kmem_cache_zalloc(hwpmc_pmc_cache, GFP_KERNEL_ACCOUNT);

	if (!pmc) {
		hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		return NULL;
	}
	pmc->owner = owner;
	pmc->class = hwpmc_classes[class_index];
	pmc->class_index = class_index;
	pmc->mode = args->mode;
	pmc->cpu = args->cpu;
	pmc->caps = caps;
	pmc->flags = args->flags & ~HWPMC_F_TRY;
	pmc->event = args->event;
	pmc->count = args->count;
	pmc->user_stack = args->user_stack;
	if (hwpmc_mode_sampling(args->mode)) {
		pmc->sampled = alloc_percpu_gfp(struct hwpmc_sampler_cpu, GFP_KERNEL_ACCOUNT);
		if (!pmc->sampled) {
			kmem_cache_free(hwpmc_pmc_cache, pmc);
			hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
			return NULL;
		}
	}
	pmc->base = pmc->sampled ? 0 : args->count;
	pmc->want.sel = enc->sel;
	pmc->extra = enc->extra;
	hwpmc_pmc_preset(pmc, pmc->base);
	INIT_LIST_HEAD(&pmc->targets);
	INIT_LIST_HEAD(&pmc->links);
	return pmc;
}

/* A system-wide PMC counts in its CPU's context from the start. */
static int hwpmc_pmc_link_cpu(struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link = hwpmc_link_alloc(GFP_KERNEL_ACCOUNT);
	unsigned long flags;

	if (!link)
		return hwpmc_fail(pmc->owner, -ENOMEM, "out of memory; try again");
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_link_add(link, pmc, &per_cpu(hwpmc_cpus, pmc->cpu).sys);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	return 0;
}

/* Whether it needs to hear of processes: to follow them, or to tell of them. */
static bool hwpmc_pmc_hooks(const struct hwpmc_pmc *pmc)
{
	return hwpmc_mode_virtual(pmc->mode) || pmc->sampled;
}

static void hwpmc_pmc_free(struct hwpmc_pmc *pmc)
{
	free_percpu(pmc->sampled);
	kmem_cache_free(hwpmc_pmc_cache, pmc);
}

static int hwpmc_pmc_hook(struct hwpmc_pmc *pmc)
{
	int err = 0;

	if (pmc->sampled)
		err = hwpmc_maps_get();
	if (err)
		return hwpmc_fail(pmc->owner, err, "the kernel's function perf_event_mmap could not be probed");
	if (hwpmc_pmc_hooks(pmc))
		err = hwpmc_hook_get();
	if (err) {
		hwpmc_fail(pmc->owner, err, "the scheduler's tracepoints could not be hooked");
		goto out_maps;
	}
	if (!hwpmc_mode_virtual(pmc->mode))
		err = hwpmc_pmc_link_cpu(pmc);
	if (err)
		goto out_hook;
	if (pmc->sampled && !hwpmc_mode_virtual(pmc->mode))
		WRITE_ONCE(pmc->owner->system_samplers, pmc->owner->system_samplers + 1);
	return 0;
out_hook:
	if (hwpmc_pmc_hooks(pmc))
		hwpmc_hook_put();
out_maps:
	if (pmc->sampled)
		hwpmc_maps_put();
	return err;
}

static void hwpmc_pmc_unhook(struct hwpmc_pmc *pmc)
{
	if (pmc->sampled && !hwpmc_mode_virtual(pmc->mode))
		WRITE_ONCE(pmc->owner->system_samplers, pmc->owner->system_samplers - 1);
	if (hwpmc_pmc_hooks(pmc))
		hwpmc_hook_put();
	if (pmc->sampled)
		hwpmc_maps_put();
}

/* Row, PMU and hooks, in this order; undone in the other one. */
static int hwpmc_pmc_equip(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try)
{
	int err;

	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_take(pmc, enc, try);
	if (!err && try) {
		err = hwpmc_pmu_get(pmc->owner, pmc->class);
		if (!err)
			hwpmc_pmu_put(pmc->class);
	}
	if (err || try)
		goto out;
	err = hwpmc_pmu_get(pmc->owner, pmc->class);
	if (err)
		goto out_row;
	err = hwpmc_pmc_hook(pmc);
	if (!err)
		goto out;
	hwpmc_pmu_put(pmc->class);
out_row:
	hwpmc_row_give(pmc);
out:
	mutex_unlock(&hwpmc_rows_lock);
	return err;
}

/**
 * hwpmc_pmc_allocate - HWPMC_IOC_ALLOCATE
 * @owner: whose call; owner->lock held
 * @args: as copied in; id and row are set
 * @out: the PMC, NULL with HWPMC_F_TRY
 */
int hwpmc_pmc_allocate(struct hwpmc_owner *owner, struct hwpmc_allocate *args,
		       struct hwpmc_pmc **out)
{
	u32 caps = args->caps;
	bool try = args->flags & HWPMC_F_TRY;
	struct hwpmc_encoding enc = {};
	struct hwpmc_pmc *pmc;
	int class, err;

	*out = NULL;
	if (args->flags & ~HWPMC_FLAGS)
		return hwpmc_fail(owner, -EOPNOTSUPP, "unknown flags 0x%x",
				  args->flags & ~HWPMC_FLAGS);
	if (args->reserved)
		return hwpmc_fail(owner, -EINVAL, "a reserved field is not 0");
	if (!(caps & (HWPMC_CAP_USER | HWPMC_CAP_SYSTEM)))
		caps |= HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;
	if (hwpmc_mode_sampling(args->mode))
		caps |= HWPMC_CAP_INTERRUPT;
	class = hwpmc_row_class(args->class_id);
	if (class < 0)
		return hwpmc_fail(owner, class, "this machine has no counters of class %u; see pmctl info",
				  args->class_id);
	err = hwpmc_allocate_check_mode(owner, args);
	if (!err)
		err = hwpmc_allocate_check_sampling(owner, hwpmc_classes[class], args);
	if (!err)
		err = hwpmc_allocate_check_rights(owner, hwpmc_classes[class], args, caps);
	if (!err)
		err = hwpmc_allocate_encode(owner, hwpmc_classes[class], args, caps, &enc);
	if (err)
		return err;
	if (args->cpu >= 0 && !cpu_online(args->cpu))
		return hwpmc_fail(owner, -ENXIO, "cpu %d is offline", args->cpu);

	pmc = hwpmc_pmc_new(owner, class, args, caps, &enc);
	if (!pmc)
		return -ENOMEM;
	err = hwpmc_pmc_equip(pmc, &enc, try);
	if (err || try) {
		args->row = pmc->row;
		hwpmc_pmc_free(pmc);
		return err;
	}
	hwpmc_stat_inc(HWPMC_STAT_PMCS);
	err = hwpmc_owner_add(owner, pmc);
	if (err) {
		hwpmc_pmc_release(&pmc, 1);
		return hwpmc_fail(owner, err, "out of memory; try again");
	}
	args->id = pmc->id;
	args->row = pmc->row;
	hwpmc_record_allocate(pmc);
	*out = pmc;
	return 0;
}

static void hwpmc_pmc_set_running(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	for (i = 0; i < count; i++)
		pmcs[i]->running = running;
	WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/* Make it so on every CPU; without memory for a mask, by asking all of them. */
static void hwpmc_pmc_sync(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	const struct cpumask *also = NULL;
	bool system = false;
	cpumask_var_t cpus;
	unsigned int i;

	for (i = 0; i < count; i++)
		system |= pmcs[i]->cpu >= 0;
	if (!system || !zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		hwpmc_sync_cpus(system ? cpu_possible_mask : NULL);
		return;
	}
	for (i = 0; i < count; i++)
		if (pmcs[i]->cpu >= 0)
			cpumask_set_cpu(pmcs[i]->cpu, cpus);
	also = cpus;
	hwpmc_sync_cpus(also);
	free_cpumask_var(cpus);
}

static void hwpmc_pmc_turn(struct hwpmc_pmc *const *pmcs, unsigned int count, bool on)
{
	u64 now;
	unsigned int i;

	hwpmc_pmc_set_running(pmcs, count, on);
	hwpmc_pmc_sync(pmcs, count);
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < count; i++) {
		struct hwpmc_pmc *pmc = pmcs[i];

		if (on && pmc->state != HWPMC_RUNNING) {
			pmc->started = now;
			pmc->offline_at_start = hwpmc_hotplug_offline_ns(pmc->cpu, now);
		} else if (!on && pmc->state == HWPMC_RUNNING) {
			pmc->enabled += now - pmc->started;
			pmc->offline += hwpmc_hotplug_offline_ns(pmc->cpu, now) -
					pmc->offline_at_start;
		}
		pmc->state = on ? HWPMC_RUNNING : HWPMC_STOPPED;
	}
}

static int hwpmc_pmc_may_start(struct hwpmc_pmc *pmc)
{
	if (((pmc->flags & HWPMC_FLAGS_LOG) || pmc->sampled) && !pmc->owner->rings)
		return hwpmc_fail(pmc->owner, -EBADFD,
				  "a PMC that samples or logs needs rings, and there are none: make them with HWPMC_IOC_RING");
	if (pmc->cpu >= 0 && !cpu_online(pmc->cpu) && pmc->state != HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -ENXIO, "cpu %d is offline", pmc->cpu);
	if (pmc->attached && !READ_ONCE(pmc->living) && pmc->state != HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -ESRCH, "all its targets are gone; attach it to another");
	return 0;
}

static int hwpmc_pmc_attach_self(struct hwpmc_pmc *pmc)
{
	bool single = pmc->flags & HWPMC_F_THREAD;

	if (!hwpmc_mode_virtual(pmc->mode) || pmc->attached)
		return 0;
	return hwpmc_target_attach(pmc, single ? task_pid(current) : task_tgid(current), single);
}

static void hwpmc_pmc_detach_self(struct hwpmc_pmc *const *pmcs, unsigned int count,
				  const unsigned long *mine)
{
	unsigned int i;

	for_each_set_bit(i, mine, count) {
		hwpmc_target_detach_all(pmcs[i]);
		pmcs[i]->attached = false;
	}
}

/* What is there before the first sample: once for all that begin to sample here. */
static int hwpmc_pmc_snapshot(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	bool any = false, all = false;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!pmcs[i]->sampled || pmcs[i]->state == HWPMC_RUNNING)
			continue;
		any = true;
		all |= !hwpmc_mode_virtual(pmcs[i]->mode);
	}
	return any ? hwpmc_process_snapshot(pmcs[0]->owner, all) : 0;
}

/**
 * hwpmc_pmc_start - all of them, at once
 * @pmcs: of one owner, whose lock is held
 * @count: how many
 * @failed: index of the one that was refused
 *
 * Context: may sleep.
 */
int hwpmc_pmc_start(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	unsigned long *mine;
	int err = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		err = hwpmc_pmc_may_start(pmcs[i]);
		if (err)
			goto out;
	}
	mine = bitmap_zalloc(count, GFP_KERNEL);
	if (!mine)
		return hwpmc_fail(pmcs[0]->owner, -ENOMEM, "out of memory; try again");
	for (i = 0; i < count; i++) {
		bool before = pmcs[i]->attached;

		err = hwpmc_pmc_attach_self(pmcs[i]);
		if (err)
			break;
		if (!before && pmcs[i]->attached)
			__set_bit(i, mine);
	}
	if (!err)
		err = hwpmc_arm_now(pmcs[0]->owner);
	if (!err)
		err = hwpmc_pmc_snapshot(pmcs, count);
	if (err)
		hwpmc_pmc_detach_self(pmcs, count, mine);
	else
		hwpmc_pmc_turn(pmcs, count, true);
	bitmap_free(mine);
out:
	*failed = err ? min(i, count - 1) : 0;
	return err;
}

/* All of them, at once. Context: may sleep; owner->lock. */
int hwpmc_pmc_stop(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	u32 i;

	for (i = 0; i < count; i++) {
		*failed = i;
		if (pmcs[i]->state == HWPMC_ALLOCATED)
			return hwpmc_fail(pmcs[i]->owner, -EINVAL, "a PMC that was never started cannot be stopped");
	}
	*failed = 0;
	hwpmc_pmc_turn(pmcs, count, false);
	return 0;
}

static void hwpmc_pmc_unlink_cpu(struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	list_for_each_entry_safe(link, next, &pmc->links, in_pmc) {
		hwpmc_link_remove(link);
		hwpmc_link_free(link);
	}
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

static void hwpmc_pmc_unequip(struct hwpmc_pmc *pmc)
{
	if (hwpmc_mode_virtual(pmc->mode))
		hwpmc_target_detach_all(pmc);
	else
		hwpmc_pmc_unlink_cpu(pmc);
	hwpmc_pmc_unhook(pmc);
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_row_give(pmc);
	hwpmc_pmu_put(pmc->class);
	mutex_unlock(&hwpmc_rows_lock);
}

/**
 * hwpmc_pmc_set_count - HWPMC_IOC_SET_COUNT
 * @pmc: does not run
 * @count: period or frequency if it samples, start value if it counts
 */
int hwpmc_pmc_set_count(struct hwpmc_pmc *pmc, u64 count)
{
	struct hwpmc_link *link;
	unsigned long flags;
	int err;

	if (!pmc->sampled) {
		pmc->count = count;
		hwpmc_count_write(pmc, count);
		return 0;
	}
	err = hwpmc_pmc_check_count(pmc->owner, pmc->flags, count);
	if (err)
		return err;
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	pmc->count = count;
	list_for_each_entry(link, &pmc->links, in_pmc)
		link->period = 0;
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	return 0;
}

/* From any state; when this returns they are off every CPU. May sleep. */
void hwpmc_pmc_release(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	bool running = false;
	unsigned int i;

	for (i = 0; i < count; i++)
		running |= pmcs[i]->running;
	if (running)
		hwpmc_pmc_turn(pmcs, count, false);
	for (i = 0; i < count; i++) {
		hwpmc_pmc_unequip(pmcs[i]);
		hwpmc_owner_remove(pmcs[i]->owner, pmcs[i]);
		hwpmc_stat_add(HWPMC_STAT_PMCS, -1);
		hwpmc_pmc_free(pmcs[i]);
	}
}
