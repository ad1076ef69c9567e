// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the kernel and its modules: "SYMBOL" or "SYMBOL:entry" is the entry of a function,
 * "SYMBOL+OFFSET" an instruction, "SYMBOL:return" the return. Called by provider.c in process
 * context.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../base/owner.h"
#include "probe.h"

/*
 * The number of calls of a function whose return the kernel can report at the same time. Further
 * calls count as skipped. If the function sleeps, each task in it needs one. The kernel allocates
 * the memory for all of them, and charges it to no user.
 */
static int hwpmc_kprobe_returns(void)
{
	return clamp(8 * num_possible_cpus(), 128U, 512U);
}

/**
 * struct hwpmc_kprobe - a probe of this provider
 * @place: the part of provider.c
 * @ret: the kernel's probe; for an entry or an instruction only @ret.kp is used
 * @at_return: it is at the return of a function
 * @symbol: name of the function
 * @removed: in hwpmc_kprobes_removed, until hwpmc_kprobe_wait()
 */
struct hwpmc_kprobe {
	struct hwpmc_place place;
	struct kretprobe ret;
	bool at_return;
	char *symbol;
	struct list_head removed;
};

/* The probes that hwpmc_kprobe_wait() unregisters; guarded by hwpmc_provider_lock. */
static LIST_HEAD(hwpmc_kprobes_removed);

static void hwpmc_kprobe_args(const struct hwpmc_fired *fired, u64 *to, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		to[i] = regs_get_kernel_argument(fired->regs, i);
}

/*
 * A function may be called where RCU is not watching: while a CPU enters idle. Other providers need
 * no such check: tracepoints, interrupts and uprobes occur only where RCU is watching.
 */
static void hwpmc_kprobe_fire(struct hwpmc_kprobe *probe, const struct hwpmc_fired *fired)
{
	if (likely(rcu_is_watching()))
		hwpmc_fire(&probe->place.probe, fired);
	else
		hwpmc_fire_skip(&probe->place.probe, 1);
}

/* Preemption is off. On x86 the context may count as an NMI, whatever was interrupted. */
static int hwpmc_kprobe_entry(struct kprobe *kp, struct pt_regs *regs)
{
	struct hwpmc_kprobe *probe = container_of(kp, struct hwpmc_kprobe, ret.kp);
	struct hwpmc_fired fired = { .regs = regs, .get_args = hwpmc_kprobe_args };

	hwpmc_kprobe_fire(probe, &fired);
	return 0;
}

static int hwpmc_kprobe_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *ret = get_kretprobe(ri);
	struct hwpmc_fired fired = {
		.regs = regs, .flags = HWPMC_PROBE_RETURN, .retval = regs_return_value(regs),
	};

	/* NULL while the probe is unregistered. */
	if (!ret)
		return 0;
	fired.pc = (unsigned long)ret->kp.addr;
	hwpmc_kprobe_fire(container_of(ret, struct hwpmc_kprobe, ret), &fired);
	return 0;
}

/* Events that the kernel did not report, because it was handling another probe. */
static u64 hwpmc_kprobe_missed(const struct hwpmc_probe *probe)
{
	const struct hwpmc_kprobe *it = container_of(probe, struct hwpmc_kprobe, place.probe);

	return READ_ONCE(it->ret.kp.nmissed) + (it->at_return ? READ_ONCE(it->ret.nmissed) : 0);
}

/* "SYMBOL[+OFFSET][:entry|:return]". Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_kprobe_parse(struct hwpmc_owner *owner, struct hwpmc_kprobe *probe, char *name)
{
	char *symbol = strsep(&name, ":");
	char *offset = symbol;

	probe->at_return = name && !strcmp(name, "return");
	if (name && !probe->at_return && strcmp(name, "entry"))
		goto fail;
	symbol = strsep(&offset, "+");
	if (!*symbol || (offset && kstrtouint(offset, 0, &probe->ret.kp.offset)))
		goto fail;
	if (probe->at_return && probe->ret.kp.offset)
		return hwpmc_fail(owner, -EINVAL,
				  "a probe of a return takes no offset: leave +%u out",
				  probe->ret.kp.offset);
	probe->symbol = kstrdup(symbol, GFP_KERNEL_ACCOUNT);
	probe->ret.kp.symbol_name = probe->symbol;
	return probe->symbol ? 0 : hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
fail:
	return hwpmc_fail(owner, -EINVAL,
			  "a function is named as in kprobe:vfs_read, kprobe:vfs_read+16 or kprobe:vfs_read:return");
}

static int hwpmc_kprobe_register(struct hwpmc_kprobe *probe)
{
	if (!probe->at_return) {
		probe->ret.kp.pre_handler = hwpmc_kprobe_entry;
		return register_kprobe(&probe->ret.kp);
	}
	probe->ret.handler = hwpmc_kprobe_return;
	probe->ret.maxactive = hwpmc_kprobe_returns();
	return register_kretprobe(&probe->ret);
}

static void hwpmc_kprobe_unregister(struct hwpmc_kprobe *probe)
{
	if (probe->at_return)
		unregister_kretprobe(&probe->ret);
	else
		unregister_kprobe(&probe->ret.kp);
}

/* Returns why the kernel refused a probe. */
static int hwpmc_kprobe_fail(struct hwpmc_owner *owner, const struct hwpmc_kprobe *probe, int err)
{
	if (probe->ret.kp.offset && (err == -EILSEQ || err == -EINVAL))
		return hwpmc_fail(owner, -EINVAL,
				  "there is no instruction at %.64s+%u that can be probed",
				  probe->symbol, probe->ret.kp.offset);
	switch (err) {
	case -ENOMEM:
		return hwpmc_fail(owner, err, "out of memory; try again");
	case -ENOENT:
		return hwpmc_fail(owner, err, "the kernel has no function %.64s", probe->symbol);
	default:
		return hwpmc_fail(owner, -EOPNOTSUPP,
				  "%.64s cannot be probed (error %d): the kernel needs it for probes, exceptions or entry, or changes its code; see kprobes/blacklist in debugfs",
				  probe->symbol, -err);
	}
}

static void hwpmc_kprobe_put(struct hwpmc_place *place)
{
	kfree(container_of(place, struct hwpmc_kprobe, place)->symbol);
}

static int hwpmc_kprobe_add(struct hwpmc_owner *owner, struct hwpmc_place *place, char *name)
{
	struct hwpmc_kprobe *probe = container_of(place, struct hwpmc_kprobe, place);
	int err;

	err = hwpmc_kprobe_parse(owner, probe, name);
	if (err)
		goto out;
	place->probe.missed = hwpmc_kprobe_missed;
	/* The probe is armed only after the check that it is outside of this module. */
	probe->ret.kp.flags = KPROBE_FLAG_DISABLED;
	err = hwpmc_kprobe_register(probe);
	if (err) {
		err = hwpmc_kprobe_fail(owner, probe, err);
		goto out;
	}
	if (within_module((unsigned long)probe->ret.kp.addr, THIS_MODULE)) {
		err = hwpmc_fail(owner, -EOPNOTSUPP,
				 "%.64s is a function of this module, which cannot probe itself",
				 probe->symbol);
		goto out_unregister;
	}
	err = enable_kprobe(&probe->ret.kp);
	if (!err)
		return 0;
	err = hwpmc_kprobe_fail(owner, probe, err);
out_unregister:
	hwpmc_kprobe_unregister(probe);
out:
	hwpmc_kprobe_put(place);
	return err;
}

static void hwpmc_kprobe_remove(struct hwpmc_place *place)
{
	list_add(&container_of(place, struct hwpmc_kprobe, place)->removed,
		 &hwpmc_kprobes_removed);
}

/* Unregisters all of them by two calls, since the kernel waits for grace periods at each call. */
static void hwpmc_kprobe_wait(void)
{
	struct kretprobe *returns[HWPMC_PLACES_AT_ONCE];
	struct kprobe *entries[HWPMC_PLACES_AT_ONCE];
	struct hwpmc_kprobe *probe;
	int return_count = 0, entry_count = 0;

	list_for_each_entry(probe, &hwpmc_kprobes_removed, removed) {
		if (probe->at_return)
			returns[return_count++] = &probe->ret;
		else
			entries[entry_count++] = &probe->ret.kp;
	}
	unregister_kprobes(entries, entry_count);
	unregister_kretprobes(returns, return_count);
	INIT_LIST_HEAD(&hwpmc_kprobes_removed);
}

static bool hwpmc_kprobe_gone(const struct hwpmc_place *place)
{
	return READ_ONCE(container_of(place, struct hwpmc_kprobe, place)->ret.kp.flags) &
	       KPROBE_FLAG_GONE;
}

const struct hwpmc_provider hwpmc_kprobe_provider = {
	.name		= "kprobe",
	.size		= sizeof(struct hwpmc_kprobe),
	.locked_down	= true,
	.add		= hwpmc_kprobe_add,
	.remove		= hwpmc_kprobe_remove,
	.wait		= hwpmc_kprobe_wait,
	.gone		= hwpmc_kprobe_gone,
	.put		= hwpmc_kprobe_put,
};
