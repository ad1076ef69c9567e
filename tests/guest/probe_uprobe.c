// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_uprobe [CALLS]": probes of a program's functions count every entry and return, of threads,
 * children, programs that are executed, and CPUs; records have arguments and results; frames that a
 * program leaves by longjmp(3) or exit do not return; and a function that cannot be probed is
 * refused.
 *
 * "probe_uprobe call CALLS" is the program that is executed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "probe.h"
#include "ring.h"
#include "test.h"

#define COMM	"probed"
#define ARGS	HWPMC_PROBE_ARGS_MAX
#define DEPTH	40
#define ODD	0x123456789abcdef0ULL

static unsigned long calls = 100000;
static int fd;
static jmp_buf back;

/* The probed function. It has more arguments than there are registers for them. */
static PROBED uint64_t target(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
			      uint64_t g, uint64_t h, uint64_t i, uint64_t j)
{
	return a + b + c + d + e + f + g + h + i * 3 + j * 5;
}

enum leave { RETURN, JUMP, LEAVE };

/* Nests @depth calls; the innermost one returns, jumps to @back or ends the thread. */
static PROBED unsigned int nest(unsigned int depth, enum leave how)
{
	if (depth > 1)
		return nest(depth - 1, how) + 1;
	if (how == JUMP)
		longjmp(back, 1);
	if (how == LEAVE)
		syscall(SYS_exit, 0);
	return 1;
}

static PROBED void call_target(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		target(i, 1, 2, 3, 4, 5, 6, 7, 8, ODD);
}

static uint32_t counter_of(const void *function, const char *end, uint32_t mode, int cpu,
			   uint32_t flags)
{
	int64_t id = probe_allocate_at(fd, function, end, mode, cpu, flags);

	if (id < 0)
		die("uprobe: %s: %s", strerror(-id), dev_sentence(fd));
	return id;
}

/* A PMC of the entries, and one of the returns. */
static void both_ends(const void *function, uint32_t flags, uint32_t ids[2])
{
	ids[0] = counter_of(function, "entry", HWPMC_MODE_TC, -1, flags);
	ids[1] = counter_of(function, "return", HWPMC_MODE_TC, -1, flags);
}

static void start(const uint32_t *ids, size_t count)
{
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
}

static void stop(const uint32_t *ids, size_t count, uint64_t *values)
{
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, count) || dev_read(fd, ids, count, values))
		die("stop: %s", dev_sentence(fd));
}

static void end(const uint32_t *ids, size_t count, uint64_t *values)
{
	stop(ids, count, values);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, count);
}

static void *thread(void *times)
{
	call_target(*(unsigned long *)times);
	return NULL;
}

static void in_threads(unsigned long times)
{
	pthread_t threads[PROBE_THREADS];

	for (int i = 0; i < PROBE_THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, &times))
			die("pthread_create");
	for (int i = 0; i < PROBE_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void exact_threads(void)
{
	uint32_t ids[2];
	uint64_t values[2], skipped;

	both_ends(target, 0, ids);
	start(ids, 2);
	in_threads(calls);
	stop(ids, 2, values);
	skipped = probe_skipped(fd, ids[0]) + probe_skipped(fd, ids[1]);
	check(values[0] == PROBE_THREADS * calls && values[1] == values[0] && !skipped,
	      "%llu entries and %llu returns of %lu calls of eight threads, %llu skipped",
	      (unsigned long long)values[0], (unsigned long long)values[1], PROBE_THREADS * calls,
	      (unsigned long long)skipped);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

static void execute(const char *times)
{
	execl("/proc/self/exe", "probe_uprobe", "call", times, NULL);
	_exit(99);
}

/* 100 calls of this process, 20 of its child, and 30 of the program that the child executes. */
static void family(void)
{
	uint32_t ids[4];
	uint64_t values[4];
	pid_t child;
	int status;

	both_ends(target, HWPMC_F_DESCENDANTS, ids);
	both_ends(target, 0, ids + 2);
	start(ids, 4);
	call_target(100);
	child = fork();
	if (!child) {
		call_target(20);
		execute("30");
	}
	waitpid(child, &status, 0);
	end(ids, 4, values);
	check(!status && values[0] == 150 && values[1] == 150,
	      "with the child, which executes the program again: %llu entries, %llu returns of 150",
	      (unsigned long long)values[0], (unsigned long long)values[1]);
	check(values[2] == 100 && values[3] == 100,
	      "the process alone: %llu entries, %llu returns of 100", (unsigned long long)values[2],
	      (unsigned long long)values[3]);
}

/* PMCs of every CPU count the calls of all processes that map the file. */
static void system_wide(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t ids[cpus];
	uint64_t values[cpus], sum = 0;
	pid_t child;

	for (long i = 0; i < cpus; i++)
		ids[i] = counter_of(target, "entry", HWPMC_MODE_SC, i, 0);
	start(ids, cpus);
	child = fork();
	if (!child)
		execute("70");
	waitpid(child, NULL, 0);
	call_target(30);
	end(ids, cpus, values);
	for (long i = 0; i < cpus; i++)
		sum += values[i];
	check(sum == 100, "%ld CPUs: %llu entries of 100, of any process", cpus,
	      (unsigned long long)sum);
}

/* A process that is attached while it runs, before and after it executes another program. */
static void attached(void)
{
	uint32_t id = counter_of(target, "entry", HWPMC_MODE_TC, -1, 0);
	uint64_t value;
	int go[2];
	pid_t child;

	if (pipe(go))
		die("pipe");
	child = fork();
	if (!child) {
		char byte;

		call_target(50);
		if (read(go[0], &byte, 1) != 1)
			_exit(98);
		call_target(7);
		execute("11");
	}
	if (dev_attach(fd, id, child, 0))
		die("attach: %s", dev_sentence(fd));
	start(&id, 1);
	usleep(100000);
	value = dev_value(fd, id);
	if (write(go[1], "", 1) != 1)
		die("write");
	waitpid(child, NULL, 0);
	check(value <= 50 && dev_value(fd, id) == value + 18,
	      "a process that is attached while it runs: %llu entries of %llu",
	      (unsigned long long)dev_value(fd, id), (unsigned long long)value + 18);
	dev_release(fd, id);
	close(go[0]);
	close(go[1]);
}

static void *leaver(void *unused)
{
	(void)unused;
	nest(DEPTH, LEAVE);
	return NULL;
}

/*
 * Three cases of nested calls: all of them return; none returns, because the program jumps out of
 * them; none returns, because the thread exits.
 */
static void frames(void)
{
	uint32_t ids[2];
	uint64_t values[3][2], again[2];
	pthread_t leaving;

	both_ends(nest, 0, ids);
	start(ids, 2);
	nest(DEPTH, RETURN);
	stop(ids, 2, values[0]);
	start(ids, 2);
	if (!setjmp(back))
		nest(DEPTH, JUMP);
	stop(ids, 2, values[1]);
	start(ids, 2);
	/* This return drops the frames that the jump left. */
	nest(2, RETURN);
	stop(ids, 2, again);
	start(ids, 2);
	if (pthread_create(&leaving, NULL, leaver, NULL))
		die("pthread_create");
	pthread_join(leaving, NULL);
	end(ids, 2, values[2]);
	check(values[0][0] == DEPTH && values[0][1] == DEPTH, "%d nested calls: %llu, %llu return",
	      DEPTH, (unsigned long long)values[0][0], (unsigned long long)values[0][1]);
	check(values[1][0] == 2 * DEPTH && values[1][1] == DEPTH,
	      "of %d calls that longjmp(3) leaves, none returns: %llu, %llu", DEPTH,
	      (unsigned long long)values[1][0], (unsigned long long)values[1][1]);
	check(again[0] == 2 * DEPTH + 2 && again[1] == DEPTH + 2,
	      "two more calls return: %llu, %llu", (unsigned long long)again[0],
	      (unsigned long long)again[1]);
	check(values[2][0] == 3 * DEPTH + 2 && values[2][1] == DEPTH + 2,
	      "the calls of a thread that exits do not return: %llu, %llu",
	      (unsigned long long)values[2][0], (unsigned long long)values[2][1]);
}

/* The records of one PMC. */
struct seen {
	uint32_t id;
	bool returns;
	unsigned long records;
	unsigned long right;
	uint64_t sum;
};

static bool right_process(const struct hwpmc_log_probe *probe)
{
	const uint64_t *chain = (const void *)((const char *)probe + probe->sample.chain_offset);

	/* The caller is the first frame. */
	if (!probe->sample.chain_user || chain[0] - (uintptr_t)call_target > 256)
		return false;
	return probe->sample.pid == getpid() && probe->sample.tid == (pid_t)syscall(SYS_gettid) &&
	       probe->comm_offset && !strcmp((const char *)probe + probe->comm_offset, COMM) &&
	       (probe->sample.h.flags & HWPMC_SAMPLE_USER) && !probe->sample.chain_kernel;
}

static bool right_entry(const struct hwpmc_log_probe *probe)
{
	const uint64_t *args = (const void *)((const char *)probe + probe->args_offset);

	for (unsigned int i = 1; i < ARGS - 1; i++)
		if (args[i] != i)
			return false;
	return probe->args == ARGS && args[ARGS - 1] == ODD &&
	       !(probe->sample.h.flags & HWPMC_PROBE_RETURN) &&
	       probe->sample.pc == (uintptr_t)target;
}

static void look(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_probe *probe = (const void *)record;
	struct seen *seen = arg;

	if (record->type != HWPMC_LOG_PROBE || record->id != seen->id)
		return;
	seen->records++;
	if (seen->returns) {
		seen->right += right_process(probe) && (record->flags & HWPMC_PROBE_RETURN) &&
			       probe->sample.pc == (uintptr_t)target;
		seen->sum += probe->retval;
	} else {
		seen->right += right_process(probe) && right_entry(probe);
		seen->sum += *(const uint64_t *)((const char *)probe + probe->args_offset);
	}
}

static uint32_t sampler(const char *which, uint32_t args)
{
	char name[64];
	uint64_t offset;
	int err, file = probe_file(target, &offset);
	struct hwpmc_allocate a = {
		.flags = HWPMC_F_THREAD | HWPMC_F_COMM | HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN,
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TS, .cpu = -1, .count = 1,
		.name = (uintptr_t)name, .args = args, .file = file,
	};

	a.name_length = snprintf(name, sizeof(name), "uprobe:%" PRIu64 ":%s", offset, which);
	err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));
	if (err)
		die("uprobe: %s: %s", strerror(-err), dev_sentence(fd));
	close(file);
	return a.id;
}

static void contents(void)
{
	const uint64_t rest = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 * 3 + ODD * 5;
	struct seen entry = { .id = sampler("entry", ARGS) };
	struct seen result = { .id = sampler("return", 0), .returns = true };
	uint32_t ids[] = { entry.id, result.id };
	uint64_t values[2];
	struct ring_map map;

	ring_open(&map, fd, 262144);
	start(ids, 2);
	call_target(100);
	stop(ids, 2, values);
	ring_drain(&map, look, &entry);
	check(entry.records == 100 && entry.right == 100 && entry.sum == 4950,
	      "entry: %lu records of 100, %lu of them right, first arguments %llu", entry.records,
	      entry.right, (unsigned long long)entry.sum);
	start(ids, 2);
	call_target(100);
	stop(ids, 2, values);
	ring_drain(&map, look, &result);
	check(result.records == 100 && result.right == 100 && result.sum == 4950 + 100 * rest,
	      "return: %lu records of 100, %lu of them right, results %#llx", result.records,
	      result.right, (unsigned long long)result.sum);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

/* Probes of ioctl() in the C library, which the test calls to start, stop and read their PMCs. */
static void own_calls(void)
{
	uint32_t ids[2];
	uint64_t values[2];

	both_ends(ioctl, 0, ids);
	start(ids, 2);
	for (int i = 0; i < 10; i++)
		dev_value(fd, ids[0]);
	end(ids, 2, values);
	check(values[0] >= 10 && values[1] >= 10,
	      "calls of ioctl(), which also reads the PMCs: %llu, %llu",
	      (unsigned long long)values[0], (unsigned long long)values[1]);
}

static void refused(void)
{
	uint64_t offset;
	int file = probe_file(target, &offset), pipes[2];
	int writable = open("/tmp/probe_uprobe", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int proc = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (pipe(pipes) || writable < 0 || proc < 0)
		die("files: %s", strerror(errno));
	probe_refused(fd, "uprobe:0x10", -1, EBADF);
	probe_refused(fd, "uprobe:0x10", 1000, EBADF);
	probe_refused(fd, "uprobe:0x10", writable, EBADF);
	probe_refused(fd, "uprobe:0x10", pipes[0], EINVAL);
	probe_refused(fd, "uprobe:0x10", proc, EOPNOTSUPP);
	probe_refused(fd, "uprobe:", file, EINVAL);
	probe_refused(fd, "uprobe:target", file, EINVAL);
	probe_refused(fd, "uprobe:0x10:middle", file, EINVAL);
	probe_refused(fd, "uprobe:-4", file, EINVAL);
	probe_refused(fd, "uprobe:0x7fffffffffff0000", file, EINVAL);
	probe_refused(fd, "uprobe:0xffffffffffff0000", file, EINVAL);
#ifdef __aarch64__
	probe_refused(fd, "uprobe:0x1001", file, EINVAL);
#endif
	probe_refused(fd, "syscall:read:entry", file, EINVAL);
	probe_refused(fd, "kprobe:vfs_read", file, EINVAL);
	close(file);
	close(writable);
	close(proc);
	close(pipes[0]);
	close(pipes[1]);
}

static void not_a_probe(void)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_SOFT, .mode = HWPMC_MODE_TC, .cpu = -1, .file = 1,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	check(err == -EINVAL, "a file for another class is refused (%s)", strerror(-err));
}

/* The file system can be unmounted once the probe is removed. */
static void lingers(void)
{
	check(SOON(!dev_stats(fd).probes), "all probes are removed");
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "call")) {
		call_target(strtoul(argv[2], NULL, 0));
		return 0;
	}
	if (argc > 1)
		calls = strtoul(argv[1], NULL, 0);
	alarm(240 * PATIENCE);
	prctl(PR_SET_NAME, COMM);
	fd = dev_open();
	refused();
	not_a_probe();
	family();
	system_wide();
	attached();
	frames();
	contents();
	own_calls();
	exact_threads();
	lingers();
	return result();
}
