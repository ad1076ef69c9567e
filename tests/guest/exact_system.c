// SPDX-License-Identifier: GPL-2.0-only
/* System-wide counting: each CPU by itself; and CPUs that are unplugged and plugged. */
#include "exact.h"

#define ROUNDS	5000000

static void run_there(void *arg)
{
	(void)arg;
	/* The test sleeps that long, so that its CPU becomes idle: no event reports that. */
	nap(50);
	run(ROUNDS);
}

static const char *fails(int err, int want)
{
	return err == want ? "" : err ? strerror(-err) : "it succeeds";
}

static void check_fails(int err, int want, const char *what)
{
	check(err == want, "%s returns \"%s\"%s%s", what, strerror(-want), err == want ? "" : ", not ",
	      fails(err, want));
}

/* A worker on CPU 1, and what it adds to each of two PMCs. */
struct there {
	int fd;
	uint32_t ids[2];
	uint64_t before[2], values[2];
	struct worker worker;
};

static struct count on_its_cpu(void *arg)
{
	struct there *t = arg;
	struct count count = { .want = 2 * ROUNDS };

	pin(t->worker.pid, 1);
	if (dev_read(t->fd, t->ids, 2, t->before))
		die("read: %s", dev_sentence(t->fd));
	worker_do(&t->worker);
	if (dev_read(t->fd, t->ids, 2, t->values))
		die("read: %s", dev_sentence(t->fd));
	count.got = t->values[1] - t->before[1];
	return count;
}

static void check_there(struct there *t, const char *name)
{
	struct count count = on_its_cpu(t);

	check_near(count.got, count.want, name);
}

static void offline(struct there *t)
{
	struct hwpmc_times gone, later;
	uint32_t stopped = counter(t->fd, 1, 0);
	uint64_t values[2];
	int64_t err;

	/* This PMC is not read before its CPU is unplugged. */
	pin(t->worker.pid, 1);
	worker_do(&t->worker);
	if (!check(cpu_online(1, false), "cpu 1 goes offline"))
		return;
	dev_read(t->fd, t->ids, 2, values);
	check_near(values[1], t->values[1] + 2 * ROUNDS, "a system-wide value stays when its CPU is unplugged");
	gone = times_of(t->fd, t->ids[1]);
	worker_do(&t->worker);
	dev_read(t->fd, t->ids, 2, t->values);
	check(t->values[1] == values[1], "that value does not change while the task runs on cpu 0");
	check(t->values[0] - values[0] >= 2 * ROUNDS, "cpu 0 counts the task that was on cpu 1");
	later = times_of(t->fd, t->ids[1]);
	check(later.enabled - gone.enabled > 40000000 && later.running == gone.running,
	      "a PMC of an offline CPU is enabled, but not running: %llu ns, %llu ns",
	      (unsigned long long)(later.enabled - gone.enabled),
	      (unsigned long long)(later.running - gone.running));
	check_fails(dev_start(t->fd, stopped), -ENXIO, "START on an offline CPU");
	check_fails(dev_start(t->fd, t->ids[1]), 0, "START of a running PMC of an offline CPU");
	err = dev_allocate(t->fd, dev_class(), HWPMC_MODE_SC, 1, EV_INSTRUCTIONS,
			   HWPMC_CAP_USER, 0);
	check_fails(err < 0 ? err : 0, -ENXIO, "ALLOCATE on an offline CPU");
	check(dev_value(t->fd, stopped) == 0 && !dev_release(t->fd, stopped),
	      "RELEASE on an offline CPU");
}

static void online(struct there *t)
{
	struct hwpmc_times back, later;
	uint64_t before = t->values[1];

	if (!check(cpu_online(1, true), "cpu 1 comes online"))
		return;
	back = times_of(t->fd, t->ids[1]);
	nap(500);
	later = times_of(t->fd, t->ids[1]);
	check(later.running - back.running > 499000000 && later.enabled > later.running,
	      "its PMC runs again when cpu 1 is online: %llu ns", (unsigned long long)(later.running - back.running));
	check_there(t, "its PMC counts again without a START");
	check(t->values[1] >= before + 2 * ROUNDS, "its PMC continues from its old value");
}

/* A PMC that is stopped while its CPU is offline does not count when the CPU is online again. */
static void stopped_meanwhile(struct there *t)
{
	uint64_t value;

	if (!cpu_online(1, false))
		die("cpu 1 does not go offline");
	check(!dev_stop(t->fd, t->ids[1]), "STOP on an offline CPU");
	value = dev_value(t->fd, t->ids[1]);
	if (!cpu_online(1, true))
		die("cpu 1 does not come online");
	nap(500);
	on_its_cpu(t);
	check(t->values[1] == value, "the PMC is still stopped when its CPU is online");
	check(!dev_start(t->fd, t->ids[1]), "START when its CPU is online");
	check_there(t, "the PMC counts after that START");
}

int main(void)
{
	struct there t;
	int i;

	time_limit(60);
	t.fd = dev_open();
	pin(0, 0);
	t.worker = worker_start(run_there, NULL);
	for (i = 0; i < 2; i++)
		t.ids[i] = counter(t.fd, i, 0);
	check(!dev_ids(t.fd, HWPMC_IOC_START, t.ids, 2), "START of a PMC on each CPU");
	check_there(&t, "the CPU that the task runs on counts it");
	check(t.values[0] - t.before[0] < 2000, "the other CPU does not: %llu of the test itself",
	      (unsigned long long)(t.values[0] - t.before[0]));
	check(!dev_stop(t.fd, t.ids[1]), "STOP of a CPU's PMC");
	on_its_cpu(&t);
	check(t.values[1] == t.before[1], "nothing is counted after STOP");
	check(!dev_start(t.fd, t.ids[1]), "START of a CPU's PMC again");
	check_there(&t, "the PMC counts after the second START");
	offline(&t);
	online(&t);
	stopped_meanwhile(&t);
	return result();
}
