// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: assigns hardware counters to PMCs. Called by call/ in process context, with
 * hwpmc_rows_lock held. row_busy.c and row_info.c report them.
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
#include <linux/slab.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/machine.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../hwpmc.h"
#include "context.h"
#include "fire.h"
#include "pmc.h"
#include "row.h"
#include "row_holders.h"

/* Only shareable rows need a limit: others have at most one holder per owner, or one per CPU. */
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

struct hwpmc_row *hwpmc_rows;

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

/**
 * hwpmc_row_disposition - what a row is used for
 * @row: the row
 *
 * Context: hwpmc_rows_lock held. Return: HWPMC_ROW_FREE, THREAD or STANDALONE; that of a
 * shareable row is that of its oldest holder.
 */
u32 hwpmc_row_disposition(const struct hwpmc_row *row)
{
	const struct hwpmc_pmc *pmc;

	if (!row->count)
		return HWPMC_ROW_FREE;
	pmc = list_first_entry(&row->holders, struct hwpmc_pmc, in_row);
	return hwpmc_mode_virtual(pmc->mode) ? HWPMC_ROW_THREAD : HWPMC_ROW_STANDALONE;
}

/* Whether a system-wide PMC holds a row of a class; @index: in hwpmc_classes. */
bool hwpmc_row_counts_cpu(unsigned int index)
{
	unsigned int first = hwpmc_class_first[index], i;

	lockdep_assert_held(&hwpmc_rows_lock);
	for (i = first; i < first + hwpmc_classes[index]->rows; i++)
		if (hwpmc_row_disposition(&hwpmc_rows[i]) == HWPMC_ROW_STANDALONE)
			return true;
	return false;
}

/**
 * hwpmc_row_conflicts - whether a holder of a row prevents a PMC from using it
 * @row: the row
 * @pmc: its owner, class, mode and cpu are set
 *
 * Context: hwpmc_rows_lock held.
 */
bool hwpmc_row_conflicts(const struct hwpmc_row *row, const struct hwpmc_pmc *pmc)
{
	u32 disposition = hwpmc_row_disposition(row);

	if (pmc->class->shareable || disposition == HWPMC_ROW_FREE)
		return false;
	if (hwpmc_mode_virtual(pmc->mode))
		return disposition != HWPMC_ROW_THREAD ||
		       test_bit(row - hwpmc_rows, pmc->owner->rows);
	return disposition != HWPMC_ROW_STANDALONE || cpumask_test_cpu(pmc->cpu, row->held);
}

/* The slot number for hwpmc_user_hold(): the row on one CPU, or for tasks. */
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
 * The usable row of @rows with the fewest holders, or -1. So PMCs of different owners that follow
 * the same task get different rows. @own: only a row that the user holds already.
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

/* A PMC that uses the extra register of @pmc with another value, or NULL. */
static const struct hwpmc_pmc *hwpmc_row_extra_conflict(const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other =
		list_first_entry_or_null(&hwpmc_row_extras[pmc->class_index][pmc->extra],
					 struct hwpmc_pmc, in_extra);

	return other && other->row_config.sel.extra != pmc->row_config.sel.extra ? other : NULL;
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
	const struct hwpmc_pmc *set = pmc->extra ? hwpmc_row_extra_conflict(pmc) : NULL;
	int row, other;

	lockdep_assert_held(&hwpmc_rows_lock);
	if (set)
		return hwpmc_row_busy_extra(pmc, set);
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

/* Called on each CPU concerned: stops the row, so that it can be programmed for another PMC. */
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
 * Called on each CPU concerned: a context that counts on the row now continues; the next
 * schedule-in programs the row again.
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
 * register, the shadows are marked stale in this case, too: a PMC on another row can now set the
 * register to another value, and the shadows of this row would not show that.
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
	else if (hwpmc_row_busy_admin(owner, row, args))
		return -EBUSY;
	if (args->state == HWPMC_ADMIN_DISABLED)
		cpumask_set_cpu(args->cpu, row->disabled);
	else
		cpumask_clear_cpu(args->cpu, row->disabled);
	return 0;
}

/**
 * hwpmc_row_evict_pmu - end all PMCs that need the PMU
 * @each_thread: as for hwpmc_evict_holders()
 *
 * Context: may sleep, hwpmc_rows_lock held.
 */
void hwpmc_row_evict_pmu(void (*each_thread)(void (*fn)(struct hwpmc_thread *th)))
{
	unsigned int i, j;

	for (i = 0; i < hwpmc_class_count; i++)
		for (j = 0; hwpmc_classes[i]->needs_pmu && j < hwpmc_classes[i]->rows; j++) {
			struct list_head *holders = &hwpmc_rows[hwpmc_class_first[i] + j].holders;
			struct hwpmc_pmc *pmc;

			while ((pmc = list_first_entry_or_null(holders, struct hwpmc_pmc, in_row)))
				hwpmc_evict_holders(holders, max(pmc->cpu, 0), each_thread);
		}
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
