/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the calls share. hwpmc_do_x() does HWPMC_IOC_X, with owner->lock held and
 * its structure copied in; the table that leads there is in kmod/ioctl.c.
 */
#ifndef HWPMC_CALL_INTERNAL_H
#define HWPMC_CALL_INTERNAL_H

#include <linux/mm.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

struct hwpmc_owner;
struct hwpmc_pmc;

/* A call's structure. Every one begins with its size; where flags are, they come next. */
union hwpmc_args {
	struct {
		u32 size;
		u32 flags;
	};
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
	struct hwpmc_last_error last_error;
	struct hwpmc_ring ring;
	struct hwpmc_sampled sampled;
	struct hwpmc_log log;
	struct hwpmc_log_write log_write;
};

/* What a call returns when it is done and its structure goes back to the caller. */
#define HWPMC_REPLY	1

/* Ids in a list that needs no allocation: as many as a PMU mostly has counters. */
#define HWPMC_NAMED_FEW	8

/**
 * struct hwpmc_named - the PMCs that a list of ids names
 * @few: few of them fit without an allocation
 * @pmcs: in the list's order; @few, or allocated
 * @count: how many
 */
struct hwpmc_named {
	struct hwpmc_pmc *few[HWPMC_NAMED_FEW];
	struct hwpmc_pmc **pmcs;
	unsigned int count;
};

static inline void hwpmc_named_free(struct hwpmc_named *named)
{
	if (named->pmcs != named->few)
		kvfree(named->pmcs);
}

/* kmod/call/named.c */
struct hwpmc_pmc *hwpmc_named_one(struct hwpmc_owner *owner, u32 id, int *err);
int hwpmc_named_get(struct hwpmc_owner *owner, struct hwpmc_named *named, u64 ids, u32 count,
		    u32 *failed);

/* kmod/call/error.c */
int hwpmc_do_last_error(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/info.c */
int hwpmc_do_version(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_cpu_info(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_stats(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_caps(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/row.c */
int hwpmc_do_pmc_info(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_admin(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/life.c */
int hwpmc_do_allocate(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_release(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_start(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_stop(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/target.c */
int hwpmc_do_attach(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_detach(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/value.c */
int hwpmc_do_rw(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_set_count(struct hwpmc_owner *owner, union hwpmc_args *args);

/* kmod/call/log.c */
int hwpmc_do_ring(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_sampled(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_log_open(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_log_flush(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_log_close(struct hwpmc_owner *owner, union hwpmc_args *args);
int hwpmc_do_log_write(struct hwpmc_owner *owner, union hwpmc_args *args);

#endif /* HWPMC_CALL_INTERNAL_H */
