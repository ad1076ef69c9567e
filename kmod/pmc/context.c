// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: the counters of one thread, or of one CPU. Resyncs a context with its links, programs
 * its rows and folds them, on its CPU with interrupts off. Called when a context is scheduled in
 * (task/sched.c), by the cross-call (sync.c), by hotplug.c and after deep idle (idle.c).
 */
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "../../arch/hwpmc_arch.h"
#include "../hwpmc.h"
#include "context.h"
#include "direct.h"
#include "link.h"
#include "off_cpu.h"
#include "page.h"
#include "period.h"
#include "pmc.h"
#include "row.h"

/* Bytes of a context's arrays: slots and row configurations. Any context. */
size_t hwpmc_context_room(void)
{
	return hwpmc_row_count * (sizeof(struct hwpmc_slot) + sizeof(struct hwpmc_row_config));
}

/* Initialise @ctx with its arrays in @room, hwpmc_context_room() bytes of zeroed memory. */
void hwpmc_context_place(struct hwpmc_context *ctx, void *room)
{
	ctx->slots = room;
	ctx->row_config = (void *)(ctx->slots + hwpmc_row_count);
	ctx->stale = HWPMC_EMPTY;
	raw_spin_lock_init(&ctx->lock);
	seqcount_init(&ctx->seq);
	INIT_LIST_HEAD(&ctx->links);
}

/* Allocate @ctx's arrays on @node and initialise it. May sleep. Returns 0 or -ENOMEM. */
int hwpmc_context_setup(struct hwpmc_context *ctx, int node)
{
	void *room = kzalloc_node(hwpmc_context_room(), GFP_KERNEL, node);

	if (!room)
		return -ENOMEM;
	hwpmc_context_place(ctx, room);
	return 0;
}

/* Undo hwpmc_context_setup(). */
void hwpmc_context_teardown(struct hwpmc_context *ctx)
{
	kfree(ctx->slots);
}

/* The rows of @class that @ctx counts on now. */
u64 hwpmc_context_rows(const struct hwpmc_context *ctx, const struct hwpmc_class *class)
{
	const struct hwpmc_batch *b;

	for (b = ctx->batch; b->rows; b++)
		if (b->class == class)
			return b->rows;
	return 0;
}

static void hwpmc_context_set_active(struct hwpmc_link *link, bool active)
{
	u64 now = link->slot->sum;

	if (link->active && !active) {
		hwpmc_period_log_switch(link);
		if (!link->off_since)
			link->off_since = ktime_get_mono_fast_ns();
	}
	if (!link->active && active) {
		link->logged = now;
		link->throttled = 0;
	}
	/* An inactive link's @due is the rest of the period: the sum may change meanwhile. */
	if (link->active != active)
		link->due += active ? now : -now;
	if (link->active && !active)
		link->sum += now - link->base;
	if (!link->active && active)
		link->base = now;
	link->active = active;
}

/* Sum of the numbers of changes of all PMCs that @ctx has links of. */
static u64 hwpmc_context_changes(const struct hwpmc_context *ctx)
{
	const struct hwpmc_link *link;
	u64 changes = 0;

	list_for_each_entry(link, &ctx->links, in_ctx)
		changes += READ_ONCE(link->pmc->changes);
	return changes;
}

/*
 * Read for each link whether it is to count. Sets *@changing if a START or STOP of one of the PMCs
 * has been announced. Returns the sum of hwpmc_pmc.changes, as read before the states.
 */
static u64 hwpmc_context_read_states(struct hwpmc_context *ctx, bool *changing)
{
	struct hwpmc_link *link;
	u64 changes = 0;

	list_for_each_entry(link, &ctx->links, in_ctx) {
		changes += hwpmc_pmc_begin_read(link->pmc);
		*changing |= READ_ONCE(link->pmc->changing);
		link->wanted = READ_ONCE(link->pmc->running) && !link->awaits_exec &&
			       !READ_ONCE(link->dead) && !READ_ONCE(link->pmc->evicted);
	}
	return changes;
}

static void hwpmc_context_clear_stale(struct hwpmc_context *ctx)
{
	WRITE_ONCE(ctx->stale, list_empty(&ctx->links) ? HWPMC_EMPTY : HWPMC_FRESH);
}

/*
 * Decide for each link of @ctx whether it is to count, and for those of the CPU's own context @sys
 * (or NULL) by the same states: PMCs that one call starts or stops do so in both at once.
 *
 *	this CPU				START, STOP (state.c), another CPU
 *
 *	stale = FRESH			(A)	changing = true			(E)
 *	smp_mb()				smp_mb()
 *	read changing			(B)	stale = STALE			(F)
 *	if set: stale = STALE		(C)	running, changing = false	(G)
 *	smp_mb()				smp_mb()
 *	changes since B?		(D)	on a CPU and STALE? call it	(H)
 *
 * If (A) overwrites (F), then (B) sees (E) or (G). If (B) sees (E) but not (G), the context keeps
 * the old states: then either (D) sees (G) and the loop repeats, or (H) sees (C) and calls this
 * CPU, where interrupts are off until the resync ends. The loop repeats only if a (G) falls into
 * an iteration. A call whose (F) was overwritten does not wait for this CPU, so the owner's next
 * call may cause another iteration. DETACH and exec set link->dead at (E), eviction sets
 * pmc->evicted there, and neither has a (G).
 */
static void hwpmc_context_decide(struct hwpmc_context *ctx, struct hwpmc_context *sys)
{
	bool changing, sys_changing;
	u64 changes;

	lockdep_assert_held(&ctx->lock);
	do {
		changing = false;
		sys_changing = false;
		hwpmc_context_clear_stale(ctx);			/* A */
		if (sys)
			hwpmc_context_clear_stale(sys);
		/* Orders A before B. */
		smp_mb();
		changes = hwpmc_context_read_states(ctx, &changing);	/* B */
		/*
		 * @sys_changing is not used: a CPU's own context becomes stale while @changes is
		 * odd, and then hwpmc_pmc_begin_read() waits for the new states.
		 */
		if (sys)
			changes += hwpmc_context_read_states(sys, &sys_changing);
		if (changing)
			hwpmc_context_set_stale(ctx);		/* C */
		/* Orders C, and the states that were read, before D. */
		smp_mb();
		changes -= hwpmc_context_changes(ctx);		/* D */
		if (sys)
			changes -= hwpmc_context_changes(sys);
	} while (unlikely(changes));
}

/*
 * Bring links and row configurations up to date; @rows: the rows each class is to count on. A
 * reading on another CPU takes the owner's link_lock, but not ctx->lock: it copies the values
 * again, so that those of all links are from before this, or from after it.
 */
static void hwpmc_context_collect(struct hwpmc_context *ctx, u64 rows[HWPMC_MAX_CLASSES])
{
	struct hwpmc_link *link;

	lockdep_assert_held(&ctx->lock);
	ctx->recorders = NULL;
	ctx->off_cpu = NULL;
	ctx->pages = NULL;
	ctx->user_reads = false;
	raw_write_seqcount_begin(&ctx->seq);
	list_for_each_entry(link, &ctx->links, in_ctx) {
		const struct hwpmc_pmc *pmc = link->pmc;

		hwpmc_context_set_active(link, link->wanted);
		/* Pairs with hwpmc_page_install(). */
		if (unlikely(smp_load_acquire(&pmc->page)))
			ctx->user_reads |= hwpmc_direct_publish(link);
		if (!link->wanted) {
			hwpmc_off_cpu_deactivate(link);
			continue;
		}
		if (!pmc->probe) {
			rows[pmc->class_index] |= BIT_ULL(pmc->class_row);
			ctx->row_config[pmc->row] = pmc->row_config;
		}
		if (hwpmc_pmc_records(pmc))
			hwpmc_period_begin(link);
		if (unlikely(hwpmc_off_cpu_is(pmc)))
			hwpmc_off_cpu_collect(ctx, link);
		if (unlikely(pmc->page))
			hwpmc_page_collect(ctx, link);
		/* These sample when the event occurs (fire.c), or is over (off_cpu.c). */
		if (pmc->sampled && (pmc->probe || hwpmc_off_cpu_is(pmc)))
			continue;
		if (hwpmc_pmc_records(pmc)) {
			link->next_recorder = ctx->recorders;
			ctx->recorders = link;
		}
	}
	raw_write_seqcount_end(&ctx->seq);
}

static void hwpmc_context_batch(struct hwpmc_context *ctx, const u64 rows[HWPMC_MAX_CLASSES])
{
	struct hwpmc_batch *b = ctx->batch;
	unsigned int i;

	ctx->in_flags = 0;
	for (i = 0; i < hwpmc_class_count; i++) {
		if (!rows[i])
			continue;
		if (rows[i] & hwpmc_classes[i]->off_rows)
			ctx->in_flags = HWPMC_IN_SUMS;
		b->rows = rows[i];
		b->slots = ctx->slots + hwpmc_class_first[i];
		b->class = hwpmc_classes[i];
		b->in = ctx->user_reads && b->class->user_in ? b->class->user_in : b->class->in;
		b->fold = b->class->fold;
		b++;
	}
	b->rows = 0;
}

/* Whether a row is scheduled in by user_in, which permits the reads. */
static bool hwpmc_context_permits(const struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;

	for (b = ctx->batch; b->rows; b++)
		if (ctx->user_reads && b->class->user_in)
			return true;
	return false;
}

/*
 * Called after hwpmc_context_collect() and hwpmc_context_batch(). @before: the value of
 * ctx->user_reads before the resync.
 */
static void hwpmc_context_set_extras(struct hwpmc_context *ctx, bool before)
{
	u8 out_flags = ctx->out_flags & HWPMC_OUT_WITHDRAWN;

	if (ctx->user_reads)
		out_flags |= HWPMC_OUT_USER_READS;
	else if (before)
		out_flags |= HWPMC_OUT_WITHDRAWN;
	if (ctx->recorders)
		out_flags |= HWPMC_OUT_RECORDS;
	if (ctx->pages)
		out_flags |= HWPMC_OUT_PAGES;
	ctx->out_flags = out_flags;
	if (ctx->user_reads && !hwpmc_context_permits(ctx))
		ctx->in_flags |= HWPMC_IN_USER_READS;
	if (ctx->off_cpu)
		ctx->in_flags |= HWPMC_IN_OFF_CPU;
	ctx->in_extra = ctx->recorders || ctx->in_flags;
}

/* The value of @sampling_only. Called after hwpmc_context_collect() and hwpmc_context_batch(). */
static u64 hwpmc_context_sampling_only(const struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b = ctx->batch;
	const struct hwpmc_link *link;
	u64 sampled = 0;

	for (link = ctx->recorders; link; link = link->next_recorder)
		if (link->pmc->sampled)
			sampled |= BIT_ULL(link->pmc->class_row);
	return b->rows && !b[1].rows && sampled == b->rows ? sampled : 0;
}

static bool hwpmc_config_same(const struct hwpmc_row_config *a, const struct hwpmc_row_config *b)
{
	return a->tag == b->tag && a->sel.event == b->sel.event && a->sel.extra == b->sel.extra;
}

/* Program the rows whose shadow differs from @ctx's configuration. Interrupts off, deferred. */
void hwpmc_context_program(struct hwpmc_cpu *pc, struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;
	u64 rows;

	if (unlikely(ctx->user_reads))
		hwpmc_direct_clear_others(pc, ctx);
	for (b = ctx->batch; b->rows; b++) {
		/* A shareable row has no selection: it always runs. */
		if (b->class->shareable)
			continue;
		if (unlikely(pc->pmu_lost) && b->class->needs_pmu)
			hwpmc_pmu_resume(pc);
		for (rows = b->rows; rows; rows &= rows - 1) {
			unsigned int class_row = __ffs64(rows);
			unsigned int row = b->slots + class_row - ctx->slots;
			const struct hwpmc_row_config *row_config = &ctx->row_config[row];

			if (hwpmc_config_same(&pc->shadow[row], row_config))
				continue;
			b->class->program(class_row, &row_config->sel, row_config->preset);
			/* The start value that was read before is of the previous selection. */
			b->class->in(b->slots, BIT_ULL(class_row));
			pc->shadow[row] = *row_config;
		}
	}
}

/**
 * hwpmc_context_flush - fold a context that keeps running, take the samples that are due, and
 *	publish the values of pages
 * @ctx: a context on this CPU
 *
 * Context: interrupts off.
 */
void hwpmc_context_flush(struct hwpmc_context *ctx)
{
	hwpmc_defer_begin();
	hwpmc_context_fold(ctx);
	if (ctx->out_flags) {
		if (ctx->recorders)
			hwpmc_period_flush(ctx);
		if (ctx->user_reads)
			hwpmc_direct_refresh(ctx);
		else
			hwpmc_page_publish(ctx, false);
	}
	hwpmc_defer_end();
}

/* Flush @ctx, which keeps running; @before: the rows of each class that counted. */
static void hwpmc_context_flush_rows(struct hwpmc_context *ctx, u64 before[HWPMC_MAX_CLASSES])
{
	unsigned int i;

	hwpmc_context_flush(ctx);
	for (i = 0; i < hwpmc_class_count; i++)
		before[i] = hwpmc_context_rows(ctx, hwpmc_classes[i]);
}

/* Called after hwpmc_context_decide(), with the same lock held. */
static void hwpmc_context_rebuild(struct hwpmc_cpu *pc, struct hwpmc_context *ctx)
{
	u64 rows[HWPMC_MAX_CLASSES] = {};
	bool before = ctx->user_reads;

	/* Not 0, and used by no other CPU. */
	ctx->config_serial = ++pc->resyncs * nr_cpu_ids + smp_processor_id();
	hwpmc_context_collect(ctx, rows);
	hwpmc_context_batch(ctx, rows);
	ctx->sampling_only = hwpmc_context_sampling_only(ctx);
	hwpmc_context_set_extras(ctx, before);
	if (unlikely(before && !ctx->user_reads))
		hwpmc_arch_user_reads(false);
}

/* @before: the rows of each class that counted; those still in use keep their start values. */
static void hwpmc_context_start(struct hwpmc_cpu *pc, struct hwpmc_context *ctx,
				const u64 before[HWPMC_MAX_CLASSES])
{
	const struct hwpmc_batch *b;
	unsigned int i;

	hwpmc_context_program(pc, ctx);
	for (b = ctx->batch; b->rows; b++) {
		for (i = 0; hwpmc_classes[i] != b->class; i++)
			;
		if (!(b->rows & ~before[i]))
			continue;
		if (b->class->begin)
			b->class->begin(b->slots, b->rows & ~before[i]);
		b->class->in(b->slots, b->rows & ~before[i]);
	}
	if (unlikely(ctx->user_reads))
		hwpmc_direct_begin(ctx);
	hwpmc_period_sched_in(ctx);
}

/* An offline CPU is never out of sync: it folded, and resyncs when it is online again. */
static bool hwpmc_cpu_out_of_sync(const struct hwpmc_cpu *pc)
{
	return hwpmc_context_is_stale(&pc->sys) && !pc->offline_since;
}

/* Resync a thread's context, and the CPU's own if it is stale: as hwpmc_context_resync(). */
static void hwpmc_context_resync_both(struct hwpmc_cpu *pc, struct hwpmc_context *ctx,
				      const u64 before[HWPMC_MAX_CLASSES])
{
	u64 sys_before[HWPMC_MAX_CLASSES];
	bool behind = hwpmc_cpu_out_of_sync(pc);

	if (behind)
		hwpmc_context_flush_rows(&pc->sys, sys_before);
	raw_spin_lock(&ctx->lock);
	raw_spin_lock_nested(&pc->sys.lock, SINGLE_DEPTH_NESTING);
	hwpmc_context_decide(ctx, behind ? &pc->sys : NULL);
	/* A change that the decision includes may have made the CPU's own context stale. */
	if (!behind && unlikely(hwpmc_cpu_out_of_sync(pc))) {
		behind = true;
		hwpmc_context_flush_rows(&pc->sys, sys_before);
		hwpmc_context_decide(ctx, &pc->sys);
	}
	if (behind)
		hwpmc_context_rebuild(pc, &pc->sys);
	hwpmc_context_rebuild(pc, ctx);
	raw_spin_unlock(&pc->sys.lock);
	raw_spin_unlock(&ctx->lock);

	hwpmc_context_start(pc, ctx, before);
	if (behind)
		hwpmc_context_start(pc, &pc->sys, sys_before);
}

/*
 * A thread that is scheduled in between a START and its cross-call counts at once, however long
 * the cross-call takes. The CPU's own context must start and stop at the same instant, so if it is
 * stale both are decided together.
 */
static void hwpmc_context_resync(struct hwpmc_cpu *pc, struct hwpmc_context *ctx,
				 const u64 before[HWPMC_MAX_CLASSES])
{
	if (ctx != &pc->sys) {
		hwpmc_context_resync_both(pc, ctx, before);
		return;
	}
	raw_spin_lock(&ctx->lock);
	hwpmc_context_decide(ctx, NULL);
	hwpmc_context_rebuild(pc, ctx);
	raw_spin_unlock(&ctx->lock);
	hwpmc_context_start(pc, ctx, before);
}

/**
 * hwpmc_context_enter - schedule a context in on this CPU, and resync it
 * @pc: this CPU
 * @ctx: the context, not running
 *
 * Every row counts from the present value of its counter. Context: interrupts off.
 */
void hwpmc_context_enter(struct hwpmc_cpu *pc, struct hwpmc_context *ctx)
{
	static const u64 none[HWPMC_MAX_CLASSES];

	hwpmc_defer_begin();
	hwpmc_context_resync(pc, ctx, none);
	hwpmc_defer_end();
}

/**
 * hwpmc_context_idle - stop a context from counting on any row until it resyncs
 * @ctx: folded, on this CPU
 *
 * Interrupts find no link in it. Context: interrupts off.
 */
void hwpmc_context_idle(struct hwpmc_context *ctx)
{
	ctx->batch[0].rows = 0;
	ctx->recorders = NULL;
	ctx->off_cpu = NULL;
	ctx->pages = NULL;
	ctx->in_extra = false;
	ctx->out_flags = 0;
	ctx->sampling_only = 0;
}

/**
 * hwpmc_context_update - resync a context that runs on this CPU
 * @pc: this CPU
 * @ctx: the context
 *
 * Folds the context first. Rows that continue to count lose no event.
 * Context: interrupts off.
 */
void hwpmc_context_update(struct hwpmc_cpu *pc, struct hwpmc_context *ctx)
{
	u64 before[HWPMC_MAX_CLASSES];

	hwpmc_defer_begin();
	hwpmc_context_flush_rows(ctx, before);
	hwpmc_context_resync(pc, ctx, before);
	hwpmc_defer_end();
}
