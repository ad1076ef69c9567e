// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADMIN with FORCE evicts the PMCs that hold a row: their owners get POLLERR and ECANCELED, and the
 * row is free, whatever the owners do.
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>

#include "test_class.h"
#include "userfault.h"

#define USER	1000

static int admin(int fd, unsigned int cpu, unsigned int row, uint32_t state)
{
	struct hwpmc_admin a = {
		.flags = HWPMC_ADMIN_FORCE, .cpu = cpu, .row = row, .state = state,
	};

	return dev_call(fd, HWPMC_IOC_ADMIN, &a, sizeof(a));
}

static short events(int fd)
{
	struct pollfd pfd = { .fd = fd };

	return poll(&pfd, 1, 0) == 1 ? pfd.revents : 0;
}

static uint32_t row_of(int fd, uint32_t id)
{
	struct hwpmc_caps caps;

	if (dev_caps(fd, id, &caps))
		die("caps: %s", dev_sentence(fd));
	return caps.row;
}

/* Shared with a process that holds a row: two pipes, and the row. */
struct holder {
	int ready[2], go[2];
	uint32_t row;
};

static void every_call_refused(uint32_t id)
{
	struct hwpmc_caps caps;
	uint64_t value;

	refused(user_fd, dev_read(user_fd, &id, 1, &value), ECANCELED, "administrator", "READ of an evicted PMC");
	refused(user_fd, dev_stop(user_fd, id), ECANCELED, "release", "STOP of an evicted PMC");
	refused(user_fd, dev_start(user_fd, id), ECANCELED, NULL, "START of an evicted PMC");
	refused(user_fd, dev_caps(user_fd, id, &caps), ECANCELED, NULL, "CAPS of an evicted PMC");
	refused(user_fd, dev_set_count(user_fd, id, 5), ECANCELED, NULL, "SET_COUNT of an evicted PMC");
	refused(user_fd, dev_attach(user_fd, id, 0, 0), ECANCELED, NULL, "ATTACH of an evicted PMC");
	refused(user_fd, dev_detach(user_fd, id, 0, 0), ECANCELED, NULL, "DETACH of an evicted PMC");
}

static void held(void *arg)
{
	struct holder *h = arg;
	uint32_t id = class_pmc(user_fd, 0), other = class_pmc(user_fd, 0), again;
	uint64_t before, after;
	char byte = 0;

	h->row = row_of(user_fd, id);
	if (dev_start(user_fd, id) || dev_start(user_fd, other))
		die("start: %s", dev_sentence(user_fd));
	check(!(events(user_fd) & POLLERR), "(a user counts itself with two PMCs)");
	if (write(h->ready[1], &h->row, sizeof(h->row)) != sizeof(h->row) || read(h->go[0], &byte, 1) != 1)
		die("holder");
	check(SOON(events(user_fd) & POLLERR), "the owner of an evicted PMC gets POLLERR");
	every_call_refused(id);
	before = dev_value(user_fd, other);
	spin(1);
	after = dev_value(user_fd, other);
	check(after > before, "the owner's other PMC continues to count: %llu, %llu", (unsigned long long)before,
	      (unsigned long long)after);
	refused(user_fd, admin(user_fd, 0, h->row, HWPMC_ADMIN_FREE), EPERM, "CAP_PERFMON",
		"ADMIN with FORCE by a user");
	again = class_pmc(user_fd, 0);
	check(!dev_start(user_fd, again), "START of a new PMC in the thread that the evicted one followed");
	before = dev_value(user_fd, again);
	spin(1);
	after = dev_value(user_fd, again);
	check(after > before, "the new PMC counts: %llu, %llu", (unsigned long long)before, (unsigned long long)after);
	check(!dev_release(user_fd, id) && !(events(user_fd) & POLLERR),
	      "RELEASE of the evicted PMC succeeds, and poll(2) no longer returns POLLERR");
	refused(user_fd, dev_release(user_fd, id), ENOENT, NULL, "a second RELEASE of it");
}

/* A user's PMC runs while root takes its row. */
static void running(int fd)
{
	struct holder h;
	uint32_t row;
	int64_t id;
	pid_t pid;

	if (pipe(h.ready) || pipe(h.go))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		as_user("a holder", USER, 0, held, &h);
		exit(result());
	}
	if (read(h.ready[0], &row, sizeof(row)) != sizeof(row))
		die("a holder");
	refused(fd, dev_admin(fd, 0, row, HWPMC_ADMIN_DISABLED), EBUSY, "held", "ADMIN of a row that a user's PMC holds");
	check(!admin(fd, 0, row, HWPMC_ADMIN_DISABLED), "ADMIN with FORCE succeeds: %s", dev_sentence(fd));
	check(!dev_row_info(fd, 0, row).holders && !dev_row_info(fd, 0, row).enabled,
	      "the row has no holder, and is disabled");
	check(!dev_admin(fd, 0, row, HWPMC_ADMIN_FREE), "(the row is enabled again)");
	if (write(h.go[1], "", 1) != 1)
		die("a holder");
	check(!reap(pid), "the holder's cases pass");
	id = class_allocate(fd, HWPMC_MODE_SC, 0, 0);
	check(id > 0, "a system-wide PMC gets a row");
	dev_release(fd, id);
}

static void allocate_all(void *arg)
{
	uint32_t ids[64];

	(void)arg;
	become(USER, 0);
	if (class_allocate_all(dev_open(), HWPMC_MODE_TC, -1, ids, 64) != test_class.rows)
		_exit(1);
}

/* Root can evict PMCs that a user never started, and get each row. */
static void idle_holders(int fd)
{
	struct agent p = agent_start(allocate_all, NULL);
	uint32_t ids[64], i;
	int err = 0;

	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 1, 0), EBUSY, "no row is free",
		"a user holds each row: ALLOCATE system-wide");
	for (i = 0; i < test_class.rows && !err; i++)
		err = admin(fd, 1, test_class.first + i, HWPMC_ADMIN_FREE);
	check(!err, "ADMIN with FORCE of each row");
	check(class_allocate_all(fd, HWPMC_MODE_SC, 1, ids, 64) == test_class.rows, "root gets each row of the CPU");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, test_class.rows);
	agent_reap(&p);
	check(class_free_rows(fd, HWPMC_MODE_TC, -1) == test_class.rows, "all rows are free after the evicted owner exits");
}

static struct userfault missing;

static void *start_blocked(void *arg)
{
	struct hwpmc_ids ids = { .count = 1, .ids = (uintptr_t)missing.page };

	(void)arg;
	dev_call(user_fd, HWPMC_IOC_START, &ids, sizeof(ids));
	return NULL;
}

/* A call of another thread holds the file's lock while it sleeps in a page fault. */
static void hold_lock(void *arg)
{
	struct holder *h = arg;
	uint32_t id = class_pmc(user_fd, 0), row = row_of(user_fd, id);
	pthread_t thread;
	char byte;

	if (dev_start(user_fd, id))
		die("start: %s", dev_sentence(user_fd));
	missing = userfault_open();
	if (pthread_create(&thread, NULL, start_blocked, NULL))
		die("a thread");
	check(userfault_pending(&missing, 10000), "(a call of the owner sleeps in a page fault)");
	if (write(h->ready[1], &row, sizeof(row)) != sizeof(row) || read(h->go[0], &byte, 1) != 1)
		die("a holder");
	userfault_resolve(&missing);
	pthread_join(thread, NULL);
	refused(user_fd, dev_stop(user_fd, id), ECANCELED, NULL, "STOP after the page fault");
}

static void locked(int fd)
{
	struct holder h;
	uint32_t row;
	pid_t pid;

	if (pipe(h.ready) || pipe(h.go))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		/* Runs as root, since other users may not use userfaultfd. */
		user_fd = dev_open();
		hold_lock(&h);
		exit(result());
	}
	if (read(h.ready[0], &row, sizeof(row)) != sizeof(row))
		die("a holder");
	check(!admin(fd, 0, row, HWPMC_ADMIN_FREE),
	      "ADMIN with FORCE succeeds while the owner's call sleeps in a page fault");
	check(!dev_row_info(fd, 0, row).holders, "and the row has no holder");
	if (write(h.go[1], "", 1) != 1)
		die("a holder");
	check(!reap(pid), "the blocked holder's cases pass");
}

/* FORCE evicts the system-wide PMC of that CPU only. */
static void one_cpu(int fd)
{
	int other = dev_open();
	int64_t a = class_allocate(other, HWPMC_MODE_SC, 0, 0), b;
	uint32_t row = row_of(other, a);
	struct hwpmc_caps caps;

	while ((b = class_allocate(other, HWPMC_MODE_SC, 1, 0)) > 0 && row_of(other, b) != row)
		;
	check(b > 0 && !dev_start(other, a) && !dev_start(other, b), "(a PMC on the same row of each CPU)");
	check(!admin(fd, 1, row, HWPMC_ADMIN_FREE), "ADMIN with FORCE of the row of CPU 1");
	check(!dev_caps(other, a, &caps) && !dev_stop(other, a), "the PMC on CPU 0 is not evicted");
	refused(other, dev_stop(other, b), ECANCELED, NULL, "STOP of the PMC on CPU 1");
	close(other);
	check(class_free_rows(fd, HWPMC_MODE_SC, 1) == test_class.rows, "all rows are free after the close");
}

static void as_perfmon(void *arg)
{
	refused(user_fd, admin(user_fd, 0, *(uint32_t *)arg, HWPMC_ADMIN_FREE), EPERM, "CAP_SYS_ADMIN",
		"ADMIN with FORCE with CAP_PERFMON alone");
}

int main(int argc, char **argv)
{
	int fd;

	agent_main(argc, argv);
	fd = class_open(60);
	running(fd);
	idle_holders(fd);
	one_cpu(fd);
	locked(fd);
	as_user("CAP_PERFMON", USER, 1ULL << CAP_PERFMON, as_perfmon, &test_class.first);
	return result();
}
