/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes: places in the kernel and in programs that PMCs of class PROBE count, found by name. Used
 * by call/ (provider.c) and by the providers, a file each.
 */
#ifndef HWPMC_PROBE_INTERNAL_H
#define HWPMC_PROBE_INTERNAL_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/path.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

#include "../pmc/fire.h"

struct hwpmc_owner;
struct inode;
struct hwpmc_place;

/* The most places that are removed before @wait of struct hwpmc_provider is called. */
#define HWPMC_PLACES_AT_ONCE	32

/** typedef hwpmc_name_fn - called with a provider's name, and the rest of the name of a probe */
typedef void hwpmc_name_fn(void *arg, const char *provider, const char *name);

/**
 * struct hwpmc_provider - a kind of probes
 * @name: the first part of the names of its probes, before a colon
 * @size: of its own structure, in bytes, which begins with struct hwpmc_place
 * @in_file: its probes are in a file, which the caller has open
 * @locked_down: kernel lockdown (confidentiality) forbids its probes
 * @add: register a probe at the place that @name, the name after the colon, describes; each event
 *	there calls hwpmc_fire(). May change @name. Returns 0, or what hwpmc_fail() returned
 * @remove: unregister a probe. Events may call hwpmc_fire() until @wait returns, which is called
 *	after the last of several @remove
 * @wait: wait until no event calls hwpmc_fire() for a removed probe; NULL: @remove waits itself
 * @gone: whether the module that contains the place was unloaded; NULL: never
 * @put: drop the references that @add took; called after @wait; NULL: there are none
 * @names: call @fn, which may sleep, for each name; NULL: the provider cannot list names
 *
 * All may sleep; hwpmc_provider_lock is held, except for @names.
 */
struct hwpmc_provider {
	const char *name;
	size_t size;
	bool in_file;
	bool locked_down;
	int (*add)(struct hwpmc_owner *owner, struct hwpmc_place *place, char *name);
	void (*remove)(struct hwpmc_place *place);
	void (*wait)(void);
	bool (*gone)(const struct hwpmc_place *place);
	void (*put)(struct hwpmc_place *place);
	void (*names)(hwpmc_name_fn *fn, void *arg);
};

/**
 * struct hwpmc_place - a registered probe
 * @probe: the probe that fires; PMCs point to it
 * @provider: its provider
 * @node: in the table of places; once it is removed, in a list of those to be freed
 * @users: number of PMCs that use it; incremented only with hwpmc_provider_lock held, decremented
 *	without
 * @until: if it has no users: the time of its removal, in jiffies; written by hwpmc_provider_put(),
 *	and at unload
 * @name: the name of the probe, with the provider's
 * @path: of its file; referenced, as the kernel requires while @inode is probed
 * @inode: the inode of that file that programs map; NULL without a file. Two places differ in
 *	@name, @inode or both
 *
 * A provider's own structure begins with it. All fields except @users and @until are guarded by
 * hwpmc_provider_lock.
 */
struct hwpmc_place {
	struct hwpmc_probe probe;
	const struct hwpmc_provider *provider;
	struct hlist_node node;
	atomic_long_t users;
	unsigned long until;
	char *name;
	struct path path;
	struct inode *inode;
};

/* kmod/probe/provider.c */
struct hwpmc_probe *hwpmc_provider_get(struct hwpmc_owner *owner,
				       const struct hwpmc_allocate *args);
void hwpmc_provider_put(struct hwpmc_probe *probe, bool linger);
void hwpmc_provider_names(hwpmc_name_fn *fn, void *arg);
void hwpmc_provider_exit(void);

/* The providers, one in each file. */
extern const struct hwpmc_provider hwpmc_syscall_provider;
extern const struct hwpmc_provider hwpmc_point_provider;
extern const struct hwpmc_provider hwpmc_kprobe_provider;
extern const struct hwpmc_provider hwpmc_uprobe_provider;
extern const struct hwpmc_provider hwpmc_profile_provider;
extern const struct hwpmc_provider hwpmc_interval_provider;

#endif /* HWPMC_PROBE_INTERNAL_H */
