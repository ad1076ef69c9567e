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
 * @disabled: CPUs on which an administrator disabled the row
 *
 * Guarded by hwpmc_rows_lock.
 */
struct hwpmc_row {
	struct list_head holders;
	cpumask_var_t disabled;
};

static struct hwpmc_row *hwpmc_rows;

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

static u32 hwpmc_row_disposition(struct hwpmc_row *row)
{
	const struct hwpmc_pmc *pmc;

	pmc = list_first_entry_or_null(&row->holders, struct hwpmc_pmc, in_row);
	if (!pmc)
		return HWPMC_ROW_FREE;
	return hwpmc_mode_virtual(pmc->mode) ? HWPMC_ROW_THREAD : HWPMC_ROW_STANDALONE;
}

/* Whether @pmc cannot have a row that @other holds. */
static bool hwpmc_row_conflicts(const struct hwpmc_pmc *other, const struct hwpmc_pmc *pmc)
{
	if (pmc->class->shareable)
		return false;
	if (hwpmc_mode_virtual(other->mode) != hwpmc_mode_virtual(pmc->mode))
		return true;
	if (hwpmc_mode_virtual(pmc->mode))
		return other->owner == pmc->owner;
	return other->cpu == pmc->cpu;
}

/* The first holder of @row that keeps @pmc from it, or NULL. */
static const struct hwpmc_pmc *hwpmc_row_conflict(const struct hwpmc_row *row,
						  const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other;

	list_for_each_entry(other, &row->holders, in_row)
		if (hwpmc_row_conflicts(other, pmc))
			return other;
	return NULL;
}

/* Whether @row is disabled on @cpu, or, if that is -1, on any CPU. */
static bool hwpmc_row_disabled(const struct hwpmc_row *row, int cpu)
{
	return cpu < 0 ? !cpumask_empty(row->disabled) : cpumask_test_cpu(cpu, row->disabled);
}

static size_t hwpmc_row_holder_count(const struct hwpmc_row *row)
{
	const struct list_head *it;
	size_t n = 0;

	list_for_each(it, &row->holders)
		n++;
	return n;
}

/*
 * The usable row of @rows with the fewest holders, or -1: PMCs of different owners that follow
 * the same task then get different rows.
 */
static int hwpmc_row_best(const struct hwpmc_pmc *pmc, u64 rows)
{
	unsigned int first = hwpmc_class_first[pmc->class_index];
	size_t least = SIZE_MAX;
	int best = -1;

	for (; rows; rows &= rows - 1) {
		const struct hwpmc_row *row = &hwpmc_rows[first + __ffs64(rows)];
		size_t holders = hwpmc_row_holder_count(row);

		if (hwpmc_row_disabled(row, pmc->cpu) || hwpmc_row_conflict(row, pmc) ||
		    holders >= least)
			continue;
		least = holders;
		best = row - hwpmc_rows;
	}
	return best;
}

/* Who holds @pmc, if the caller may not know more about it; otherwise NULL. */
static const char *hwpmc_row_hidden(const struct hwpmc_pmc *pmc)
{
	return hwpmc_rights_hide(pmc->owner, hwpmc_rights_perfmon());
}

/* Write why @pmc cannot have any of @rows: "row 1 pid 812 (pmctl), row 2 disabled, ...". */
static void hwpmc_row_holders(const struct hwpmc_pmc *pmc, u64 rows, char *buf, size_t size)
{
	unsigned int first = hwpmc_class_first[pmc->class_index];
	size_t len = 0;

	for (buf[0] = '\0'; rows; rows &= rows - 1) {
		unsigned int n = first + __ffs64(rows);
		const struct hwpmc_pmc *other = hwpmc_row_conflict(&hwpmc_rows[n], pmc);
		const char *comma = len ? ", " : "";
		const char *hidden = other ? hwpmc_row_hidden(other) : "disabled";

		if (hidden)
			len += scnprintf(buf + len, size - len, "%srow %u %s", comma, n, hidden);
		else
			len += scnprintf(buf + len, size - len, "%srow %u pid %d (%s)", comma, n,
					 pid_vnr(other->owner->pid), other->owner->comm);
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
	const struct hwpmc_pmc *other;
	struct hwpmc_row *rows = hwpmc_rows + hwpmc_class_first[pmc->class_index];
	unsigned int i;

	for (i = 0; i < pmc->class->rows; i++)
		list_for_each_entry(other, &rows[i].holders, in_row)
			if (other->extra == pmc->extra &&
			    other->row_config.sel.extra != pmc->row_config.sel.extra)
				return other;
	return NULL;
}

/* Check that @pmc can have the extra register that its event needs. 0, or -EBUSY. */
static int hwpmc_row_extra(const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other = pmc->extra ? hwpmc_row_extra_conflict(pmc) : NULL;
	const char *hidden;

	if (!other)
		return 0;
	hidden = hwpmc_row_hidden(other);
	if (hidden)
		return hwpmc_fail(pmc->owner, -EBUSY,
				  "event 0x%llx needs an extra register that %s has set to another value; try again when that PMC is released",
				  pmc->event, hidden);
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "event 0x%llx needs an extra register that pid %d (%s) has set to 0x%llx; release that PMC or use its value",
			  pmc->event, pid_vnr(other->owner->pid), other->owner->comm,
			  other->row_config.sel.extra);
}

/* Number of holders of @row that @pmc's user has: virtual ones, or those of the same CPU. */
static unsigned int hwpmc_row_shared(const struct hwpmc_row *row, const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other;
	unsigned int n = 0;

	list_for_each_entry(other, &row->holders, in_row)
		n += other->cpu == pmc->cpu && uid_eq(other->owner->uid, pmc->owner->uid);
	return n;
}

/* Check max_shared for @pmc, whose row is chosen. 0, or -EBUSY. */
static int hwpmc_row_limit(const struct hwpmc_pmc *pmc)
{
	unsigned int limit = READ_ONCE(max_shared.value);

	if (!pmc->class->shareable || hwpmc_row_shared(&hwpmc_rows[pmc->row], pmc) < limit)
		return 0;
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "a user may hold %u PMCs on row %u, and holds them already; release some (parameter max_shared)",
			  limit, pmc->row);
}

/**
 * hwpmc_row_claim - choose a row for a new PMC and add the PMC to its holders
 * @pmc: its owner, class, mode, cpu, event, extra and row_config are set
 * @enc: the rows that can count the event
 * @try: only choose the row
 *
 * The row with the fewest holders is chosen; of equal ones, a row of @enc->prefer.
 *
 * Context: process, hwpmc_rows_lock held. Return: 0 with @pmc->row and class_row set, or -EBUSY
 * after hwpmc_fail().
 */
int hwpmc_row_claim(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try)
{
	int row, other;

	lockdep_assert_held(&hwpmc_rows_lock);
	if (hwpmc_row_extra(pmc))
		return -EBUSY;
	row = hwpmc_row_best(pmc, enc->prefer);
	other = hwpmc_row_best(pmc, enc->rows & ~enc->prefer);
	if (row < 0 || (other >= 0 && hwpmc_row_holder_count(&hwpmc_rows[other]) <
				      hwpmc_row_holder_count(&hwpmc_rows[row])))
		row = other;
	if (row < 0)
		return hwpmc_row_busy(pmc, enc->rows);
	pmc->row = row;
	pmc->class_row = row - hwpmc_class_first[pmc->class_index];
	if (hwpmc_row_limit(pmc))
		return -EBUSY;
	if (!try)
		list_add_tail(&pmc->in_row, &hwpmc_rows[row].holders);
	return 0;
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
	list_del(&pmc->in_row);
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
		hidden = hwpmc_row_hidden(pmc);
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
 *
 * Context: process, hwpmc_rows_lock held. Return: 0; -EINVAL for an unknown row or state, -EBUSY
 * if a PMC holds the row on that CPU, both after hwpmc_fail().
 */
int hwpmc_row_admin(struct hwpmc_owner *owner, const struct hwpmc_admin *args)
{
	struct hwpmc_row *row;

	if (args->row >= hwpmc_row_count)
		return hwpmc_fail(owner, -EINVAL, "there is no row %u; rows are below %u",
				  args->row, hwpmc_row_count);
	if (args->state > HWPMC_ADMIN_DISABLED)
		return hwpmc_fail(owner, -EINVAL, "a row can be made FREE (0) or DISABLED (1)");
	row = &hwpmc_rows[array_index_nospec(args->row, hwpmc_row_count)];
	if (hwpmc_row_admin_busy(owner, row, args))
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

	list_for_each_entry(pmc, &row->holders, in_row) {
		if (pmc->cpu >= 0 && pmc->cpu != cpu)
			continue;
		(*holders)++;
		if (!shown || (hwpmc_row_hidden(shown) && !hwpmc_row_hidden(pmc)))
			shown = pmc;
	}
	return shown;
}

/**
 * hwpmc_row_info - describe a row on one CPU, as HWPMC_IOC_PMC_INFO returns it
 * @cpu: a CPU that exists
 * @n: number of the row, below hwpmc_row_count
 * @info: set; @pid is -1 if the row has no holder, 0 or -2 if the caller may not see the holder
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
	info->pid = -1;
	pmc = hwpmc_row_reported(row, cpu, &info->holders);
	if (!pmc)
		return;
	info->pid = pid_vnr(pmc->owner->pid) ? -2 : 0;
	if (hwpmc_row_hidden(pmc))
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
	unsigned int i;

	for (i = 0; i < hwpmc_machine->class_count; i++)
		hwpmc_class_add(hwpmc_machine->classes[i]);
	hwpmc_class_add(&hwpmc_soft_class);
	if (mock)
		hwpmc_class_add(&hwpmc_mock_class);

	hwpmc_rows = kcalloc(hwpmc_row_count, sizeof(*hwpmc_rows), GFP_KERNEL);
	if (!hwpmc_rows)
		goto fail;
	for (i = 0; i < hwpmc_row_count; i++) {
		INIT_LIST_HEAD(&hwpmc_rows[i].holders);
		if (!zalloc_cpumask_var(&hwpmc_rows[i].disabled, GFP_KERNEL))
			goto fail;
	}
	return 0;
fail:
	hwpmc_row_exit();
	return -ENOMEM;
}

/* Called at module unload: no PMC exists. */
void hwpmc_row_exit(void)
{
	unsigned int i;

	for (i = 0; hwpmc_rows && i < hwpmc_row_count; i++)
		free_cpumask_var(hwpmc_rows[i].disabled);
	kfree(hwpmc_rows);
}
