// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dumps of CPUs, classes, rows, statistics and owners of the generic netlink family return the
 * same as the ioctls, and of other users' owners only the number.
 */
#define _GNU_SOURCE
#include "child.h"
#include "genl.h"
#include "test_class.h"

#define MOST	4096

static uint16_t family;
static int sk;
static struct hwpmc_row_info rows[256];
static struct hwpmc_class_info classes[16];
static struct hwpmc_cpu_info cpu_info;
static unsigned int row_count;

struct seen {
	unsigned int all, wrong, online, hidden, mine;
	uint64_t number, value;
	uint64_t pmcs;
	const char *name;
};

static void look_cpu(const struct nlmsghdr *msg, void *arg)
{
	struct hwpmc_pmc_info info = { .size = sizeof(info), .rows = 256, .row_list = (uintptr_t)rows,
				       .row_size = sizeof(rows[0]) };
	struct seen *seen = arg;
	int fd = dev_open();

	info.cpu = genl_u32(msg, HWPMC_NL_MACHINE_CPU);
	seen->all++;
	seen->online += genl_u32(msg, HWPMC_NL_MACHINE_ONLINE);
	seen->wrong += !!dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info)) ||
		       info.cpuid != genl_u64(msg, HWPMC_NL_MACHINE_CPUID);
	close(fd);
}

static void look_class(const struct nlmsghdr *msg, void *arg)
{
	struct seen *seen = arg;
	const struct hwpmc_class_info *class = &classes[seen->all++ % 16];

	seen->wrong += genl_u32(msg, HWPMC_NL_MACHINE_CLASS) != class->class_id ||
		       genl_u32(msg, HWPMC_NL_MACHINE_ROWS) != class->rows ||
		       genl_u32(msg, HWPMC_NL_MACHINE_FIRST_ROW) != class->first_row ||
		       genl_u32(msg, HWPMC_NL_MACHINE_WIDTH) != class->width ||
		       genl_u64(msg, HWPMC_NL_MACHINE_CAPS) != class->caps ||
		       strcmp(genl_text(msg, HWPMC_NL_MACHINE_NAME), class->name);
}

/* Those of CPU 1. */
static void look_row(const struct nlmsghdr *msg, void *arg)
{
	uint32_t row = genl_u32(msg, HWPMC_NL_MACHINE_ROW);
	struct seen *seen = arg;

	seen->all++;
	if (genl_u32(msg, HWPMC_NL_MACHINE_CPU) != 1)
		return;
	seen->mine++;
	seen->wrong += row >= row_count ||
		       genl_u32(msg, HWPMC_NL_MACHINE_CLASS) != rows[row].class_id ||
		       genl_u32(msg, HWPMC_NL_MACHINE_WIDTH) != rows[row].width ||
		       genl_u32(msg, HWPMC_NL_MACHINE_ENABLED) != rows[row].enabled ||
		       genl_u32(msg, HWPMC_NL_MACHINE_DISPOSITION) != rows[row].disposition ||
		       genl_u32(msg, HWPMC_NL_MACHINE_HOLDERS) != rows[row].holders ||
		       strcmp(genl_text(msg, HWPMC_NL_MACHINE_NAME), rows[row].name);
	seen->value += genl_u32(msg, HWPMC_NL_MACHINE_HOLDERS);
}

static void look_statistic(const struct nlmsghdr *msg, void *arg)
{
	struct seen *seen = arg;

	seen->all++;
	if (!strcmp(genl_text(msg, HWPMC_NL_MACHINE_NAME), seen->name))
		seen->value = genl_u64(msg, HWPMC_NL_MACHINE_VALUE);
}

static void look_owner(const struct nlmsghdr *msg, void *arg)
{
	struct seen *seen = arg;

	seen->hidden += genl_u32(msg, HWPMC_NL_PMC_HIDDEN);
	if (!genl_u64(msg, HWPMC_NL_PMC_OWNER))
		return;
	seen->all++;
	seen->wrong += genl_u64(msg, HWPMC_NL_PMC_OWNER) <= seen->number;
	seen->number = genl_u64(msg, HWPMC_NL_PMC_OWNER);
	seen->mine += genl_u32(msg, HWPMC_NL_PMC_PID) == (uint32_t)getpid() &&
		      !genl_u32(msg, HWPMC_NL_PMC_EXITED) &&
		      !strcmp(genl_text(msg, HWPMC_NL_PMC_COMM), "t-netlink_machi");
	seen->pmcs += genl_u64(msg, HWPMC_NL_PMC_COUNT);
}

static struct seen dump(int from, uint8_t cmd, void (*look)(const struct nlmsghdr *msg, void *arg),
			const char *name)
{
	struct seen seen = { .name = name };
	int err = genl_dump(from, family, cmd, look, &seen);

	if (err)
		die("dump of %u: %s", cmd, strerror(-err));
	return seen;
}

static void read_machine(int fd)
{
	struct hwpmc_pmc_info info = { .size = sizeof(info), .cpu = 1, .rows = 256,
				       .row_list = (uintptr_t)rows, .row_size = sizeof(rows[0]) };

	cpu_info = (struct hwpmc_cpu_info){ .classes = 16, .class_list = (uintptr_t)classes,
					    .class_size = sizeof(classes[0]) };
	if (dev_call(fd, HWPMC_IOC_CPU_INFO, &cpu_info, sizeof(cpu_info)) ||
	    dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info)))
		die("the calls: %s", dev_sentence(fd));
	row_count = info.rows;
}

static void machine(int fd)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct seen seen;

	read_machine(fd);
	seen = dump(sk, HWPMC_NL_CMD_CPUS, look_cpu, NULL);
	check(seen.all >= seen.online && seen.online == cpus && !seen.wrong,
	      "the dump of CPUs has each, with its id: %u, %u online, %u wrong", seen.all, seen.online,
	      seen.wrong);
	seen = dump(sk, HWPMC_NL_CMD_CLASSES, look_class, NULL);
	check(seen.all == cpu_info.classes && !seen.wrong,
	      "that of classes has what CPU_INFO has: %u, %u wrong", seen.all, seen.wrong);
	dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_SC, 1, 0, 0, 0);
	read_machine(fd);
	seen = dump(sk, HWPMC_NL_CMD_ROWS, look_row, NULL);
	check(seen.mine == row_count && seen.all >= row_count * (unsigned int)cpus && !seen.wrong,
	      "that of rows has what PMC_INFO has: %u, %u of CPU 1, %u wrong", seen.all, seen.mine,
	      seen.wrong);
	check(seen.value == 1, "and its holder is counted: %u", (unsigned int)seen.value);
}

static void statistics(int fd)
{
	struct hwpmc_stats before = { 0 }, after = { 0 };
	struct seen seen;

	dev_call(fd, HWPMC_IOC_STATS, &before, sizeof(before));
	seen = dump(sk, HWPMC_NL_CMD_STATISTICS, look_statistic, "calls");
	dev_call(fd, HWPMC_IOC_STATS, &after, sizeof(after));
	check(seen.all >= 10 && seen.value >= before.calls && seen.value <= after.calls,
	      "that of statistics has the calls: %llu", (unsigned long long)seen.value);
	seen = dump(sk, HWPMC_NL_CMD_STATISTICS, look_statistic, "owners");
	check(seen.value == after.owners, "and the owners: %llu", (unsigned long long)seen.value);
}

static void stranger(void *arg)
{
	struct seen seen;
	int own;

	(void)arg;
	become(1000, 0);
	own = genl_socket();
	seen = dump(own, HWPMC_NL_CMD_OWNERS, look_owner, NULL);
	check(!seen.all && seen.hidden == MOST / 16,
	      "another user sees none of them, and how many there are: %u, %u", seen.all, seen.hidden);
	seen = dump(sk, HWPMC_NL_CMD_OWNERS, look_owner, NULL);
	check(!seen.all, "nor by a socket that root has opened: %u", seen.all);
	check(dump(own, HWPMC_NL_CMD_ROWS, look_row, NULL).all, "it may see rows");
}

static void owners(int fd)
{
	static int more[MOST / 16 - 1];
	struct seen seen = dump(sk, HWPMC_NL_CMD_OWNERS, look_owner, NULL);

	check(seen.all == 1 && seen.mine == 1 && seen.pmcs == 1 && !seen.hidden,
	      "that of owners has a file, its process and the number of its PMCs: %u, %u, %u", seen.all,
	      seen.mine, (unsigned int)seen.pmcs);
	for (unsigned int i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		more[i] = dev_open();
	seen = dump(sk, HWPMC_NL_CMD_OWNERS, look_owner, NULL);
	check(seen.all == MOST / 16 && seen.mine == seen.all && !seen.wrong,
	      "and files without PMCs, each once: %u, %u", seen.all, seen.wrong);
	in_child("a stranger", stranger, NULL);
	for (unsigned int i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		close(more[i]);
	close(fd);
	seen = dump(sk, HWPMC_NL_CMD_OWNERS, look_owner, NULL);
	check(!seen.all, "after close(2) it has none: %u", seen.all);
}

int main(void)
{
	int fd = dev_open();

	time_limit(60);
	sk = genl_socket();
	family = genl_family(sk);
	machine(fd);
	statistics(fd);
	owners(fd);
	return result();
}
