// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: assigns hardware counters to PMCs, and reports which PMCs hold them. Called by call/ in
 * process context, with hwpmc_rows_lock held.
 *
 * A row is FREE, in THREAD use (virtual PMCs, at most one of each owner) or STANDALONE
 * (system-wide PMCs, at most one on each CPU). This disposition follows from the holders. A row
 * of a shareable class has any number of holders of both kinds.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/machine.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "context.h"
#include "fire.h"
#include "pmc.h"
#include "row.h"

/* Only shareable rows need a limit: another row has one holder an owner, or one a CPU. */
static struct hwpmc_param max_shared = { .value = 1024, .least = 1, .most = 65536 };
module_param_cb(max_shared, &hwpmc_param_ops, &max_shared, 0644);
MODULE_PARM_DESC(max_shared,
		 "PMCs that a user may hold on a shareable row for tasks, and as many for each CPU (default 1024, 1..65536)");

/* Guards the holders of all rows, and the claim of the PMU (pmu.c). */
DEFINE_MUTEX(hwpmc_rows_lock);

const struct hwpmc_class *hwpmc_classes[HWPMC_MAX_CLASSES];
unsigned int hwpmc_class_first[HWPMC_MAX_CLASSES];
unsigned int hwpmc_class_count;
unsigned int hwpmc_row_count;

/**
 * struct hwpmc_row - a row, on all CPUs
 * @holders: list of struct hwpmc_pmc, by hwpmc_pmc.in_row
 * @count: number of @holders
 * @disabled: CPUs on which an administrator disabled the row
 * @held: CPUs on which a system-wide PMC holds the row, unless it is shareable
 *
 * Guarded by hwpmc_rows_lock. To claim a row takes as long with many holders as with few: nothing
 * walks @holders but a refusal, for at most as many as there are CPUs, and PMC_INFO.
 */
struct hwpmc_row {
	struct list_head holders;
	unsigned int count;
	cpumask_var_t disabled;
	cpumask_var_t held;
};

static struct hwpmc_row *hwpmc_rows;

/* PMCs that use an extra register, by class and number; all of a list agree on the value. */
static struct list_head hwpmc_row_extras[HWPMC_MAX_CLASSES][HWPMC_EXTRAS];

/**
 * hwpmc_row_to_class - the class of a row
 * @row: below hwpmc_row_count
 * @class_row: set to the row's number in its class
 *
 * Context: any. Return: the class.
 */
const struct hwpmc_class *hwpmc_row_to_class(unsigned int row, unsigned int *class_row)
{
	unsigned int i = hwpmc_class_count - 1;

	while (hwpmc_class_first[i] > row)
		i--;
	*class_row = row - hwpmc_class_first[i];
	return hwpmc_classes[i];
}

/* Index in hwpmc_classes of the class @class_id, or -ENODEV. Context: any. */
int hwpmc_row_class(u32 class_id)
{
	unsigned int i;

	for (i = 0; i < hwpmc_class_count; i++)
		if (hwpmc_classes[i]->id == class_id)
			return i;
	return -ENODEV;
}

static u32 hwpmc_row_disposition(const struct hwpmc_row *row)
{
	const struct hwpmc_pmc *pmc;

	if (!row->count)
		return HWPMC_ROW_FREE;
	pmc = list_first_entry(&row->holders, struct hwpmc_pmc, in_row);
	return hwpmc_mode_virtual(pmc->mode) ? HWPMC_ROW_THREAD : HWPMC_ROW_STANDALONE;
}

/* Whether a holder of @row keeps @pmc from it. */
static bool hwpmc_row_conflicts(const struct hwpmc_row *row, const struct hwpmc_pmc *pmc)
{
	u32 disposition = hwpmc_row_disposition(row);

	if (pmc->class->shareable || disposition == HWPMC_ROW_FREE)
		return false;
	if (hwpmc_mode_virtual(pmc->mode))
		return disposition != HWPMC_ROW_THREAD ||
		       test_bit(row - hwpmc_rows, pmc->owner->rows);
	return disposition != HWPMC_ROW_STANDALONE || cpumask_test_cpu(pmc->cpu, row->held);
}

/* The owner that keeps @pmc from @row, which is not free for it. */
static const struct hwpmc_owner *hwpmc_row_culprit(const struct hwpmc_row *row,
						   const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other;

	if (hwpmc_mode_virtual(pmc->mode) && test_bit(row - hwpmc_rows, pmc->owner->rows))
		return pmc->owner;
	/* A PMC of the same CPU; or the first, since all are of the other kind. */
	list_for_each_entry(other, &row->holders, in_row)
		if (hwpmc_mode_virtual(other->mode) != hwpmc_mode_virtual(pmc->mode) ||
		    other->cpu == pmc->cpu)
			break;
	return other->owner;
}

/* Whether @row is disabled on @cpu, or, if that is -1, on any CPU. */
static bool hwpmc_row_disabled(const struct hwpmc_row *row, int cpu)
{
	return cpu < 0 ? !cpumask_empty(row->disabled) : cpumask_test_cpu(cpu, row->disabled);
}

/* What hwpmc_user_hold() counts: the row on one CPU, or for tasks. */
static unsigned long hwpmc_row_slot(unsigned int row, int cpu)
{
	return row * (nr_cpu_ids + 1UL) + cpu + 1;
}

/* Whether @pmc's user holds @row already, on the same CPU or for tasks. */
static bool hwpmc_row_own(const struct hwpmc_row *row, const struct hwpmc_pmc *pmc)
{
	return hwpmc_user_held(pmc->owner->user, hwpmc_row_slot(row - hwpmc_rows, pmc->cpu));
}

/*
 * The usable row of @rows with the fewest holders, or -1: PMCs of different owners that follow
 * the same task then get different rows. @own: only a row that the user holds already.
 */
static int hwpmc_row_best(const struct hwpmc_pmc *pmc, u64 rows, bool own)
{
	unsigned int first = hwpmc_class_first[pmc->class_index];
	unsigned int least = UINT_MAX;
	int best = -1;

	for (; rows; rows &= rows - 1) {
		const struct hwpmc_row *row = &hwpmc_rows[first + __ffs64(rows)];

		if (hwpmc_row_disabled(row, pmc->cpu) || hwpmc_row_conflicts(row, pmc) ||
		    row->count >= least || (own && !hwpmc_row_own(row, pmc)))
			continue;
		least = row->count;
		best = row - hwpmc_rows;
	}
	return best;
}

/* Who @owner is, if the caller may not know more about it; otherwise NULL. */
static const char *hwpmc_row_hidden(const struct hwpmc_owner *owner)
{
	return hwpmc_rights_hide(owner, hwpmc_rights_perfmon());
}

/* Write why @pmc cannot have any of @rows: "row 1 pid 812 (pmctl), row 2 disabled, ...". */
static void hwpmc_row_holders(const struct hwpmc_pmc *pmc, u64 rows, char *buf, size_t size)
{
	unsigned int first = hwpmc_class_first[pmc->class_index];
	size_t len = 0;

	for (buf[0] = '\0'; rows; rows &= rows - 1) {
		unsigned int n = first + __ffs64(rows);
		bool held = hwpmc_row_conflicts(&hwpmc_rows[n], pmc);
		const struct hwpmc_owner *other =
			held ? hwpmc_row_culprit(&hwpmc_rows[n], pmc) : NULL;
		const char *hidden = held ? hwpmc_row_hidden(other) : "disabled";
		const char *comma = len ? ", " : "";

		if (hidden)
			len += scnprintf(buf + len, size - len, "%srow %u %s", comma, n, hidden);
		else
			len += scnprintf(buf + len, size - len, "%srow %u pid %d (%s)", comma, n,
					 pid_vnr(other->pid), other->comm);
	}
}

/* Fail with -EBUSY: @pmc cannot have any of @rows. */
static int hwpmc_row_busy(struct hwpmc_pmc *pmc, u64 rows)
{
	char holders[HWPMC_SENTENCE_MAX];

	if (!rows)
		return hwpmc_fail(pmc->owner, -EBUSY, "this PMU has no row for event 0x%llx",
				  pmc->event);
	hwpmc_row_holders(pmc, rows, holders, sizeof(holders));
	return hwpmc_fail(pmc->owner, -EBUSY, "no row is free for event 0x%llx: %s",
			  pmc->event, holders);
}

/* A PMC that uses the extra register of @pmc with another value, or NULL. */
static const struct hwpmc_pmc *hwpmc_row_extra_conflict(const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other =
		list_first_entry_or_null(&hwpmc_row_extras[pmc->class_index][pmc->extra],
					 struct hwpmc_pmc, in_extra);

	return other && other->row_config.sel.extra != pmc->row_config.sel.extra ? other : NULL;
}

/* Check that @pmc can have the extra register that its event needs. 0, or -EBUSY. */
static int hwpmc_row_extra(const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other = pmc->extra ? hwpmc_row_extra_conflict(pmc) : NULL;
	const char *hidden;

	if (!other)
		return 0;
	hidden = hwpmc_row_hidden(other->owner);
	if (hidden)
		return hwpmc_fail(pmc->owner, -EBUSY,
				  "event 0x%llx needs an extra register that %s has set to another value; try again when that PMC is released",
				  pmc->event, hidden);
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "event 0x%llx needs an extra register that pid %d (%s) has set to 0x%llx; release that PMC or use its value",
			  pmc->event, pid_vnr(other->owner->pid), other->owner->comm,
			  other->row_config.sel.extra);
}

/* Check max_shared for @pmc, whose row is chosen. 0, or -EBUSY. */
static int hwpmc_row_limit(const struct hwpmc_pmc *pmc)
{
	unsigned long held = hwpmc_user_held(pmc->owner->user, hwpmc_row_slot(pmc->row, pmc->cpu));
	unsigned int limit = READ_ONCE(max_shared.value);

	if (!pmc->class->shareable || held < limit)
		return 0;
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "a user may hold %u PMCs on row %u, and holds them already; release some (parameter max_shared)",
			  limit, pmc->row);
}

/* Make @pmc a holder of its row. 0, or -ENOMEM after hwpmc_fail(). */
static int hwpmc_row_hold(struct hwpmc_pmc *pmc)
{
	struct hwpmc_row *row = &hwpmc_rows[pmc->row];
	bool own = hwpmc_row_own(row, pmc);

	if (hwpmc_user_hold(pmc->owner->user, hwpmc_row_slot(pmc->row, pmc->cpu)))
		return hwpmc_fail(pmc->owner, -ENOMEM, "out of memory; try again");
	list_add_tail(&pmc->in_row, &row->holders);
	row->count++;
	if (pmc->extra)
		list_add_tail(&pmc->in_extra, &hwpmc_row_extras[pmc->class_index][pmc->extra]);
	if (pmc->class->shareable)
		return 0;
	hwpmc_user_add(pmc->owner, HWPMC_USER_ROWS, !own);
	if (hwpmc_mode_virtual(pmc->mode))
		__set_bit(pmc->row, pmc->owner->rows);
	else
		cpumask_set_cpu(pmc->cpu, row->held);
	return 0;
}

/* Undo hwpmc_row_hold(). */
static void hwpmc_row_unhold(struct hwpmc_pmc *pmc)
{
	struct hwpmc_row *row = &hwpmc_rows[pmc->row];

	hwpmc_user_unhold(pmc->owner->user, hwpmc_row_slot(pmc->row, pmc->cpu));
	list_del(&pmc->in_row);
	row->count--;
	if (pmc->extra)
		list_del(&pmc->in_extra);
	if (pmc->class->shareable)
		return;
	hwpmc_user_add(pmc->owner, HWPMC_USER_ROWS, hwpmc_row_own(row, pmc) ? 0 : -1);
	if (hwpmc_mode_virtual(pmc->mode))
		__clear_bit(pmc->row, pmc->owner->rows);
	else
		cpumask_clear_cpu(pmc->cpu, row->held);
}

/**
 * hwpmc_row_claim - choose a row for a new PMC and add the PMC to its holders
 * @pmc: its owner, class, mode, cpu, event, extra and row_config are set
 * @enc: the rows that can count the event
 * @try: only choose the row
 *
 * The row with the fewest holders is chosen; of equal ones, a row of @enc->prefer. A user that
 * holds as many rows as parameter max_rows allows shares one that it holds.
 *
 * Context: process, hwpmc_rows_lock held. Return: 0 with @pmc->row and class_row set, or -EBUSY
 * or -ENOMEM after hwpmc_fail().
 */
int hwpmc_row_claim(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try)
{
	bool own = !pmc->class->shareable && hwpmc_user_full(pmc->owner, HWPMC_USER_ROWS);
	int row, other;

	lockdep_assert_held(&hwpmc_rows_lock);
	if (hwpmc_row_extra(pmc))
		return -EBUSY;
	row = hwpmc_row_best(pmc, enc->prefer, own);
	other = hwpmc_row_best(pmc, enc->rows & ~enc->prefer, own);
	if (row < 0 || (other >= 0 && hwpmc_rows[other].count < hwpmc_rows[row].count))
		row = other;
	if (row < 0 && own && hwpmc_row_best(pmc, enc->rows, false) >= 0)
		return hwpmc_user_fail(pmc->owner, -EBUSY, HWPMC_USER_ROWS);
	if (row < 0)
		return hwpmc_row_busy(pmc, enc->rows);
	pmc->row = row;
	pmc->class_row = row - hwpmc_class_first[pmc->class_index];
	if (hwpmc_row_limit(pmc))
		return -EBUSY;
	return try ? 0 : hwpmc_row_hold(pmc);
}

/* On each CPU concerned: stop the row, so that it can be programmed for another PMC. */
static void hwpmc_row_clear_cpu(void *arg)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	unsigned int row = *(unsigned int *)arg, class_row;

	if (!pc->shadow[row].tag)
		return;
	hwpmc_defer_begin();
	hwpmc_row_to_class(row, &class_row)->clear(class_row);
	pc->shadow[row].tag = 0;
	pc->loaded = 0;
	hwpmc_defer_end();
}

/*
 * On each CPU concerned: a context that counts on the row now continues; the next schedule-in
 * programs the row again.
 */
static void hwpmc_row_stale_cpu(void *arg)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	unsigned int row = *(unsigned int *)arg;

	if (!pc->shadow[row].tag)
		return;
	pc->shadow[row].tag = HWPMC_TAG_STALE;
	pc->loaded = 0;
}

/**
 * hwpmc_row_release - remove a PMC from the holders of its row
 * @pmc: not linked to any context
 *
 * When the last holder on a CPU is released, the row is stopped there, so that no unused counter
 * runs. Otherwise threads may count on the row for other holders. If @pmc used an extra
 * register, the shadows are marked stale at least: another row's PMC can now set the register to
 * another value, which the shadows would not show.
 *
 * Context: may sleep; hwpmc_rows_lock held.
 */
void hwpmc_row_release(struct hwpmc_pmc *pmc)
{
	bool last;

	lockdep_assert_held(&hwpmc_rows_lock);
	hwpmc_row_unhold(pmc);
	last = list_empty(&hwpmc_rows[pmc->row].holders) ||
	       !(hwpmc_mode_virtual(pmc->mode) || pmc->class->shareable);
	if (!last && !pmc->extra)
		return;
	cpus_read_lock();
	on_each_cpu_mask(pmc->cpu < 0 ? cpu_online_mask : cpumask_of(pmc->cpu),
			 last ? hwpmc_row_clear_cpu : hwpmc_row_stale_cpu, &pmc->row, 1);
	cpus_read_unlock();
}

/* Fail with -EBUSY if a PMC holds @row on the CPU of @args. */
static int hwpmc_row_admin_busy(struct hwpmc_owner *owner, const struct hwpmc_row *row,
				const struct hwpmc_admin *args)
{
	const struct hwpmc_pmc *pmc;
	const char *hidden;

	list_for_each_entry(pmc, &row->holders, in_row) {
		if (!hwpmc_mode_virtual(pmc->mode) && pmc->cpu != args->cpu)
			continue;
		hidden = hwpmc_row_hidden(pmc->owner);
		if (hidden)
			return hwpmc_fail(owner, -EBUSY, "row %u is held by %s", args->row, hidden);
		return hwpmc_fail(owner, -EBUSY, "row %u is held by pid %d (%s)", args->row,
				  pid_vnr(pmc->owner->pid), pmc->owner->comm);
	}
	return 0;
}

/**
 * hwpmc_row_admin - enable or disable a row on one CPU (HWPMC_IOC_ADMIN)
 * @owner: the caller, who has CAP_PERFMON
 * @args: row, state, and a CPU that exists
 * @each_thread: as for hwpmc_evict_holders()
 *
 * With HWPMC_ADMIN_FORCE the PMCs that hold the row on that CPU are ended. Context: may sleep,
 * hwpmc_rows_lock held. Return: 0; -EINVAL for an unknown row or state, -EBUSY if a PMC holds the
 * row on that CPU, both after hwpmc_fail().
 */
int hwpmc_row_admin(struct hwpmc_owner *owner, const struct hwpmc_admin *args,
		    void (*each_thread)(void (*fn)(struct hwpmc_thread *th)))
{
	struct hwpmc_row *row;

	if (args->row >= hwpmc_row_count)
		return hwpmc_fail(owner, -EINVAL, "there is no row %u; rows are below %u",
				  args->row, hwpmc_row_count);
	if (args->state > HWPMC_ADMIN_DISABLED)
		return hwpmc_fail(owner, -EINVAL, "a row can be made FREE (0) or DISABLED (1)");
	row = &hwpmc_rows[array_index_nospec(args->row, hwpmc_row_count)];
	if (args->flags & HWPMC_ADMIN_FORCE)
		hwpmc_evict_holders(&row->holders, args->cpu, each_thread);
	else if (hwpmc_row_admin_busy(owner, row, args))
		return -EBUSY;
	if (args->state == HWPMC_ADMIN_DISABLED)
		cpumask_set_cpu(args->cpu, row->disabled);
	else
		cpumask_clear_cpu(args->cpu, row->disabled);
	return 0;
}

/*
 * The holder that is reported for @cpu, or NULL: a system-wide PMC of this CPU or a virtual one,
 * if possible one that the caller may see. Their number is added to @holders.
 */
static const struct hwpmc_pmc *hwpmc_row_reported(const struct hwpmc_row *row, int cpu,
						  u32 *holders)
{
	const struct hwpmc_pmc *pmc, *shown = NULL;
	bool perfmon = hwpmc_rights_perfmon();

	list_for_each_entry(pmc, &row->holders, in_row) {
		if (pmc->cpu >= 0 && pmc->cpu != cpu)
			continue;
		(*holders)++;
		if (!shown || (hwpmc_rights_hide(shown->owner, perfmon) &&
			       !hwpmc_rights_hide(pmc->owner, perfmon)))
			shown = pmc;
	}
	return shown;
}

/**
 * hwpmc_row_info - describe a row on one CPU, as HWPMC_IOC_PMC_INFO returns it
 * @cpu: a CPU that exists
 * @n: number of the row, below hwpmc_row_count
 * @info: set
 *
 * Context: process, hwpmc_rows_lock held.
 */
void hwpmc_row_info(int cpu, unsigned int n, struct hwpmc_row_info *info)
{
	struct hwpmc_row *row = &hwpmc_rows[n];
	unsigned int class_row;
	const struct hwpmc_class *class = hwpmc_row_to_class(n, &class_row);
	const struct hwpmc_pmc *pmc;

	lockdep_assert_held(&hwpmc_rows_lock);
	memset(info, 0, sizeof(*info));
	class->row_name(class_row, info->name, sizeof(info->name));
	info->class_id = class->id;
	info->enabled = class->row_exists(cpu, class_row) && !hwpmc_row_disabled(row, cpu);
	info->disposition = hwpmc_row_disposition(row);
	info->width = class->row_width(class_row);
	info->pid = HWPMC_PID_NONE;
	pmc = hwpmc_row_reported(row, cpu, &info->holders);
	if (!pmc)
		return;
	info->pid = HWPMC_PID_HIDDEN;
	if (hwpmc_row_hidden(pmc->owner))
		return;
	info->pid = pid_vnr(pmc->owner->pid);
	strscpy(info->comm, pmc->owner->comm, sizeof(info->comm));
	info->mode = pmc->mode;
	info->flags = pmc->flags;
	info->event = pmc->event;
	info->count = pmc->count;
}

static void hwpmc_class_add(const struct hwpmc_class *class)
{
	hwpmc_classes[hwpmc_class_count] = class;
	hwpmc_class_first[hwpmc_class_count++] = hwpmc_row_count;
	hwpmc_row_count += class->rows;
}

/**
 * hwpmc_row_init - number the rows of the machine's classes; called at module load
 * @mock: add the class of counters for tests
 *
 * Context: may sleep; hwpmc_machine is set. Return: 0 or -ENOMEM.
 */
int __init hwpmc_row_init(bool mock)
{
	unsigned int i, j;

	for (i = 0; i < hwpmc_machine->class_count; i++)
		hwpmc_class_add(hwpmc_machine->classes[i]);
	hwpmc_class_add(&hwpmc_soft_class);
	if (mock)
		hwpmc_class_add(&hwpmc_mock_class);
	hwpmc_class_add(&hwpmc_fire_class);

	hwpmc_rows = kcalloc(hwpmc_row_count, sizeof(*hwpmc_rows), GFP_KERNEL);
	if (!hwpmc_rows)
		goto fail;
	for (i = 0; i < hwpmc_row_count; i++) {
		INIT_LIST_HEAD(&hwpmc_rows[i].holders);
		if (!zalloc_cpumask_var(&hwpmc_rows[i].disabled, GFP_KERNEL) ||
		    !zalloc_cpumask_var(&hwpmc_rows[i].held, GFP_KERNEL))
			goto fail;
	}
	for (i = 0; i < HWPMC_MAX_CLASSES; i++)
		for (j = 0; j < HWPMC_EXTRAS; j++)
			INIT_LIST_HEAD(&hwpmc_row_extras[i][j]);
	return 0;
fail:
	hwpmc_row_exit();
	return -ENOMEM;
}

/* Called at module unload: no PMC exists. */
void hwpmc_row_exit(void)
{
	unsigned int i;

	for (i = 0; hwpmc_rows && i < hwpmc_row_count; i++) {
		free_cpumask_var(hwpmc_rows[i].disabled);
		free_cpumask_var(hwpmc_rows[i].held);
	}
	kfree(hwpmc_rows);
}
