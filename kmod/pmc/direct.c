// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct reads: a thread reads its own counters in user mode, by the page of USER_READ. Called by
 * USER_READ, ADMIN, exec and the release of a page, and on the thread's CPU when its context is
 * scheduled in or resyncs.
 *
 * While the thread runs, user mode can read every counter of the CPU. So no counter may contain
 * events of other tasks:
 *
 *	its own rows		the class's user_in sets them at each schedule-in, to a constant
 *	rows of other threads	they are stopped and set to 0 before the thread runs (slow path of
 *				the schedule-in: only if another thread's rows were programmed
 *				since); the next thread that uses them programs them
 *	free rows		their counters are 0: RELEASE clears them, and so does the claim of
 *				the PMU
 *	rows of the CPU		there are none: a system-wide PMC cannot be allocated while a
 *				thread may read, and no thread may read while one exists
 *
 * The last rule holds for all CPUs at all times, since a read that the hardware refuses raises a
 * fatal signal, and a program cannot check before the read: it may migrate in between. So a
 * permission holds on every CPU, also while the PMC is stopped, until the PMC is released, detached
 * or ended, or the thread executes a program.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../hwpmc.h"
#include "context.h"
#include "direct.h"
#include "link.h"
#include "page.h"
#include "pmc.h"
#include "row.h"

static struct hwpmc_param user_reads = { .value = 0, .least = 0, .most = 1 };
module_param_cb(user_reads, &hwpmc_param_ops, &user_reads, 0644);
MODULE_PARM_DESC(user_reads,
		 "let threads read their counters in user mode; no PMC can count a CPU meanwhile (default 0)");

/* Number of pages whose thread may read counters; incremented under hwpmc_rows_lock. */
static atomic_t hwpmc_direct_pages = ATOMIC_INIT(0);

/*
 * Whether all of @pmcs have HWPMC_F_DIRECT and follow current, and user mode can read the counter
 * of at least one. The link_lock of their owner is held.
 */
static bool hwpmc_direct_is_own(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	const struct hwpmc_link *link;
	bool any = false;
	unsigned int i;

	for (i = 0; i < count; i++) {
		link = list_first_entry_or_null(&pmcs[i]->links, struct hwpmc_link, in_pmc);
		if (!(pmcs[i]->flags & HWPMC_F_DIRECT) || READ_ONCE(pmcs[i]->evicted) || !link ||
		    link->thread->task != current)
			return false;
		any |= !!pmcs[i]->class->user_in;
	}
	return any;
}

/* Whether a class has counters that user mode can read, and no such counter counts a CPU. */
static bool hwpmc_direct_is_possible(void)
{
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&hwpmc_rows_lock);
	for (i = 0; i < hwpmc_class_count; i++) {
		if (!hwpmc_classes[i]->user_in)
			continue;
		if (hwpmc_row_counts_cpu(i))
			return false;
		any = true;
	}
	return any;
}

/**
 * hwpmc_direct_allow - let the caller read the counters of a page's PMCs, if that is possible
 * @page: new; no PMC has it yet
 * @pmcs: its PMCs, of one owner; none runs
 * @count: how many
 *
 * It takes effect when the thread's context resyncs, as at a START. Context: process, owner->lock
 * held, and hwpmc_rows_lock until the PMCs have the page, so that no ADMIN misses it; takes
 * link_lock.
 */
void hwpmc_direct_allow(struct hwpmc_page *page, struct hwpmc_pmc *const *pmcs,
			unsigned int count)
{
	raw_spinlock_t *lock = &pmcs[0]->owner->link_lock;
	unsigned long flags;
	bool own;

	lockdep_assert_held(&hwpmc_rows_lock);
	if (!READ_ONCE(user_reads.value))
		return;
	raw_spin_lock_irqsave(lock, flags);
	own = hwpmc_direct_is_own(pmcs, count);
	raw_spin_unlock_irqrestore(lock, flags);
	if (own && hwpmc_direct_is_possible()) {
		atomic_inc(&hwpmc_direct_pages);
		page->direct = true;
	}
}

/**
 * hwpmc_direct_forbid - withdraw the permission of hwpmc_direct_allow()
 * @page: a page that is not freed meanwhile
 *
 * It takes effect when the thread's context resyncs; then call hwpmc_direct_put(). Context: any.
 * Return: whether this call withdrew it.
 */
bool hwpmc_direct_forbid(struct hwpmc_page *page)
{
	return READ_ONCE(page->direct) && xchg(&page->direct, false);
}

/**
 * hwpmc_direct_forbid_thread - withdraw the permission for all pages of a thread
 * @th: record of current, which executes a program
 *
 * Makes its context stale if it has such a page. Context: any but NMI; RCU held. Return: the number
 * of pages, for hwpmc_direct_put() after a resync.
 */
unsigned int hwpmc_direct_forbid_thread(struct hwpmc_thread *th)
{
	struct hwpmc_link *link;
	unsigned int pages = 0;
	unsigned long flags;

	list_for_each_entry_rcu(link, &th->ctx.links, in_ctx) {
		raw_spin_lock_irqsave(&link->owner->link_lock, flags);
		if (!link->removed && link->pmc->page)
			pages += hwpmc_direct_forbid(link->pmc->page);
		raw_spin_unlock_irqrestore(&link->owner->link_lock, flags);
	}
	/* Orders the pages before stale, as hwpmc_link_kill() does. */
	smp_mb();
	if (pages)
		hwpmc_context_set_stale(&th->ctx);
	return pages;
}

/**
 * hwpmc_direct_put - subtract from the number of pages whose thread may read counters
 * @pages: how many; their threads' contexts have resynced
 *
 * Context: any.
 */
void hwpmc_direct_put(unsigned int pages)
{
	atomic_sub(pages, &hwpmc_direct_pages);
}

/**
 * hwpmc_direct_refuse - refuse a PMC that counts a CPU while a thread could read its counter
 * @pmc: new
 *
 * Context: hwpmc_rows_lock held. Return: 0, or -EBUSY after hwpmc_fail().
 */
int hwpmc_direct_refuse(const struct hwpmc_pmc *pmc)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	if (hwpmc_mode_virtual(pmc->mode) || !pmc->class->user_in ||
	    !atomic_read(&hwpmc_direct_pages))
		return 0;
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "a thread may read the counters of its CPU in user mode, and would see this one, too: try again when it has released its PMCs (parameter user_reads)");
}

/* Whether the thread of @pmc's page may read the PMC's counter in user mode. */
static bool hwpmc_direct_readable(const struct hwpmc_pmc *pmc)
{
	return READ_ONCE(pmc->page->direct) && pmc->class->user_in;
}

/**
 * hwpmc_direct_publish - write to a page how user mode reads a PMC's counter from now on
 * @link: a link of a PMC with a page; its context resyncs, and @link->wanted is decided
 *
 * Context: on the context's CPU, interrupts off, its lock held. Return: whether the link lets its
 * thread read counters: also while the PMC is stopped, see the top of this file.
 */
bool hwpmc_direct_publish(const struct hwpmc_link *link)
{
	const struct hwpmc_pmc *pmc = link->pmc;
	bool readable = hwpmc_direct_readable(pmc);
	u32 index = readable && link->wanted ? pmc->class->user_index(pmc->class_row) : 0;

	WRITE_ONCE(pmc->page->shared->counts[pmc->page_entry].index, index);
	return readable && !READ_ONCE(link->dead) && !READ_ONCE(pmc->evicted);
}

/* Clears the rows of a class that are programmed on @pc, except those in @own. */
static void hwpmc_direct_clear_class(struct hwpmc_cpu *pc, unsigned int class_index, u64 own)
{
	const struct hwpmc_class *class = hwpmc_classes[class_index];
	struct hwpmc_row_config *shadow = pc->shadow + hwpmc_class_first[class_index];
	unsigned int row;

	for (row = 0; row < class->rows; row++) {
		if ((own & BIT_ULL(row)) || !shadow[row].tag)
			continue;
		class->clear(row);
		shadow[row].tag = 0;
	}
}

/**
 * hwpmc_direct_clear_others - stop and clear the rows of other threads
 * @pc: this CPU; it has no system-wide PMC on rows that user mode can read
 * @ctx: of a thread that reads, which is about to be programmed
 *
 * Context: interrupts off, overflows deferred.
 */
void hwpmc_direct_clear_others(struct hwpmc_cpu *pc, const struct hwpmc_context *ctx)
{
	unsigned int i;

	if (pc->pmu_lost)
		hwpmc_pmu_resume(pc);
	for (i = 0; i < hwpmc_class_count; i++)
		if (hwpmc_classes[i]->user_in)
			hwpmc_direct_clear_class(pc, i,
						 hwpmc_context_rows(ctx, hwpmc_classes[i]));
}

/*
 * Sets a counter to half of its range: the class's aim() does that if the next sample is due as
 * late as possible.
 */
static void hwpmc_direct_reset(const struct hwpmc_class *class, struct hwpmc_slot *slots,
			       unsigned int row)
{
	class->aim(slots, row, slots[row].sum + S64_MAX, 0);
}

/**
 * hwpmc_direct_begin - set the counters of a thread that reads, and let it read
 * @ctx: its context, on this CPU: it has resynced, or the PMU was set up again
 *
 * No event of user mode is lost. Context: interrupts off, overflows deferred.
 */
void hwpmc_direct_begin(struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;
	u64 rows;

	raw_write_seqcount_begin(&ctx->seq);
	for (b = ctx->batch; b->rows; b++)
		for (rows = b->class->user_in ? b->rows : 0; rows; rows &= rows - 1)
			hwpmc_direct_reset(b->class, b->slots, __ffs64(rows));
	raw_write_seqcount_end(&ctx->seq);
	hwpmc_page_publish(ctx, false);
	hwpmc_arch_user_reads(true);
}

/*
 * Sets the counters that have wrapped since they were set. After a wrap, the values that user mode
 * computes are correct for half of the counter's range only.
 */
static void hwpmc_direct_reset_low(struct hwpmc_context *ctx)
{
	const struct hwpmc_page_item *item;
	const struct hwpmc_page *page;

	raw_write_seqcount_begin(&ctx->seq);
	for (page = ctx->pages; page; page = page->next)
		for (item = page->items; item->slot; item++)
			if (item->class && !(item->slot->start & item->flip))
				hwpmc_direct_reset(item->class, item->slot - item->class_row,
						   item->class_row);
	raw_write_seqcount_end(&ctx->seq);
}

/**
 * hwpmc_direct_refresh - keep the values that user mode reads correct after a fold
 * @ctx: of a thread that reads, on this CPU, just folded; it keeps running
 *
 * Every fold of a context that keeps running is followed by this: the fold may have handled a wrap.
 * Also publishes the context's pages. Context: interrupts off, overflows deferred; may be an NMI.
 */
void hwpmc_direct_refresh(struct hwpmc_context *ctx)
{
	hwpmc_direct_reset_low(ctx);
	hwpmc_page_publish(ctx, false);
}
