// SPDX-License-Identifier: GPL-2.0-only
/*
 * Off-CPU time: for threads that block for known times it is the elapsed time minus the CPU time of
 * the kernel's clocks. If a PMC is started while its thread is blocked, it counts the rest of that
 * time. It is also counted for children, and from exec on.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "blocks.h"
#include "exact.h"

/* A switch takes only a small part of this time, also on the slowest kernel. */
#define BLOCK_US	100000
#define BLOCKS		3
#define NAP		120	/* ms */
#define MANY		60
#define READS		20000UL

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint32_t soft(int fd, uint64_t event, uint32_t flags)
{
	int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, event, 0, flags);

	if (id < 0)
		die("allocate event %llu: %s", (unsigned long long)event, dev_sentence(fd));
	return id;
}

static uint32_t off_cpu(int fd, uint32_t flags)
{
	return soft(fd, HWPMC_SOFT_OFF_CPU, flags);
}

static void is_within_1_percent(uint64_t got, uint64_t want, const char *name)
{
	check(block_agrees(got, want), "%s: %llu ns off the CPU, of %llu (%+.2f %%)", name,
	      (unsigned long long)got, (unsigned long long)want,
	      want ? 100.0 * ((double)got - (double)want) / (double)want : 0.0);
}

static void is_between(uint64_t got, uint64_t least, uint64_t most, const char *name)
{
	check(got >= least && got <= most, "%s: %llu ns, from %llu to %llu", name,
	      (unsigned long long)got, (unsigned long long)least, (unsigned long long)most);
}

static bool is_dequeued(pid_t pid)
{
	char path[32], where;
	FILE *file;
	bool known;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	file = fopen(path, "r");
	known = file && fread(&where, 1, 1, file) == 1 && where != '0';
	if (file)
		fclose(file);
	return known;
}

/*
 * Waits until a task that blocks is switched out. Its state is S before that. It has a wchan when it has
 * left its CPU's queue, whose lock is then held until the switch; sched_rr_get_interval() takes that lock.
 */
static void wait_off_cpu(pid_t pid)
{
	struct timespec unused;

	if (!SOON(is_dequeued(pid)) || sched_rr_get_interval(pid, &unused))
		die("task %d does not sleep", pid);
}

/* Returns what @id counts while blocked; sets *@want to the off-CPU time by block_clock(). */
static uint64_t count_blocks(int fd, uint32_t id, enum block how, uint64_t *want)
{
	/* Pipes are opened before the count begins. */
	block(how, 0, 0);
	if (dev_write(fd, id, 0) || dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	*want = block(how, BLOCK_US, BLOCKS);
	if (dev_stop(fd, id))
		die("stop: %s", dev_sentence(fd));
	return dev_value(fd, id);
}

static void of_each_kind(int fd)
{
	uint32_t id = off_cpu(fd, HWPMC_F_THREAD);

	for (int how = 0; how < BLOCK_COUNT; how++) {
		uint64_t got = 0, want = 1;

		for (int i = 0; i < BLOCK_TRIES && !block_agrees(got, want); i++)
			got = count_blocks(fd, id, how, &want);
		is_within_1_percent(got, want, block_names[how]);
	}
	dev_release(fd, id);
}

static void with_the_clock(int fd)
{
	const uint32_t ids[] = {
		off_cpu(fd, HWPMC_F_THREAD), soft(fd, HWPMC_SOFT_CLOCK, HWPMC_F_THREAD),
	};
	uint64_t values[2], sum, begun, inside, outside = now();

	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	begun = now();
	for (int i = 0; i < 20; i++) {
		spin(1);
		block(BLOCK_SLEEP, 10000, 1);
	}
	inside = now() - begun;
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, 2))
		die("stop: %s", dev_sentence(fd));
	outside = now() - outside;
	if (dev_read(fd, ids, 2, values))
		die("read: %s", dev_sentence(fd));
	check(values[0] && values[1], "both clocks count: %llu and %llu ns",
	      (unsigned long long)values[0], (unsigned long long)values[1]);
	/* The host may stop the machine during START or STOP. */
	sum = values[0] + values[1];
	check((sum >= inside || block_agrees(sum, inside)) && (sum <= outside || block_agrees(sum, outside)),
	      "off the CPU and on it: %llu ns, of %llu between START and STOP and %llu with them",
	      (unsigned long long)sum, (unsigned long long)inside, (unsigned long long)outside);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

/* A process that answers each byte with a byte, and otherwise is blocked in read(2). */
struct sleeper {
	pid_t pid;
	int there, back;
};

static struct sleeper sleeper_start(void)
{
	int there[2], back[2];
	struct sleeper s;
	char byte;

	if (pipe2(there, O_CLOEXEC) || pipe2(back, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	s = (struct sleeper){ fork_tied(), there[1], back[0] };
	if (!s.pid) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	return s;
}

static void sleeper_wake(const struct sleeper *s)
{
	char byte = 0;

	if (write(s->there, &byte, 1) != 1 || read(s->back, &byte, 1) != 1)
		die("a process does not answer: %s", strerror(errno));
}

static void sleeper_end(const struct sleeper *s)
{
	close(s->there);
	close(s->back);
	reap(s->pid);
}

static uint32_t attached(int fd, const struct sleeper *s)
{
	uint32_t id = off_cpu(fd, 0);

	if (dev_attach(fd, id, s->pid, 0))
		die("attach: %s", dev_sentence(fd));
	return id;
}

/* Starts @id; sets times before and after. */
static void start(int fd, uint32_t id, uint64_t at[2])
{
	at[0] = now();
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	at[1] = now();
}

static void started_in_a_block(int fd)
{
	struct sleeper s = sleeper_start();
	uint32_t first = attached(fd, &s), second = attached(fd, &s), stopped = attached(fd, &s);
	uint64_t at[2], later[2], woken;

	wait_off_cpu(s.pid);
	/* It was blocked before they were attached. */
	nap(NAP);
	start(fd, first, at);
	start(fd, stopped, later);
	start(fd, second, later);
	nap(NAP);
	check(!dev_value(fd, first), "a block that is not over is not counted");
	if (dev_stop(fd, stopped) || dev_stop(fd, second))
		die("stop: %s", dev_sentence(fd));
	nap(NAP);
	start(fd, second, later);
	nap(NAP);
	woken = now();
	sleeper_wake(&s);
	is_between(dev_value(fd, first), woken - at[1], now() - at[0], "started in a block");
	is_between(dev_value(fd, second), woken - later[1], now() - later[0],
		   "stopped and started again in it");
	check(!dev_value(fd, stopped), "stopped in it: nothing: %llu",
	      (unsigned long long)dev_value(fd, stopped));
	sleeper_end(&s);
	dev_release(fd, first);
	dev_release(fd, second);
	dev_release(fd, stopped);
}

/*
 * The first PMC counts the whole block. The second is attached during the block, so the thread
 * resyncs after the block.
 */
static void attached_in_a_block(int fd)
{
	struct sleeper s = sleeper_start();
	uint32_t first = attached(fd, &s), second;
	uint64_t begun[2], at[2], woken, before;

	wait_off_cpu(s.pid);
	if (dev_start(fd, first))
		die("start: %s", dev_sentence(fd));
	begun[0] = now();
	sleeper_wake(&s);
	wait_off_cpu(s.pid);
	begun[1] = now();
	before = dev_value(fd, first);
	nap(NAP);
	second = attached(fd, &s);
	start(fd, second, at);
	nap(NAP);
	woken = now();
	sleeper_wake(&s);
	is_between(dev_value(fd, first) - before, woken - begun[1], now() - begun[0],
		   "of a block in which another PMC was attached");
	is_between(dev_value(fd, second), woken - at[1], now() - at[0], "attached in it");
	sleeper_end(&s);
	dev_release(fd, first);
	dev_release(fd, second);
}

/* Sets @want to the off-CPU times of this process and of its child. Does not return. */
static void live(uint64_t *want)
{
	uint64_t begun = block_clock();
	pid_t child;

	block(BLOCK_WAIT, BLOCK_US, BLOCKS);
	child = fork_tied();
	if (!child) {
		want[1] = block(BLOCK_SLEEP, BLOCK_US, BLOCKS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	want[0] = block_clock() - begun;
	_exit(0);
}

/* A count, and its bounds. */
struct bounded {
	uint64_t got, least, most;
};

static struct bounded count_family(int fd, uint64_t *want)
{
	uint32_t id = off_cpu(fd, HWPMC_F_DESCENDANTS);
	struct bounded bounded;
	uint64_t begun, sum;
	char byte = 0;
	int go[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		live(want);
	}
	wait_off_cpu(pid);
	begun = now();
	if (dev_attach(fd, id, pid, 0) || dev_start(fd, id) || write(go[1], &byte, 1) != 1)
		die("attach: %s", dev_sentence(fd));
	begun = now() - begun;
	if (reap(pid))
		die("a process and its child fail");
	sum = want[0] + want[1];
	/* The process was blocked while the PMC was started. */
	bounded = (struct bounded){ dev_value(fd, id), sum - sum / 100, sum + sum / 100 + begun };
	dev_release(fd, id);
	close(go[0]);
	close(go[1]);
	return bounded;
}

static void descendants(int fd)
{
	uint64_t *want = shared(4096);
	struct bounded bounded = { 0, 1, 0 };

	for (int i = 0; i < BLOCK_TRIES && (bounded.got < bounded.least || bounded.got > bounded.most); i++)
		bounded = count_family(fd, want);
	is_between(bounded.got, bounded.least, bounded.most, "a process and its child");
	munmap(want, 4096);
}

static void wait_for_byte(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		_exit(1);
}

static void send_byte(int fd)
{
	if (write(fd, "", 1) != 1)
		die("write: %s", strerror(errno));
}

/*
 * The PMC does not run when the child is created, nor when the child first runs. It is started
 * while the process and its child are blocked.
 */
static void started_after_fork(int fd)
{
	pid_t *child = shared(4096), pid;
	uint32_t id = off_cpu(fd, HWPMC_F_DESCENDANTS);
	int first[2], second[2];
	uint64_t at[2], woken;

	if (pipe2(first, O_CLOEXEC) || pipe2(second, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		wait_for_byte(first[0]);
		pid = fork_tied();
		if (!pid) {
			wait_for_byte(second[0]);
			_exit(0);
		}
		*child = pid;
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	wait_off_cpu(pid);
	if (dev_attach(fd, id, pid, 0))
		die("attach: %s", dev_sentence(fd));
	send_byte(first[1]);
	if (!SOON(*(volatile pid_t *)child))
		die("a process creates no child");
	wait_off_cpu(*child);
	wait_off_cpu(pid);
	start(fd, id, at);
	nap(NAP);
	woken = now();
	send_byte(second[1]);
	check(!reap(pid), "a process and its blocked child end");
	is_between(dev_value(fd, id), 2 * (woken - at[1]), 2 * (now() - at[0]), "both, started in their blocks");
	dev_release(fd, id);
	for (int i = 0; i < 2; i++) {
		close(first[i]);
		close(second[i]);
	}
	munmap(child, 4096);
}

static struct bounded count_exec(int fd, const char *program)
{
	uint32_t id = off_cpu(fd, HWPMC_F_ENABLE_ON_EXEC);
	unsigned long long want = 0;
	struct bounded bounded;
	int go[2], out[2];
	uint64_t woken;
	FILE *file;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe(out))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		wait_for_byte(go[0]);
		if (dup2(out[1], STDOUT_FILENO) < 0)
			_exit(1);
		execl("/proc/self/exe", program, "block", NULL);
		_exit(1);
	}
	close(out[1]);
	wait_off_cpu(pid);
	if (dev_attach(fd, id, pid, 0) || dev_start(fd, id))
		die("attach: %s", dev_sentence(fd));
	nap(3 * NAP);
	woken = now();
	send_byte(go[1]);
	file = fdopen(out[0], "r");
	if (!file || fscanf(file, "%llu", &want) != 1 || reap(pid))
		die("the program does not answer");
	bounded = (struct bounded){ dev_value(fd, id), want - want / 100, now() - woken };
	fclose(file);
	dev_release(fd, id);
	close(go[0]);
	close(go[1]);
	return bounded;
}

/* Blocks before the exec are not counted. */
static void from_exec(int fd, const char *program)
{
	struct bounded bounded = { 0, 1, 0 };

	for (int i = 0; i < BLOCK_TRIES && (bounded.got < bounded.least || bounded.got > bounded.most); i++)
		bounded = count_exec(fd, program);
	is_between(bounded.got, bounded.least, bounded.most, "from exec on");
}

/* Sleeps and runs for short times, on CPU 1. */
static void doze(void *unused)
{
	(void)unused;
	pin(0, 1);
	for (;;)
		usleep(20);
}

/*
 * PMCs that were started together are read together: one READ returns the same value for all, also
 * when the thread is scheduled in meanwhile. @other: 0, or a PMC that is started and stopped
 * meanwhile, so that the thread resyncs when it is scheduled in.
 */
static void read_at_one_instant(int fd, uint32_t other, const char *name)
{
	struct worker worker = worker_start(doze, NULL);
	unsigned long reads, different = 0;
	uint64_t values[MANY], last = 0;
	uint32_t ids[MANY];

	for (unsigned int i = 0; i < MANY; i++)
		ids[i] = off_cpu(fd, 0);
	for (unsigned int i = 0; i < MANY; i++)
		if (dev_attach(fd, ids[i], worker.pid, 0))
			die("attach: %s", dev_sentence(fd));
	if (other && dev_attach(fd, other, worker.pid, 0))
		die("attach: %s", dev_sentence(fd));
	if (dev_ids(fd, HWPMC_IOC_START, ids, MANY))
		die("start: %s", dev_sentence(fd));
	worker_begin(&worker);
	pin(0, 0);
	for (reads = 0; reads < READS; reads++) {
		if (other && (reads % 2 ? dev_stop(fd, other) : dev_start(fd, other)))
			die("start and stop: %s", dev_sentence(fd));
		if (dev_read(fd, ids, MANY, values))
			die("read: %s", dev_sentence(fd));
		for (unsigned int i = 1; i < MANY; i++)
			if (values[i] != values[0]) {
				different++;
				break;
			}
		last = values[0];
	}
	check(last && !different, "%s: %lu of %lu readings of %u PMCs are not of one instant", name, different,
	      reads, MANY);
	pin(0, -1);
	worker_end(&worker);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, MANY);
	if (other)
		dev_release(fd, other);
}

static void refusals(int fd)
{
	int64_t got = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_SC, 0, HWPMC_SOFT_OFF_CPU, 0, 0);

	check(got == -EINVAL && strstr(dev_sentence(fd), "off-CPU time is that of tasks"),
	      "that of a CPU is refused: %s", dev_sentence(fd));
}

int main(int argc, char **argv)
{
	int fd;

	time_limit(120);
	if (argc > 1 && !strcmp(argv[1], "block")) {
		printf("%llu\n", (unsigned long long)block(BLOCK_SLEEP, BLOCK_US, BLOCKS));
		return 0;
	}
	fd = dev_open();
	refusals(fd);
	of_each_kind(fd);
	with_the_clock(fd);
	started_in_a_block(fd);
	attached_in_a_block(fd);
	descendants(fd);
	started_after_fork(fd);
	from_exec(fd, argv[0]);
	read_at_one_instant(fd, 0, "scheduled in");
	read_at_one_instant(fd, off_cpu(fd, 0), "resynced");
	return result();
}
