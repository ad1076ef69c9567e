// SPDX-License-Identifier: GPL-2.0-only
/* Rows: allocating one more than there are, their holders, and disabling them. */
#define _GNU_SOURCE
#include <grp.h>
#include <sys/prctl.h>

#include "test_class.h"

#define MAX	64

static int fd;
static uint32_t ids[MAX];

/* A child that allocates every row in @mode on @cpu, then writes to its pipe. */
struct holder {
	uint32_t mode;
	int cpu;
};

static void hold(void *arg)
{
	const struct holder *h = arg;
	int mine;

	prctl(PR_SET_NAME, "row-holder");
	mine = dev_open();
	if (class_allocate_all(mine, h->mode, h->cpu, ids, MAX) != test_class.rows)
		_exit(1);
}

static void every_row_named(int err, const char *pid, const char *what)
{
	const char *text;
	char row[16];
	uint32_t i;

	refused(fd, err, EBUSY, pid, "%s", what);
	text = dev_sentence(fd);
	for (i = 0; i < test_class.rows; i++) {
		snprintf(row, sizeof(row), "row %u ", test_class.first + i);
		if (!strstr(text, row))
			break;
	}
	check(i == test_class.rows, "%s: the reason lists each row", what);
}

static void own_rows(uint32_t mode, int cpu, const char *what)
{
	unsigned int n = class_allocate_all(fd, mode, cpu, ids, MAX);
	struct hwpmc_caps caps;
	uint64_t rows = 0;
	char who[64];
	unsigned int i;

	check(n == test_class.rows, "%s: %u PMCs for %u rows", what, n, test_class.rows);
	for (i = 0; i < n; i++)
		if (!dev_caps(fd, ids[i], &caps))
			rows |= 1ULL << (caps.row - test_class.first);
	check(rows == (1ULL << test_class.rows) - 1, "%s: each PMC has another row (0x%llx)", what,
	      (unsigned long long)rows);
	snprintf(who, sizeof(who), "pid %d (t-abi_rows)", getpid());
	every_row_named(class_allocate(fd, mode, cpu, 0), who, what);

	for (i = n; i-- > 0;)
		if (dev_release(fd, ids[i]))
			break;
	check(i == ~0U, "%s: RELEASE in reverse order", what);
	check(class_allocate_all(fd, mode, cpu, ids, MAX) == test_class.rows,
	      "%s: all rows can be allocated again", what);
	for (i = 0; i < n; i++)
		if (dev_release(fd, ids[i]))
			break;
	check(i == n, "%s: RELEASE in order", what);
	check(class_free_rows(fd, mode, cpu) == test_class.rows, "%s: all rows are free after RELEASE", what);
}

/* A row in the middle is released: the next PMC gets that row. */
static void a_gap(void)
{
	unsigned int n = class_allocate_all(fd, HWPMC_MODE_TC, -1, ids, MAX), i = n / 2;
	struct hwpmc_caps before, after = {};
	int64_t id;

	dev_caps(fd, ids[i], &before);
	dev_release(fd, ids[i]);
	id = class_allocate(fd, HWPMC_MODE_TC, -1, 0);
	dev_caps(fd, id, &after);
	check(id > 0 && after.row == before.row,
	      "the next PMC gets the released row: %u", after.row);
	check(id != ids[i], "its id differs from the released one");
	ids[i] = id;
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
}

/* Runs as the user of @arg, in a child. */
static void another_user(void *arg)
{
	struct hwpmc_row_info row;
	int64_t err;

	(void)arg;
	if (setgroups(0, NULL) || setresgid(1001, 1001, 1001) || setresuid(1001, 1001, 1001))
		die("another user: %s", strerror(errno));
	err = class_allocate(fd, HWPMC_MODE_TC, -1, 0);
	refused(fd, err, EBUSY, "another user", "ALLOCATE of a row held by another user");
	check(!strstr(dev_sentence(fd), "pid") && !strstr(dev_sentence(fd), "holder"),
	      "the reason does not name a holder of another user");
	row = dev_row_info(fd, 0, test_class.first);
	check(row.pid == HWPMC_PID_HIDDEN && !row.comm[0] && !row.mode && !row.flags && !row.event &&
	      !row.count && row.holders == 1 && row.disposition == HWPMC_ROW_STANDALONE,
	      "PMC_INFO returns pid %d for another user's holder, and nothing of its PMC", row.pid);
	row = dev_row_info(fd, 1, test_class.first);
	check(row.pid == HWPMC_PID_NONE, "PMC_INFO returns no holder of the row on another CPU: %d", row.pid);
}

static void other_owner(void)
{
	struct holder h = { HWPMC_MODE_SC, 0 };
	struct agent p = agent_start(hold, &h);
	struct hwpmc_row_info row;
	char who[64];
	int64_t id;

	snprintf(who, sizeof(who), "pid %d (row-holder)", p.pid);
	every_row_named(class_allocate(fd, HWPMC_MODE_SC, 0, 0), who,
			"system-wide, held by another owner");
	every_row_named(class_allocate(fd, HWPMC_MODE_TC, -1, 0), who, "virtual, held system-wide");
	check(class_free_rows(fd, HWPMC_MODE_SC, 1) == test_class.rows, "the same rows of another CPU are free");
	row = dev_row_info(fd, 0, test_class.first);
	check(row.disposition == HWPMC_ROW_STANDALONE && row.pid == p.pid && row.holders == 1 &&
	      row.mode == HWPMC_MODE_SC && row.event == test_class.event &&
	      !strcmp(row.comm, "row-holder"),
	      "PMC_INFO returns a system-wide holder: pid %d (%s)", row.pid, row.comm);
	row = dev_row_info(fd, 1, test_class.first);
	check(row.disposition == HWPMC_ROW_STANDALONE && row.pid == HWPMC_PID_NONE && !row.holders &&
	      !row.comm[0],
	      "PMC_INFO returns no holder on the other CPU");
	in_child("another user", another_user, NULL);
	agent_reap(&p);
	check(class_free_rows(fd, HWPMC_MODE_SC, 0) == test_class.rows, "a killed owner's rows are free");

	h = (struct holder) { HWPMC_MODE_TC, -1 };
	p = agent_start(hold, &h);
	snprintf(who, sizeof(who), "pid %d (row-holder)", p.pid);
	every_row_named(class_allocate(fd, HWPMC_MODE_SC, 1, 0), who, "system-wide, in virtual use");
	id = class_allocate(fd, HWPMC_MODE_TC, -1, HWPMC_F_DESCENDANTS);
	check(id > 0, "virtual PMCs of two owners share rows");
	row = dev_row_info(fd, 1, test_class.first);
	check(row.disposition == HWPMC_ROW_THREAD && row.holders >= 1 && row.pid > 0,
	      "PMC_INFO returns %u virtual holders", row.holders);
	dev_release(fd, id);
	agent_reap(&p);
	check(class_free_rows(fd, HWPMC_MODE_SC, 1) == test_class.rows, "a killed owner's rows are free");
}

/* A row is used either by virtual or by system-wide PMCs. */
static void dispositions(void)
{
	struct hwpmc_caps sc, tc;
	uint64_t rows = 0;
	unsigned int n, i;
	int64_t id = class_allocate(fd, HWPMC_MODE_SC, 0, 0);

	dev_caps(fd, id, &sc);
	n = class_allocate_all(fd, HWPMC_MODE_TC, -1, ids, MAX);
	for (i = 0; i < n; i++)
		if (!dev_caps(fd, ids[i], &tc))
			rows |= 1ULL << tc.row;
	check(id > 0 && n == test_class.rows - 1 && !(rows & 1ULL << sc.row),
	      "a system-wide PMC on row %u leaves the other rows to virtual PMCs (0x%llx)", sc.row,
	      (unsigned long long)rows);
	check(class_free_rows(fd, HWPMC_MODE_SC, 1) == 1,
	      "virtual PMCs leave that row only to another CPU");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
	dev_release(fd, id);
	check(dev_row_info(fd, 0, sc.row).disposition == HWPMC_ROW_FREE,
	      "a row is FREE after its last holder");
}

static void info(void)
{
	struct hwpmc_allocate a = {
		.class_id = test_class.class_id, .mode = HWPMC_MODE_TC, .cpu = -1, .caps = test_class.caps,
		.event = test_class.event, .count = 1234, .flags = HWPMC_F_DESCENDANTS,
	};
	struct hwpmc_row_info row = dev_row_info(fd, 0, test_class.first);
	int err;

	check(row.pid == HWPMC_PID_NONE && !row.holders && !row.mode && row.disposition == HWPMC_ROW_FREE &&
	      row.enabled && row.class_id == test_class.class_id && row.name[0] && row.width,
	      "PMC_INFO of a free row: \"%s\", %u bits", row.name, row.width);
	err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));
	row = dev_row_info(fd, 1, a.row);
	check(!err && row.pid == getpid() && row.holders == 1 && row.mode == HWPMC_MODE_TC &&
	      row.disposition == HWPMC_ROW_THREAD && row.flags == HWPMC_F_DESCENDANTS &&
	      row.event == test_class.event && row.count == 1234 &&
	      !strcmp(row.comm, "t-abi_rows"),
	      "PMC_INFO of a virtual PMC: pid %d (%s), event 0x%llx, flags 0x%x, start %llu",
	      row.pid, row.comm, (unsigned long long)row.event, row.flags,
	      (unsigned long long)row.count);
	dev_release(fd, a.id);
}

static void admin_errors(void)
{
	struct hwpmc_caps caps;
	int64_t id;

	refused(fd, dev_admin(fd, test_class.cpus, 0, HWPMC_ADMIN_DISABLED), EINVAL, "cpu",
		"ADMIN of a cpu that is too large");
	refused(fd, dev_admin(fd, 0, test_class.all, HWPMC_ADMIN_DISABLED), EINVAL, "row",
		"ADMIN of a row that is too large");
	refused(fd, dev_admin(fd, 0, ~0U, HWPMC_ADMIN_DISABLED), EINVAL, "row", "ADMIN of row ~0");
	refused(fd, dev_admin(fd, 0, test_class.first, 2), EINVAL, NULL, "ADMIN to state 2");
	check(dev_row_info(fd, 0, test_class.first).enabled, "the row is still enabled after a failed ADMIN");

	id = class_pmc(fd, 0);
	dev_caps(fd, id, &caps);
	refused(fd, dev_admin(fd, 0, caps.row, HWPMC_ADMIN_DISABLED), EBUSY, "held by pid",
		"ADMIN of a row held by a virtual PMC");
	refused(fd, dev_admin(fd, 1, caps.row, HWPMC_ADMIN_DISABLED), EBUSY, "held by pid",
		"ADMIN of that row on the other CPU");
	refused(fd, dev_admin(fd, 0, caps.row, HWPMC_ADMIN_FREE), EBUSY, "held by pid",
		"ADMIN of that row to FREE");
	dev_release(fd, id);

	id = class_allocate(fd, HWPMC_MODE_SC, 0, 0);
	dev_caps(fd, id, &caps);
	refused(fd, dev_admin(fd, 0, caps.row, HWPMC_ADMIN_DISABLED), EBUSY, "held by pid",
		"ADMIN of a row held by a PMC of this CPU");
	check(!dev_admin(fd, 1, caps.row, HWPMC_ADMIN_DISABLED),
	      "ADMIN of that row on the other CPU succeeds");
	dev_admin(fd, 1, caps.row, HWPMC_ADMIN_FREE);
	dev_release(fd, id);
}

static bool takes_row(uint32_t mode, int cpu, uint32_t row)
{
	unsigned int n = class_allocate_all(fd, mode, cpu, ids, MAX), i;
	struct hwpmc_caps caps;
	bool takes = false;

	for (i = 0; i < n; i++)
		takes |= !dev_caps(fd, ids[i], &caps) && caps.row == row;
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
	return takes;
}

static void admin_effects(void)
{
	uint32_t row = test_class.first + 1, i;
	int64_t err;

	check(!dev_admin(fd, 0, row, HWPMC_ADMIN_DISABLED), "ADMIN disables row %u of cpu 0", row);
	check(!dev_admin(fd, 0, row, HWPMC_ADMIN_DISABLED), "ADMIN disables a disabled row again");
	check(!dev_row_info(fd, 0, row).enabled && dev_row_info(fd, 1, row).enabled &&
	      dev_row_info(fd, 0, row + 1).enabled,
	      "PMC_INFO returns only that row of that CPU as disabled");
	check(!takes_row(HWPMC_MODE_TC, -1, row), "virtual PMCs do not get a disabled row");
	check(!takes_row(HWPMC_MODE_SC, 0, row), "system-wide PMCs of that CPU do not get it");
	check(takes_row(HWPMC_MODE_SC, 1, row), "system-wide PMCs of the other CPU get it");
	check(class_free_rows(fd, HWPMC_MODE_TC, -1) == test_class.rows - 1, "one row less is free");
	for (i = 0; i < test_class.rows; i++)
		dev_admin(fd, 0, test_class.first + i, HWPMC_ADMIN_DISABLED);
	err = class_allocate(fd, HWPMC_MODE_TC, -1, 0);
	every_row_named(err, "disabled", "ALLOCATE with all rows disabled");
	check(class_free_rows(fd, HWPMC_MODE_SC, 1) == test_class.rows, "all rows of cpu 1 are enabled");
	for (i = 0; i < test_class.rows; i++)
		dev_admin(fd, 0, test_class.first + i, HWPMC_ADMIN_FREE);
	check(dev_row_info(fd, 0, row).enabled && takes_row(HWPMC_MODE_TC, -1, row),
	      "ADMIN enables the rows again");
}

/* Disabled rows are the machine's state, not the owner's. */
static void admin_stays(void)
{
	int other = dev_open();

	dev_admin(other, 1, test_class.first, HWPMC_ADMIN_DISABLED);
	close(other);
	check(!dev_row_info(fd, 1, test_class.first).enabled,
	      "a row stays disabled when the owner that disabled it closes");
	dev_admin(fd, 1, test_class.first, HWPMC_ADMIN_FREE);
}

int main(void)
{
	fd = class_open(60);
	info();
	own_rows(HWPMC_MODE_TC, -1, "virtual");
	own_rows(HWPMC_MODE_SC, 0, "system-wide");
	a_gap();
	dispositions();
	other_owner();
	admin_errors();
	admin_effects();
	admin_stays();
	check(!dev_stats(fd).pmcs, "no PMC is left");
	return result();
}
