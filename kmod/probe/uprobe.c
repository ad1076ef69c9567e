// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of programs and libraries: "OFFSET" is an instruction of a file; if a function begins
 * there, "OFFSET:entry" is its entry, and "OFFSET:return" its return. Called by provider.c in
 * process context.
 *
 * The kernel writes a breakpoint into each process that maps the file, also if no PMC follows it:
 * the function that would restrict it (uprobe_apply()) is not exported to modules. The kernel calls
 * the handlers in the context of the task that hit the breakpoint, before the task returns to user
 * mode, and holds no lock that the module takes.
 *
 *	a handler			and at the same time
 *
 *	runs, by a lock or SRCU of	its probe is removed: the removal waits for it (.wait)
 *	the kernel
 *	looks up links			START, STOP, DETACH, exec, exit: as any event (pmc/fire.c)
 *	is for the return of a call	the probe is registered or removed during the call: the
 *	that began earlier		kernel does not report the return
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../compat/compat.h"
#include "probe.h"

/**
 * struct hwpmc_uprobe - a probe of this provider
 * @place: the part of provider.c
 * @at: the kernel's probe
 * @at_entry: a function begins there
 */
struct hwpmc_uprobe {
	struct hwpmc_place place;
	struct hwpmc_uprobes_place at;
	bool at_entry;
};

static struct hwpmc_uprobe *hwpmc_uprobe_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct hwpmc_uprobe, at.consumer);
}

static void hwpmc_uprobe_args(const struct hwpmc_fired *fired, u64 *to, unsigned int count)
{
	hwpmc_arch_call_args(fired->regs, to, count);
}

static HWPMC_UPROBE_ENTRY(hwpmc_uprobe_entry, consumer, regs)
{
	struct hwpmc_uprobe *probe = hwpmc_uprobe_of(consumer);
	struct hwpmc_fired fired = {
		.regs = regs, .get_args = hwpmc_uprobe_args, .of_user = true,
		.frame = probe->at_entry ? HWPMC_FRAME_CALLED : HWPMC_FRAME_ANY,
	};

	hwpmc_fire(&probe->place.probe, &fired);
	return 0;
}

/* The program counter of @regs is the address to which the function returns. */
static HWPMC_UPROBE_RETURN(hwpmc_uprobe_return, consumer, function, regs)
{
	struct hwpmc_fired fired = {
		.regs = regs, .pc = function, .flags = HWPMC_PROBE_RETURN, .of_user = true,
		.frame = HWPMC_FRAME_CALLER, .retval = regs_return_value(regs),
	};

	hwpmc_fire(&hwpmc_uprobe_of(consumer)->place.probe, &fired);
	return 0;
}

/* "OFFSET[:entry|:return]". Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_uprobe_parse(struct hwpmc_owner *owner, struct hwpmc_uprobe *probe, char *name)
{
	const char *offset = strsep(&name, ":");
	u64 number;

	if (kstrtou64(offset, 0, &number) || number > S64_MAX ||
	    (name && strcmp(name, "entry") && strcmp(name, "return")))
		return hwpmc_fail(owner, -EINVAL,
				  "a function of a file is named as in uprobe:0x1234:entry or uprobe:0x1234:return, by its offset in bytes");
	probe->at.offset = number;
	probe->at_entry = name && !strcmp(name, "entry");
	if (name && !strcmp(name, "return"))
		probe->at.consumer.ret_handler = hwpmc_uprobe_return;
	else
		probe->at.consumer.handler = hwpmc_uprobe_entry;
	return 0;
}

/* Returns why the kernel refused a probe. */
static int hwpmc_uprobe_fail(struct hwpmc_owner *owner, const struct hwpmc_uprobe *probe, int err)
{
	switch (err) {
	case -ENOMEM:
		return hwpmc_fail(owner, err, "out of memory; try again");
	case -EINVAL:
		return hwpmc_fail(owner, err, "the file has no instruction at offset 0x%llx",
				  probe->at.offset);
	case -EIO:
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "the file has no pages, so no program has its code in memory");
	default:
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "the instruction at offset 0x%llx cannot be probed (error %d)",
				  probe->at.offset, -err);
	}
}

static int hwpmc_uprobe_add(struct hwpmc_owner *owner, struct hwpmc_place *place, char *name)
{
	struct hwpmc_uprobe *probe = container_of(place, struct hwpmc_uprobe, place);
	int err;

	if (!IS_ENABLED(CONFIG_UPROBES))
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "this kernel cannot probe programs: CONFIG_UPROBES is off");
	err = hwpmc_uprobe_parse(owner, probe, name);
	if (err)
		return err;
	probe->at.inode = place->inode;
	err = hwpmc_uprobes_register(&probe->at);
	return err ? hwpmc_uprobe_fail(owner, probe, err) : 0;
}

static void hwpmc_uprobe_remove(struct hwpmc_place *place)
{
	hwpmc_uprobes_unregister(&container_of(place, struct hwpmc_uprobe, place)->at);
}

const struct hwpmc_provider hwpmc_uprobe_provider = {
	.name		= "uprobe",
	.size		= sizeof(struct hwpmc_uprobe),
	.in_file	= true,
	.add		= hwpmc_uprobe_add,
	.remove		= hwpmc_uprobe_remove,
	.wait		= hwpmc_uprobes_synchronize,
};
