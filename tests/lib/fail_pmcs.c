// SPDX-License-Identifier: GPL-2.0-only
/* PMCs of calls with failures injected; see fail_pmcs.h. */
#include "fail_call.h"
#include "fail_pmcs.h"

struct pmcs pmcs;
static int file;

void pmcs_init(int fd)
{
	file = fd;
}

void pmcs_start_target(void)
{
	pmcs.target = agent_start(NULL, NULL);
	for (int i = 0; i < 6; i++)
		if (agent_thread(&pmcs.target) < 0)
			die("threads");
}

int pmcs_allocate(int owner, struct hwpmc_allocate *a)
{
	int err;

	a->size = sizeof(*a);
	err = fail_ioctl(owner, HWPMC_IOC_ALLOCATE, a);
	if (!err)
		pmcs.ids[pmcs.count++] = a->id;
	return err;
}

bool pmcs_allocate_done(int err)
{
	bool ok = pmcs.count == !err;

	if (!err)
		ok &= !dev_release(file, pmcs.ids[--pmcs.count]);
	return ok && !pmcs.count;
}

bool pmcs_release_all(void)
{
	bool ok = !dev_ids(file, HWPMC_IOC_RELEASE, pmcs.ids, pmcs.count);

	pmcs.count = 0;
	return ok;
}

int pmcs_call(unsigned long cmd)
{
	struct hwpmc_ids a = {
		.size = sizeof(a), .count = pmcs.count, .ids = (uintptr_t)pmcs.ids,
	};

	return fail_ioctl(file, cmd, &a);
}

int pmcs_start(void)
{
	return pmcs_call(HWPMC_IOC_START);
}

bool pmcs_runs(uint32_t id)
{
	return dev_write(file, id, 0) == -EBUSY;
}

bool pmcs_start_done(int err)
{
	bool ok = true;

	for (unsigned int i = 0; i < pmcs.count; i++)
		ok &= pmcs_runs(pmcs.ids[i]) == !err &&
		      (dev_detach(file, pmcs.ids[i], 0, 0) == 0) == !err;
	return pmcs_release_all() && ok;
}

int pmcs_release(void)
{
	return pmcs_call(HWPMC_IOC_RELEASE);
}

bool pmcs_release_done(int err)
{
	bool ok = dev_stats(file).pmcs == fail_others + (err ? pmcs.count : 0);

	if (err)
		return pmcs_release_all() && ok;
	pmcs.count = 0;
	return ok;
}

int pmcs_attach(void)
{
	struct hwpmc_attach a = {
		.size = sizeof(a), .id = pmcs.ids[0], .pid = pmcs.target.pid,
	};

	return fail_ioctl(file, HWPMC_IOC_ATTACH, &a);
}

bool pmcs_attach_done(int err)
{
	bool ok = (dev_detach(file, pmcs.ids[0], pmcs.target.pid, 0) == 0) == !err;

	return pmcs_release_all() && ok;
}
