// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks of a timer: "hz:N" ticks N times a second, "ms:N" and "us:N" every N milliseconds or
 * microseconds; on each CPU (profile) or on one (interval). Called by provider.c, in process
 * context.
 *
 * The kernel calls hwpmc_profile_online() and hwpmc_profile_offline() for each online CPU when a
 * probe is added or removed, and when a CPU comes online or goes offline, one after the other. So
 * the kernel never moves a timer to another CPU.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/irq_regs.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "probe.h"

/* With a shorter period, ticks would take all the time of a slow CPU. */
#define HWPMC_PROFILE_LEAST	(100 * NSEC_PER_USEC)
#define HWPMC_PROFILE_MOST	(3600 * NSEC_PER_SEC)

struct hwpmc_profile;

/* The timer of a CPU. */
struct hwpmc_profile_timer {
	struct hrtimer timer;
	struct hwpmc_profile *profile;
};

/**
 * struct hwpmc_profile - a probe of this provider
 * @place: the part of provider.c
 * @node: in the kernel's list of instances of hwpmc_profile_state
 * @period: between two ticks of a CPU, in ns
 * @timers: of each CPU
 * @cpu: interval: the CPU whose timer runs, or -1
 * @removing: no timer is started any more
 */
struct hwpmc_profile {
	struct hwpmc_place place;
	struct hlist_node node;
	u64 period;
	struct hwpmc_profile_timer __percpu *timers;
	int cpu;
	bool removing;
};

static bool hwpmc_profile_is_single(const struct hwpmc_profile *profile)
{
	return profile->place.provider == &hwpmc_interval_provider;
}

/* The hotplug state of the two callbacks; registered while there is a probe of this provider. */
static int hwpmc_profile_state;
static unsigned int hwpmc_profile_count;

/* Runs in a hard interrupt. A tick that is late by whole periods counts these as skipped. */
static enum hrtimer_restart hwpmc_profile_tick(struct hrtimer *timer)
{
	struct hwpmc_profile_timer *it = container_of(timer, struct hwpmc_profile_timer, timer);
	struct hwpmc_fired fired = { .regs = get_irq_regs() };
	u64 ticks = hrtimer_forward_now(timer, ns_to_ktime(it->profile->period));

	if (ticks > 1)
		hwpmc_fire_skip(&it->profile->place.probe, ticks - 1);
	hwpmc_fire(&it->profile->place.probe, &fired);
	return HRTIMER_RESTART;
}

/* Start the timer of this CPU. Preemption is off, or the caller is bound to the CPU. */
static void hwpmc_profile_start(void *arg)
{
	struct hwpmc_profile *profile = arg;

	profile->cpu = raw_smp_processor_id();
	hrtimer_start(&raw_cpu_ptr(profile->timers)->timer, ns_to_ktime(profile->period),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Called on @cpu when it is online. */
static int hwpmc_profile_online(unsigned int cpu, struct hlist_node *node)
{
	struct hwpmc_profile *profile = container_of(node, struct hwpmc_profile, node);

	if (!hwpmc_profile_is_single(profile) || profile->cpu < 0)
		hwpmc_profile_start(profile);
	return 0;
}

/* Called on @cpu when it goes offline, or when the probe is removed. */
static int hwpmc_profile_offline(unsigned int cpu, struct hlist_node *node)
{
	struct hwpmc_profile *profile = container_of(node, struct hwpmc_profile, node);

	hrtimer_cancel(&per_cpu_ptr(profile->timers, cpu)->timer);
	if (!hwpmc_profile_is_single(profile) || profile->cpu != cpu || profile->removing)
		return 0;
	smp_call_function_single(cpumask_any_but(cpu_online_mask, cpu), hwpmc_profile_start,
				 profile, 1);
	return 0;
}

/* "UNIT:N". Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_profile_parse(struct hwpmc_owner *owner, struct hwpmc_profile *profile, char *name)
{
	const char *unit = strsep(&name, ":");
	u64 period = 0;
	u32 number;

	if (!name || kstrtou32(name, 10, &number) || !number)
		goto fail;
	if (!strcmp(unit, "hz"))
		period = NSEC_PER_SEC / number;
	else if (!strcmp(unit, "ms"))
		period = (u64)number * NSEC_PER_MSEC;
	else if (!strcmp(unit, "us"))
		period = (u64)number * NSEC_PER_USEC;
	else
		goto fail;
	profile->period = period;
	if (period >= HWPMC_PROFILE_LEAST && period <= HWPMC_PROFILE_MOST)
		return 0;
	return hwpmc_fail(owner, -EINVAL, "ticks are between 100 microseconds and an hour apart");
fail:
	return hwpmc_fail(owner, -EINVAL,
			  "ticks are named as in profile:hz:99, profile:us:500 or interval:ms:100");
}

static int hwpmc_profile_setup(struct hwpmc_profile *profile)
{
	int cpu;

	profile->cpu = -1;
	profile->timers = alloc_percpu_gfp(struct hwpmc_profile_timer, GFP_KERNEL_ACCOUNT);
	if (!profile->timers)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct hwpmc_profile_timer *it = per_cpu_ptr(profile->timers, cpu);

		hwpmc_hrtimer_setup(&it->timer, hwpmc_profile_tick, CLOCK_MONOTONIC,
				    HRTIMER_MODE_REL_PINNED_HARD);
		it->profile = profile;
	}
	return 0;
}

/* The first probe registers the hotplug callbacks, the last one unregisters them. */
static int hwpmc_profile_get_state(void)
{
	int state;

	if (!hwpmc_profile_count) {
		state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "hwpmc/profile:online",
						hwpmc_profile_online, hwpmc_profile_offline);
		if (state < 0)
			return state;
		hwpmc_profile_state = state;
	}
	hwpmc_profile_count++;
	return 0;
}

static void hwpmc_profile_put_state(void)
{
	if (!--hwpmc_profile_count)
		cpuhp_remove_multi_state(hwpmc_profile_state);
}

static int hwpmc_profile_add(struct hwpmc_owner *owner, struct hwpmc_place *place, char *name)
{
	struct hwpmc_profile *profile = container_of(place, struct hwpmc_profile, place);
	int err = hwpmc_profile_parse(owner, profile, name);

	if (err)
		return err;
	err = hwpmc_profile_setup(profile);
	if (err)
		goto fail;
	err = hwpmc_profile_get_state();
	if (err)
		goto out_timers;
	err = cpuhp_state_add_instance(hwpmc_profile_state, &profile->node);
	if (!err)
		return 0;
	hwpmc_profile_put_state();
out_timers:
	free_percpu(profile->timers);
fail:
	return hwpmc_fail(owner, err == -ENOMEM ? err : -EOPNOTSUPP,
			  "the kernel does not register the timers (error %d)", -err);
}

static void hwpmc_profile_remove(struct hwpmc_place *place)
{
	struct hwpmc_profile *profile = container_of(place, struct hwpmc_profile, place);

	profile->removing = true;
	cpuhp_state_remove_instance(hwpmc_profile_state, &profile->node);
	hwpmc_profile_put_state();
}

static void hwpmc_profile_put(struct hwpmc_place *place)
{
	free_percpu(container_of(place, struct hwpmc_profile, place)->timers);
}

const struct hwpmc_provider hwpmc_profile_provider = {
	.name	= "profile",
	.size	= sizeof(struct hwpmc_profile),
	.add	= hwpmc_profile_add,
	.remove	= hwpmc_profile_remove,
	.put	= hwpmc_profile_put,
};

const struct hwpmc_provider hwpmc_interval_provider = {
	.name	= "interval",
	.size	= sizeof(struct hwpmc_profile),
	.add	= hwpmc_profile_add,
	.remove	= hwpmc_profile_remove,
	.put	= hwpmc_profile_put,
};
