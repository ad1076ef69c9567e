/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters, their rows and their values, as the rest of the module uses them. */
#ifndef HWPMC_PMC_INTERNAL_H
#define HWPMC_PMC_INTERNAL_H

#include <linux/poll.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

struct cpumask;
struct file;
struct hwpmc_class;
struct hwpmc_context;
struct hwpmc_cpu;
struct hwpmc_encoding;
struct hwpmc_link;
struct hwpmc_owner;
struct hwpmc_pmc;
struct pt_regs;

/* kmod/pmc/period.c */
u64 hwpmc_period_min(void);
unsigned int hwpmc_period_max_rate(void);
u64 hwpmc_period_adapt(u64 period, u64 ns, u64 events, u32 frequency);
void hwpmc_period_begin(struct hwpmc_link *link);
void hwpmc_period_come(struct hwpmc_context *ctx);
void hwpmc_period_leave(struct hwpmc_context *ctx);
void hwpmc_period_overflow(struct hwpmc_context *ctx, const struct hwpmc_class *class, u64 rows,
			   struct pt_regs *regs, bool late);
void hwpmc_period_cpu_init(struct hwpmc_cpu *pc);
void hwpmc_period_cpu_exit(struct hwpmc_cpu *pc);

/* kmod/pmc/owner.c */
struct hwpmc_owner *hwpmc_owner_create(struct file *file);
void hwpmc_owner_destroy(struct hwpmc_owner *owner);
int hwpmc_owner_add(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);
void hwpmc_owner_remove(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);
__poll_t hwpmc_owner_poll(struct hwpmc_owner *owner, poll_table *wait);
void hwpmc_owner_gone(struct hwpmc_owner *owner);
bool hwpmc_owner_hung_up(struct hwpmc_owner *owner);

/* kmod/pmc/pmc.c */
int hwpmc_pmc_init(void);
void hwpmc_pmc_exit(void);
int hwpmc_pmc_allocate(struct hwpmc_owner *owner, struct hwpmc_allocate *args,
		       struct hwpmc_pmc **out);
void hwpmc_pmc_release(struct hwpmc_pmc *const *pmcs, unsigned int count);
int hwpmc_pmc_set_count(struct hwpmc_pmc *pmc, u64 count);
void hwpmc_pmc_preset(struct hwpmc_pmc *pmc, u64 value);

/* kmod/pmc/request.c */
int hwpmc_request_count(struct hwpmc_owner *owner, u32 flags, u64 count);
int hwpmc_request_check(struct hwpmc_owner *owner, const struct hwpmc_allocate *args, u32 *caps,
			struct hwpmc_encoding *enc);

/* kmod/pmc/state.c */
int hwpmc_state_start(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed);
int hwpmc_state_stop(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed);
void hwpmc_state_turn(struct hwpmc_pmc *const *pmcs, unsigned int count, bool on);

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
 */
struct hwpmc_reading {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc *const *pmcs;
	unsigned int count;
	u64 *values;
	struct hwpmc_target_value *targets;
	unsigned int room;
	unsigned int target_count;
};

void hwpmc_count_read(struct hwpmc_reading *rd, bool fresh);
void hwpmc_count_write(struct hwpmc_pmc *pmc, u64 value);
void hwpmc_count_times(const struct hwpmc_pmc *pmc, struct hwpmc_times *times);
unsigned int hwpmc_count_room(struct hwpmc_pmc *const *pmcs, unsigned int count);

/* kmod/pmc/row.c */
int hwpmc_rows_init(bool mock);
void hwpmc_rows_exit(void);
int hwpmc_row_class(u32 class_id);
int hwpmc_row_take(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try);
void hwpmc_row_give(struct hwpmc_pmc *pmc);
int hwpmc_row_admin(struct hwpmc_owner *owner, const struct hwpmc_admin *args);
void hwpmc_row_info(int cpu, unsigned int row, struct hwpmc_row_info *info);
const struct hwpmc_class *hwpmc_row_to_class(unsigned int row, unsigned int *class_row);

/* kmod/pmc/pmu.c */
int hwpmc_pmu_get(struct hwpmc_owner *owner, const struct hwpmc_class *class);
void hwpmc_pmu_put(const struct hwpmc_class *class);
const char *hwpmc_pmu_problem(void);
bool hwpmc_pmu_is_up(void);
void hwpmc_pmu_cpu_online(void);
void hwpmc_pmu_cpu_offline(void);

/* kmod/pmc/context.c */
int hwpmc_context_setup(struct hwpmc_context *ctx, gfp_t gfp);
void hwpmc_context_place(struct hwpmc_context *ctx, void *room);
size_t hwpmc_context_room(void);
void hwpmc_context_settle(struct hwpmc_context *ctx);
void hwpmc_context_teardown(struct hwpmc_context *ctx);
void hwpmc_context_refresh(struct hwpmc_cpu *pc, struct hwpmc_context *ctx, bool on);
void hwpmc_context_program(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
u64 hwpmc_context_rows(const struct hwpmc_context *ctx, const struct hwpmc_class *class);
void hwpmc_link_add(struct hwpmc_link *link, struct hwpmc_pmc *pmc, struct hwpmc_context *ctx);
void hwpmc_link_remove(struct hwpmc_link *link);
struct hwpmc_link *hwpmc_link_alloc(gfp_t gfp);
void hwpmc_link_free(struct hwpmc_link *link);
int hwpmc_link_init(void);
void hwpmc_link_exit(void);
void hwpmc_sync_cpus(const struct cpumask *also);
void hwpmc_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs);

#endif /* HWPMC_PMC_INTERNAL_H */
