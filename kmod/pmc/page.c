// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages with the values of PMCs that programs map and read: create, map, release. Called by
 * call/user_read.c and call/release.c with owner->lock held, by mmap(2) of the device's file, and
 * by code that changes the state of a PMC. The code that the switch calls is in page.h.
 */
#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "direct.h"
#include "link.h"
#include "page.h"
#include "pmc.h"

/**
 * hwpmc_page_new - create a page without PMCs, which can be mapped already
 * @owner: whose page
 * @count: number of PMCs that it will have, at most HWPMC_USER_MAX
 *
 * Its states are RELEASED until hwpmc_page_install(). Context: may sleep; owner->lock held. Return:
 * the page, or NULL without memory.
 */
struct hwpmc_page *hwpmc_page_new(struct hwpmc_owner *owner, unsigned int count)
{
	struct hwpmc_page *page;
	unsigned int i;

	page = kzalloc(struct_size(page, items, count + 1), GFP_KERNEL_ACCOUNT);
	if (!page)
		return NULL;
	page->shared = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!page->shared)
		goto out_page;
	page->shared->count = count;
	page->shared->ticks_khz = hwpmc_arch_clock_khz();
	page->shared->ticks = hwpmc_arch_clock();
	for (i = 0; i < count; i++)
		page->shared->counts[i].state = HWPMC_USER_RELEASED;
	page->number = owner->last_page + 1;
	if (xa_err(xa_store(&owner->pages, page->number, page, GFP_KERNEL_ACCOUNT)))
		goto out_shared;
	/* No number is used twice, so an old offset never maps another page. */
	owner->last_page = page->number;
	return page;
out_shared:
	free_page((unsigned long)page->shared);
out_page:
	kfree(page);
	return NULL;
}

/**
 * hwpmc_page_drop - free a page without PMCs
 * @owner: whose page
 * @page: no context publishes its values
 *
 * A mapping has its own reference to the memory. Context: process, owner->lock held.
 */
void hwpmc_page_drop(struct hwpmc_owner *owner, struct hwpmc_page *page)
{
	xa_erase(&owner->pages, page->number);
	free_page((unsigned long)page->shared);
	kfree(page);
}

/* The offset of the device from which @page is mapped, in bytes. Any context. */
u64 hwpmc_page_offset(const struct hwpmc_page *page)
{
	return HWPMC_PAGE_PLACE + page->number * PAGE_SIZE;
}

/**
 * hwpmc_page_find_other - find a PMC that does not follow the same thread as the first
 * @pmcs: of one owner, with one target each, which is a single thread
 * @count: number of PMCs, not 0
 * @gone: out: the PMC's thread is gone
 *
 * Context: process, owner->lock held; takes link_lock. Return: its index, or @count.
 */
unsigned int hwpmc_page_find_other(struct hwpmc_pmc *const *pmcs, unsigned int count, bool *gone)
{
	const struct hwpmc_thread *first = NULL;
	const struct hwpmc_link *link = NULL;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&pmcs[0]->owner->link_lock, flags);
	for (i = 0; i < count; i++) {
		link = list_first_entry_or_null(&pmcs[i]->links, struct hwpmc_link, in_pmc);
		if (!link || (first && link->thread != first))
			break;
		first = link->thread;
	}
	raw_spin_unlock_irqrestore(&pmcs[0]->owner->link_lock, flags);
	*gone = !link;
	return i;
}

/**
 * hwpmc_page_show_state - write the state of a PMC to its page
 * @pmc: a PMC with or without a page
 *
 * Context: any but NMI; the owner's link_lock held.
 */
void hwpmc_page_show_state(struct hwpmc_pmc *pmc)
{
	u32 state = HWPMC_USER_STOPPED;

	lockdep_assert_held(&pmc->owner->link_lock);
	if (!pmc->page)
		return;
	if (READ_ONCE(pmc->evicted))
		state = HWPMC_USER_ENDED;
	else if (!pmc->link_count)
		state = HWPMC_USER_GONE;
	else if (pmc->running)
		state = HWPMC_USER_RUNNING;
	if (state != HWPMC_USER_RUNNING && state != HWPMC_USER_STOPPED)
		WRITE_ONCE(pmc->page->shared->counts[pmc->page_entry].index, 0);
	/* Stored after the value: pairs with the acquire of a reader that reads the state first. */
	smp_store_release(&pmc->page->shared->counts[pmc->page_entry].state, state);
}

/**
 * hwpmc_page_update_state - write the state of a PMC to its page after it changed
 * @pmc: a PMC with or without a page, which is not released meanwhile
 *
 * Context: any but NMI; takes the owner's link_lock.
 */
void hwpmc_page_update_state(struct hwpmc_pmc *pmc)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	hwpmc_page_show_state(pmc);
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
}

/**
 * hwpmc_page_install - assign a page to PMCs
 * @page: new
 * @pmcs: its PMCs, as for hwpmc_page_find_other(); none runs, so no resync publishes for them
 * @values: their values, in events
 * @count: as for hwpmc_page_new()
 *
 * Context: process, owner->lock held; takes link_lock.
 */
void hwpmc_page_install(struct hwpmc_page *page, struct hwpmc_pmc *const *pmcs, const u64 *values,
			unsigned int count)
{
	struct hwpmc_owner *owner = pmcs[0]->owner;
	unsigned long flags;
	unsigned int i;

	page->holders = count;
	raw_spin_lock_irqsave(&owner->link_lock, flags);
	for (i = 0; i < count; i++) {
		struct hwpmc_user_count *to = &page->shared->counts[i];

		to->value = values[i];
		to->offset = values[i];
		if (page->direct && pmcs[i]->class->user_in) {
			to->width = pmcs[i]->class->row_width(pmcs[i]->class_row);
			to->flip = BIT_ULL(to->width - 1);
		}
		to->id = pmcs[i]->id;
		pmcs[i]->page_entry = i;
		/* A resync may read the entry: pairs with hwpmc_context_collect(). */
		smp_store_release(&pmcs[i]->page, page);
		hwpmc_page_show_state(pmcs[i]);
	}
	raw_spin_unlock_irqrestore(&owner->link_lock, flags);
}

/**
 * hwpmc_page_collect - let a context publish the value of a link
 * @ctx: the context, which resyncs
 * @link: a link of it that counts from now on; its PMC has a page
 *
 * The value is the slot's sum plus numbers that do not change while the link is active: the PMC's
 * base and @exited change when a link is removed, and the PMC has only this one. Context:
 * interrupts off, @ctx->lock held.
 */
void hwpmc_page_collect(struct hwpmc_context *ctx, const struct hwpmc_link *link)
{
	const struct hwpmc_pmc *pmc = link->pmc;
	struct hwpmc_page *page = pmc->page;
	struct hwpmc_page_item *item;

	lockdep_assert_held(&ctx->lock);
	if (page->serial != ctx->config_serial) {
		page->serial = ctx->config_serial;
		page->used = 0;
		page->next = ctx->pages;
		ctx->pages = page;
	}
	item = &page->items[page->used++];
	*item = (struct hwpmc_page_item) {
		.slot = link->slot,
		.base = pmc->base + pmc->exited + link->sum - link->base,
		.to = &page->shared->counts[pmc->page_entry],
	};
	/*
	 * Does not check whether the thread may read the counter now: that may have changed since
	 * the resync began.
	 */
	if (item->to->width) {
		item->class = pmc->class;
		item->class_row = pmc->class_row;
		item->flip = item->to->flip;
	}
	page->items[page->used].slot = NULL;
}

/**
 * hwpmc_page_release - remove a PMC from its page, and free the page of the last one
 * @pmc: a PMC with or without a page; it has no link, and no row
 *
 * Context: process, owner->lock held; takes link_lock.
 */
void hwpmc_page_release(struct hwpmc_pmc *pmc)
{
	struct hwpmc_page *page = pmc->page;
	unsigned long flags;

	if (!page)
		return;
	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	pmc->page = NULL;
	WRITE_ONCE(page->shared->counts[pmc->page_entry].index, 0);
	/* Stored after the value, as in hwpmc_page_show_state(). */
	smp_store_release(&page->shared->counts[pmc->page_entry].state, HWPMC_USER_RELEASED);
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
	if (!--page->holders) {
		/* The PMCs have no links, so no context permits the reads any more. */
		hwpmc_direct_put(hwpmc_direct_forbid(page));
		hwpmc_page_drop(pmc->owner, page);
	}
}

/* The memory of the page that is mapped from @number on, referenced, or NULL. */
static struct page *hwpmc_page_get(struct hwpmc_owner *owner, unsigned long number)
{
	const struct hwpmc_page *page;
	struct page *memory = NULL;

	/* hwpmc_page_drop() takes this lock before it frees. */
	xa_lock(&owner->pages);
	page = xa_load(&owner->pages, number);
	if (page) {
		memory = virt_to_page(page->shared);
		get_page(memory);
	}
	xa_unlock(&owner->pages);
	return memory;
}

/**
 * hwpmc_page_mmap - mmap(2) of a page
 * @owner: whose page
 * @vma: the new mapping, from HWPMC_PAGE_PLACE or above
 *
 * The mapping references the file, and the memory of the page also after its PMCs were released.
 * Does not take owner->lock, under which calls access user memory and may fault. A child does not
 * inherit the mapping.
 *
 * Context: may sleep; mmap lock held. Return: 0, -EINVAL, -ENOMEM, or -EPERM for a mapping that is
 * writable or executable.
 */
int hwpmc_page_mmap(struct hwpmc_owner *owner, struct vm_area_struct *vma)
{
	struct page *memory;
	int err;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	memory = hwpmc_page_get(owner, vma->vm_pgoff - (HWPMC_PAGE_PLACE >> PAGE_SHIFT));
	if (!memory)
		return -EINVAL;
	hwpmc_vma_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY, VM_MAYWRITE | VM_MAYEXEC);
	err = vm_insert_page(vma, vma->vm_start, memory);
	put_page(memory);
	return err;
}
