// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints of the kernel: "NAME" for one of the kernel itself, "SYSTEM:NAME" also for one of a
 * module that has an entry below events/ of tracefs. Called by provider.c in process context.
 *
 * Each tracepoint calls its probes with arguments of its own, and this file has one handler for all
 * tracepoints. In the calling conventions of arm64 and x86 a function may be called with more or
 * fewer arguments than it declares, and each integer, pointer or bool takes a register or eight
 * bytes of the stack. Arguments that a tracepoint does not have may be beyond the end of the stack,
 * for example of an interrupt stack. On a kernel that checks the type of a function before it calls
 * the function (CFI), one handler for all is not possible.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include <hwpmc_arch_inline.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../pmc/fire_plain.h"
#include "probe.h"

/**
 * struct hwpmc_point - a probe of this provider
 * @place: the part of provider.c
 * @tp: the tracepoint
 * @file: the file that keeps the tracepoint's module loaded, or NULL
 */
struct hwpmc_point {
	struct hwpmc_place place;
	struct tracepoint *tp;
	struct trace_event_file *file;
};

#ifdef __CHECKER__
/* sparse does not support this builtin. */
#define __builtin_dwarf_cfa()	__builtin_frame_address(0)
#endif

/*
 * The number of a tracepoint's arguments in registers: the handler's first argument is the probe.
 */
#define HWPMC_POINT_REGS	(HWPMC_ARCH_CALL_REGS - 1)

/**
 * struct hwpmc_point_fired - an event of a tracepoint, and its arguments
 * @fired: the event
 * @regs: arguments in registers
 * @stack: address of the other arguments, if there are any
 */
struct hwpmc_point_fired {
	struct hwpmc_fired fired;
	u64 regs[HWPMC_POINT_REGS];
	const u64 *stack;
};

/* An argument that cannot be read is 0. */
static void hwpmc_point_get_args(const struct hwpmc_fired *fired, u64 *to, unsigned int count)
{
	const struct hwpmc_point_fired *it = container_of(fired, struct hwpmc_point_fired, fired);
	unsigned int i;

	memcpy(to, it->regs, min_t(unsigned int, count, HWPMC_POINT_REGS) * sizeof(u64));
	for (i = HWPMC_POINT_REGS; i < count; i++)
		if (copy_from_kernel_nofault(&to[i], &it->stack[i - HWPMC_POINT_REGS],
					     sizeof(u64)))
			to[i] = 0;
}

/*
 * Handles an event that needs more than a count. @pc: the address to which the handler returns;
 * @stack: the arguments on the stack.
 */
static noinline void hwpmc_point_fire(struct hwpmc_point *point, u64 a0, u64 a1, u64 a2, u64 a3,
				      u64 a4, u64 a5, u64 a6, unsigned long pc, const u64 *stack)
{
	struct hwpmc_point_fired it = {
		.fired = { .pc = pc, .get_args = hwpmc_point_get_args },
		.regs = {
			a0, a1, a2, a3, a4,
#if HWPMC_POINT_REGS > 5
			a5, a6,
#endif
		},
		.stack = stack,
	};

	hwpmc_fire_irqs_off(&point->place.probe, &it.fired);
}

/*
 * The handler of all tracepoints. Arguments that a tracepoint does not have are random. The last
 * two are not read where they are passed on the stack. No argument is read if the event is only
 * counted.
 */
static void hwpmc_point_handler(void *point, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct hwpmc_fire_irqs irqs = hwpmc_fire_begin();

	if (!hwpmc_fire_plain(&((struct hwpmc_point *)point)->place.probe))
		/* The other arguments are at the stack pointer before the call. */
		hwpmc_point_fire(point, a0, a1, a2, a3, a4, HWPMC_POINT_REGS > 5 ? a5 : 0,
				 HWPMC_POINT_REGS > 5 ? a6 : 0, _RET_IP_, __builtin_dwarf_cfa());
	hwpmc_fire_end(irqs);
}

/* Find the tracepoint of an entry below events/. Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_point_find_event(struct hwpmc_owner *owner, struct hwpmc_point *point,
				  const char *system, const char *name)
{
	struct trace_event_file *file = trace_get_event_file(NULL, system, name);

	if (IS_ERR(file))
		return hwpmc_fail(owner, -ENOENT, "there is no tracepoint %.48s:%.48s", system,
				  name);
	if (!(file->event_call->flags & TRACE_EVENT_FL_TRACEPOINT)) {
		trace_put_event_file(file);
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "%.48s:%.48s is an event of tracefs, and no tracepoint; name the place itself, as in syscall:openat:entry or kprobe:vfs_read",
				  system, name);
	}
	/* A probe of hwpmc_overflow would change what the overflow is about to handle. */
	if (within_module((unsigned long)file->event_call->tp, THIS_MODULE)) {
		trace_put_event_file(file);
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "%.48s:%.48s is a tracepoint of this module, which cannot probe itself; read it in tracefs, or by pmctl monitor",
				  system, name);
	}
	point->file = file;
	point->tp = file->event_call->tp;
	return 0;
}

static int hwpmc_point_find(struct hwpmc_owner *owner, struct hwpmc_point *point, char *name)
{
	const char *first = strsep(&name, ":");

	if (name)
		return hwpmc_point_find_event(owner, point, first, name);
	point->tp = hwpmc_tracepoint_find(first);
	if (point->tp)
		return 0;
	return hwpmc_fail(owner, -ENOENT, "the kernel has no tracepoint %.64s", first);
}

static void hwpmc_point_put(struct hwpmc_place *place)
{
	struct hwpmc_point *point = container_of(place, struct hwpmc_point, place);

	if (point->file)
		trace_put_event_file(point->file);
}

static int hwpmc_point_add(struct hwpmc_owner *owner, struct hwpmc_place *place, char *name)
{
	struct hwpmc_point *point = container_of(place, struct hwpmc_point, place);
	int err;

	if (IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI))
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "modules cannot use tracepoints on a kernel that checks the types of functions (CFI); use kprobe:");
	err = hwpmc_point_find(owner, point, name);
	if (err)
		return err;
	err = tracepoint_probe_register(point->tp, hwpmc_point_handler, point);
	if (!err)
		return 0;
	hwpmc_point_put(place);
	return hwpmc_fail(owner, err == -ENOMEM ? err : -EOPNOTSUPP,
			  "the kernel does not register a probe of this tracepoint (error %d)",
			  -err);
}

static void hwpmc_point_remove(struct hwpmc_place *place)
{
	struct hwpmc_point *point = container_of(place, struct hwpmc_point, place);

	tracepoint_probe_unregister(point->tp, hwpmc_point_handler, point);
}

struct hwpmc_point_listing {
	hwpmc_name_fn *fn;
	void *arg;
};

static void hwpmc_point_name(struct tracepoint *tp, void *arg)
{
	const struct hwpmc_point_listing *listing = arg;

	listing->fn(listing->arg, "tracepoint", tp->name);
}

/* Lists the tracepoints of the kernel itself, which are constant: so no lock is needed. */
static void hwpmc_point_names(hwpmc_name_fn *fn, void *arg)
{
	struct hwpmc_point_listing listing = { fn, arg };

	for_each_kernel_tracepoint(hwpmc_point_name, &listing);
}

const struct hwpmc_provider hwpmc_point_provider = {
	.name	= "tracepoint",
	.size	= sizeof(struct hwpmc_point),
	.add	= hwpmc_point_add,
	.remove	= hwpmc_point_remove,
	.wait	= tracepoint_synchronize_unregister,
	.put	= hwpmc_point_put,
	.names	= hwpmc_point_names,
};
