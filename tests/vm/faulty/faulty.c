// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that makes one fault when it is loaded, the one that its parameter names. The kernel
 * debug, or kcsan for a data race, must report it, and the runner must fail.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *fault = "none";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "leak, bounds, freed, atomic, locks, rcu, shift, warn, race or none");

static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static int __rcu *pointer;
static unsigned int zero;
static unsigned long raced;

static void fault_leak(void)
{
	int i;

	/*
	 * Several objects, since some of them may stay reachable through stale registers or stack.
	 */
	for (i = 0; i < 64; i++)
		memset(kmalloc(64, GFP_KERNEL), i, 64);
}

static void fault_bounds(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	p[64] = 1;
	kfree(p);
}

static void fault_freed(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	*p = 1;
}

static void fault_atomic(void)
{
	spin_lock(&lock);
	msleep(20);
	spin_unlock(&lock);
}

static void fault_locks(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void fault_rcu(void)
{
	if (rcu_dereference(pointer))
		zero = 0;
}

static void fault_shift(void)
{
	unsigned int bits = 40;

	OPTIMIZER_HIDE_VAR(bits);
	zero = 1U << bits;
}

static void fault_warn(void)
{
	WARN_ON(1);
}

static int race_write(void *unused)
{
	while (!kthread_should_stop()) {
		raced++;
		cond_resched();
	}
	return 0;
}

static void fault_race(void)
{
	struct task_struct *writer = kthread_create(race_write, NULL, "race_write");
	unsigned long end = jiffies + 5 * HZ;

	if (IS_ERR(writer))
		return;
	/* On one CPU, neither thread would run while KCSAN watches an access of the other. */
	kthread_bind(writer, cpumask_any_but(cpu_online_mask, raw_smp_processor_id()));
	wake_up_process(writer);
	while (time_before(jiffies, end) && raced != ULONG_MAX) {
		/* Without this the compiler reads once only: cond_resched() is empty here. */
		barrier();
		cond_resched();
	}
	kthread_stop(writer);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "leak", fault_leak },
	{ "bounds", fault_bounds },
	{ "freed", fault_freed },
	{ "atomic", fault_atomic },
	{ "locks", fault_locks },
	{ "rcu", fault_rcu },
	{ "shift", fault_shift },
	{ "warn", fault_warn },
	{ "race", fault_race },
};

static int __init faulty_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(faults[i].name, fault))
			faults[i].commit();
	return 0;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_DESCRIPTION("Does one wrong thing, for the kernel to notice");
MODULE_LICENSE("GPL");
