/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What suites hwpmc_fire, hwpmc_fire_samples and hwpmc_fire_plain share: a probe that is not in the
 * kernel, links of it, and events, for which the test calls the core as a provider does. Called in
 * KUnit's thread.
 */
#ifndef HWPMC_KUNIT_FIRE_EVENTS_H
#define HWPMC_KUNIT_FIRE_EVENTS_H

#include <kunit/test.h>
#include <linux/types.h>

#include "../kmod/pmc/fire.h"
#include "../kmod/pmc/sampler.h"

#define FIRE_ARGS	3U
#define FIRE_PC		0x123456789aUL
#define FIRE_RETVAL	0xfedcba98ULL

/**
 * struct fire_case - a probe, and a link of it in the context of a thread
 * @probe: the probe
 * @th: the thread; it is on this CPU only while the test fires
 * @link: the link, which is active
 * @fired: the event: it has @args
 * @args: the arguments that events have
 * @asked: how many arguments were asked for last
 * @again: number of events that will occur while the arguments of another event are read
 */
struct fire_case {
	struct hwpmc_probe probe;
	struct hwpmc_thread *th;
	struct hwpmc_link *link;
	struct hwpmc_fired fired;
	u64 args[FIRE_ARGS];
	unsigned int asked;
	unsigned int again;
};

extern struct fire_case fire_it;
/* The PMC of links for which a test has no other PMC. It only counts. */
extern struct hwpmc_pmc fire_counter;

/* Set up and release a probe that is all zeros. Return: 0 or -ENOMEM. */
int fire_probe_init(struct hwpmc_probe *probe);
void fire_probe_exit(struct hwpmc_probe *probe);

/* init and exit of suites that use fire_it */
int fire_init(struct kunit *test);
void fire_exit(struct kunit *test);

/*
 * Make a link active, and remove it. Its PMC is fire_counter if it has no other.
 * In a CPU's context it has no thread. A thread's context may be an address with nothing at it.
 */
void fire_add(struct hwpmc_link *link, struct hwpmc_context *ctx, struct hwpmc_probe *probe);
void fire_remove(struct hwpmc_link *link);

/*
 * Set the thread that this CPU runs, and the time since when the CPU is offline (0: it is online).
 * Interrupts off. Return: the previous value.
 */
struct hwpmc_thread *fire_set_thread(struct hwpmc_thread *th);
u64 fire_set_offline(u64 since);

/* Fires @events times on this CPU, whose window the caller has begun, with the thread on it. */
void fire_here(struct hwpmc_probe *probe, unsigned int events);
/* Fires events of fire_it's probe in the same way, in a window with time for all samples. */
void fire_events(unsigned int events);

/* What the link of fire_it counted. */
u64 fire_count(void);
/* Makes the link of fire_it take a sample every @period events. */
void fire_set_period(u64 period);
/* How many samples were recorded and throttled, and how often the link was throttled. */
struct hwpmc_sampler_cpu fire_samples(struct kunit *test);

#endif /* HWPMC_KUNIT_FIRE_EVENTS_H */
