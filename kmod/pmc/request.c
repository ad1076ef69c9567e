// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of an ALLOCATE request against the machine and the caller's rights. Called by
 * call/allocate.c, and for periods by pmc.c, in process context with owner->lock held.
 */
#include <linux/cpumask.h>
#include <linux/string.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "fire.h"
#include "period.h"
#include "pmc.h"
#include "row.h"
#include "throttle.h"

#define HWPMC_FLAGS_SAMPLE	(HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN | HWPMC_F_FREQUENCY | \
				 HWPMC_F_COMM)
#define HWPMC_FLAGS_VIRTUAL	(HWPMC_FLAGS_LOG | HWPMC_F_DESCENDANTS | HWPMC_F_THREAD | \
				 HWPMC_F_ENABLE_ON_EXEC | HWPMC_F_DIRECT)
#define HWPMC_FLAGS		(HWPMC_FLAGS_VIRTUAL | HWPMC_FLAGS_SAMPLE | HWPMC_F_TRY)
#define HWPMC_CAPS		(2 * HWPMC_CAP_SYSWIDE - 1)

static int hwpmc_request_mode(struct hwpmc_owner *owner, struct hwpmc_allocate *args)
{
	bool virtual = hwpmc_mode_virtual(args->mode);
	u32 cpu = virtual ? -1 : args->cpu;

	if (args->mode < HWPMC_MODE_SS || args->mode > HWPMC_MODE_TC)
		return hwpmc_fail(owner, -EINVAL, "mode %u is none of SS, SC, TS and TC",
				  args->mode);
	if (virtual && args->cpu && args->cpu != -1)
		return hwpmc_fail(owner, -EINVAL, "a virtual PMC follows tasks: its cpu must be 0 or -1");
	if (!virtual && !hwpmc_cpu_exists(&cpu))
		return hwpmc_fail(owner, -EINVAL, "a system-wide PMC needs a cpu; there is no cpu %d",
				  args->cpu);
	args->cpu = cpu;
	if (!virtual && (args->flags & HWPMC_FLAGS_VIRTUAL))
		return hwpmc_fail(owner, -EINVAL,
				  "DESCENDANTS, THREAD, ENABLE_ON_EXEC, DIRECT and the process logs are for virtual PMCs only");
	if ((args->flags & HWPMC_F_THREAD) && (args->flags & HWPMC_F_DESCENDANTS))
		return hwpmc_fail(owner, -EINVAL, "THREAD and DESCENDANTS exclude each other");
	if ((args->flags & HWPMC_F_DIRECT) &&
	    (!(args->flags & HWPMC_F_THREAD) || hwpmc_mode_sampling(args->mode)))
		return hwpmc_fail(owner, -EINVAL, "DIRECT is for a PMC that counts a thread: mode TC, and THREAD");
	if (!hwpmc_mode_sampling(args->mode) && (args->flags & HWPMC_FLAGS_SAMPLE))
		return hwpmc_fail(owner, -EINVAL,
				  "call chains, frequencies and names of threads are for sampling modes only");
	return 0;
}

/**
 * hwpmc_request_count - check a period or a frequency
 * @owner: the caller; its lock is held
 * @class: of the PMC
 * @flags: with HWPMC_F_FREQUENCY, @count is a frequency
 * @count: the period in events, or the frequency in samples a second
 *
 * Return: 0, or what hwpmc_fail() returned.
 */
int hwpmc_request_count(struct hwpmc_owner *owner, const struct hwpmc_class *class, u32 flags,
			u64 count)
{
	if ((flags & HWPMC_F_FREQUENCY) && (!count || count > hwpmc_throttle_max_rate()))
		return hwpmc_fail(owner, -EINVAL,
				  "a frequency is from 1 to %u samples a second (parameter max_samples)",
				  hwpmc_throttle_max_rate());
	if (!(flags & HWPMC_F_FREQUENCY) && count < hwpmc_period_min() &&
	    class != &hwpmc_fire_class)
		return hwpmc_fail(owner, -EINVAL,
				  "a period of %llu is too small: the smallest is %llu (parameter mincount)",
				  count, hwpmc_period_min());
	if (!(flags & HWPMC_F_FREQUENCY) && count < class->period_min)
		return hwpmc_fail(owner, -EINVAL,
				  "a period of %llu is too small: the smallest of class %s is %llu",
				  count, class->name, class->period_min);
	if (count > S64_MAX)
		return hwpmc_fail(owner, -EINVAL, "a period of %llu is too large: the largest is %lld", count,
				  S64_MAX);
	return 0;
}

/* Fields that class PROBE does not use; its provider checks the name. */
static int hwpmc_request_probe(struct hwpmc_owner *owner, const struct hwpmc_allocate *args)
{
	if (!hwpmc_rights_perfmon())
		return hwpmc_fail(owner, -EPERM, "probes need CAP_PERFMON");
	if (!hwpmc_rights_probes())
		return hwpmc_fail(owner, -EPERM,
				  "probes are turned off: the module's parameter probes is 0");
	if (args->caps & ~hwpmc_fire_class.caps)
		return hwpmc_fail(owner, -EOPNOTSUPP, "a probe has no capability bits 0x%llx",
				  args->caps & ~hwpmc_fire_class.caps);
	if (args->event || args->config[0] || args->config[1] || args->user_stack)
		return hwpmc_fail(owner, -EINVAL,
				  "a probe has a name: event, config and user_stack must be 0");
	if (args->flags & HWPMC_F_FREQUENCY)
		return hwpmc_fail(owner, -EINVAL, "a probe samples by a period, not by a frequency");
	if (args->args > HWPMC_PROBE_ARGS_MAX)
		return hwpmc_fail(owner, -EINVAL, "a record has up to %u arguments",
				  HWPMC_PROBE_ARGS_MAX);
	if (args->string > HWPMC_PROBE_ARGS_MAX && args->string != HWPMC_PROBE_STRING_RETVAL)
		return hwpmc_fail(owner, -EINVAL,
				  "a record has the string of argument 1 to %u, or of what is returned (%u), and not %u",
				  HWPMC_PROBE_ARGS_MAX, HWPMC_PROBE_STRING_RETVAL, args->string);
	if (!hwpmc_mode_sampling(args->mode))
		return !args->args && !args->string ?
			       0 : hwpmc_fail(owner, -EINVAL,
					      "arguments and strings are for sampling modes only");
	if (args->flags & HWPMC_FLAGS_LOG)
		return hwpmc_fail(owner, -EINVAL,
				  "LOG_PROCCSW and LOG_PROCEXIT cannot be combined with sampling a probe");
	if (!hwpmc_rights_sample_kernel())
		return hwpmc_fail(owner, -EPERM,
				  "kernel lockdown (confidentiality) forbids samples of the kernel");
	return hwpmc_request_count(owner, &hwpmc_fire_class, args->flags, args->count);
}

/* Off-CPU time is sampled when the thread is scheduled in, and not by the functions of period.c. */
static int hwpmc_request_off_cpu(struct hwpmc_owner *owner, const struct hwpmc_allocate *args)
{
	if (args->flags & HWPMC_F_FREQUENCY)
		return hwpmc_fail(owner, -EINVAL,
				  "off-CPU time is sampled by a period, not by a frequency");
	if (args->flags & HWPMC_FLAGS_LOG)
		return hwpmc_fail(owner, -EINVAL,
				  "LOG_PROCCSW and LOG_PROCEXIT cannot be combined with sampling off-CPU time");
	return 0;
}

static int hwpmc_request_sampling(struct hwpmc_owner *owner, const struct hwpmc_class *class,
				  const struct hwpmc_allocate *args)
{
	if (args->user_stack > HWPMC_USER_STACK_MAX || args->user_stack % 8)
		return hwpmc_fail(owner, -EINVAL,
				  "user_stack is a multiple of 8 up to %u bytes", HWPMC_USER_STACK_MAX);
	if (!hwpmc_mode_sampling(args->mode))
		return !args->user_stack ? 0 : hwpmc_fail(owner, -EINVAL,
							  "a copy of the stack is for sampling modes only");
	if (!class->aim)
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "counters of class %s raise no interrupt, so they cannot sample", class->name);
	if (args->user_stack && !hwpmc_mode_virtual(args->mode) && !hwpmc_rights_perfmon())
		return hwpmc_fail(owner, -EPERM,
				  "copying user stacks system-wide (user_stack) needs CAP_PERFMON");
	if (class == &hwpmc_soft_class && args->event == HWPMC_SOFT_OFF_CPU) {
		int err = hwpmc_request_off_cpu(owner, args);

		if (err)
			return err;
	}
	return hwpmc_request_count(owner, class, args->flags, args->count);
}

/*
 * Whether the caller may count kernel mode, apart from lockdown. The place where the kernel was
 * interrupted is not public, even if the count is.
 */
static bool hwpmc_request_may_count_kernel(const struct hwpmc_class *class,
					   const struct hwpmc_allocate *args)
{
	return (class->public && !hwpmc_mode_sampling(args->mode)) || hwpmc_rights_perfmon() ||
	       (!hwpmc_mode_virtual(args->mode) && hwpmc_rights_count_system());
}

static int hwpmc_request_rights(struct hwpmc_owner *owner, const struct hwpmc_class *class,
				const struct hwpmc_allocate *args, u64 caps)
{
	if (!hwpmc_mode_virtual(args->mode) && !hwpmc_rights_count_system())
		return hwpmc_fail(owner, -EPERM,
				  "system-wide counting needs CAP_PERFMON, or the module's parameter unprivileged_syspmcs=1");
	/* Its records disclose the processes of all users, and user and kernel addresses. */
	if (args->mode == HWPMC_MODE_SS && !hwpmc_rights_perfmon())
		return hwpmc_fail(owner, -EPERM, "system-wide sampling needs CAP_PERFMON");
	if ((caps & HWPMC_CAP_SYSTEM) && !hwpmc_request_may_count_kernel(class, args))
		return hwpmc_fail(owner, -EPERM,
				  "counting in kernel mode needs CAP_PERFMON; count user mode only (:u)");
	if (hwpmc_mode_sampling(args->mode) && (caps & HWPMC_CAP_SYSTEM) &&
	    !hwpmc_rights_sample_kernel())
		return hwpmc_fail(owner, -EPERM,
				  "kernel lockdown (confidentiality) forbids samples of the kernel; sample user mode only (:u)");
	return 0;
}

static int hwpmc_request_encode(struct hwpmc_owner *owner, const struct hwpmc_class *class,
				const struct hwpmc_allocate *args, u64 caps,
				struct hwpmc_encoding *enc)
{
	struct hwpmc_request req = {
		.event = args->event,
		.config = { args->config[0], args->config[1] },
		.caps = caps,
	};
	int err;

	if (args->caps & ~HWPMC_CAPS)
		return hwpmc_fail(owner, -EOPNOTSUPP, "unknown capability bits 0x%llx",
				  args->caps & ~HWPMC_CAPS);
	err = class->encode(&req, args->cpu, enc);
	if (err)
		return hwpmc_fail(owner, err, "event 0x%llx: %s", args->event, enc->why);
	return 0;
}

/* Checks for PMCs of any class except PROBE. */
static int hwpmc_request_counter(struct hwpmc_owner *owner, const struct hwpmc_class *class,
				 const struct hwpmc_allocate *args, u64 caps,
				 struct hwpmc_encoding *enc)
{
	int err;

	if (args->name || args->name_length || args->args || args->file || args->filters ||
	    args->string || (args->flags & HWPMC_F_COMM))
		return hwpmc_fail(owner, -EINVAL,
				  "name, args, file, filters, string and the flag COMM are for class PROBE only");
	err = hwpmc_request_sampling(owner, class, args);
	if (!err)
		err = hwpmc_request_rights(owner, class, args, caps);
	if (!err)
		err = hwpmc_request_encode(owner, class, args, caps, enc);
	return err;
}

/* The requested capabilities, and those that the mode and the caller's rights imply. */
static u64 hwpmc_request_caps(const struct hwpmc_class *class, const struct hwpmc_allocate *args)
{
	const u64 both = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;
	bool samples = hwpmc_mode_sampling(args->mode);
	u64 caps = args->caps;

	if (class == &hwpmc_fire_class)
		caps |= both;
	if (!(caps & both))
		caps |= hwpmc_request_may_count_kernel(class, args) &&
			(!samples || hwpmc_rights_sample_kernel()) ? both : HWPMC_CAP_USER;
	if (samples)
		caps |= HWPMC_CAP_INTERRUPT;
	return caps;
}

static int hwpmc_request_no_class(struct hwpmc_owner *owner, u32 class_id, int err)
{
	const char *why;

	mutex_lock(&hwpmc_rows_lock);
	why = hwpmc_pmu_missing();
	mutex_unlock(&hwpmc_rows_lock);
	if (why)
		return hwpmc_fail(owner, err, "this machine has no counters of class %u: %s",
				  class_id, why);
	return hwpmc_fail(owner, err, "this machine has no counters of class %u; see pmctl info",
			  class_id);
}

/**
 * hwpmc_request_check - all checks of ALLOCATE that do not depend on other PMCs
 * @owner: the caller; its lock is held
 * @args: as copied in; @args->cpu is safe as an index afterwards, in speculation too
 * @caps: set to the PMC's HWPMC_CAP_*
 * @enc: set to the event's encoding; zeroed by the caller
 *
 * Return: index of the class, or what hwpmc_fail() returned.
 */
int hwpmc_request_check(struct hwpmc_owner *owner, struct hwpmc_allocate *args, u64 *caps,
			struct hwpmc_encoding *enc)
{
	int class, err;

	if (args->flags & ~HWPMC_FLAGS)
		return hwpmc_fail(owner, -EOPNOTSUPP, "unknown flags 0x%x",
				  args->flags & ~HWPMC_FLAGS);
	class = hwpmc_row_class(args->class_id);
	if (class < 0)
		return hwpmc_request_no_class(owner, args->class_id, class);
	*caps = hwpmc_request_caps(hwpmc_classes[class], args);
	err = hwpmc_request_mode(owner, args);
	if (!err && hwpmc_classes[class] == &hwpmc_fire_class)
		err = hwpmc_request_probe(owner, args);
	else if (!err)
		err = hwpmc_request_counter(owner, hwpmc_classes[class], args, *caps, enc);
	if (err)
		return err;
	if (args->cpu >= 0 && !cpu_online(args->cpu))
		return hwpmc_fail(owner, -ENXIO, "cpu %d is offline", args->cpu);
	return class;
}
