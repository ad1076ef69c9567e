/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of kmod/call/: one function for each ioctl, and what they share. Used by
 * kmod/call/, kmod/ioctl.c and kmod/cdev.c.
 *
 * A function whose name ends in _ioctl handles one call: in process context, with
 * owner->lock held and the caller's structure copied in. The table of them is in
 * kmod/ioctl.c. It returns 0, HWPMC_REPLY or a negative errno that hwpmc_fail() recorded
 * with a sentence.
 */
#ifndef HWPMC_CALL_INTERNAL_H
#define HWPMC_CALL_INTERNAL_H

#include <linux/mm.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

struct hwpmc_encoding;
struct hwpmc_filters;
struct hwpmc_owner;
struct hwpmc_pmc;
struct pid;

/* The structure of a call. Each begins with the fields of struct hwpmc_head. */
union hwpmc_args {
	struct hwpmc_head head;
	struct hwpmc_version version;
	struct hwpmc_cpu_info cpu_info;
	struct hwpmc_pmc_info pmc_info;
	struct hwpmc_stats stats;
	struct hwpmc_caps caps;
	struct hwpmc_admin admin;
	struct hwpmc_allocate allocate;
	struct hwpmc_ids ids;
	struct hwpmc_attach attach;
	struct hwpmc_rw rw;
	struct hwpmc_set_count set_count;
	struct hwpmc_ring ring;
	struct hwpmc_sampled sampled;
	struct hwpmc_log log;
	struct hwpmc_log_write log_write;
	struct hwpmc_group group;
	struct hwpmc_group_read group_read;
	struct hwpmc_user_read user_read;
	struct hwpmc_events events;
	struct hwpmc_map_fd map_fd;
};

/* Returned by a call that succeeded and whose structure is to be copied back to the caller. */
#define HWPMC_REPLY	1

/* Lists of up to this many ids need no allocation: as many as most PMUs have counters. */
#define HWPMC_ID_LIST_FEW	8

/**
 * struct hwpmc_id_list - the PMCs that a list of ids names
 * @few: storage for short lists
 * @pmcs: in the order of the ids; @few, or allocated
 * @count: entries in @pmcs
 */
struct hwpmc_id_list {
	struct hwpmc_pmc *few[HWPMC_ID_LIST_FEW];
	struct hwpmc_pmc **pmcs;
	unsigned int count;
};

static inline void hwpmc_id_list_free(struct hwpmc_id_list *list)
{
	if (list->pmcs != list->few)
		kvfree(list->pmcs);
}

/* kmod/call/id_list.c */
struct hwpmc_pmc *hwpmc_id_list_find(struct hwpmc_owner *owner, u32 id, int *err);
int hwpmc_id_list_get(struct hwpmc_owner *owner, struct hwpmc_id_list *list, u64 ids, u32 count,
		      u32 *failed, bool any);
int hwpmc_id_list_apply(struct hwpmc_owner *owner, struct hwpmc_ids *ids, bool any,
			int (*fn)(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed));
int hwpmc_id_list_check_evicted(struct hwpmc_pmc *pmc);
int hwpmc_id_list_check_cpu(struct hwpmc_owner *owner, u32 *cpu);

/* kmod/call/entry.c */
int hwpmc_entry_check(struct hwpmc_owner *owner, const char *field, u32 size, u32 known);
int hwpmc_entry_put(struct hwpmc_owner *owner, u64 list, u32 index, u32 size, const void *entry,
		    u32 known);

/* kmod/call/claim.c */
int hwpmc_claim_all(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try);
void hwpmc_claim_release(struct hwpmc_pmc *pmc);

/* kmod/call/allocate.c */
int hwpmc_allocate_pmc(struct hwpmc_owner *owner, struct hwpmc_allocate *args,
		       struct hwpmc_pmc **out);
int hwpmc_allocate_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/release.c */
void hwpmc_release_pmcs(struct hwpmc_pmc *const *pmcs, unsigned int count);
void hwpmc_release_owner(struct hwpmc_owner *owner);
int hwpmc_release_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/run.c */
int hwpmc_run_start(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed);
int hwpmc_run_stop(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed);
int hwpmc_run_start_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_run_stop_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/info.c */
int hwpmc_info_version_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_info_cpu_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_info_stats_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_info_caps_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_info_rows_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_info_sampled_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/admin.c */
int hwpmc_admin_row_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/filter_list.c */
struct hwpmc_filters *hwpmc_filter_list_get(struct hwpmc_owner *owner,
					    const struct hwpmc_allocate *args);

/* kmod/call/follow.c */
struct pid *hwpmc_follow_pid(struct hwpmc_owner *owner, int nr, u32 flags, bool single);
int hwpmc_follow_attach_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_follow_detach_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/value.c */
bool hwpmc_value_read_few(struct hwpmc_owner *owner, void __user *arg);
int hwpmc_value_rw_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_value_set_count_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/group.c */
void hwpmc_group_remove_all(struct hwpmc_pmc *pmc);
bool hwpmc_group_read_own(struct hwpmc_owner *owner, void __user *arg);
int hwpmc_group_make_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_group_free_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_group_read_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/logging.c */
int hwpmc_logging_ring_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_logging_open_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_logging_flush_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_logging_close_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_logging_write_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/user_read.c */
int hwpmc_user_read_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/events.c */
int hwpmc_events_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/map_fd.c */
int hwpmc_map_fd_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args);

#endif /* HWPMC_CALL_INTERNAL_H */
