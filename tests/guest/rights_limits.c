// SPDX-License-Identifier: GPL-2.0-only
/*
 * "rights_limits [DIVISOR]": limits of a user over all its files: files, PMCs, rows and links
 * (threads that its PMCs follow). A user at a limit does not affect other users. PMCs of many other
 * files do not slow down calls.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "exact.h"
#include "param.h"
#include "ring.h"
#include "test_class.h"

#define USER	1000
#define OTHER	1001

static int open_device(void)
{
	int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void files(void *arg)
{
	int first = open_device(), second = open_device(), third = open_device();

	(void)arg;
	check(first >= 0 && second >= 0, "max_files=3: a user opens the device three times");
	check(third == -EMFILE, "a fourth open fails with EMFILE: %s", strerror(-third));
	close(first);
	third = open_device();
	check(third >= 0, "an open succeeds after a file was closed");
	check(open_device() == -EMFILE, "the next open fails with EMFILE");
}

#define RACES	3000	/* at most */

struct racer {
	int fd;
	bool got[RACES];
};

static atomic_int arrivals;

/* Waits until both threads have called this @n times. */
static void meet(int n)
{
	atomic_fetch_add(&arrivals, 1);
	while (atomic_load(&arrivals) < 2 * n)
		;
}

/* Allocates a PMC at the same moment as the other thread, many times. */
static void *race(void *arg)
{
	int i, races = scaled(RACES);
	struct racer *racer = arg;
	int64_t id;

	for (i = 0; i < races; i++) {
		meet(2 * i + 1);
		id = class_allocate(racer->fd, HWPMC_MODE_TC, -1, 0);
		racer->got[i] = id > 0;
		meet(2 * i + 2);
		if (id > 0)
			dev_release(racer->fd, id);
	}
	return NULL;
}

/* Two threads allocate when the user may have one more PMC. */
static void last_pmc(void *arg)
{
	static struct racer a, b;
	int i, both = 0, none = 0, races = scaled(RACES);
	pthread_t thread;

	(void)arg;
	a.fd = user_fd;
	b.fd = dev_open();
	if (pthread_create(&thread, NULL, race, &b))
		die("thread: %s", strerror(errno));
	race(&a);
	pthread_join(thread, NULL);
	for (i = 0; i < races; i++) {
		both += a.got[i] && b.got[i];
		none += !a.got[i] && !b.got[i];
	}
	check(!both, "max_pmcs=1: two threads that allocate at once never both get a PMC: %d times of %d",
	      both, races);
	check(!none, "one of them gets a PMC each time; none %d times", none);
}

static void pmcs(void *arg)
{
	int second = dev_open();
	uint32_t a = class_pmc(user_fd, 0), b = class_pmc(second, 0);

	(void)arg;
	refused(user_fd, class_allocate(user_fd, HWPMC_MODE_TC, -1, 0), EBUSY, "max_pmcs",
		"max_pmcs=2: ALLOCATE of a third PMC, with one in another file,");
	refused(second, class_allocate(second, HWPMC_MODE_TC, -1, HWPMC_F_TRY), EBUSY, "max_pmcs",
		"ALLOCATE with TRY in the other file");
	check(!dev_release(second, b) && class_allocate(user_fd, HWPMC_MODE_TC, -1, 0) > 0,
	      "ALLOCATE succeeds after RELEASE of the one in the other file");
	dev_release(user_fd, a);
	close(second);
}

static void rows(void *arg)
{
	int second = dev_open();
	uint32_t mine[8], others[8];

	(void)arg;
	check(class_allocate_all(user_fd, HWPMC_MODE_TC, -1, mine, 8) == 2,
	      "max_rows=2: a user gets two rows");
	refused(user_fd, class_allocate(user_fd, HWPMC_MODE_TC, -1, 0), EBUSY, "max_rows",
		"ALLOCATE of a third row");
	check(class_allocate_all(second, HWPMC_MODE_TC, -1, others, 8) == 2,
	      "the user's other file shares these two rows");
	refused(second, class_allocate(second, HWPMC_MODE_TC, -1, 0), EBUSY, "max_rows",
		"ALLOCATE of a third row in the other file");
	dev_ids(user_fd, HWPMC_IOC_RELEASE, mine, 2);
	refused(user_fd, class_allocate_all(user_fd, HWPMC_MODE_TC, -1, mine, 8) == 2 ?
		class_allocate(user_fd, HWPMC_MODE_TC, -1, 0) : 0, EBUSY, "max_rows",
		"the rows are held while one of two files holds them: ALLOCATE of a third row");
}

static void links(void *arg)
{
	uint32_t tree = class_pmc(user_fd, HWPMC_F_DESCENDANTS), id = class_pmc(user_fd, 0);
	uint64_t before = dev_stats(user_fd).owner_fork_failures;
	struct agent p;

	(void)arg;
	check(!dev_attach(user_fd, tree, 0, 0), "max_links=2: ATTACH of a PMC to the caller");
	p = agent_start(NULL, NULL);
	check(dev_stats(user_fd).owner_fork_failures == before, "the PMC follows a child of the caller");
	refused(user_fd, dev_attach(user_fd, id, p.pid, 0), EBUSY, "max_links",
		"ATTACH of a second PMC to that child");
	struct agent q = agent_start(NULL, NULL);

	check(dev_stats(user_fd).owner_fork_failures == before + 1,
	      "a second child is not followed, and counted as a failure");
	agent_reap(&q);
	agent_reap(&p);
	check(SOON(!dev_attach(user_fd, id, 0, 0)), "ATTACH succeeds after the child exits");
}

/* Sets a parameter, and runs @what as a user, then @unlimited as root, which it does not limit. */
static void limited(const char *parameter, uint64_t value, void (*what)(void *arg),
		    void (*unlimited)(void *arg))
{
	uint64_t old = param_get(parameter);

	param_set(parameter, value);
	as_user(parameter, USER, 0, what, NULL);
	as_user(parameter, 0, (1ULL << 41) - 1, unlimited, (void *)parameter);
	param_set(parameter, old);
}

static void root_rows(void *arg)
{
	uint32_t ids[64];
	unsigned int n = class_allocate_all(user_fd, HWPMC_MODE_TC, -1, ids, 64);

	check(n == test_class.rows, "%s does not limit root: %u rows", (const char *)arg, n);
}

static void many_files(void *arg)
{
	int fds[8], i, n = 0;

	for (i = 0; i < 8; i++) {
		fds[i] = open_device();
		n += fds[i] >= 0 && class_allocate(fds[i], HWPMC_MODE_TC, -1, 0) > 0 &&
		     !dev_rings(fds[i], 262144);
	}
	check(n == 8, "%s does not limit root: %d files with a PMC and rings", (const char *)arg, n);
}

/* Another user allocates a PMC while this user is at its limit. */
static void held_open(void *arg)
{
	(void)arg;
	become(USER, 0);
	class_pmc(dev_open(), 0);
}

static void another(void *arg)
{
	(void)arg;
	check(class_allocate(user_fd, HWPMC_MODE_TC, -1, 0) > 0, "a user at its limit does not affect another user");
}

static void two_users(void)
{
	uint64_t old = param_get("max_pmcs");
	struct agent p;

	param_set("max_pmcs", 1);
	p = agent_start(held_open, NULL);
	as_user("another user", OTHER, 0, another, NULL);
	param_set("max_pmcs", old);
	agent_reap(&p);
}

#define FILES_MOST	2000
#define PAIRS	200

/* Returns the ns of an ALLOCATE with RELEASE, the least of many. */
static uint64_t pair_cost(int fd)
{
	uint64_t least = UINT64_MAX, begun, took;
	int i;

	for (i = 0; i < PAIRS; i++) {
		begun = clock_ns(CLOCK_MONOTONIC);
		dev_release(fd, class_pmc(fd, 0));
		took = clock_ns(CLOCK_MONOTONIC) - begun;
		least = took < least ? took : least;
	}
	return least;
}

/* ALLOCATE does not take longer if 2,000 other files hold PMCs on the same four rows. */
static void many_holders(int fd)
{
	const uint32_t files = scaled(FILES_MOST);
	struct rlimit limit = { files + 100, files + 100 };
	uint32_t ids[64], n = 0, i, held = class_pmc(fd, 0);
	uint64_t few = pair_cost(fd), many;
	static int fds[FILES_MOST];

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("limit: %s", strerror(errno));
	for (i = 0; i < files; i++) {
		fds[i] = dev_open();
		n += class_allocate_all(fds[i], HWPMC_MODE_TC, -1, ids, 4);
	}
	many = pair_cost(fd);
	check(n == 4 * files && many < 3 * few + 2000,
	      "ALLOCATE and RELEASE with %u other PMCs: %llu ns, without %llu ns", n,
	      (unsigned long long)many, (unsigned long long)few);
	for (i = 0; i < files; i++)
		close(fds[i]);
	dev_release(fd, held);
}

int main(int argc, char **argv)
{
	int fd;

	agent_main(argc, argv);
	scale_down(argc, argv);
	fd = class_open(120);
	limited("max_files", 3, files, many_files);
	limited("max_pmcs", 1, last_pmc, many_files);
	limited("max_pmcs", 2, pmcs, many_files);
	limited("max_rows", 2, rows, root_rows);
	limited("max_links", 2, links, root_rows);
	two_users();
	many_holders(fd);
	return result();
}
