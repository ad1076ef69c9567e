/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attach and detach of targets: processes or threads that a virtual PMC follows. Used by the ioctls
 * in kmod/call/ and by kmod/task/ with owner->lock held, and by the dumps of kmod/netlink/ without.
 */
#ifndef HWPMC_TARGET_H
#define HWPMC_TARGET_H

#include <linux/types.h>

struct hwpmc_link;
struct hwpmc_pmc;
struct hwpmc_subject;
struct hwpmc_target;
struct pid;

/**
 * struct hwpmc_target_view - the data of a target in a dump; the target may be detached meanwhile
 * @handle: its handle; 0 before the first target
 * @end: the largest handle; see hwpmc_target_newest()
 * @pid: the process, or the thread if @single; referenced
 * @single: only the thread is followed
 */
struct hwpmc_target_view {
	u64 handle;
	u64 end;
	struct pid *pid;
	bool single;
};

/* kmod/task/attach.c */
int hwpmc_attach_target(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
void hwpmc_attach_undo(struct hwpmc_pmc *pmc, struct pid *pid, bool single, bool again);

/* kmod/task/target.c */
struct hwpmc_target *hwpmc_target_find(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
struct hwpmc_target *hwpmc_target_add(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
void hwpmc_target_drop_link(struct hwpmc_link *link);
bool hwpmc_target_permits(const struct hwpmc_link *link, const struct hwpmc_subject *subject);
void hwpmc_target_empty(struct hwpmc_pmc *pmc, struct hwpmc_target *target);
void hwpmc_target_remove(struct hwpmc_pmc *pmc, struct hwpmc_target *target);
int hwpmc_target_detach(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
u64 hwpmc_target_handle(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
int hwpmc_target_detach_handle(struct hwpmc_pmc *pmc, u64 handle);
void hwpmc_target_detach_all(struct hwpmc_pmc *pmc);
u64 hwpmc_target_newest(struct hwpmc_pmc *pmc);
bool hwpmc_target_next(struct hwpmc_pmc *pmc, struct hwpmc_target_view *view);
unsigned int hwpmc_target_generation(void);

#endif /* HWPMC_TARGET_H */
