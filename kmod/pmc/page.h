/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages with the values of PMCs that programs map and read (HWPMC_IOC_USER_READ). All PMCs of a
 * page follow the same single thread. Used by the switch (task/sched.c), by context.c when a
 * context resyncs or is folded, and by call/.
 *
 * The writers of each field:
 *
 *	values, offsets, ticks,	the CPU that the thread's context is on, with interrupts off and
 *	seq			overflows deferred, for PMCs that count there now
 *	indices			that CPU, likewise, for all PMCs; code that ends a PMC or removes
 *				its link writes 0
 *	states			any CPU, with the owner's link_lock held
 *
 * No other code writes a value once the page exists: a PMC that has a page cannot be written
 * (call/value.c), and code that removes its link moves the count within the PMC's value. So there
 * is one writer at a time, and it takes no lock. The letters are those of struct hwpmc_user_page.
 */
#ifndef HWPMC_PAGE_H
#define HWPMC_PAGE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <uapi/linux/hwpmc.h>

#include <hwpmc_arch_inline.h>

#include "context.h"

struct hwpmc_link;
struct hwpmc_owner;
struct hwpmc_pmc;
struct vm_area_struct;

/* Pages are mapped from this offset of the device on. The largest possible rings end before it. */
#define HWPMC_PAGE_PLACE	(15ULL << 40)

/**
 * struct hwpmc_page_item - a value that is published
 * @slot: the PMC's slot in the context; NULL ends a list of items
 * @base: the PMC's value is this plus the slot's sum
 * @to: its entry in the page
 * @flip: as in struct hwpmc_user_count
 * @class: if user mode reads the row, its class; else NULL
 * @class_row: the row in @class
 */
struct hwpmc_page_item {
	struct hwpmc_slot *slot;
	u64 base;
	struct hwpmc_user_count *to;
	u64 flip;
	const struct hwpmc_class *class;
	unsigned int class_row;
};

/**
 * struct hwpmc_page - a page with the values of PMCs of one owner and one thread
 * @shared: the page; a mapping has its own reference
 * @next: next in hwpmc_context.pages
 * @serial: hwpmc_context.config_serial of the resync that @items are of
 * @used: number of @items
 * @holders: number of its PMCs; owner->lock
 * @direct: its thread may read the counters in user mode; see direct.c
 * @number: its place in the owner's pages
 * @items: of the PMCs that count now, with room for all and the end of the list
 *
 * @next to @used, and @items, are written as hwpmc_context.batch is.
 */
struct hwpmc_page {
	struct hwpmc_user_page *shared;
	struct hwpmc_page *next;
	u64 serial;
	unsigned int used;
	unsigned int holders;
	bool direct;
	unsigned long number;
	struct hwpmc_page_item items[];
};

/**
 * hwpmc_page_publish - write the values of a context's pages
 * @ctx: of a thread, on this CPU and just folded
 * @out: it is scheduled out, so its counters will be set before user mode reads them again
 *
 * Inline, since every switch of a thread that has pages calls it. Context: interrupts off,
 * overflows deferred; may hold the runqueue's lock.
 */
static __always_inline void hwpmc_page_publish(const struct hwpmc_context *ctx, bool out)
{
	const struct hwpmc_page *page;

	for (page = ctx->pages; page; page = page->next) {
		struct hwpmc_user_page *shared = page->shared;
		const struct hwpmc_page_item *item;
		u32 seq = shared->seq;

		WRITE_ONCE(shared->seq, seq + 1);
		/* A */
		smp_wmb();
		/* A page of a context has at least one. */
		item = page->items;
		do {
			struct hwpmc_user_count *to = item->to;
			u64 value = item->base + item->slot->sum;

			WRITE_ONCE(to->value, value);
			if (!out)
				value -= item->slot->start ^ item->flip;
			WRITE_ONCE(to->offset, value);
			item++;
		} while (item->slot);
		WRITE_ONCE(shared->ticks, hwpmc_arch_clock());
		/* B */
		smp_store_release(&shared->seq, seq + 2);
	}
}

/* kmod/pmc/page.c */
struct hwpmc_page *hwpmc_page_new(struct hwpmc_owner *owner, unsigned int count);
void hwpmc_page_drop(struct hwpmc_owner *owner, struct hwpmc_page *page);
u64 hwpmc_page_offset(const struct hwpmc_page *page);
unsigned int hwpmc_page_find_other(struct hwpmc_pmc *const *pmcs, unsigned int count, bool *gone);
void hwpmc_page_install(struct hwpmc_page *page, struct hwpmc_pmc *const *pmcs, const u64 *values,
			unsigned int count);
void hwpmc_page_collect(struct hwpmc_context *ctx, const struct hwpmc_link *link);
void hwpmc_page_show_state(struct hwpmc_pmc *pmc);
void hwpmc_page_update_state(struct hwpmc_pmc *pmc);
void hwpmc_page_release(struct hwpmc_pmc *pmc);
int hwpmc_page_mmap(struct hwpmc_owner *owner, struct vm_area_struct *vma);

#endif /* HWPMC_PAGE_H */
