// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exact_cpus [DIVISOR]": two CPUs: targets run on the other CPU, migrate, and have their CPU
 * unplugged. Counts are checked against the number of instructions, while the other CPU is
 * idle and while it is busy, and against the counts of the CPUs (see balance.h).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>

#include "exact.h"

/* Shared by test and targets. A target reads its own count where the exact place matters. */
static struct {
	struct balance balance;
	volatile uint64_t spins;
	volatile bool go;
	uint64_t rounds, count;
} *common;

/* In ms: longer while CPU 0 may become idle. Beside a busy CPU each ms is a million instructions. */
static unsigned int quiet = 500;

static uint64_t own_count(void)
{
	return dev_value(common->balance.fd, common->balance.ids[TARGET]);
}

/*
 * Sleeps before it counts. Meanwhile the test sleeps, too, and its CPU becomes idle: no event
 * reports that.
 */
static void count_quietly(void)
{
	uint64_t before;

	nap(quiet);
	before = own_count();
	run(common->rounds);
	common->count = own_count() - before;
}

static void common_new(uint64_t rounds)
{
	memset(common, 0, sizeof(*common));
	common->rounds = rounds;
	balance_allocate(&common->balance);
}

/* A child that is attached before its first run. */
static struct worker followed(void (*fn)(void *arg), void *arg, uint64_t rounds)
{
	struct worker worker = worker_start(fn, arg);

	common_new(rounds);
	balance_start(&common->balance, worker.pid);
	return worker;
}

static void followed_end(struct worker *worker)
{
	balance_close(&common->balance);
	worker_end(worker);
}

/* The task enters the kernel only for interrupts. */
static void spin_once(void)
{
	yield_cpu();
}

/*
 * The task executes some twenty million instructions in the kernel and thirty in user mode, so
 * practically no interrupt hits user mode.
 */
static void call_once(void)
{
	static char mem[1 << 20];
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/urandom", O_RDONLY);
	if (read(fd, mem, sizeof(mem)) != sizeof(mem))
		_exit(1);
}

struct busy {
	void (*once)(void);
};

static const struct busy spins = { spin_once }, calls = { call_once };

/* A target that is busy before it is attached. */
static void busy_there(void *arg)
{
	const struct busy *busy = arg;

	pin(0, 1);
	while (!common->go) {
		busy->once();
		common->spins++;
	}
	/* If the target is not hooked yet, its first switch hooks it. */
	run(2000000);
	count_quietly();
}

static struct count attached_busy(void *arg)
{
	struct count count = {};
	struct worker worker;

	/* The child reads its own count, so allocate the PMCs before the child is created. */
	common_new(50000000);
	worker = worker_start(busy_there, arg);
	worker_begin(&worker);
	while (!common->spins)
		nap(1);
	balance_start(&common->balance, worker.pid);
	common->go = true;
	worker_wait(&worker);
	followed_end(&worker);
	count.got = common->count;
	count.want = 2 * common->rounds;
	return count;
}

/*
 * The targets below sleep after each migration and each request, until the CPU that they left is
 * idle: with -icount QEMU gives that CPU little time while the other one runs. Without -icount
 * @doze is NULL, and the targets do not sleep.
 */
static const struct timespec half_ms = { .tv_nsec = 500000 }, *doze;

struct hopper {
	uint64_t masks[2];
	uint64_t times, rounds;
};

static void hop_about(void *arg)
{
	const struct hopper *h = arg;

	hop(h->masks, h->times, h->rounds, doze);
}

static struct count hopping(void *arg)
{
	struct hopper *h = arg;
	struct worker worker = followed(hop_about, h, 0);
	struct count count = { .want = HOP_COST(h->times, h->rounds) };

	worker_do(&worker);
	followed_end(&worker);
	count.got = common->balance.values[TARGET];
	return count;
}

/* Another task migrates the target while the target sleeps. */
static struct count moved_asleep(void *arg)
{
	struct server server = { .times = *(uint64_t *)arg, .rounds = 10000, .doze = doze };
	struct count count = { .want = SERVE_COST(server.times, server.rounds) };
	uint64_t i;

	server_open(&server);
	common_new(0);
	balance_start(&common->balance, server.worker.pid);
	worker_begin(&server.worker);
	for (i = 0; i < server.times; i++) {
		pin(server.worker.pid, i & 1);
		server_do(&server);
	}
	worker_wait(&server.worker);
	balance_close(&common->balance);
	server_close(&server);
	count.got = common->balance.values[TARGET];
	return count;
}

/*
 * Another task migrates the target while the target runs. Both CPUs are busy, so only the balance
 * is checked.
 */
static void spin_along(void *arg)
{
	(void)arg;
	while (!common->go) {
		run(500);
		common->spins++;
		yield_cpu();
	}
}

/* More than check_balance() needs. */
#define SPINS	60

static void move(const struct worker *worker, unsigned int nth)
{
	uint64_t before = common->spins;

	pin(worker->pid, nth & 1);
	/* On a slow host the target may not run for many ms. */
	while (common->spins - before < SPINS)
		nap(2);
}

static void unplug(const struct worker *worker, unsigned int nth)
{
	(void)nth;
	nap(20);
	pin(worker->pid, 1);
	if (!cpu_online(1, false))
		die("cpu 1 cannot be unplugged");
	nap(20);
	if (!cpu_online(1, true))
		die("cpu 1 cannot be plugged");
}

static void while_running(void (*what)(const struct worker *worker, unsigned int nth),
			  unsigned int times, const char *name)
{
	struct worker worker = followed(spin_along, NULL, 0);
	unsigned int i;

	worker_begin(&worker);
	for (i = 0; i < times; i++)
		what(&worker, i);
	common->go = true;
	worker_wait(&worker);
	followed_end(&worker);
	check_balance(&common->balance, name);
}

/* Two tasks that switch to each other every few thousand instructions. */
static void take_turns(void *arg)
{
	pid_t other = fork();

	(void)arg;
	if (other < 0)
		_exit(1);
	pin(0, 1);
	while (!common->go) {
		run(500);
		yield_cpu();
		sched_yield();
	}
	if (!other)
		_exit(0);
	waitpid(other, NULL, 0);
}

/* The difference between the counts of the CPUs and those of the tasks. */
static int64_t balance_gap(struct balance *balance)
{
	const uint64_t *values = balance->values;

	balance_read(balance);
	return values[CPU0] + values[CPU1] - values[TARGET] - values[TEST];
}

static void balance_turn(struct balance *balance, unsigned long cmd)
{
	if (dev_ids(balance->fd, cmd, balance->ids, BALANCE_PMCS))
		die("start or stop: %s", dev_sentence(balance->fd));
}

/* How much the difference grows between a START and a STOP, with CPU 0 idle or busy. */
static int64_t balance_grown(struct balance *balance, bool idle)
{
	int64_t before = balance_gap(balance);

	balance_turn(balance, HWPMC_IOC_START);
	if (idle)
		nap(1);
	else
		run(10000);
	balance_turn(balance, HWPMC_IOC_STOP);
	return balance_gap(balance) - before;
}

/*
 * A task that is scheduled in between START and its cross-call starts and stops counting
 * together with its CPU. In user mode both must be equal to the instruction.
 */
static void started_often(uint64_t times)
{
	struct worker worker = followed(take_turns, NULL, 0);
	struct balance *balance = &common->balance;
	uint64_t i, wrong = 0;
	int64_t gap, worst = 0;

	worker_begin(&worker);
	nap(50);
	balance_turn(balance, HWPMC_IOC_STOP);
	for (i = 0; i < times; i++) {
		gap = balance_grown(balance, i & 1);
		wrong += !!gap;
		if (llabs(gap) > llabs(worst))
			worst = gap;
	}
	common->go = true;
	worker_wait(&worker);
	followed_end(&worker);
	check(balance->values[TARGET] > 100000 && !wrong,
	      "%llu STARTs while two tasks switch: tasks count %llu, CPUs differ %llu times (%+lld at most)",
	      (unsigned long long)times, (unsigned long long)balance->values[TARGET],
	      (unsigned long long)wrong, (long long)worst);
}

static void run_once(void *arg)
{
	(void)arg;
	nap(5);
	run(common->rounds);
}

/* The target sleeps while its CPU is unplugged, and while it is plugged in. */
static struct count unplugged_asleep(void *arg)
{
	struct worker worker = followed(run_once, NULL, 10000000);
	struct count count = { .want = 3 * 3 * 2 * common->rounds };
	unsigned int i;

	(void)arg;
	for (i = 0; i < 3; i++) {
		pin(worker.pid, 1);
		worker_do(&worker);
		if (!cpu_online(1, false))
			die("cpu 1 cannot be unplugged");
		nap(500);
		worker_do(&worker);
		if (!cpu_online(1, true))
			die("cpu 1 cannot be plugged");
		nap(500);
		worker_do(&worker);
	}
	followed_end(&worker);
	count.got = common->balance.values[TARGET];
	return count;
}

static void check_both(struct count (*once)(void *arg), void *arg, const char *name)
{
	struct count count = once(arg);

	check_near(count.got, count.want, name);
	check_balance(&common->balance, name);
}

static void attached(const char *beside)
{
	char name[96];

	snprintf(name, sizeof(name), "ATTACH while it spins on the other CPU%s", beside);
	check_both(attached_busy, (void *)&spins, name);
	snprintf(name, sizeof(name), "ATTACH while it is in system calls on the other CPU%s", beside);
	check_both(attached_busy, (void *)&calls, name);
}

static void moves(struct hopper *h, uint64_t others, const char *beside)
{
	char name[96];

	snprintf(name, sizeof(name), "migrates itself %u times%s", (unsigned int)h->times,
		 beside);
	check_both(hopping, h, name);
	snprintf(name, sizeof(name), "is migrated asleep %u times%s", (unsigned int)others, beside);
	check_both(moved_asleep, &others, name);
}

/* The same with fewer rounds while CPU 0 is never idle. */
static void beside_others(struct hopper *h)
{
	h->times = scaled(500);
	quiet = 20;
	busy_cpu0_begin();
	attached(", CPU 0 busy");
	moves(h, scaled(200), ", CPU 0 busy");
	busy_cpu0_end();
}

int main(int argc, char **argv)
{
	struct hopper h = { .masks = { 1, 2 }, .times = 10000, .rounds = 10000 };

	time_limit(100);
	scale_down(argc, argv);
	common = shared(sizeof(*common));
	pin(0, 0);
	if (is_icount())
		doze = &half_ms;
	h.times = scaled(h.times);
	attached("");
	/* Without -icount each migration waits for the other CPU, which takes long. */
	moves(&h, doze || h.times < 2000 ? h.times : 2000, "");
	while_running(move, scaled(100), "is migrated while it runs");
	check_both(unplugged_asleep, NULL, "its CPU is unplugged and plugged 3 times while it sleeps");
	while_running(unplug, scaled(5), "its CPU is unplugged while it runs");
	started_often(scaled(2000));
	beside_others(&h);
	return result();
}
