// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims the resources of a PMC: a row, the PMU, and the probes and notifiers of the kernel. Called
 * by ALLOCATE and RELEASE, in process context with owner->lock held; may sleep.
 */
#include <linux/mutex.h>

#include "../base/owner.h"
#include "../pmc/direct.h"
#include "../pmc/pmc.h"
#include "../pmc/row.h"
#include "../task/process.h"
#include "../task/target.h"
#include "../task/task.h"
#include "call.h"

/* Whether @pmc needs the probes of process life: to follow tasks, or to log processes. */
static bool hwpmc_claim_needs_probes(const struct hwpmc_pmc *pmc)
{
	return hwpmc_mode_virtual(pmc->mode) || pmc->sampled;
}

static int hwpmc_claim_probes(struct hwpmc_pmc *pmc)
{
	int err = 0;

	if (pmc->sampled)
		err = hwpmc_maps_get();
	if (err == -ENOMEM)
		return hwpmc_fail(pmc->owner, err, "out of memory; try again");
	if (err)
		return hwpmc_fail(pmc->owner, err, "cannot trace mappings; is CONFIG_UPROBES off?");
	if (hwpmc_claim_needs_probes(pmc))
		err = hwpmc_probes_get();
	if (!err)
		return 0;
	if (pmc->sampled)
		hwpmc_maps_put();
	return hwpmc_fail(pmc->owner, err, "cannot register probes of the scheduler's tracepoints");
}

static void hwpmc_claim_release_probes(struct hwpmc_pmc *pmc)
{
	if (hwpmc_claim_needs_probes(pmc))
		hwpmc_probes_put();
	if (pmc->sampled)
		hwpmc_maps_put();
}

/*
 * Claims the row and the PMU; a PMC of a probe needs neither. With @try it only checks whether they
 * are free.
 */
static int hwpmc_claim_row(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try)
{
	int err;

	lockdep_assert_held(&hwpmc_rows_lock);
	if (pmc->probe)
		return 0;
	err = hwpmc_direct_refuse(pmc);
	if (err)
		return err;
	err = hwpmc_row_claim(pmc, enc, try);
	if (err)
		return err;
	err = hwpmc_pmu_get(pmc->owner, pmc->class, try);
	if (try && !err)
		hwpmc_pmu_put(pmc->class);
	else if (!try && err)
		hwpmc_row_release(pmc);
	return err;
}

static void hwpmc_claim_release_row(struct hwpmc_pmc *pmc)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	if (pmc->probe)
		return;
	hwpmc_row_release(pmc);
	hwpmc_pmu_put(pmc->class);
}

static int hwpmc_claim_counter(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc)
{
	int err = hwpmc_claim_row(pmc, enc, false);

	if (err)
		return err;
	if (!hwpmc_mode_virtual(pmc->mode))
		err = hwpmc_pmc_link_cpu(pmc);
	if (err) {
		hwpmc_claim_release_row(pmc);
		return err;
	}
	if (pmc->sampled && !hwpmc_mode_virtual(pmc->mode))
		hwpmc_owner_count_sampler(pmc->owner, 1);
	if (pmc->sampled && (pmc->caps & HWPMC_CAP_SYSTEM))
		WRITE_ONCE(pmc->owner->kernel_samplers, pmc->owner->kernel_samplers + 1);
	return 0;
}

/**
 * hwpmc_claim_all - claim row, PMU and probes for a PMC
 * @pmc: a new PMC
 * @enc: the encoding of its event
 * @try: check only whether row and PMU are free; claim nothing
 *
 * Takes hwpmc_rows_lock. Context: may sleep; owner->lock held. Return: 0, or an error of
 * HWPMC_IOC_ALLOCATE; then nothing is claimed.
 */
int hwpmc_claim_all(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try)
{
	int err;

	/* Not under hwpmc_rows_lock, which every ALLOCATE takes: the registration takes long. */
	err = try ? 0 : hwpmc_claim_probes(pmc);
	if (err)
		return err;
	mutex_lock(&hwpmc_rows_lock);
	err = try ? hwpmc_claim_row(pmc, enc, true) : hwpmc_claim_counter(pmc, enc);
	mutex_unlock(&hwpmc_rows_lock);
	if (err && !try)
		hwpmc_claim_release_probes(pmc);
	return err;
}

/**
 * hwpmc_claim_release - release the resources of a PMC, in the reverse order
 * @pmc: stopped
 *
 * Detaches its targets, or unlinks it from its CPU, first. Takes hwpmc_rows_lock. Context:
 * may sleep; owner->lock held.
 */
void hwpmc_claim_release(struct hwpmc_pmc *pmc)
{
	if (hwpmc_mode_virtual(pmc->mode)) {
		hwpmc_hangup_set_attached(pmc, false);
		hwpmc_target_detach_all(pmc);
	} else {
		hwpmc_pmc_unlink_cpu(pmc);
	}
	if (pmc->sampled && !hwpmc_mode_virtual(pmc->mode)) {
		hwpmc_owner_count_sampler(pmc->owner, -1);
		/*
		 * The file may now be hung up, if this was its last sampler of a whole CPU. The
		 * barrier pairs with that of queue_work(): if the last target ends at the same
		 * time, either this code sees its end, or the work item that its end queues sees
		 * that the sampler is gone.
		 */
		smp_mb();
		if (hwpmc_owner_hung_up(pmc->owner))
			hwpmc_owner_notify(pmc->owner);
	}
	if (pmc->sampled && (pmc->caps & HWPMC_CAP_SYSTEM))
		WRITE_ONCE(pmc->owner->kernel_samplers, pmc->owner->kernel_samplers - 1);
	hwpmc_claim_release_probes(pmc);
	mutex_lock(&hwpmc_rows_lock);
	if (pmc->evicted)
		WRITE_ONCE(pmc->owner->evicted, pmc->owner->evicted - 1);
	else
		hwpmc_claim_release_row(pmc);
	mutex_unlock(&hwpmc_rows_lock);
}
