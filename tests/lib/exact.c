// SPDX-License-Identifier: GPL-2.0-only
/* What the tests of exact counts share; see exact.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "exact.h"
#include "blocked_call.h"

static void worker_run(struct worker *worker, int in, int out, void (*fn)(void *arg), void *arg)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(worker->tell);
	close(worker->told);
	while (read(in, &byte, 1) == 1) {
		fn(arg);
		if (write(out, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

struct worker worker_start(void (*fn)(void *arg), void *arg)
{
	int to[2], from[2];
	struct worker worker;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	worker.tell = to[1];
	worker.told = from[0];
	fflush(stdout);
	worker.pid = fork();
	if (worker.pid < 0)
		die("fork: %s", strerror(errno));
	if (!worker.pid)
		worker_run(&worker, to[0], from[1], fn, arg);
	close(to[0]);
	close(from[1]);
	wait_asleep(worker.pid);
	return worker;
}

void worker_begin(const struct worker *worker)
{
	if (write(worker->tell, "", 1) != 1)
		die("a task of the test is gone: %s", strerror(errno));
}

void worker_wait(const struct worker *worker)
{
	char byte;

	if (read(worker->told, &byte, 1) != 1)
		die("a task of the test ended early");
}

void worker_do(const struct worker *worker)
{
	worker_begin(worker);
	worker_wait(worker);
}

void worker_end(struct worker *worker)
{
	kill(worker->pid, SIGKILL);
	if (waitpid(worker->pid, NULL, 0) != worker->pid)
		die("waitpid: %s", strerror(errno));
	close(worker->tell);
	close(worker->told);
}

void wait_asleep(pid_t pid)
{
	double limit = seconds() + 5 * PATIENCE;

	while (task_state(pid) != 'S') {
		if (seconds() > limit)
			die("task %d does not sleep", pid);
		nap(1);
	}
}

static void server_run(void *arg)
{
	const struct server *s = arg;

	serve(s->in[0], s->out[1], s->times, s->rounds, s->doze);
}

void server_open(struct server *server)
{
	if (pipe2(server->in, O_CLOEXEC) || pipe2(server->out, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	server->worker = worker_start(server_run, server);
}

void server_do(const struct server *server)
{
	char byte = 0;

	if (write(server->in[1], &byte, 1) != 1 || read(server->out[0], &byte, 1) != 1)
		die("the server is gone");
}

void server_close(struct server *server)
{
	int i;

	worker_end(&server->worker);
	for (i = 0; i < 2; i++) {
		close(server->in[i]);
		close(server->out[i]);
	}
}

void *shared(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	memset(mem, 0, size);
	return mem;
}

void pin(pid_t tid, int cpu)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	for (i = 0; i < 64; i++)
		if (cpu < 0 || i == cpu)
			CPU_SET(i, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		die("sched_setaffinity to cpu %d: %s", cpu, strerror(errno));
}

void nap(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

bool cpu_online(int cpu, bool online)
{
	char path[64];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, online ? "1" : "0", 1) == 1;
	if (fd >= 0)
		close(fd);
	return ok;
}

static unsigned int divisor = 1;

void scale_down(int argc, char **argv)
{
	if (argc > 1)
		divisor = strtoul(argv[1], NULL, 0);
	if (!divisor)
		die("the argument is a divisor: %s", argv[1]);
}

uint64_t scaled(uint64_t size)
{
	return size / divisor;
}

static void out_of_time(int sig)
{
	static const char text[] = "not ok - the program ends within its time limit\n";

	(void)sig;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

void time_limit(unsigned int limit)
{
	signal(SIGALRM, out_of_time);
	alarm(limit * PATIENCE);
}

/* Grown by less than half as much. */
static bool rested(int fd, const uint32_t ids[2])
{
	uint64_t before[2], after[2];

	if (dev_read(fd, ids, 2, before))
		die("read: %s", dev_sentence(fd));
	nap(20);
	if (dev_read(fd, ids, 2, after))
		die("read: %s", dev_sentence(fd));
	return after[0] - before[0] < (after[1] - before[1]) / 2;
}

/* A host with other things to do may leave the CPU standing, with this on it: more than once. */
bool clock_stops_off_cpu(int fd, const uint32_t ids[2])
{
	int tries = 50;

	while (!rested(fd, ids) && --tries)
		;
	return tries;
}

bool is_icount(void)
{
	char line[4096];
	FILE *file = fopen("/proc/cmdline", "re");

	if (!file || !fgets(line, sizeof(line), file))
		die("/proc/cmdline: %s", strerror(errno));
	fclose(file);
	return strstr(line, "vm.icount");
}

uint32_t counter(int fd, int cpu, uint32_t flags)
{
	int64_t id = dev_allocate(fd, dev_class(), cpu < 0 ? HWPMC_MODE_TC : HWPMC_MODE_SC,
				  cpu, EV_INSTRUCTIONS, HWPMC_CAP_USER, flags);

	if (id < 0)
		die("allocate: %s: %s", strerror(-id), dev_sentence(fd));
	return id;
}

unsigned int width_of(int fd, uint32_t id)
{
	struct hwpmc_caps caps = { .id = id };

	if (dev_call(fd, HWPMC_IOC_CAPS, &caps, sizeof(caps)))
		die("caps: %s", dev_sentence(fd));
	return caps.width;
}

struct hwpmc_times times_of(int fd, uint32_t id)
{
	struct hwpmc_times times;
	uint64_t value;
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD, .count = 1, .ids = (uintptr_t)&id,
		.values = (uintptr_t)&value, .times = (uintptr_t)&times,
	};

	if (dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw)))
		die("read times: %s", dev_sentence(fd));
	return times;
}

static bool check_count(bool ok, uint64_t got, uint64_t want, const char *name)
{
	return check(ok, "%s: %llu of %llu (%+lld)", name, (unsigned long long)got,
		     (unsigned long long)want, (long long)(got - want));
}

bool check_exact(uint64_t got, uint64_t want, const char *name)
{
	return check_count(got - want + 2000 <= 4000, got, want, name);
}

bool check_near(uint64_t got, uint64_t want, const char *name)
{
	return check_count(exact(got, want), got, want, name);
}

/* Whoever keeps CPU 0 busy; one of those that TEST counts. */
static pid_t busy_cpu0;

static __attribute__((noreturn)) void keep_busy(void)
{
	for (;;) {
		run(500);
		yield_cpu();
	}
}

void busy_cpu0_begin(void)
{
	busy_cpu0 = fork();
	if (busy_cpu0 < 0)
		die("fork: %s", strerror(errno));
	if (!busy_cpu0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(0, 0);
		keep_busy();
	}
}

void busy_cpu0_end(void)
{
	kill(busy_cpu0, SIGKILL);
	waitpid(busy_cpu0, NULL, 0);
	busy_cpu0 = 0;
}

void balance_allocate(struct balance *balance)
{
	balance->fd = dev_open();
	balance->ids[TARGET] = counter(balance->fd, -1, HWPMC_F_DESCENDANTS);
	balance->ids[TEST] = counter(balance->fd, -1, 0);
	balance->ids[CPU0] = counter(balance->fd, 0, 0);
	balance->ids[CPU1] = counter(balance->fd, 1, 0);
}

static int balance_call(const struct balance *balance, unsigned long cmd)
{
	return dev_ids(balance->fd, cmd, balance->ids, BALANCE_PMCS);
}

void balance_start(struct balance *balance, pid_t target)
{
	if (dev_attach(balance->fd, balance->ids[TARGET], target, 0) ||
	    dev_attach(balance->fd, balance->ids[TEST], 0, 0) ||
	    (busy_cpu0 && dev_attach(balance->fd, balance->ids[TEST], busy_cpu0, 0)) ||
	    balance_call(balance, HWPMC_IOC_START))
		die("attach and start: %s", dev_sentence(balance->fd));
}

void balance_read(struct balance *balance)
{
	if (dev_read(balance->fd, balance->ids, BALANCE_PMCS, balance->values))
		die("read: %s", dev_sentence(balance->fd));
}

void balance_close(struct balance *balance)
{
	if (balance_call(balance, HWPMC_IOC_STOP))
		die("stop: %s", dev_sentence(balance->fd));
	balance_read(balance);
	close(balance->fd);
}

bool check_balance(const struct balance *balance, const char *name)
{
	uint64_t tasks = balance->values[TARGET] + balance->values[TEST];
	uint64_t cpus = balance->values[CPU0] + balance->values[CPU1];

	return check(tasks > 100000 && cpus - tasks <= 1000,
		     "%s, by the balance: tasks have %llu, CPUs %llu (%+lld)", name,
		     (unsigned long long)tasks, (unsigned long long)cpus,
		     (long long)(cpus - tasks));
}
