/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMCs: an allocated counter, its states and its value. Used by call/, by task/ and by the rest
 * of pmc/; each field names the lock that guards it.
 */
#ifndef HWPMC_PMC_INTERNAL_H
#define HWPMC_PMC_INTERNAL_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree_types.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

#include "context.h"

struct hwpmc_class;
struct hwpmc_encoding;
struct hwpmc_owner;
struct hwpmc_link;
struct hwpmc_page;
struct hwpmc_filters;
struct hwpmc_probe;
struct hwpmc_sampler_cpu;
struct pid;

/*
 * ALLOCATED until the first START; then RUNNING, and STOPPED after each STOP. See
 * hwpmc_state_set().
 */
enum hwpmc_state { HWPMC_ALLOCATED, HWPMC_RUNNING, HWPMC_STOPPED };

/**
 * struct hwpmc_pmc - one allocated counter
 * @owner: the file that allocated it
 * @id: the handle, unique in @owner; see hwpmc_id_add()
 * @class: the class of its counter
 * @class_index: index of @class in hwpmc_classes
 * @probe: class PROBE: its probe; its links have slots of their own. Otherwise NULL
 * @args: number of arguments in its PROBE records
 * @string: which argument's string PROBE records have, from 1; see struct hwpmc_allocate
 * @filters: the conditions for events of @probe, or NULL; freed with the PMC
 * @row: number of its row among all rows of the machine; class PROBE: HWPMC_ROW_NONE
 * @class_row: number of its row in @class
 * @mode: enum hwpmc_mode
 * @cpu: the CPU of a system-wide PMC; -1 if it is virtual
 * @caps: HWPMC_CAP_*
 * @flags: HWPMC_F_*, without HWPMC_F_TRY
 * @event: the event that the user requested
 * @count: a counting PMC: its start value. A sampling PMC: its period in events, or, with
 *	HWPMC_F_FREQUENCY, its frequency in samples a second; see hwpmc_pmc_set_count()
 * @first_count: @count when it was allocated, as in its ALLOCATE records: samples that stand for
 *	this number of events leave out their period
 * @sampled: counts of its samples on each CPU; if it is system-wide, on its own CPU only, since
 *	other PMCs use the memory of the other CPUs. NULL if the PMC does not sample. See
 *	hwpmc_sampler_alloc()
 * @user_stack: bytes of the user stack that are copied into a sample
 * @row_config: the configuration of its row
 * @extra: number of the extra register that it uses, or 0; see hwpmc_encoding.extra
 * @in_row: in row->holders; guarded by hwpmc_rows_lock
 * @in_extra: in the list of PMCs that use @extra, if it has one; hwpmc_rows_lock
 * @state: enum hwpmc_state; guarded by owner->lock
 * @running: whether contexts count for it, unless it is @evicted; written by hwpmc_state_flip()
 * @changing: @running is about to change; written by hwpmc_state_announce() and hwpmc_state_flip()
 * @changes: odd while @running changes, then even again; written by hwpmc_state_flip()
 * @evicted: an administrator took its row; no context counts for it any more, whatever @running is,
 *	and it holds neither row nor PMU. Written once, under hwpmc_rows_lock; see evict.c
 * @begun: time of the last START, just before @running was set, CLOCK_MONOTONIC in ns; written by
 *	hwpmc_state_flip()
 * @page: the page with its value that programs read, or NULL; see page.h
 * @page_entry: index of its entry in @page
 * @attached: it has had a target; owner->lock, written by hwpmc_hangup_set_attached()
 * @base: the value that was written, plus the counts of detached targets; link_lock
 * @exited: sum of hwpmc_target.exited of its targets; link_lock
 * @reading: the reading in progress, or NULL; link_lock
 * @targets: list of struct hwpmc_target; link_lock
 * @target_count: number of @targets; link_lock
 * @by_handle: tree of @targets; link_lock. Only holders of owner->lock walk the list, since a walk
 *	inserts its position there; other code uses the tree, see hwpmc_target_next()
 * @links: list of struct hwpmc_link; link_lock
 * @link_count: number of @links; link_lock
 * @only: the thread of its only link; NULL if that is a CPU's, or if it has none or several. Set by
 *	hwpmc_link_count(); link_lock
 * @living: number of @links to threads that are not exiting; link_lock, written by
 *	hwpmc_hangup_count_threads()
 * @started: time of the last START, ktime in ns; owner->lock
 * @enabled: ns for which it was enabled before @started; owner->lock
 * @offline_at_start: hwpmc_cpu_offline_ns() of its CPU at @started; owner->lock
 * @offline: ns of @enabled for which its CPU was offline; owner->lock
 * @call: number (owner->call) of the last call whose list of ids has this PMC; owner->lock
 * @index: index of the PMC in that list; owner->lock
 * @groups: number of groups that it is in; owner->lock
 * @serial: its number in the registry; 0 before it is added
 * @announced: see hwpmc_announce_evict()
 * @marked: it was throttled or lost samples, and no notice has reported that; see announce.c
 * @reported_throttles: times it was throttled that notices have reported; hwpmc_announce_lock
 * @reported_lost: samples it lost, likewise
 * @allocated: when it was added, boot-time clock in ns
 * @pins: number of walks of the registry that use it
 *
 * @page and @page_entry are written under the locks of the context of the PMC's only link and of
 * the owner's links, while the PMC does not run.
 *
 * link_lock is the owner's. Fields without a lock are constant after allocation, except that
 * @count and @row_config change under owner->lock while the PMC does not run.
 */
struct hwpmc_pmc {
	struct hwpmc_owner *owner;
	u32 id;
	const struct hwpmc_class *class;
	unsigned int class_index;
	struct hwpmc_probe *probe;
	struct hwpmc_filters *filters;
	unsigned int args;
	unsigned int string;
	unsigned int row;
	unsigned int class_row;
	u32 mode;
	int cpu;
	u64 caps;
	u32 flags;
	u64 event;
	u64 count;
	u64 first_count;
	struct hwpmc_sampler_cpu __percpu *sampled;
	u32 user_stack;
	struct hwpmc_row_config row_config;
	unsigned int extra;
	struct list_head in_row;
	struct list_head in_extra;
	enum hwpmc_state state;
	bool running;
	bool changing;
	unsigned int changes;
	bool evicted;
	u64 begun;
	struct hwpmc_page *page;
	unsigned int page_entry;
	bool attached;
	u64 base;
	u64 exited;
	struct hwpmc_reading *reading;
	struct list_head targets;
	unsigned int target_count;
	struct rb_root by_handle;
	struct list_head links;
	unsigned int link_count;
	unsigned int living;
	struct hwpmc_thread *only;
	u64 started;
	u64 enabled;
	u64 offline_at_start;
	u64 offline;
	u64 call;
	unsigned int index;
	unsigned int groups;
	unsigned long serial;
	u64 allocated;
	atomic_t pins;
	bool announced;
	bool marked;
	u64 reported_throttles;
	u64 reported_lost;
};

/* Whether PMCs of @mode follow tasks; the others count all that one CPU runs. */
static inline bool hwpmc_mode_virtual(u32 mode)
{
	return mode == HWPMC_MODE_TC || mode == HWPMC_MODE_TS;
}

/* Whether PMCs of @mode sample; the others only count. */
static inline bool hwpmc_mode_sampling(u32 mode)
{
	return mode == HWPMC_MODE_SS || mode == HWPMC_MODE_TS;
}

/* Flags of PMCs that log counts of threads: SWITCH and VALUE records. */
#define HWPMC_FLAGS_LOG	(HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT)

/* Whether @pmc writes records while it counts, so that its owner needs rings. */
static inline bool hwpmc_pmc_records(const struct hwpmc_pmc *pmc)
{
	return pmc->sampled || (pmc->flags & HWPMC_FLAGS_LOG);
}

/**
 * hwpmc_pmc_begin_read - wait until the state of a PMC is not changing
 * @pmc: the PMC
 *
 * Values that are read afterwards belong to one state if @pmc->changes has not changed then. The
 * wait is short: interrupts are off meanwhile. Context: any but NMI. Return: @pmc->changes, even.
 */
static inline unsigned int hwpmc_pmc_begin_read(const struct hwpmc_pmc *pmc)
{
	unsigned int changes;

	/* Pairs with the barrier in hwpmc_state_flip(). */
	while (unlikely((changes = smp_load_acquire(&pmc->changes)) & 1))
		cpu_relax();
	return changes;
}

/* kmod/pmc/pmc.c */
int hwpmc_pmc_init(void);
void hwpmc_pmc_exit(void);
struct hwpmc_pmc *hwpmc_pmc_new(struct hwpmc_owner *owner, int class_index,
				const struct hwpmc_allocate *args, u64 caps,
				const struct hwpmc_encoding *enc, struct hwpmc_probe *probe);
void hwpmc_pmc_free(struct hwpmc_pmc *pmc);
int hwpmc_pmc_link_cpu(struct hwpmc_pmc *pmc);
void hwpmc_pmc_unlink_cpu(struct hwpmc_pmc *pmc);
int hwpmc_pmc_set_count(struct hwpmc_pmc *pmc, u64 count);
void hwpmc_pmc_preset(struct hwpmc_pmc *pmc, u64 value);

/* kmod/pmc/hangup.c */
void hwpmc_hangup_count_threads(struct hwpmc_pmc *pmc, int by);
void hwpmc_hangup_set_attached(struct hwpmc_pmc *pmc, bool attached);

/* kmod/pmc/evict.c */
void hwpmc_evict_holders(struct list_head *holders, int cpu,
			 void (*each_thread)(void (*fn)(struct hwpmc_thread *th)));

/* kmod/pmc/emit.c */
void hwpmc_emit_allocate(const struct hwpmc_pmc *pmc);
void hwpmc_emit_attach(const struct hwpmc_pmc *pmc, struct pid *pid, bool single, u16 type);
void hwpmc_emit_lost(const struct hwpmc_link *link);
void hwpmc_emit_value(const struct hwpmc_link *link, u64 value, u16 type);

/* kmod/pmc/request.c */
int hwpmc_request_count(struct hwpmc_owner *owner, const struct hwpmc_class *class, u32 flags,
			u64 count);
int hwpmc_request_check(struct hwpmc_owner *owner, struct hwpmc_allocate *args, u64 *caps,
			struct hwpmc_encoding *enc);

/* kmod/pmc/state.c */
bool hwpmc_state_announce(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running);
void hwpmc_state_flip(struct hwpmc_pmc *const *pmcs, unsigned int count);
void hwpmc_state_set(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running);

/* kmod/pmc/clock.c */
int hwpmc_clock_init(void);
void hwpmc_clock_exit(void);
void hwpmc_clock_cpu_online(int cpu);

/* kmod/pmc/count.c */
/**
 * struct hwpmc_reading - a reading of several PMCs
 * @owner: the caller
 * @pmcs: PMCs of @owner
 * @count: number of @pmcs, at least 1
 * @values: out: the value of each PMC, in events
 * @targets: out: the parts of the values, by target or thread; NULL if not wanted
 * @room: number of entries that @targets can hold
 * @target_count: out: number of parts; may exceed @room
 * @visit: number of this reading; links and targets that it has visited store it
 *
 * hwpmc_count_read() sets @values and all from @target_count on.
 */
struct hwpmc_reading {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc *const *pmcs;
	unsigned int count;
	u64 *values;
	struct hwpmc_target_value *targets;
	unsigned int room;
	unsigned int target_count;
	u64 visit;
};

void hwpmc_count_read(struct hwpmc_reading *rd, bool fresh);
bool hwpmc_count_read_own(struct hwpmc_owner *owner, struct hwpmc_pmc *const *pmcs,
			  unsigned int count, u64 *values);
void hwpmc_count_exited(struct hwpmc_link *link, u64 value);
void hwpmc_count_write(struct hwpmc_pmc *pmc, u64 value);
void hwpmc_count_times(const struct hwpmc_pmc *pmc, struct hwpmc_times *times);
unsigned int hwpmc_count_room(struct hwpmc_pmc *const *pmcs, unsigned int count);

#endif /* HWPMC_PMC_INTERNAL_H */
