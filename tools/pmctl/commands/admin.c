// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "commands/command.h"
#include "event/hardware.h"
#include "watch/columns.h"

static const char help[] =
	"usage: pmctl admin [-c CPUS] [list]\n"
	"       pmctl admin [-c CPUS] enable|disable|evict ROWS\n"
	"\n"
	"Lists the rows (hardware counters), disables or enables rows, or evicts their holders.\n"
	"\n"
	"  list      shows each row, whether it is enabled, and its holders\n"
	"  disable   no PMC can use these rows from now on; fails if a PMC holds one\n"
	"  enable    PMCs can use these rows again\n"
	"  evict     ends the PMCs of all users that hold these rows: their owners get an error,\n"
	"            and the rows are free. Needs CAP_SYS_ADMIN, the others CAP_PERFMON\n"
	"\n"
	"ROWS is a list such as 1,3-5. If one row is refused, the earlier ones are enabled or disabled\n"
	"as before; evicted PMCs remain evicted.\n"
	"\n"
	"  -c, --cpu CPUS  only on these CPUs: 0,2-3\n";

struct admin {
	const char *cpu_text;
	struct cpulist cpus;
	struct cpulist rows;
	const char *what;
	int fd;
	struct hardware hardware;
};

static const struct option long_options[] = {
	{ "cpu", required_argument, NULL, 'c' },
	{ NULL, 0, NULL, 0 },
};

static int take(int letter, void *context)
{
	struct admin *admin = context;

	/* -C is accepted as well, as in other commands. */
	(void)letter;
	admin->cpu_text = optarg;
	return options_cpus(optarg, &admin->cpus);
}

static const struct options_grammar grammar = {
	.command = "admin",
	.letters = ":c:C:",
	.own = long_options,
	.take = take,
};

static bool is_list(const struct admin *admin)
{
	return !strcmp(admin->what, "list");
}

static int parse(int argc, char **argv, struct admin *admin)
{
	if (options_parse(argc, argv, &grammar, admin))
		return -1;
	admin->what = optind < argc ? argv[optind++] : "list";
	if (!is_list(admin) && strcmp(admin->what, "enable") && strcmp(admin->what, "disable") &&
	    strcmp(admin->what, "evict")) {
		error("admin can list, enable, disable or evict, not '%s'", admin->what);
		return -1;
	}
	if (!is_list(admin) && optind == argc) {
		error("%s needs rows, such as 1,3-5; 'pmctl admin list' shows them", admin->what);
		return -1;
	}
	if (!is_list(admin) && cpulist_parse(argv[optind++], &admin->rows)) {
		error("'%s' is not a list of rows; write it like 1,3-5", argv[optind - 1]);
		return -1;
	}
	if (optind == argc)
		return 0;
	error("admin takes one list of rows: '%s' is one argument too many", argv[optind]);
	return -1;
}

/* The rows of a CPU, to be freed; NULL after a message. */
static struct hwpmc_row_info *read_rows(const struct admin *admin, int cpu)
{
	struct hwpmc_row_info *rows = xcalloc(admin->hardware.cpu.rows, sizeof(*rows));
	struct hwpmc_pmc_info request = {
		.size = sizeof(request),
		.cpu = (__u32)cpu,
		.rows = admin->hardware.cpu.rows,
		.row_list = (uintptr_t)rows,
		.row_size = sizeof(*rows),
	};
	char why[512];

	if (!device_call(admin->fd, HWPMC_IOC_PMC_INFO, &request))
		return rows;
	device_sentence(errno, why, sizeof(why));
	error("CPU %d: %s", cpu, why);
	free(rows);
	return NULL;
}

static char *clean(const char *bytes, size_t size)
{
	char *text = xstrndup(bytes, strnlen(bytes, size));

	utf8_scrub(text);
	return text;
}

static char *holder(const struct hwpmc_row_info *row)
{
	char *comm, *text;

	if (!row->holders)
		return xstrdup("-");
	if (row->pid <= 0)
		return xasprintf("somebody else%s", row->holders > 1 ? " and more" : "");
	comm = clean(row->comm, sizeof(row->comm));
	text = row->holders > 1 ? xasprintf("%s (%d) and %u more", comm, row->pid,
					    row->holders - 1) :
				  xasprintf("%s (%d)", comm, row->pid);
	free(comm);
	return text;
}

static const char *use(const struct hwpmc_row_info *row)
{
	if (row->disposition == HWPMC_ROW_ABSENT)
		return "absent";
	if (!row->enabled)
		return "disabled";
	if (row->disposition == HWPMC_ROW_THREAD)
		return "threads";
	return row->disposition == HWPMC_ROW_STANDALONE ? "this CPU" : "free";
}

static int list(struct admin *admin)
{
	static const struct column columns[] = {
		{ "CPU", true, 0 }, { "ROW", true, 0 }, { "CLASS", false, 0 },
		{ "COUNTER", false, 8 }, { "USE", false, 0 }, { "HOLDER", false, 12 },
	};
	struct columns table;
	int result = 0;

	columns_begin(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned int i = 0; !result && i < admin->cpus.count; i++) {
		struct hwpmc_row_info *rows = read_rows(admin, admin->cpus.cpu[i]);

		result = rows ? 0 : -1;
		for (unsigned int j = 0; rows && j < admin->hardware.cpu.rows; j++) {
			const struct hwpmc_class_info *class =
				hardware_class(&admin->hardware, rows[j].class_id);

			columns_add(&table, xasprintf("%d", admin->cpus.cpu[i]));
			columns_add(&table, xasprintf("%u", j));
			columns_add(&table, class ? clean(class->name, sizeof(class->name)) :
						    xstrdup("?"));
			columns_add(&table, clean(rows[j].name, sizeof(rows[j].name)));
			columns_add(&table, xstrdup(use(&rows[j])));
			columns_add(&table, holder(&rows[j]));
		}
		free(rows);
	}
	columns_print(&table, stdout, terminal_width());
	return result;
}

/* 0, or -1 with errno. */
static int set(const struct admin *admin, int cpu, int row, bool enabled, __u32 flags)
{
	struct hwpmc_admin request = {
		.size = sizeof(request),
		.flags = flags,
		.cpu = (__u32)cpu,
		.row = (__u32)row,
		.state = enabled ? HWPMC_ADMIN_FREE : HWPMC_ADMIN_DISABLED,
	};

	return device_call(admin->fd, HWPMC_IOC_ADMIN, &request);
}

/* One row of one CPU, and whether it was enabled before. */
struct change {
	int cpu;
	int row;
	bool was;
};

static int apply(const struct admin *admin, const struct change *change)
{
	bool evict = !strcmp(admin->what, "evict");
	bool wanted = evict ? change->was : !strcmp(admin->what, "enable");
	char why[512];

	if (!set(admin, change->cpu, change->row, wanted, evict ? HWPMC_ADMIN_FORCE : 0))
		return 0;
	device_sentence(errno, why, sizeof(why));
	error("cannot %s row %d of CPU %d: %s", admin->what, change->row, change->cpu, why);
	return -1;
}

/* Adds the rows of a CPU that are to change. */
static int plan(const struct admin *admin, int cpu, struct change *changes)
{
	struct hwpmc_row_info *rows = read_rows(admin, cpu);

	for (unsigned int i = 0; rows && i < admin->rows.count; i++) {
		int row = admin->rows.cpu[i];

		/* The module refuses a row that does not exist. */
		changes[i] = (struct change){
			.cpu = cpu, .row = row,
			.was = (unsigned int)row >= admin->hardware.cpu.rows || rows[row].enabled,
		};
	}
	free(rows);
	return rows ? 0 : -1;
}

static int change(const struct admin *admin)
{
	size_t count = (size_t)admin->cpus.count * admin->rows.count, done = 0;
	struct change *changes = xcalloc(count, sizeof(*changes));
	int result = 0;

	for (unsigned int i = 0; !result && i < admin->cpus.count; i++)
		result = plan(admin, admin->cpus.cpu[i], &changes[i * admin->rows.count]);
	while (!result && done < count) {
		result = apply(admin, &changes[done]);
		done += !result;
	}
	while (result && done--)
		set(admin, changes[done].cpu, changes[done].row, changes[done].was, 0);
	free(changes);
	return result;
}

static int act(struct admin *admin)
{
	int result = -1;

	if (!admin->cpu_text && cpulist_online(&admin->cpus)) {
		error("cannot read which CPUs are online: %s", strerror(errno));
		return -1;
	}
	admin->fd = device_open();
	if (admin->fd < 0)
		return -1;
	if (!hardware_read(admin->fd, &admin->hardware)) {
		result = is_list(admin) ? list(admin) : change(admin);
		hardware_free(&admin->hardware);
	}
	close(admin->fd);
	return result;
}

static int cmd_admin(int argc, char **argv)
{
	struct admin admin = { .fd = -1 };
	int result = parse(argc, argv, &admin);

	if (!result)
		result = act(&admin);
	cpulist_free(&admin.cpus);
	cpulist_free(&admin.rows);
	return result ? EXIT_OWN : 0;
}

const struct command admin_command = {
	.name = "admin",
	.run = cmd_admin,
	.brief = "list, disable and enable counters, or evict their holders",
	.help = help,
	.grammar = &grammar,
};
