// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of data that everybody may read: the machine's CPUs, classes and rows, and the module's
 * statistics. They name no process. Called by netlink, in process context.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <uapi/linux/hwpmc.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/machine.h"
#include "../base/stat.h"
#include "../hwpmc.h"
#include "../pmc/row.h"
#include "netlink.h"

/* Names of the fields of struct hwpmc_stats. */
static const char *const hwpmc_facts_stats[HWPMC_STAT_COUNT] = {
	[HWPMC_STAT_INTR_PROCESSED]	= "intr-processed",
	[HWPMC_STAT_INTR_IGNORED]	= "intr-ignored",
	[HWPMC_STAT_INTR_RING_FULL]	= "intr-ring-full",
	[HWPMC_STAT_BUFFER_REQUESTS]	= "buffer-requests",
	[HWPMC_STAT_BUFFER_FAILURES]	= "buffer-failures",
	[HWPMC_STAT_LOG_SWEEPS]		= "log-sweeps",
	[HWPMC_STAT_THROTTLES]		= "throttles",
	[HWPMC_STAT_CALLS]		= "calls",
	[HWPMC_STAT_CALLS_FAILED]	= "calls-failed",
	[HWPMC_STAT_FORK_FAILURES]	= "fork-failures",
	[HWPMC_STAT_OWNERS]		= "owners",
	[HWPMC_STAT_PMCS]		= "pmcs",
	[HWPMC_STAT_PROBES]		= "probes",
	[HWPMC_STAT_PROBE_SKIPPED]	= "probe-skipped",
	[HWPMC_STAT_PMU_CLAIMS]		= "pmu-claims",
	[HWPMC_STAT_PMU_REFUSALS]	= "pmu-refusals",
};

/*
 * Each of the following functions puts item @i of a list. Returns 0, -ENOENT if there is no such
 * item, or another value if the message has no room.
 */

static int hwpmc_facts_put_cpu(struct sk_buff *skb, unsigned long i)
{
	if (!cpu_possible(i))
		return -ENOENT;
	return nla_put_u32(skb, HWPMC_NL_MACHINE_CPU, i) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_MACHINE_CPUID, hwpmc_machine->cpu_id(i),
				 HWPMC_NL_MACHINE_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_ONLINE, cpu_online(i));
}

static int hwpmc_facts_put_class(struct sk_buff *skb, unsigned long i)
{
	const struct hwpmc_class *class = hwpmc_classes[i];

	return nla_put_u32(skb, HWPMC_NL_MACHINE_CLASS, class->id) ||
	       nla_put_string(skb, HWPMC_NL_MACHINE_NAME, class->name) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_ROWS, class->rows) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_FIRST_ROW, hwpmc_class_first[i]) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_WIDTH, class->width) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_MACHINE_CAPS, class->caps, HWPMC_NL_MACHINE_PAD);
}

/* Puts only the number of holders. The dump of PMCs has those that the caller may see. */
static int hwpmc_facts_put_row(struct sk_buff *skb, unsigned long i)
{
	unsigned int cpu = i / hwpmc_row_count, row = i % hwpmc_row_count;
	struct hwpmc_row_info info;

	if (!cpu_possible(cpu))
		return -ENOENT;
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_row_info(cpu, row, &info);
	mutex_unlock(&hwpmc_rows_lock);
	return nla_put_u32(skb, HWPMC_NL_MACHINE_CPU, cpu) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_ROW, row) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_CLASS, info.class_id) ||
	       nla_put_string(skb, HWPMC_NL_MACHINE_NAME, info.name) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_WIDTH, info.width) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_ENABLED, info.enabled) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_DISPOSITION, info.disposition) ||
	       nla_put_u32(skb, HWPMC_NL_MACHINE_HOLDERS, info.holders);
}

static int hwpmc_facts_put_stat(struct sk_buff *skb, unsigned long i)
{
	return nla_put_string(skb, HWPMC_NL_MACHINE_NAME, hwpmc_facts_stats[i]) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_MACHINE_VALUE, hwpmc_stat_sum(i),
				 HWPMC_NL_MACHINE_PAD);
}

/* Puts the next messages of @cmd about @count items; args[0] is the number of the next item. */
static int hwpmc_facts_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
			    unsigned long count, int (*put)(struct sk_buff *skb, unsigned long i))
{
	for (; (unsigned long)cb->args[0] < count; cb->args[0]++) {
		void *message = hwpmc_dump_begin(skb, cb, cmd);
		int err = message ? put(skb, cb->args[0]) : -EMSGSIZE;

		if (!err) {
			genlmsg_end(skb, message);
			continue;
		}
		if (message)
			genlmsg_cancel(skb, message);
		if (err != -ENOENT)
			break;
	}
	return skb->len;
}

/* Dumps of HWPMC_NL_CMD_CPUS and so on. Context: may sleep. Return: bytes; 0 at the end. */

int hwpmc_facts_cpus(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hwpmc_facts_dump(skb, cb, HWPMC_NL_CMD_CPUS, nr_cpu_ids, hwpmc_facts_put_cpu);
}

int hwpmc_facts_classes(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hwpmc_facts_dump(skb, cb, HWPMC_NL_CMD_CLASSES, hwpmc_class_count,
				hwpmc_facts_put_class);
}

int hwpmc_facts_rows(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hwpmc_facts_dump(skb, cb, HWPMC_NL_CMD_ROWS,
				(unsigned long)nr_cpu_ids * hwpmc_row_count,
				hwpmc_facts_put_row);
}

int hwpmc_facts_statistics(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hwpmc_facts_dump(skb, cb, HWPMC_NL_CMD_STATISTICS, HWPMC_STAT_COUNT,
				hwpmc_facts_put_stat);
}
