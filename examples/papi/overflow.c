// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflows: an event with a threshold samples, each sample is a record in a ring, and the module
 * signals the thread that there are records. The signal's handler passes each record on to PAPI,
 * which calls the program's handler or adds to a profile.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "component.h"
#include "extras.h"
#include "threads.h"

/* Bytes of each CPU's ring: room for hundreds of samples until the signal is delivered. */
#define RING_SIZE	16384

static int make_rings(struct hwpmc_control *set)
{
	/* Every record wakes the reader. */
	struct hwpmc_ring made = { .size = sizeof(made), .data_size = RING_SIZE, .watermark = 8 };
	int result = hwpmc_device_call(set->fd, HWPMC_IOC_RING, &made);

	if (result != PAPI_OK)
		return result;
	set->rings = calloc(made.rings, sizeof(*set->rings));
	if (!set->rings)
		return PAPI_ENOMEM;
	set->ring_count = made.rings;
	for (unsigned int cpu = 0; cpu < made.rings; cpu++)
		/* EINVAL: there is no such CPU. */
		if (hwpmc_ring_map(&set->rings[cpu], set->fd, &made, cpu) && errno != EINVAL)
			return PAPI_ESYS;
	return PAPI_OK;
}

/* The signal has the number that PAPI installed a handler for, and is for this thread only. */
static int make_signal(const struct hwpmc_control *set)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };

	if (fcntl(set->fd, F_SETOWN_EX, &owner) ||
	    fcntl(set->fd, F_SETSIG, _hwpmc_vector.cmp_info.hardware_intr_sig) ||
	    fcntl(set->fd, F_SETFL, O_ASYNC))
		return PAPI_ESYS;
	return PAPI_OK;
}

/* Makes the rings and the signal, if an event of the set has a period. */
int hwpmc_overflow_map(struct hwpmc_control *set)
{
	int result;

	for (unsigned int i = 0; i < set->count; i++) {
		if (!set->events[i].period)
			continue;
		result = make_rings(set);
		return result == PAPI_OK ? make_signal(set) : result;
	}
	return PAPI_OK;
}

void hwpmc_overflow_unmap(struct hwpmc_control *set)
{
	/* A child does not inherit the mappings: other memory may be there. */
	for (unsigned int i = 0; i < set->ring_count && set->opener == getpid(); i++)
		hwpmc_ring_unmap(&set->rings[i]);
	free(set->rings);
	set->rings = NULL;
	set->ring_count = 0;
}

static int install_handler(struct hwpmc_control *set, bool wanted)
{
	int number = _hwpmc_vector.cmp_info.hardware_intr_sig, result = PAPI_OK;

	if (wanted && !set->handled)
		result = _papi_hwi_start_signal(number, 1, _hwpmc_vector.cmp_info.CmpIdx);
	else if (!wanted && set->handled)
		result = _papi_hwi_stop_signal(number);
	if (result == PAPI_OK)
		set->handled = wanted;
	return result;
}

/**
 * hwpmc_overflow_set() - set the period after which an event of a set overflows
 * @info: the set, which does not run
 * @index: PAPI's number of the event
 * @threshold: number of events; 0: the event no longer overflows, and is only counted
 *
 * Return: PAPI_OK, or an error, and the set is what it was before: PAPI_EINVAL if @threshold is
 * less than the module's parameter mincount.
 */
int hwpmc_overflow_set(EventSetInfo_t *info, int index, int threshold)
{
	int place = info->EventInfoArray[index].pos[0], result;
	struct hwpmc_control *set = info->ctl_state;
	uint64_t before;
	bool any = false;

	if (place < 0 || (unsigned int)place >= set->count)
		return PAPI_EINVAL;
	if (!threshold && !set->events[place].period)
		return PAPI_EINVAL;
	/* After the close no signal is sent. None is pending: signals go to this thread. */
	hwpmc_device_close(set);
	before = set->events[place].period;
	set->events[place].period = (uint64_t)threshold;
	for (unsigned int i = 0; i < set->count; i++)
		any |= set->events[i].period;
	result = install_handler(set, any);
	if (result == PAPI_OK)
		result = hwpmc_device_open(set);
	if (result != PAPI_OK) {
		set->events[place].period = before;
		hwpmc_device_open(set);
	}
	return result;
}

int hwpmc_overflow_profile(EventSetInfo_t *info, int index, int threshold)
{
	const int not_here = PAPI_PROFIL_DATA_EAR | PAPI_PROFIL_INST_EAR | PAPI_PROFIL_RANDOM;

	if (info->profile.flags & not_here)
		return PAPI_ENOSUPP;
	if (!threshold) {
		info->state &= ~PAPI_OVERFLOWING;
		info->overflow.flags &= ~PAPI_OVERFLOW_HARDWARE;
	}
	return hwpmc_overflow_set(info, index, threshold);
}

/* Has nothing to do: hwpmc_overflow_rest() has passed on the remaining samples. */
int hwpmc_overflow_end_profile(ThreadInfo_t *thread, EventSetInfo_t *info)
{
	(void)thread;
	(void)info;
	return PAPI_OK;
}

/* Add an overflow of event number @place to a profile: PAPI has a list of events with profiles. */
static void profile(EventSetInfo_t *info, int place, vptr_t address)
{
	for (int i = 0; i < info->profile.event_counter; i++)
		if (info->EventInfoArray[info->profile.EventIndex[i]].pos[0] == place)
			_papi_hwi_dispatch_profile(info, address, 0, i);
}

static void pass(EventSetInfo_t *info, const struct hwpmc_log_header *record, ThreadInfo_t *thread,
		 _papi_hwi_context_t *context)
{
	const struct hwpmc_log_sample *sample = (const struct hwpmc_log_sample *)record;
	const struct hwpmc_control *set = info->ctl_state;
	int cidx = _hwpmc_vector.cmp_info.CmpIdx;
	vptr_t address;

	if (record->type != HWPMC_LOG_SAMPLE)
		return;
	address = (vptr_t)(uintptr_t)sample->pc;
	for (unsigned int i = 0; i < set->count; i++) {
		if (set->ids[i] != record->id)
			continue;
		if (info->state & PAPI_PROFILING)
			profile(info, (int)i, address);
		else
			_papi_hwi_dispatch_overflow_signal(context, address, NULL, 1LL << i, 0,
							   &thread, cidx);
	}
}

/* The signal is blocked. The program's handler may stop the set, but not remove it. */
static void pass_all(EventSetInfo_t *info, ThreadInfo_t *thread, _papi_hwi_context_t *context)
{
	const struct hwpmc_control *set = info->ctl_state;
	const struct hwpmc_log_header *record;

	for (unsigned int i = 0; i < set->ring_count; i++) {
		struct hwpmc_ring_reader *ring = &set->rings[i];

		if (!ring->data)
			continue;
		hwpmc_ring_begin(ring);
		while ((record = hwpmc_ring_next(ring)))
			pass(info, record, thread, context);
		hwpmc_ring_end(ring);
	}
}

/* Pass on the samples for which no signal came before the set was stopped. */
void hwpmc_overflow_rest(struct hwpmc_control *set)
{
	ThreadInfo_t *thread = _papi_hwi_lookup_thread(0);
	EventSetInfo_t *running = thread ? thread->running_eventset[_hwpmc_vector.cmp_info.CmpIdx] :
		NULL;
	_papi_hwi_context_t context = { 0 };
	sigset_t signals, before;
	ucontext_t here;

	if (!set->rings || !running || running->ctl_state != set)
		return;
	sigemptyset(&signals);
	sigaddset(&signals, _hwpmc_vector.cmp_info.hardware_intr_sig);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	getcontext(&here);
	context.ucontext = &here;
	pass_all(running, thread, &context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/**
 * hwpmc_overflow_signal() - handler of the overflow signal, and of PAPI's timer
 * @number: of the signal
 * @info: which file
 * @ucontext: where the thread was interrupted
 *
 * The timer is for overflows that PAPI emulates (PAPI_OVERFLOW_FORCE_SW).
 */
void hwpmc_overflow_signal(int number, hwd_siginfo_t *info, void *ucontext)
{
	int cidx = _hwpmc_vector.cmp_info.CmpIdx, error = errno;
	_papi_hwi_context_t context = { .si = info, .ucontext = ucontext };
	ThreadInfo_t *thread = _papi_hwi_lookup_thread(0);
	EventSetInfo_t *running = thread ? thread->running_eventset[cidx] : NULL;

	(void)number;
	/* The signal may be late: then the set has been stopped. */
	if (running && running->overflow.flags & PAPI_OVERFLOW_HARDWARE)
		pass_all(running, thread, &context);
	else if (running && running->overflow.flags)
		_papi_hwi_dispatch_overflow_signal(&context, GET_OVERFLOW_ADDRESS(context), NULL, 0,
						   0, &thread, cidx);
	errno = error;
}
