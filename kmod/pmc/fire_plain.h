/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts an event that is neither sampled nor checked against conditions: inline, for providers
 * whose events are frequent (kmod/probe/). fire.c handles all other events.
 */
#ifndef HWPMC_FIRE_PLAIN_H
#define HWPMC_FIRE_PLAIN_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/seqlock.h>

#include "../base/defer.h"
#include "context.h"
#include "fire.h"
#include "link.h"

/* Size of the table: at the default of max_links a user has about 16 links in each bucket. */
#define HWPMC_FIRE_BITS		14
/* Moves the bits in which the addresses of probes differ beyond most of those of contexts. */
#define HWPMC_FIRE_SHIFT	20

/* kmod/pmc/fire.c: the links of threads, by context and probe; read under RCU */
extern struct hlist_head *hwpmc_fire_table;

static __always_inline unsigned int hwpmc_fire_bucket(const struct hwpmc_context *ctx,
						      const struct hwpmc_probe *probe)
{
	/* Both are at regular distances in memory: without the shift many sums are equal. */
	return hash_long((unsigned long)ctx + ((unsigned long)probe << HWPMC_FIRE_SHIFT),
			 HWPMC_FIRE_BITS);
}

/* The bucket that has the links of @probe in the context of a thread, and may have others. */
static __always_inline const struct hlist_head *hwpmc_fire_links(const struct hwpmc_context *ctx,
								 const struct hwpmc_probe *probe)
{
	return &hwpmc_fire_table[hwpmc_fire_bucket(ctx, probe)];
}

/* Whether @link counts an event of @probe in @ctx. */
static __always_inline bool hwpmc_fire_counts(const struct hwpmc_link *link,
					      const struct hwpmc_context *ctx,
					      const struct hwpmc_probe *probe)
{
	return link->ctx == ctx && link->probe == probe && link->active;
}

/*
 * Increments the sums of those of @links that count an event of @probe in @ctx. @own: all of @links
 * are of @probe and @ctx.
 */
static __always_inline void hwpmc_fire_plain_links(struct hwpmc_context *ctx,
						   const struct hlist_head *links,
						   const struct hwpmc_probe *probe, bool own)
{
	struct hwpmc_link *link;

	if (hlist_empty(links))
		return;
	/* A reading that overlaps with this copies the sums again: see hwpmc_count_copy(). */
	raw_write_seqcount_begin(&ctx->seq);
	hlist_for_each_entry_rcu_notrace(link, links, in_probe)
		if (own ? link->active : hwpmc_fire_counts(link, ctx, probe))
			WRITE_ONCE(link->own.sum, link->own.sum + 1);
	raw_write_seqcount_end(&ctx->seq);
}

/**
 * hwpmc_fire_plain - count an event, if counting is sufficient
 * @probe: the probe
 *
 * That is so if no link to a probe of the thread that runs here, and no link to @probe in the CPU's
 * own context, has conditions or writes records. Then the event needs neither registers nor
 * arguments. Accesses to the links are protected as in fire.c.
 *
 * Context: as hwpmc_fire(), between hwpmc_fire_begin() and hwpmc_fire_end(). Return: false if
 * nothing was done, and hwpmc_fire_irqs_off() is to be called.
 */
static __always_inline bool hwpmc_fire_plain(const struct hwpmc_probe *probe)
{
	const struct hwpmc_probe_cpu *it = raw_cpu_ptr(probe->cpu);
	struct hwpmc_cpu *pc = raw_cpu_ptr(&hwpmc_cpus);
	struct hwpmc_thread *th = pc->thread;

	if (unlikely(pc->offline_since || READ_ONCE(it->slow) ||
		     (th && READ_ONCE(th->ctx.slow_probes))) || !hwpmc_defer_enter())
		return false;
	if (th)
		hwpmc_fire_plain_links(&th->ctx, hwpmc_fire_links(&th->ctx, probe), probe, false);
	hwpmc_fire_plain_links(&pc->sys, &it->links, probe, true);
	hwpmc_defer_leave();
	return true;
}

#endif /* HWPMC_FIRE_PLAIN_H */
