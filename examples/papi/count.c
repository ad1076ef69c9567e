// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of an event set: start, stop, read, set to a value. Called by PAPI through the vector, in
 * the thread that owns the set, and reading also in signal handlers of that thread.
 *
 * A PMC that runs cannot be set, so PAPI's zero is a value that is subtracted.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "component.h"

static int read_all(struct hwpmc_control *set, uint64_t *values)
{
	struct hwpmc_group_read args = {
		.size = sizeof(args),
		.group = set->group,
		.values = (uintptr_t)values,
	};

	return hwpmc_device_call(set->fd, HWPMC_IOC_GROUP_READ, &args);
}

/* Threads are attached only while the set runs: another set may use the same counters before. */
int hwpmc_count_start(hwd_context_t *context, hwd_control_state_t *control)
{
	struct hwpmc_control *set = control;
	int result;

	(void)context;
	if (set->fd < 0)
		return PAPI_EINVAL;
	result = read_all(set, set->base);
	if (result == PAPI_OK && !set->options.attached) {
		set->options.tid = (pid_t)syscall(SYS_gettid);
		result = hwpmc_device_attach(set, HWPMC_IOC_ATTACH);
	}
	if (result != PAPI_OK)
		return result;
	result = hwpmc_device_ids(set, HWPMC_IOC_START);
	set->running = result == PAPI_OK;
	if (!set->running && !set->options.attached)
		hwpmc_device_attach(set, HWPMC_IOC_DETACH);
	return result;
}

int hwpmc_count_stop(hwd_context_t *context, hwd_control_state_t *control)
{
	struct hwpmc_control *set = control;
	int result;

	(void)context;
	/* A child that shares the device does not stop its parent. */
	if (!set->running || set->opener != getpid())
		return PAPI_OK;
	result = hwpmc_device_ids(set, HWPMC_IOC_STOP);
	set->running = false;
	hwpmc_overflow_rest(set);
	if (!set->options.attached)
		hwpmc_device_attach(set, HWPMC_IOC_DETACH);
	return result;
}

int hwpmc_count_read(hwd_context_t *context, hwd_control_state_t *control, long long **values,
		     int flags)
{
	struct hwpmc_control *set = control;
	uint64_t now[EVENTS_MAX];
	int result;

	(void)context;
	(void)flags;
	result = read_all(set, now);
	for (unsigned int i = 0; result == PAPI_OK && i < set->count; i++)
		set->values[i] = (long long)(now[i] - set->base[i]);
	*values = set->values;
	return result;
}

int hwpmc_count_reset(hwd_context_t *context, hwd_control_state_t *control)
{
	struct hwpmc_control *set = control;

	(void)context;
	return read_all(set, set->base);
}

int hwpmc_count_write(hwd_context_t *context, hwd_control_state_t *control, long long *values)
{
	struct hwpmc_control *set = control;
	int result = hwpmc_count_reset(context, control);

	for (unsigned int i = 0; result == PAPI_OK && i < set->count; i++)
		set->base[i] -= (uint64_t)values[i];
	return result;
}
