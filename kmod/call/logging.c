// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls for rings and logs: RING, LOG_OPEN, LOG_FLUSH, LOG_CLOSE, LOG_WRITE. Called by
 * kmod/ioctl.c, in process context with owner->lock held; may sleep.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "../hwpmc.h"
#include "../log/log.h"
#include "../pmc/link.h"
#include "../pmc/pmc.h"
#include "../pmc/sampler.h"
#include "call.h"

/*
 * Writes ALLOCATE and ATTACH records of the PMCs that exist, into new rings or a new log.
 * Later PMCs are recorded when they are allocated and attached; the earlier records of
 * these went into another log.
 */
static void hwpmc_logging_pmcs(struct hwpmc_owner *owner)
{
	const struct hwpmc_target *target;
	unsigned int i;

	lockdep_assert_held(&owner->lock);
	for (i = 0; i < owner->room; i++) {
		const struct hwpmc_pmc *pmc = owner->pmcs[i];

		if (!pmc)
			continue;
		hwpmc_emit_allocate(pmc);
		/* Only calls of the owner change this list. */
		list_for_each_entry(target, &pmc->targets, node)
			hwpmc_emit_attach(pmc, target->pid, target->single, HWPMC_LOG_ATTACH);
	}
}

int hwpmc_logging_ring_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_ring *ring = &args->ring, answer = *ring;
	int err;

	if (ring->reserved)
		return hwpmc_fail_reserved(owner);
	hwpmc_buffer_sizes(&answer.data_size, &answer.watermark);
	answer.rings = nr_cpu_ids;
	answer.header_offset = PAGE_SIZE;
	answer.data_offset = 2 * PAGE_SIZE;
	answer.stride = hwpmc_buffer_stride(answer.data_size);
	/*
	 * Copied out before the rings are created: if this failed afterwards, the caller
	 * would have rings without their layout, and no call frees rings.
	 */
	if (copy_to_user(owner->args, &answer, min_t(u32, ring->size, sizeof(answer))))
		return hwpmc_fail_copy(owner);
	/* On failure the caller's structure is copied back unchanged. */
	err = hwpmc_buffer_create(owner, answer.data_size, answer.watermark,
				  HWPMC_READER_NONE);
	if (!err)
		hwpmc_logging_pmcs(owner);
	return err;
}

static int hwpmc_logging_check(struct hwpmc_owner *owner, const struct hwpmc_log *log, bool opens)
{
	if (log->reserved || (!opens && log->fd))
		return hwpmc_fail_reserved(owner);
	return 0;
}

int hwpmc_logging_open_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err = hwpmc_logging_check(owner, &args->log, true);

	if (!err)
		err = hwpmc_writer_open(owner, args->log.fd);
	if (!err)
		hwpmc_logging_pmcs(owner);
	return err;
}

int hwpmc_logging_flush_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err = hwpmc_logging_check(owner, &args->log, false);

	if (err)
		return err;
	if (!owner->rings)
		return hwpmc_fail(owner, -EINVAL, "nothing to flush: this open file has neither rings nor a log");
	hwpmc_sampler_flush(owner);
	return owner->writer ? hwpmc_writer_flush(owner) : 0;
}

static void hwpmc_logging_stop_pmcs(struct hwpmc_owner *owner)
{
	unsigned int i;
	u32 failed;

	for (i = 0; i < owner->room; i++) {
		struct hwpmc_pmc *pmc = owner->pmcs[i];

		if (pmc && pmc->state == HWPMC_RUNNING && hwpmc_pmc_records(pmc))
			hwpmc_run_stop(&pmc, 1, &failed);
	}
}

int hwpmc_logging_close_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err = hwpmc_logging_check(owner, &args->log, false);

	if (err)
		return err;
	if (!owner->writer)
		return hwpmc_fail(owner, -EINVAL, "no log is open");
	hwpmc_logging_stop_pmcs(owner);
	return hwpmc_writer_close(owner, hwpmc_sampler_flush);
}

#define HWPMC_TEXT_MAX	4096U

static int hwpmc_logging_write_failed(struct hwpmc_owner *owner, int err)
{
	switch (err) {
	case -EMSGSIZE:
		return hwpmc_fail(owner, -EINVAL,
				  "the text does not fit into a ring of %llu bytes: write a shorter one",
				  owner->rings->size);
	case -ENOSPC:
		return hwpmc_fail(owner, err, "the ring is full: read it");
	default:
		return hwpmc_fail(owner, err, "out of memory; try again");
	}
}

int hwpmc_logging_write_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	const struct hwpmc_log_write *write = &args->log_write;
	void *text = NULL;
	int err;

	if (!owner->rings)
		return hwpmc_fail(owner, -EINVAL, "there are no rings to write to; create them with HWPMC_IOC_RING");
	if (write->length > HWPMC_TEXT_MAX)
		return hwpmc_fail(owner, -EINVAL, "a text is at most %u bytes", HWPMC_TEXT_MAX);
	if (write->length) {
		text = memdup_user(u64_to_user_ptr(write->text), write->length);
		if (IS_ERR(text))
			return PTR_ERR(text) == -ENOMEM ?
			       hwpmc_fail(owner, -ENOMEM, "out of memory; try again") :
			       hwpmc_fail_copy(owner);
	}
	err = hwpmc_record_user(owner, write->cookie, text, write->length);
	kfree(text);
	return err ? hwpmc_logging_write_failed(owner, err) : 0;
}
