// SPDX-License-Identifier: GPL-2.0-only
/*
 * "user_withdraw [DIVISOR]": a thread reads its own counters on one CPU while another CPU withdraws
 * one of them (STOP, DETACH, RELEASE, ADMIN), while its CPU goes offline, and until it executes a
 * set-id program. Each value that the thread reads is right, and the page has the PMC's state.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "exact.h"
#include "file.h"
#include "own.h"
#include "param.h"
#include "test_class.h"

#define USER	1000
#define SETUID	"/tmp/user-withdraw-setuid"
/* More instructions than a thread executes between two reads, also if it gets SIGILL */
#define BETWEEN	20000
/* Reads of a thread after the permission was withdrawn. */
#define AFTER	64

static int fd;

/**
 * struct reading - what a thread read
 * @own: its counters; the first is withdrawn
 * @tid: the thread
 * @passes: number of reads of all counters
 * @target: the other thread waits for this number of passes; 0: it does not wait
 * @gone: written by the other thread: the counter was withdrawn
 * @end: written by the other thread: the thread must stop reading and exit
 * @before: the last values
 * @back: number of values that were less than the one before
 * @jumped: number of values that were greater than possible
 * @late: number of reads of the counter after it was withdrawn
 * @calls: number of reads that made a call
 * @failed: number of calls that failed
 * @faults: number of reads that got SIGILL
 * @apart: READ returned another value at the end
 */
struct reading {
	struct own own;
	pid_t tid;
	uint64_t passes;
	uint64_t target;
	bool gone, end;
	__u64 before[2];
	uint64_t back, jumped, late, calls, failed, faults, apart;
};

static struct reading reading;
static sigjmp_buf again;

/*
 * Posted when the thread can read, and when @target is reached. With -icount one host thread runs
 * both CPUs, and switches to the other one at each "yield" instruction. A loop that waits for a
 * task of its own CPU would then take seconds until its time slice ends: so these are semaphores.
 */
static sem_t ready, reached;

#define SEE(field)		__atomic_load_n(&reading.field, __ATOMIC_ACQUIRE)
#define SET(field, value)	__atomic_store_n(&reading.field, (value), __ATOMIC_RELEASE)

static void on_sigill(int signal)
{
	reading.faults++;
	siglongjmp(again, signal);
}

static void judge(unsigned int entry, __u64 value)
{
	reading.back += value < reading.before[entry];
	reading.jumped += value > reading.before[entry] + BETWEEN;
	reading.before[entry] = value;
}

/* One read of each counter. */
static void pass(void)
{
	const struct hwpmc_user_reader *reader = &reading.own.reader;
	bool gone = SEE(gone);
	unsigned int i;
	__u64 value;

	for (i = 0; i < reading.own.count; i++) {
		if (hwpmc_user_any(reader->page, i, 1, &value)) {
			reading.late += gone && !i;
			judge(i, value);
			continue;
		}
		reading.calls++;
		if (hwpmc_user_self_one(reader, i, &value))
			reading.failed++;
		else
			judge(i, value);
	}
	SET(passes, reading.passes + 1);
	if (SEE(target) && reading.passes >= SEE(target)) {
		SET(target, 0);
		sem_post(&reached);
	}
	/* Otherwise the other CPU waits long with -icount. */
	if (!(reading.passes & 15))
		yield_cpu();
}

static void read_until_end(void)
{
	sigsetjmp(again, 1);
	while (!SEE(end))
		pass();
}

static void wait_passes(uint64_t more)
{
	SET(target, SEE(passes) + more);
	sem_wait(&reached);
}

/**
 * struct withdrawal - a way to withdraw the first counter of a page
 * @name: name of the call
 * @call: makes the call
 * @state: the state of the page's entry afterwards
 * @fails: the reader's call fails then
 */
struct withdrawal {
	const char *name;
	void (*call)(uint32_t id);
	uint32_t state;
	bool fails;
};

static void detach(uint32_t id)
{
	if (dev_detach(fd, id, reading.tid, HWPMC_ATTACH_TID))
		die("detach: %s", dev_sentence(fd));
}

static void release(uint32_t id)
{
	if (dev_release(fd, id))
		die("release: %s", dev_sentence(fd));
}

static void evict(uint32_t id)
{
	dev_evict(fd, id);
}

static void stop(uint32_t id)
{
	if (dev_stop(fd, id))
		die("stop: %s", dev_sentence(fd));
}

static const struct withdrawal withdrawals[] = {
	{ "STOP", stop, HWPMC_USER_STOPPED, false },
	{ "DETACH", detach, HWPMC_USER_GONE, false },
	{ "RELEASE", release, HWPMC_USER_RELEASED, true },
	{ "ADMIN", evict, HWPMC_USER_ENDED, true },
};

/* The thread that reads; @arg: the number of its counters */
static void *read_own(void *arg)
{
	pin(0, 1);
	reading.tid = syscall(SYS_gettid);
	own_open(&reading.own, fd, (uintptr_t)arg);
	memset(reading.before, 0, sizeof(reading.before));
	sem_post(&ready);
	read_until_end();
	if (!reading.gone)
		reading.apart += dev_value(fd, reading.own.ids[0]) - reading.before[0] > BETWEEN;
	return NULL;
}

static pthread_t reader_start(uintptr_t count)
{
	pthread_t thread;

	SET(gone, false);
	SET(end, false);
	if (pthread_create(&thread, NULL, read_own, (void *)count))
		die("thread: %s", strerror(errno));
	sem_wait(&ready);
	wait_passes(1);
	return thread;
}

static void reader_end(pthread_t thread)
{
	SET(end, true);
	pthread_join(thread, NULL);
	own_close(&reading.own);
}

/*
 * Withdraws the first of @count counters. The second one can still be read, unless an administrator
 * evicts the first: then the page permits no reads.
 */
static void withdraw(const struct withdrawal *how, uintptr_t count)
{
	uint64_t i, rounds = scaled(200), states = 0;
	bool keeps = how->state == HWPMC_USER_STOPPED ||
		     (count > 1 && how->state != HWPMC_USER_ENDED);

	memset(&reading, 0, sizeof(reading));
	for (i = 0; i < rounds; i++) {
		pthread_t thread = reader_start(count);
		uint64_t pause;

		for (pause = 0; pause < i % 50 * 20; pause++)
			yield_cpu();
		how->call(reading.own.ids[0]);
		SET(gone, true);
		wait_passes(AFTER);
		states += hwpmc_user_state(&reading.own.reader, 0) == how->state;
		reader_end(thread);
	}
	check(!reading.back && !reading.jumped,
	      "%s of one of %u counters that a thread reads on another CPU, %llu times: of %llu reads none decreases (%llu), none jumps (%llu)",
	      how->name, (unsigned int)count, (unsigned long long)rounds, (unsigned long long)reading.passes,
	      (unsigned long long)reading.back, (unsigned long long)reading.jumped);
	check(!reading.late && states == rounds && reading.calls >= rounds * AFTER / 2,
	      "afterwards the page has state %u and no counter: %llu late reads, %llu calls", how->state,
	      (unsigned long long)reading.late, (unsigned long long)reading.calls);
	check(reading.failed == (how->fails ? reading.calls : 0),
	      "%llu of these calls fail, as they should", (unsigned long long)reading.failed);
	check(reading.faults <= (keeps ? 0 : rounds), "%s get SIGILL: %llu",
	      keeps ? "no reads" : "only reads that had begun before",
	      (unsigned long long)reading.faults);
}

static void withdrawn(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(withdrawals); i++) {
		withdraw(&withdrawals[i], 1);
		withdraw(&withdrawals[i], 2);
	}
}

/* The CPU that the thread reads on goes offline: the kernel moves the thread to the other one. */
static void offline(void)
{
	uint64_t i, rounds = scaled(40);
	pthread_t thread;

	memset(&reading, 0, sizeof(reading));
	thread = reader_start(1);
	for (i = 0; i < rounds; i++) {
		if (!cpu_online(1, false))
			die("CPU 1 does not go offline: %s", strerror(errno));
		wait_passes(AFTER);
		if (!cpu_online(1, true))
			die("CPU 1 does not go online: %s", strerror(errno));
		pin(reading.tid, 1);
		wait_passes(AFTER);
	}
	reader_end(thread);
	check(!reading.back && !reading.jumped && !reading.apart,
	      "%llu times the CPU of a thread goes offline: of %llu reads none decreases (%llu), none jumps (%llu)",
	      (unsigned long long)rounds, (unsigned long long)reading.passes,
	      (unsigned long long)reading.back, (unsigned long long)reading.jumped);
	check(!reading.faults && !reading.calls, "the thread may read all the time: SIGILL %llu, calls %llu",
	      (unsigned long long)reading.faults, (unsigned long long)reading.calls);
}

/**
 * struct handover - a child that reads, and its parent, which has the same file
 * @id: the child's PMC
 * @offset: offset of its page
 * @could: whether the child could read
 * @ready: the child has started to read; for the parent
 * @exec: the child may execute the program; for the child
 */
struct handover {
	uint32_t id;
	uint64_t offset;
	bool could, ready, exec;
};

static void read_and_exec(struct handover *h)
{
	struct hwpmc_user_read made = { .count = 1, .ids = (uintptr_t)&h->id };
	uint64_t value;

	h->id = dev_instructions(user_fd, HWPMC_F_THREAD | HWPMC_F_DIRECT);
	if (dev_attach(user_fd, h->id, 0, 0) ||
	    dev_call(user_fd, HWPMC_IOC_USER_READ, &made, sizeof(made)) || dev_start(user_fd, h->id))
		die("page: %s", dev_sentence(user_fd));
	h->offset = made.offset;
	h->could = own_raw(1, &value);
	__atomic_store_n(&h->ready, true, __ATOMIC_RELEASE);
	/* Sleep: the parent compares what this process executes before and after exec. */
	while (!__atomic_load_n(&h->exec, __ATOMIC_ACQUIRE))
		nap(1);
	execl(SETUID, SETUID, "raw", NULL);
	_exit(2);
}

/* As an ordinary user. */
static void executed(void *arg)
{
	struct handover *h = shared(sizeof(*h));
	const struct hwpmc_user_page *page;
	pid_t pid = fork_tied();
	__u64 value;
	bool had;
	int ended;

	(void)arg;
	if (!pid)
		read_and_exec(h);
	if (!SOON(__atomic_load_n(&h->ready, __ATOMIC_ACQUIRE)))
		die("the child does not read");
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, user_fd, (off_t)h->offset);
	if (page == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	had = page->counts[0].index && page->counts[0].state == HWPMC_USER_RUNNING;
	check(had && h->could, "(a user's child reads its counter)");
	__atomic_store_n(&h->exec, true, __ATOMIC_RELEASE);
	ended = reap(pid);
	check(!ended, "a read by a set-id program that the child executes gets SIGILL: %d", ended);
	value = page->counts[0].value;
	check(page->counts[0].state == HWPMC_USER_GONE && !page->counts[0].index,
	      "the page has state %u and counter %u", page->counts[0].state, page->counts[0].index);
	check(value == dev_value(user_fd, h->id) && value < SPIN_UNIT,
	      "the page has no events of that program: %llu", (unsigned long long)value);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_sigill };

	if (argc > 1 && !strcmp(argv[1], "raw")) {
		spin(1);
		return !own_raw_faults();
	}
	if (!OWN_READS) {
		skip("reads in user mode: not on this architecture");
		return result();
	}
	scale_down(argc, argv);
	time_limit(300);
	fd = dev_open();
	sem_init(&ready, 0, 0);
	sem_init(&reached, 0, 0);
	param_set("user_reads", 1);
	file_copy_program(SETUID, 0, 04755);
	as_user("a user's child reads", USER, 0, executed, NULL);
	unlink(SETUID);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("withdrawn from another CPU: this machine has one CPU");
	} else {
		sigaction(SIGILL, &action, NULL);
		pin(0, 0);
		withdrawn();
		offline();
	}
	param_set("user_reads", 0);
	return result();
}
