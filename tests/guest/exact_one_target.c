// SPDX-License-Identifier: GPL-2.0-only
/* One CPU, one target: a count is the exact number of instructions, up to the target's exit. */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "exact.h"

static void spin_once(void *arg)
{
	spin(*(unsigned long *)arg);
}

static void alone(int fd)
{
	uint32_t id = counter(fd, -1, 0);
	int err = dev_start(fd, id);
	uint64_t value;

	/* Print nothing before the read: that would be counted. */
	spin(10);
	value = dev_value(fd, id);
	check(!err, "START attaches the caller");
	check_exact(value, 10 * SPIN_UNIT, "the caller");
	check(!dev_stop(fd, id), "STOP of the caller's PMC");
	value = dev_value(fd, id);
	spin(1);
	check(dev_value(fd, id) == value, "nothing is counted after STOP");
	dev_release(fd, id);
}

/* A PMC attached to the server, which serves requests from then on. */
static uint32_t server_followed(int fd, struct server *server)
{
	uint32_t id = counter(fd, -1, 0);

	server_open(server);
	check(!dev_attach(fd, id, server->worker.pid, 0), "ATTACH to a task that sleeps in a pipe");
	worker_begin(&server->worker);
	return id;
}

/* A case: the PMC counted exactly @turns requests. */
static void server_counted(int fd, uint32_t id, struct server *server, uint64_t turns,
			   const char *what)
{
	char name[64];

	worker_wait(&server->worker);
	snprintf(name, sizeof(name), "%s %llu times", what, (unsigned long long)turns);
	check_exact(dev_value(fd, id), SERVE_COST(turns, server->rounds), name);
	server_close(server);
	dev_release(fd, id);
}

/* The server runs as much while the PMC is stopped as while it counts. */
static void stop_and_start(int fd)
{
	const uint64_t times = scaled(1000);
	struct server server = { .times = 2 * times, .rounds = 50000 };
	uint32_t id = server_followed(fd, &server);
	bool ok = true;
	uint64_t i;

	for (i = 0; i < times; i++) {
		ok = ok && !dev_start(fd, id);
		server_do(&server);
		ok = ok && !dev_stop(fd, id);
		server_do(&server);
	}
	check(ok, "every START and STOP succeeds");
	server_counted(fd, id, &server, times, "stopped and started");
}

/* Many switches, so that an error at each of them adds up. */
static void switched(int fd)
{
	struct server server = { .times = scaled(20000), .rounds = 2500 };
	uint32_t id = server_followed(fd, &server);
	uint64_t i;

	check(!dev_start(fd, id), "start");
	for (i = 0; i < server.times; i++)
		server_do(&server);
	server_counted(fd, id, &server, server.times, "switched out");
}

/* The second PMC starts and stops in the middle of the first. */
static void two_owners(int fd)
{
	unsigned long tens = 5;
	int other = dev_open();
	uint32_t a = counter(fd, -1, 0), b = counter(other, -1, 0);
	struct worker worker = worker_start(spin_once, &tens);
	uint64_t va, vb;

	check(!dev_attach(fd, a, worker.pid, 0) && !dev_attach(other, b, worker.pid, 0),
	      "ATTACH of two owners to one task");
	check(!dev_start(fd, a), "START by the first owner");
	worker_do(&worker);
	check(!dev_start(other, b), "START by the second owner");
	worker_do(&worker);
	check(!dev_stop(other, b), "STOP by the second owner");
	worker_do(&worker);
	va = dev_value(fd, a);
	vb = dev_value(other, b);
	check_exact(va, 15 * SPIN_UNIT, "two owners: the first counts all three parts");
	check_exact(vb, 5 * SPIN_UNIT, "two owners: the second counts the middle one");
	close(other);
	worker_do(&worker);
	check_exact(dev_value(fd, a), 20 * SPIN_UNIT, "the first owner counts on when the second closes");
	worker_end(&worker);
	dev_release(fd, a);
}

/* One call starts, reads or stops the caller's PMC and another task's, in either order. */
static void own_and_others(int fd)
{
	unsigned long tens = 1;
	struct worker worker = worker_start(spin_once, &tens);
	uint32_t ids[] = { counter(fd, -1, 0), counter(fd, -1, 0) };
	uint32_t turned[] = { ids[1], ids[0] };
	uint64_t first[2], then[2];
	int err;

	err = dev_attach(fd, ids[1], worker.pid, 0) || dev_ids(fd, HWPMC_IOC_START, ids, 2);
	worker_do(&worker);
	err = err || dev_read(fd, ids, 2, first);
	spin(1);
	err = err || dev_read(fd, turned, 2, then);
	check(!err, "one call starts and reads the caller's PMC and another task's");
	check_exact(then[1] - first[0], SPIN_UNIT, "one call: the caller's part");
	check_exact(first[1], SPIN_UNIT, "one call: the other task's part");
	check_exact(then[0], SPIN_UNIT, "one call in the other order: the other task's part");
	worker_end(&worker);
	dev_release(fd, ids[0]);
	dev_release(fd, ids[1]);
}

/* A PMC's times do not depend on whether its target sleeps, so this test sleeps. */
static void times(int fd)
{
	uint32_t id = counter(fd, -1, 0);
	double before, after, took;
	struct hwpmc_times t, u;

	t = times_of(fd, id);
	check(!t.enabled && !t.running, "times are 0 before START");
	before = seconds();
	dev_start(fd, id);
	nap(100);
	t = times_of(fd, id);
	after = seconds();
	took = t.enabled * 1e-9;
	check(took > 0.0999 && took <= after - before && t.running == t.enabled,
	      "the enabled time is %.6f s of %.6f, and equals the running time", took, after - before);
	nap(100);
	dev_stop(fd, id);
	after = seconds();
	t = times_of(fd, id);
	nap(50);
	u = times_of(fd, id);
	took = t.enabled * 1e-9;
	check(took > 0.1999 && took <= after - before, "the enabled time ends at STOP: %.6f s of %.6f", took,
	      after - before);
	check(t.enabled == u.enabled && t.running == u.running, "times do not change while the PMC is stopped");
	before = seconds();
	dev_start(fd, id);
	nap(50);
	dev_stop(fd, id);
	after = seconds();
	u = times_of(fd, id);
	took = (u.enabled - t.enabled) * 1e-9;
	check(took > 0.0499 && took <= after - before, "times continue with the next START: %.6f s more",
	      took);
	dev_release(fd, id);
}

static void storm_exact(int fd, uint32_t id, uint64_t flags, const char *who)
{
	const uint64_t times = scaled(2000), base = dev_value(fd, id);
	char name[96];

	storm(flags, times, 20000);
	snprintf(name, sizeof(name), "%llu %s, one after another, up to their last instruction",
		 (unsigned long long)times, who);
	check_exact(dev_value(fd, id) - base, STORM_COST(times, 20000), name);
}

/* Tasks are counted up to their last instruction. */
static void to_the_end(int fd)
{
	uint32_t id = counter(fd, -1, HWPMC_F_DESCENDANTS);

	dev_start(fd, id);
	storm_exact(fd, id, STORM_PROCESSES, "children");
	storm_exact(fd, id, STORM_THREADS, "threads");
	check(!dev_stop(fd, id) && !dev_write(fd, id, 5) && dev_value(fd, id) == 5,
	      "WRITE replaces what exited tasks counted");
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	int fd;

	time_limit(60);
	scale_down(argc, argv);
	fd = dev_open();
	alone(fd);
	switched(fd);
	stop_and_start(fd);
	two_owners(fd);
	own_and_others(fd);
	to_the_end(fd);
	times(fd);
	return result();
}
