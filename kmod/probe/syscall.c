// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: "NAME:entry" and "NAME:return". Two tracepoints of the kernel report all calls by
 * number; they are registered while a probe needs them. Called by provider.c in process context.
 */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "probe.h"

/* The entry and the return of a call. */
enum { HWPMC_SYSCALL_ENTRY, HWPMC_SYSCALL_RETURN, HWPMC_SYSCALL_ENDS };

/**
 * struct hwpmc_syscall - a probe of this provider
 * @place: the part of provider.c
 * @end: HWPMC_SYSCALL_ENTRY or HWPMC_SYSCALL_RETURN
 * @number: of the system call; NR_syscalls: all calls
 */
struct hwpmc_syscall {
	struct hwpmc_place place;
	int end;
	int number;
};

/* The probes of one end, by the number of the call; the last entry is the probe of all calls. */
struct hwpmc_syscall_probes {
	struct hwpmc_probe *of[NR_syscalls + 1];
};

static struct hwpmc_syscall_probes hwpmc_syscalls[HWPMC_SYSCALL_ENDS];

/* Number of probes of each end; the tracepoint of an end is registered while it is not 0. */
static unsigned int hwpmc_syscall_counts[HWPMC_SYSCALL_ENDS];

/* The kernel's own function copies all six arguments of a call. */
#define HWPMC_SYSCALL_ARGS	6

static void hwpmc_syscall_args(const struct hwpmc_fired *fired, u64 *to, unsigned int count)
{
	unsigned long args[HWPMC_SYSCALL_ARGS];
	unsigned int i;

	syscall_get_arguments(current, fired->regs, args);
	for (i = 0; i < count; i++)
		to[i] = i < HWPMC_SYSCALL_ARGS ? args[i] : 0;
}

static void hwpmc_syscall_fire(int end, struct hwpmc_fired *fired, long number)
{
	const struct hwpmc_syscall_probes *probes = &hwpmc_syscalls[end];
	struct hwpmc_probe *probe;

	/* A call of a 32-bit program has a number of another table. */
	if (number < 0 || number >= NR_syscalls || in_compat_syscall())
		return;
	number = array_index_nospec(number, NR_syscalls);
	probe = READ_ONCE(probes->of[number]);
	if (probe)
		hwpmc_fire(probe, fired);
	probe = READ_ONCE(probes->of[NR_syscalls]);
	if (probe)
		hwpmc_fire(probe, fired);
}

static HWPMC_PROBE_SYS_ENTER(hwpmc_syscall_enter, regs, number)
{
	struct hwpmc_fired fired = {
		.regs = regs, .get_args = hwpmc_syscall_args, .of_user = true,
	};

	hwpmc_syscall_fire(HWPMC_SYSCALL_ENTRY, &fired, number);
}

static HWPMC_PROBE_SYS_EXIT(hwpmc_syscall_exit, regs, result)
{
	struct hwpmc_fired fired = {
		.regs = regs, .get_args = hwpmc_syscall_args, .retval = result, .of_user = true,
		.flags = HWPMC_PROBE_RETURN |
			 (IS_ERR_VALUE(result) ? HWPMC_PROBE_ERROR : 0),
	};

	hwpmc_syscall_fire(HWPMC_SYSCALL_RETURN, &fired, syscall_get_nr(current, regs));
}

static const struct {
	const char *tracepoint;
	void *handler;
} hwpmc_syscall_ends[HWPMC_SYSCALL_ENDS] = {
	[HWPMC_SYSCALL_ENTRY] = { "sys_enter", hwpmc_syscall_enter },
	[HWPMC_SYSCALL_RETURN] = { "sys_exit", hwpmc_syscall_exit },
};

/* Register or unregister the tracepoint of @end. Returns 0 or a negative errno. */
static int hwpmc_syscall_hook(int end, bool on)
{
	struct tracepoint *tp = hwpmc_tracepoint_find(hwpmc_syscall_ends[end].tracepoint);

	if (!tp)
		return -ENOENT;
	if (on)
		return tracepoint_probe_register(tp, hwpmc_syscall_ends[end].handler, NULL);
	return tracepoint_probe_unregister(tp, hwpmc_syscall_ends[end].handler, NULL);
}

/* The number of a call by its name, NR_syscalls for "*", or -1. */
static int hwpmc_syscall_number(const char *name)
{
	unsigned int number;

	if (!strcmp(name, "*"))
		return NR_syscalls;
	for (number = 0; number < NR_syscalls; number++) {
		const char *other = hwpmc_syscall_names_get(number);

		if (other && !strcmp(other, name))
			return number;
	}
	return -1;
}

/* "NAME:entry" or "NAME:return". Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_syscall_parse(struct hwpmc_owner *owner, struct hwpmc_syscall *call, char *name)
{
	const char *call_name = strsep(&name, ":");

	if (!name || (strcmp(name, "entry") && strcmp(name, "return")))
		return hwpmc_fail(owner, -EINVAL,
				  "a system call is named as in syscall:openat:entry or syscall:openat:return");
	call->end = strcmp(name, "entry") ? HWPMC_SYSCALL_RETURN : HWPMC_SYSCALL_ENTRY;
	call->number = hwpmc_syscall_number(call_name);
	if (call->number >= 0)
		return 0;
	return hwpmc_fail(owner, -ENOENT, "there is no system call %.64s", call_name);
}

static int hwpmc_syscall_add(struct hwpmc_owner *owner, struct hwpmc_place *place, char *name)
{
	struct hwpmc_syscall *call = container_of(place, struct hwpmc_syscall, place);
	int err = hwpmc_syscall_parse(owner, call, name);

	if (err)
		return err;
	if (!hwpmc_syscall_counts[call->end])
		err = hwpmc_syscall_hook(call->end, true);
	if (err)
		return hwpmc_fail(owner, err == -ENOMEM ? err : -EOPNOTSUPP,
				  "cannot register the tracepoint %s (error %d); is CONFIG_HAVE_SYSCALL_TRACEPOINTS off?",
				  hwpmc_syscall_ends[call->end].tracepoint, -err);
	hwpmc_syscall_counts[call->end]++;
	/* Release: the handler finds the probe with all fields set. */
	smp_store_release(&hwpmc_syscalls[call->end].of[call->number], &place->probe);
	return 0;
}

static void hwpmc_syscall_remove(struct hwpmc_place *place)
{
	struct hwpmc_syscall *call = container_of(place, struct hwpmc_syscall, place);

	WRITE_ONCE(hwpmc_syscalls[call->end].of[call->number], NULL);
	if (!--hwpmc_syscall_counts[call->end])
		hwpmc_syscall_hook(call->end, false);
}

static void hwpmc_syscall_names(hwpmc_name_fn *fn, void *arg)
{
	unsigned int number;
	char name[64];

	for (number = 0; number < NR_syscalls; number++) {
		const char *call = hwpmc_syscall_names_get(number);

		if (!call)
			continue;
		snprintf(name, sizeof(name), "%s:entry", call);
		fn(arg, "syscall", name);
		snprintf(name, sizeof(name), "%s:return", call);
		fn(arg, "syscall", name);
	}
}

const struct hwpmc_provider hwpmc_syscall_provider = {
	.name	= "syscall",
	.size	= sizeof(struct hwpmc_syscall),
	.add	= hwpmc_syscall_add,
	.remove	= hwpmc_syscall_remove,
	.wait	= tracepoint_synchronize_unregister,
	.names	= hwpmc_syscall_names,
};
