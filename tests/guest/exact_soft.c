// SPDX-License-Identifier: GPL-2.0-only
/*
 * Software events, with and without a PMU: the caller's match getrusage(2) before and after,
 * and a child's match what wait4(2) returns. Migrations are those that sched_setaffinity(2) forces.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "exact.h"
#include "blocked_call.h"

#define EVENTS	(HWPMC_SOFT_OFF_CPU + 1)
#define PAGES	200
#define TURNS	100
#define TRIES	50

static const uint64_t page = 4096;

static int64_t allocate(int fd, uint32_t mode, int cpu, uint64_t event, uint64_t caps)
{
	return dev_allocate(fd, HWPMC_CLASS_SOFT, mode, cpu, event, caps, 0);
}

static void is_refused(int fd, int64_t got, int err, const char *word, const char *name)
{
	check(got == -err && strstr(dev_sentence(fd), word), "ALLOCATE of %s is refused: %s", name,
	      got < 0 ? dev_sentence(fd) : "it succeeds");
}

static void refused(int fd)
{
	is_refused(fd, allocate(fd, HWPMC_MODE_TC, -1, EVENTS, 0), EINVAL, "0 (clock)",
		   "an unknown software event");
	is_refused(fd, allocate(fd, HWPMC_MODE_TC, -1, 0, HWPMC_CAP_USER), EOPNOTSUPP,
		   "user and kernel mode together", "a software event in user mode only");
	is_refused(fd, allocate(fd, HWPMC_MODE_SC, 0, HWPMC_SOFT_SWITCHES, 0), EINVAL,
		   "mode TC", "a CPU's context switches");
	is_refused(fd, allocate(fd, HWPMC_MODE_SC, 0, HWPMC_SOFT_FAULTS_MAJOR, 0), EINVAL,
		   "mode TC", "a CPU's page faults");
}

static void all(int fd, uint32_t ids[EVENTS])
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		int64_t id = allocate(fd, HWPMC_MODE_TC, -1, i, 0);

		if (id < 0)
			die("event %u: %s", i, dev_sentence(fd));
		ids[i] = id;
	}
}

struct sums {
	uint64_t switches;
	uint64_t minor;
	uint64_t major;
};

static struct sums sums_of(const struct rusage *ru)
{
	return (struct sums){ ru->ru_nvcsw + ru->ru_nivcsw, ru->ru_minflt, ru->ru_majflt };
}

static struct sums sums_now(void)
{
	struct rusage ru;

	if (getrusage(RUSAGE_THREAD, &ru))
		die("getrusage: %s", strerror(errno));
	return sums_of(&ru);
}

static void touch_pages(unsigned int pages)
{
	char *at = small_pages(pages * page);

	for (unsigned int i = 0; i < pages; i++)
		*(volatile char *)(at + i * page) = 1;
	munmap(at, pages * page);
}

/* Another process, which answers each byte with a byte, and touches some memory before it exits. */
struct partner {
	pid_t pid;
	int there;
	int back;
};

static struct partner meet(void)
{
	int there[2], back[2];
	struct partner p;
	char byte;

	if (pipe(there) || pipe(back))
		die("pipe: %s", strerror(errno));
	p = (struct partner){ fork(), there[1], back[0] };
	if (!p.pid) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		touch_pages(PAGES);
		_exit(0);
	}
	if (p.pid < 0)
		die("fork: %s", strerror(errno));
	close(there[0]);
	close(back[1]);
	return p;
}

static void take_turns(const struct partner *p)
{
	char byte = 0;

	for (int i = 0; i < TURNS; i++)
		if (write(p->there, &byte, 1) != 1 || read(p->back, &byte, 1) != 1)
			die("a turn: %s", strerror(errno));
}

static void part(const struct partner *p, struct rusage *ru)
{
	int status;

	close(p->there);
	close(p->back);
	if (wait4(p->pid, &status, 0, ru) != p->pid || status)
		die("a partner: %s, status %d", strerror(errno), status);
}

/*
 * @looks: readings of the kernel's counts: before and after START, and before and after STOP. The
 * PMC's count is between the difference of the inner two and that of the outer two.
 */
static void lies_between(const char *name, uint64_t got, const uint64_t looks[4])
{
	check(got >= looks[2] - looks[1] && got <= looks[3] - looks[0],
	      "%s: %llu are in the range of getrusage, %llu to %llu", name, (unsigned long long)got,
	      (unsigned long long)(looks[2] - looks[1]), (unsigned long long)(looks[3] - looks[0]));
}

static void of_oneself(int fd)
{
	uint64_t values[EVENTS];
	struct partner p = meet();
	uint32_t ids[EVENTS];
	struct sums at[4];

	all(fd, ids);
	at[0] = sums_now();
	if (dev_ids(fd, HWPMC_IOC_START, ids, EVENTS))
		die("start: %s", dev_sentence(fd));
	at[1] = sums_now();
	take_turns(&p);
	touch_pages(PAGES);
	at[2] = sums_now();
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, EVENTS))
		die("stop: %s", dev_sentence(fd));
	at[3] = sums_now();
	if (dev_read(fd, ids, EVENTS, values))
		die("read: %s", dev_sentence(fd));
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, EVENTS);
	part(&p, NULL);

	check(at[2].switches - at[1].switches >= TURNS && at[2].minor - at[1].minor >= PAGES,
	      "switches and faults occur");
	lies_between("context switches", values[HWPMC_SOFT_SWITCHES],
		     (uint64_t []){ at[0].switches, at[1].switches, at[2].switches, at[3].switches });
	lies_between("minor faults", values[HWPMC_SOFT_FAULTS_MINOR],
		     (uint64_t []){ at[0].minor, at[1].minor, at[2].minor, at[3].minor });
	lies_between("major faults", values[HWPMC_SOFT_FAULTS_MAJOR],
		     (uint64_t []){ at[0].major, at[1].major, at[2].major, at[3].major });
	check(values[HWPMC_SOFT_FAULTS] ==
	      values[HWPMC_SOFT_FAULTS_MINOR] + values[HWPMC_SOFT_FAULTS_MAJOR],
	      "page faults are the sum of minor and major ones: %llu", (unsigned long long)values[HWPMC_SOFT_FAULTS]);
}

/* The counts so far of a sleeping process, as wait4() returns them. */
static struct sums sums_before(pid_t pid)
{
	unsigned long long minor, major, voluntary, forced;
	char path[64], text[4096];
	const char *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file || !fgets(text, sizeof(text), file))
		die("%s: %s", path, strerror(errno));
	fclose(file);
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) != 2)
		die("%s: %s", path, text);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		die("%s: %s", path, strerror(errno));
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	at = strstr(text, "\nvoluntary_ctxt_switches:");
	if (!at || sscanf(at, " voluntary_ctxt_switches: %llu nonvoluntary_ctxt_switches: %llu",
			  &voluntary, &forced) != 2)
		die("%s has no context switches", path);
	return (struct sums){ voluntary + forced, minor, major };
}

/* A child is counted from a point at which it sleeps to its last page fault. */
static void of_a_child(int fd)
{
	struct partner p = meet();
	struct sums before, after;
	uint64_t values[EVENTS];
	uint32_t ids[EVENTS];
	struct rusage ru;

	all(fd, ids);
	for (unsigned int i = 0; i < EVENTS; i++)
		if (dev_attach(fd, ids[i], p.pid, 0))
			die("attach: %s", dev_sentence(fd));
	if (!SOON(task_state(p.pid) == 'S') || dev_ids(fd, HWPMC_IOC_START, ids, EVENTS))
		die("start: %s", dev_sentence(fd));
	before = sums_before(p.pid);
	take_turns(&p);
	part(&p, &ru);
	after = sums_of(&ru);
	if (dev_read(fd, ids, EVENTS, values))
		die("read: %s", dev_sentence(fd));
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, EVENTS);

	check(values[HWPMC_SOFT_FAULTS_MINOR] == after.minor - before.minor &&
	      values[HWPMC_SOFT_FAULTS_MINOR] >= PAGES,
	      "a child's minor faults match wait4: %llu, %llu",
	      (unsigned long long)values[HWPMC_SOFT_FAULTS_MINOR],
	      (unsigned long long)(after.minor - before.minor));
	check(values[HWPMC_SOFT_FAULTS] == after.minor - before.minor + after.major - before.major,
	      "a child's page faults are the sum of both kinds: %llu", (unsigned long long)values[HWPMC_SOFT_FAULTS]);
	/* When /proc is read the child may not be switched out yet: then it has one more switch. */
	check(values[HWPMC_SOFT_SWITCHES] - (after.switches - before.switches) <= 1 &&
	      values[HWPMC_SOFT_SWITCHES] >= TURNS,
	      "a child's context switches match wait4: %llu, %llu",
	      (unsigned long long)values[HWPMC_SOFT_SWITCHES],
	      (unsigned long long)(after.switches - before.switches));
}

/* A task is migrated TURNS times while it runs, and another one while it sleeps. */
static void migrations(int fd)
{
	uint32_t own = allocate(fd, HWPMC_MODE_TC, -1, HWPMC_SOFT_MIGRATIONS, 0);
	uint32_t other = allocate(fd, HWPMC_MODE_TC, -1, HWPMC_SOFT_MIGRATIONS, 0);
	uint64_t before;
	struct partner p;
	char byte = 0;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("there is one CPU: nothing migrates");
		return;
	}
	p = meet();
	if (write(p.there, &byte, 1) != 1 || read(p.back, &byte, 1) != 1 ||
	    !SOON(task_state(p.pid) == 'S') || dev_attach(fd, other, p.pid, 0) ||
	    dev_start(fd, own) || dev_start(fd, other))
		die("start: %s", dev_sentence(fd));
	/* The first turn schedules the thread in, which starts its count. */
	take_turns(&p);
	before = dev_value(fd, other);
	for (int i = 1; i <= TURNS; i++) {
		pin(0, i % 2);
		if (!SOON(task_state(p.pid) == 'S'))
			die("the other does not sleep");
		pin(p.pid, i % 2);
		if (write(p.there, &byte, 1) != 1 || read(p.back, &byte, 1) != 1)
			die("a turn: %s", strerror(errno));
	}
	check(dev_value(fd, own) == TURNS, "migrations of oneself: %llu of %d",
	      (unsigned long long)dev_value(fd, own), TURNS);
	check(!before && dev_value(fd, other) == TURNS, "of one that sleeps: %llu of %d",
	      (unsigned long long)dev_value(fd, other), TURNS);
	part(&p, NULL);
	pin(0, 0);
	dev_release(fd, own);
	dev_release(fd, other);
}

/* A CPU's clock is the elapsed time; a task's clock is its time on a CPU. */
static void clocks(int fd)
{
	const uint32_t ids[] = {
		allocate(fd, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0),
		allocate(fd, HWPMC_MODE_SC, 0, HWPMC_SOFT_CLOCK, 0),
	};
	uint64_t at[4], values[2];

	at[0] = clock_ns(CLOCK_MONOTONIC);
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("clocks: %s", dev_sentence(fd));
	at[1] = clock_ns(CLOCK_MONOTONIC);
	spin(2);
	at[2] = clock_ns(CLOCK_MONOTONIC);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, 2) || dev_read(fd, ids, 2, values))
		die("clocks: %s", dev_sentence(fd));
	at[3] = clock_ns(CLOCK_MONOTONIC);
	lies_between("the clock of a CPU in ns", values[1], at);
	check(values[0] && values[0] <= at[3] - at[0], "the clock of a task is not larger: %llu",
	      (unsigned long long)values[0]);

	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("clocks: %s", dev_sentence(fd));
	check(clock_stops_off_cpu(fd, ids), "the clock of a task stops while it sleeps");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

/* The task's clock matches the scheduler's. */
static void beside_the_scheduler(int fd)
{
	const int64_t id = allocate(fd, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0);
	uint64_t value, used;
	int tries = TRIES;

	do {
		if (dev_write(fd, id, 0) || dev_start(fd, id))
			die("the clock: %s", dev_sentence(fd));
		used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		spin(2);
		used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - used;
		dev_stop(fd, id);
		value = dev_value(fd, id);
	} while ((value < used || value > used + used / 10) && --tries);
	check(tries, "the clock of a task matches the scheduler's: %llu ns, %llu ns",
	      (unsigned long long)value, (unsigned long long)used);
	dev_release(fd, id);
}

static void two_owners(int fd)
{
	int other = dev_open();
	int64_t first = allocate(fd, HWPMC_MODE_TC, -1, HWPMC_SOFT_FAULTS, 0);
	int64_t second = allocate(other, HWPMC_MODE_TC, -1, HWPMC_SOFT_FAULTS, 0);
	uint64_t a, b;

	check(first > 0 && second > 0 && !dev_start(fd, first) && !dev_start(other, second),
	      "two owners count the same software event");
	touch_pages(PAGES);
	b = dev_value(other, second);
	a = dev_value(fd, first);
	check(b >= PAGES && a >= b, "both owners' PMCs count: %llu, %llu", (unsigned long long)a,
	      (unsigned long long)b);
	close(other);
	dev_release(fd, first);
}

int main(void)
{
	int fd = dev_open();

	time_limit(60);
	/* On one CPU each turn is a context switch. */
	pin(0, 0);
	refused(fd);
	of_oneself(fd);
	of_a_child(fd);
	clocks(fd);
	beside_the_scheduler(fd);
	migrations(fd);
	two_owners(fd);
	return result();
}
