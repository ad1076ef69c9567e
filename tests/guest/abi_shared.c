// SPDX-License-Identifier: GPL-2.0-only
/*
 * "abi_shared [DIVISOR]": shareable rows (x86: the time-stamp counter): the limits on their PMCs,
 * and what they cost a new thread. The argument divides the highest limit that is tried.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "exact.h"
#include "param.h"
#include "test_class.h"

/* More PMCs than any limit allows. */
#define FAR_TOO_MANY	20000
#define NEW_THREAD_MS	50

#define USER	1000
#define OTHER	1001

static int64_t tsc(int fd, uint32_t mode, int cpu, uint32_t flags)
{
	return dev_allocate(fd, HWPMC_CLASS_TSC, mode, cpu, 0, 0, flags);
}

/* Allocates PMCs into @ids, if that is not NULL, until ALLOCATE is refused; *@err is the error. */
static unsigned int fill(int fd, uint32_t mode, int cpu, uint32_t *ids, int *err)
{
	unsigned int n;
	int64_t id = 0;

	for (n = 0; n < FAR_TOO_MANY; n++) {
		id = tsc(fd, mode, cpu, 0);
		if (id < 0)
			break;
		if (ids)
			ids[n] = id;
	}
	*err = id < 0 ? id : 0;
	return n;
}

static void *nothing(void *arg)
{
	return arg;
}

static double new_thread_ms(void)
{
	double since = seconds(), took;
	pthread_t thread;
	int err;

	err = pthread_create(&thread, NULL, nothing, NULL);
	took = seconds() - since;
	if (err)
		die("pthread_create: %s", strerror(err));
	pthread_join(thread, NULL);
	return took * 1e3;
}

/* Attaches @ids to the caller until ATTACH is refused; *@err is the error. */
static unsigned int attach(int fd, const uint32_t *ids, unsigned int n, int *err)
{
	unsigned int i;

	*err = 0;
	for (i = 0; i < n && !*err; i++)
		*err = dev_attach(fd, ids[i], 0, 0);
	return *err ? i - 1 : i;
}

/* The caller attaches as many PMCs to itself as it may, and creates a thread. */
static void threads(int fd, unsigned int limit, unsigned int followers, const char *what)
{
	static uint32_t ids[FAR_TOO_MANY];
	unsigned int n, attached;
	double ms;
	int err;

	n = fill(fd, HWPMC_MODE_TC, -1, ids, &err);
	check(n == limit, "%s: ALLOCATE grants %u PMCs on a shareable row: %u", what, limit, n);
	attached = attach(fd, ids, n, &err);
	check(attached == followers, "%s: ATTACH to the caller grants max_followers: %u", what, attached);
	if (attached < n)
		refused(fd, err, EBUSY, "max_followers", "%s: ATTACH of one more PMC", what);
	ms = new_thread_ms();
	check(ms < NEW_THREAD_MS * PATIENCE, "%s: creating a thread takes %.1f ms", what, ms);
	check(!dev_stats(fd).owner_fork_failures, "%s: the thread inherits all PMCs", what);
}

/* PMCs on several shareable rows have one limit together, since each of them delays a fork. */
static void followers_of_all_rows(void *arg)
{
	unsigned int limit = *(unsigned int *)arg, attached, i;
	static uint32_t ids[FAR_TOO_MANY];
	int64_t id;
	int err;

	if (2 * limit > FAR_TOO_MANY)
		die("max_followers is %u", limit);
	for (i = 0; i < 2 * limit; i++) {
		id = i % 2 ? tsc(user_fd, HWPMC_MODE_TC, -1, 0) :
		     dev_allocate(user_fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1,
				  HWPMC_SOFT_CLOCK + i / 2 % 3, 0, 0);
		if (id < 0)
			die("allocate: %s", dev_sentence(user_fd));
		ids[i] = id;
	}
	attached = attach(user_fd, ids, 2 * limit, &err);
	refused(user_fd, err, EBUSY, "max_followers", "ATTACH of one more PMC, on whatever row");
	check(attached == limit, "ATTACH to a thread grants max_followers PMCs on all shareable rows: %u",
	      attached);
}

/*
 * PMCs that log switches or exits have a limit of their own (max_recorders); those that only count
 * are not part of it.
 */
static void recorders(void *arg)
{
	unsigned int limit = *(unsigned int *)arg, attached, i;
	uint32_t ids[64];
	int err;

	for (i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = tsc(user_fd, HWPMC_MODE_TC, -1, i % 2 ? HWPMC_F_LOG_PROCCSW :
								HWPMC_F_LOG_PROCEXIT);
	attached = attach(user_fd, ids, ARRAY_SIZE(ids), &err);
	refused(user_fd, err, EBUSY, "max_recorders", "ATTACH of one more PMC that logs");
	check(attached == limit, "ATTACH to a thread grants max_recorders PMCs that log: %u", attached);
	check(!dev_attach(user_fd, tsc(user_fd, HWPMC_MODE_TC, -1, 0), 0, 0),
	      "ATTACH of a PMC that only counts succeeds beside them");
	check(!dev_release(user_fd, ids[0]) && !dev_attach(user_fd, ids[attached], 0, 0),
	      "RELEASE of a PMC that logs makes room for another");
}

static void another_user(void *arg)
{
	(void)arg;
	check(tsc(user_fd, HWPMC_MODE_TC, -1, 0) > 0, "another user has its own limit");
}

static void refusals(void *arg)
{
	unsigned int limit = *(unsigned int *)arg, n;
	int err;

	n = fill(user_fd, HWPMC_MODE_TC, -1, NULL, &err);
	refused(user_fd, err, EBUSY, "max_shared|row ", "ALLOCATE of one PMC more than %u", n);
	check(n == limit, "max_shared is the limit: %u", limit);
	err = tsc(user_fd, HWPMC_MODE_TC, -1, HWPMC_F_TRY);
	refused(user_fd, err, EBUSY, "max_shared", "ALLOCATE with TRY beyond the limit");
}

static void give_and_take(void *arg)
{
	static uint32_t ids[FAR_TOO_MANY];
	int other = dev_open(), err;
	unsigned int n;

	(void)arg;
	n = fill(user_fd, HWPMC_MODE_TC, -1, ids, &err);
	refused(other, tsc(other, HWPMC_MODE_TC, -1, 0), EBUSY, "max_shared",
		"ALLOCATE in another file of the same user");
	check(n && !dev_release(user_fd, ids[n / 2]) && tsc(other, HWPMC_MODE_TC, -1, 0) > 0,
	      "RELEASE makes room for another PMC");
}

/* Each CPU has its own limit. Runs as root, because system-wide PMCs need a privilege. */
static void each_cpu(int fd, unsigned int limit)
{
	unsigned int n = 0;
	int cpu, err;

	for (cpu = 0; cpu < 2; cpu++)
		n += fill(fd, HWPMC_MODE_SC, cpu, NULL, &err);
	check(n == 2 * limit, "system-wide: ALLOCATE grants %u PMCs for each CPU: %u for two", limit, n);
	refused(fd, err, EBUSY, "max_shared", "system-wide: ALLOCATE of one more PMC");
}

/* Two such tasks on a CPU switch all the time. */
static pid_t yielder(int cpu)
{
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, cpu);
	for (;;)
		sched_yield();
}

#define BUSY_PMCS	1024
#define BUSY_READS	50

static bool all_same(const uint64_t *values, unsigned int n)
{
	unsigned int i;

	for (i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

/*
 * A thread's counts change at each switch. A read of them terminates nevertheless, and PMCs that
 * were started together are read at one instant.
 */
static void read_while_switching(int fd)
{
	static uint64_t values[BUSY_PMCS];
	static uint32_t ids[BUSY_PMCS];
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD | HWPMC_RW_STALE, .count = BUSY_PMCS,
		.ids = (uintptr_t)ids, .values = (uintptr_t)values,
	};
	pid_t followed = yielder(1), other = yielder(1);
	unsigned int i, reads = 0;
	uint64_t before = 0;

	pin(0, 0);
	for (i = 0; i < BUSY_PMCS; i++) {
		ids[i] = tsc(fd, HWPMC_MODE_TC, -1, 0);
		if (dev_attach(fd, ids[i], followed, 0))
			die("attach: %s", dev_sentence(fd));
	}
	if (dev_ids(fd, HWPMC_IOC_START, ids, BUSY_PMCS))
		die("start: %s", dev_sentence(fd));
	/* The host may stop CPU 1 for longer than all the reads take. */
	check(SOON(!dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw)) && values[0]),
	      "the thread that switches all the time has counted");
	for (i = 0; i < BUSY_READS; i++) {
		if (dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw)) || values[0] < before ||
		    !all_same(values, BUSY_PMCS))
			break;
		before = values[0];
		reads++;
	}
	check(reads == BUSY_READS && before,
	      "%u PMCs of a thread that switches all the time are equal in %u reads",
	      BUSY_PMCS, reads);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, BUSY_PMCS);
	kill(followed, SIGKILL);
	kill(other, SIGKILL);
	reap(followed);
	reap(other);
}

int main(int argc, char **argv)
{
	int fd = class_open(120);
	unsigned int limit = param_get("max_shared"), followers = param_get("max_followers"),
		     records = param_get("max_recorders"), higher;

	scale_down(argc, argv);
	higher = scaled(FAR_TOO_MANY / 2);

	as_user("refusals", USER, 0, refusals, &limit);
	as_user("give and take", USER, 0, give_and_take, NULL);
	as_user("recorders", USER, 0, recorders, &records);
	as_user("followers on all rows", USER, 0, followers_of_all_rows, &followers);
	threads(fd, limit, followers, "default limit");
	as_user("another user", OTHER, 0, another_user, NULL);
	close(fd);
	fd = dev_open();
	each_cpu(fd, limit);
	close(fd);
	/* With more PMCs a quadratic cost is easier to detect. */
	param_set("max_followers", higher < BUSY_PMCS ? BUSY_PMCS : higher);
	fd = dev_open();
	read_while_switching(fd);
	close(fd);
	param_set("max_shared", higher);
	fd = dev_open();
	threads(fd, higher, higher, "higher limit");
	param_set("max_shared", 1);
	refused(fd, tsc(fd, HWPMC_MODE_TC, -1, 0), EBUSY, "max_shared", "ALLOCATE with a limit below what is held");
	param_set("max_shared", limit);
	param_set("max_followers", followers);
	close(fd);
	return result();
}
