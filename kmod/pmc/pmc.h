/* SPDX-License-Identifier: GPL-2.0-only */
/* An allocated counter: its life, its states and its value. */
#ifndef HWPMC_PMC_INTERNAL_H
#define HWPMC_PMC_INTERNAL_H

#include <linux/list.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

#include "context.h"

struct hwpmc_class;
struct hwpmc_encoding;
struct hwpmc_owner;
struct hwpmc_link;
struct hwpmc_sampler_cpu;
struct pid;

enum hwpmc_state { HWPMC_ALLOCATED, HWPMC_RUNNING, HWPMC_STOPPED };

/**
 * struct hwpmc_pmc - one allocated counter
 * @owner: whose
 * @id: the handle
 * @class: kind of counter
 * @class_index: its place among the machine's classes
 * @row: global number of its row, and
 * @class_row: the class's
 * @mode: enum hwpmc_mode
 * @cpu: of a system-wide PMC, or -1
 * @caps: HWPMC_CAP_*
 * @flags: HWPMC_F_*
 * @event: as asked for
 * @count: its start value if it counts; its period, or frequency, if it samples
 * @sampled: what became of its samples; NULL if it counts
 * @user_stack: bytes of the user's stack in a sample
 * @row_config: how its row is to be programmed
 * @extra: the register besides that it uses, see hwpmc_encoding.extra
 * @in_row: in row->holders; guarded by hwpmc_rows_lock
 * @state: guarded by owner->lock
 * @running: what contexts go by; written under hwpmc_link_lock
 * @attached: had a target once; owner->lock, and written by hwpmc_hangup_set_attached()
 * @base: value written, plus what detached targets left; hwpmc_link_lock
 * @exited: sum of all its targets' exited; hwpmc_link_lock
 * @reading: that is under way, or NULL; hwpmc_link_lock
 * @targets: of struct hwpmc_target; hwpmc_link_lock
 * @links: of struct hwpmc_link; hwpmc_link_lock
 * @link_count: how many; hwpmc_link_lock
 * @living: of these, threads that have not begun to exit; hwpmc_link_lock, and written by
 *	hwpmc_hangup_count_threads()
 * @started: ktime of the last START; owner->lock
 * @enabled: ns of the running times before; owner->lock
 * @offline_at_start: its CPU's hwpmc_cpu_offline_ns() at the last START
 * @offline: how much of @enabled its CPU was offline
 * @call: owner->call of the call that names it, and
 * @index: where in that call's list; both owner->lock
 */
struct hwpmc_pmc {
	struct hwpmc_owner *owner;
	u32 id;
	const struct hwpmc_class *class;
	unsigned int class_index;
	unsigned int row;
	unsigned int class_row;
	u32 mode;
	int cpu;
	u32 caps;
	u32 flags;
	u64 event;
	u64 count;
	struct hwpmc_sampler_cpu __percpu *sampled;
	u32 user_stack;
	struct hwpmc_row_config row_config;
	unsigned int extra;
	struct list_head in_row;
	enum hwpmc_state state;
	bool running;
	bool attached;
	u64 base;
	u64 exited;
	struct hwpmc_reading *reading;
	struct list_head targets;
	struct list_head links;
	unsigned int link_count;
	unsigned int living;
	u64 started;
	u64 enabled;
	u64 offline_at_start;
	u64 offline;
	u64 call;
	unsigned int index;
};

static inline bool hwpmc_mode_virtual(u32 mode)
{
	return mode == HWPMC_MODE_TC || mode == HWPMC_MODE_TS;
}

static inline bool hwpmc_mode_sampling(u32 mode)
{
	return mode == HWPMC_MODE_SS || mode == HWPMC_MODE_TS;
}

#define HWPMC_FLAGS_LOG	(HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT)

/* Whether there is more to it than a count: it writes records, so it needs rings. */
static inline bool hwpmc_pmc_records(const struct hwpmc_pmc *pmc)
{
	return pmc->sampled || (pmc->flags & HWPMC_FLAGS_LOG);
}

/* kmod/pmc/pmc.c */
int hwpmc_pmc_init(void);
void hwpmc_pmc_exit(void);
struct hwpmc_pmc *hwpmc_pmc_new(struct hwpmc_owner *owner, int class_index,
				const struct hwpmc_allocate *args, u32 caps,
				const struct hwpmc_encoding *enc);
void hwpmc_pmc_free(struct hwpmc_pmc *pmc);
int hwpmc_pmc_link_cpu(struct hwpmc_pmc *pmc);
void hwpmc_pmc_unlink_cpu(struct hwpmc_pmc *pmc);
int hwpmc_pmc_set_count(struct hwpmc_pmc *pmc, u64 count);
void hwpmc_pmc_preset(struct hwpmc_pmc *pmc, u64 value);

/* kmod/pmc/hangup.c */
void hwpmc_hangup_count_threads(struct hwpmc_pmc *pmc, int by);
void hwpmc_hangup_set_attached(struct hwpmc_pmc *pmc, bool attached);

/* kmod/pmc/emit.c */
void hwpmc_emit_allocate(const struct hwpmc_pmc *pmc);
void hwpmc_emit_attach(const struct hwpmc_pmc *pmc, struct pid *pid, bool single, u16 type);
void hwpmc_emit_value(const struct hwpmc_link *link, u64 value, u16 type);

/* kmod/pmc/request.c */
int hwpmc_request_count(struct hwpmc_owner *owner, u32 flags, u64 count);
int hwpmc_request_check(struct hwpmc_owner *owner, struct hwpmc_allocate *args, u32 *caps,
			struct hwpmc_encoding *enc);

/* kmod/pmc/state.c */
void hwpmc_state_set(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running);

/* kmod/pmc/count.c */
/**
 * struct hwpmc_reading - what is read, and where to
 * @owner: whose call it is
 * @pmcs: of that owner
 * @count: how many
 * @values: of each
 * @targets: the parts of which, or NULL
 * @room: entries in @targets
 * @target_count: entries that there are, set by hwpmc_count_read()
 * @first: the lowest row of @pmcs, likewise
 * @end: the highest one, and one more
 * @visit: its number, likewise; it marks what was counted
 */
struct hwpmc_reading {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc *const *pmcs;
	unsigned int count;
	u64 *values;
	struct hwpmc_target_value *targets;
	unsigned int room;
	unsigned int target_count;
	unsigned int first;
	unsigned int end;
	u64 visit;
};

int hwpmc_count_init(void);
void hwpmc_count_exit(void);
void hwpmc_count_read(struct hwpmc_reading *rd, bool fresh);
void hwpmc_count_exited(struct hwpmc_link *link, u64 value);
void hwpmc_count_write(struct hwpmc_pmc *pmc, u64 value);
void hwpmc_count_times(const struct hwpmc_pmc *pmc, struct hwpmc_times *times);
unsigned int hwpmc_count_room(struct hwpmc_pmc *const *pmcs, unsigned int count);

#endif /* HWPMC_PMC_INTERNAL_H */
