// SPDX-License-Identifier: GPL-2.0-only
/*
 * EVENTS lists the names of probes. Called by kmod/ioctl.c, in process context with owner->lock
 * held; may sleep.
 */
#include <linux/err.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "../probe/probe.h"
#include "call.h"

/*
 * For a provider and the name of a tracepoint or system call: the kernel's names are much shorter.
 */
#define HWPMC_EVENTS_NAME	256

/* Bounded, since the time that matching takes grows with the length of the pattern. */
#define HWPMC_EVENTS_PATTERN	256U

/**
 * struct hwpmc_listing - the list of names that a call writes
 * @pattern: which names are listed
 * @to: where they are written to, in the caller's memory
 * @room: size of that memory, in bytes
 * @size: of all names so far, in bytes
 * @count: number of names so far
 * @fault: the caller's memory could not be written
 */
struct hwpmc_listing {
	const char *pattern;
	char __user *to;
	u64 room;
	u64 size;
	u32 count;
	bool fault;
};

static void hwpmc_listing_add(void *arg, const char *provider, const char *name)
{
	struct hwpmc_listing *listing = arg;
	char full[HWPMC_EVENTS_NAME];
	size_t size;

	size = scnprintf(full, sizeof(full), "%s:%s", provider, name) + 1;
	if (!glob_match(listing->pattern, full))
		return;
	if (listing->size + size <= listing->room && !listing->fault)
		listing->fault = copy_to_user(listing->to + listing->size, full, size);
	listing->size += size;
	listing->count++;
	cond_resched();
}

static char *hwpmc_events_pattern(struct hwpmc_owner *owner, const struct hwpmc_events *events)
{
	char *pattern;

	if (events->pattern_length > HWPMC_EVENTS_PATTERN)
		return ERR_PTR(hwpmc_fail(owner, -EINVAL, "a pattern has up to %u bytes",
					  HWPMC_EVENTS_PATTERN));
	if (events->pattern_length)
		pattern = memdup_user_nul(u64_to_user_ptr(events->pattern),
					  events->pattern_length);
	else
		pattern = kstrdup("*", GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
	if (!IS_ERR(pattern))
		return pattern;
	if (PTR_ERR(pattern) == -EFAULT)
		return ERR_PTR(hwpmc_fail_copy(owner));
	return ERR_PTR(hwpmc_fail(owner, -ENOMEM, "out of memory; try again"));
}

int hwpmc_events_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_events *events = &args->events;
	char *pattern = hwpmc_events_pattern(owner, events);
	struct hwpmc_listing listing = {
		.pattern = pattern,
		.to = u64_to_user_ptr(events->names),
		.room = events->names ? events->names_size : 0,
	};

	if (IS_ERR(pattern))
		return PTR_ERR(pattern);
	hwpmc_provider_names(hwpmc_listing_add, &listing);
	kfree(pattern);
	events->names_size = listing.size;
	events->count = listing.count;
	if (listing.fault)
		return hwpmc_fail_copy(owner);
	if (events->names && listing.size > listing.room)
		return hwpmc_fail(owner, -ENOSPC,
				  "the names have %llu bytes: provide room for all of them, and set names_size to that",
				  listing.size);
	return HWPMC_REPLY;
}
