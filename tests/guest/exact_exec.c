// SPDX-License-Identifier: GPL-2.0-only
/*
 * HWPMC_F_ENABLE_ON_EXEC: a target is counted from its exec on, and so are the children that it
 * creates afterwards. The target is this program, which executes itself.
 */
#include <sys/prctl.h>

#include "exact.h"

/* What the new program does. */
#define SPINS	"spins"		/* 10 million instructions */
#define FORKS	"forks"		/* the same in a child */

/* What a target does before it executes the program. */
struct plan {
	unsigned long tens;	/* of millions of instructions */
	bool renames;
	const char *then;
	bool ran;
};

static void follow(void *arg)
{
	struct plan *plan = arg;

	if (plan->ran)
		execl("/proc/self/exe", "t-exact_exec", plan->then, NULL);
	plan->ran = true;
	if (plan->renames)
		prctl(PR_SET_NAME, "renamed");
	if (plan->tens)
		spin(plan->tens);
}

static int forks(void)
{
	pid_t pid = fork();

	if (!pid) {
		spin(1);
		_exit(0);
	}
	return pid < 0 || reap(pid);
}

/* The PMC's value before exec and at the end. */
struct counts { uint64_t before, after; };

static struct counts counted(int fd, uint32_t flags, struct plan plan)
{
	struct worker worker = worker_start(follow, &plan);
	uint32_t id = counter(fd, -1, flags);
	struct counts counts;

	if (dev_attach(fd, id, worker.pid, 0) || dev_start(fd, id))
		die("attach, start: %s", dev_sentence(fd));
	worker_do(&worker);
	counts.before = dev_value(fd, id);
	worker_begin(&worker);
	if (reap(worker.pid))
		die("the program failed");
	counts.after = dev_value(fd, id);
	dev_release(fd, id);
	close(worker.request);
	close(worker.done);
	return counts;
}

static void from_exec_on(int fd)
{
	struct counts all = counted(fd, 0, (struct plan){ .tens = 5, .then = SPINS });
	struct counts none = counted(fd, HWPMC_F_ENABLE_ON_EXEC, (struct plan){ .then = SPINS });
	struct counts late = counted(fd, HWPMC_F_ENABLE_ON_EXEC,
				     (struct plan){ .tens = 5, .renames = true, .then = SPINS });

	check_exact(all.before, 5 * SPIN_UNIT, "without the flag, what was executed before exec");
	check(!late.before, "with it nothing before exec: %llu", (unsigned long long)late.before);
	check(late.after >= SPIN_UNIT, "all of the program: %llu", (unsigned long long)late.after);
	check_exact(late.after, none.after, "whatever was executed before");
	check_exact(late.after, all.after - all.before, "and as much of exec as without the flag");
}

static void children(int fd)
{
	struct plan plan = { .tens = 5, .then = FORKS };
	struct counts counts = counted(fd, HWPMC_F_ENABLE_ON_EXEC | HWPMC_F_DESCENDANTS, plan);

	check(!counts.before && counts.after >= SPIN_UNIT && counts.after < 2 * SPIN_UNIT,
	      "a child that is created after exec counts at once: %llu",
	      (unsigned long long)counts.after);
}

/* A thread that executed its program before START. */
static void started_later(int fd)
{
	uint32_t id = counter(fd, -1, HWPMC_F_ENABLE_ON_EXEC);
	int err = dev_start(fd, id);

	spin(1);
	check(!err && !dev_value(fd, id), "START does not replace the exec: %llu",
	      (unsigned long long)dev_value(fd, id));
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc > 1 && !strcmp(argv[1], FORKS))
		return forks();
	if (argc > 1 && !strcmp(argv[1], SPINS)) {
		spin(1);
		return 0;
	}
	time_limit(60);
	fd = dev_open();
	from_exec_on(fd);
	children(fd);
	started_later(fd);
	return result();
}
