// SPDX-License-Identifier: GPL-2.0-only
/* System-wide counting: by CPU, whatever runs there; and CPUs that go and come. */
#include "exact.h"

#define ROUNDS	5000000

static void run_there(void *arg)
{
	(void)arg;
	/* Until the test is asleep, so that its CPU is idle. */
	nap(50);
	run(ROUNDS);
}

static const char *fails(int err, int want)
{
	return err == want ? "" : err ? strerror(-err) : "it succeeds";
}

static void check_fails(int err, int want, const char *what)
{
	check(err == want, "%s: %s%s%s", what, strerror(-want), err == want ? "" : ", but: ",
	      fails(err, want));
}

/* What run_there() adds to each of two PMCs. */
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

	/* What it counts last is not read before its CPU goes. */
	pin(t->worker.pid, 1);
	worker_do(&t->worker);
	if (!check(cpu_online(1, false), "cpu 1 goes offline"))
		return;
	dev_read(t->fd, t->ids, 2, values);
	check_near(values[1], t->values[1] + 2 * ROUNDS, "its value stays");
	gone = times_of(t->fd, t->ids[1]);
	worker_do(&t->worker);
	dev_read(t->fd, t->ids, 2, t->values);
	check(t->values[1] == values[1], "and stands still when the task runs on cpu 0");
	check(t->values[0] - values[0] >= 2 * ROUNDS, "which counts it");
	later = times_of(t->fd, t->ids[1]);
	check(later.enabled - gone.enabled > 40000000 && later.running == gone.running,
	      "it is enabled, and not running: %llu ns, %llu ns",
	      (unsigned long long)(later.enabled - gone.enabled),
	      (unsigned long long)(later.running - gone.running));
	check_fails(dev_start(t->fd, stopped), -ENXIO, "start on an offline CPU");
	check_fails(dev_start(t->fd, t->ids[1]), 0, "start what runs already");
	err = dev_allocate(t->fd, dev_class(), HWPMC_MODE_SC, 1, EV_INSTRUCTIONS,
			   HWPMC_CAP_USER, 0);
	check_fails(err < 0 ? err : 0, -ENXIO, "allocate on an offline CPU");
	check(dev_value(t->fd, stopped) == 0 && !dev_release(t->fd, stopped),
	      "release on an offline CPU");
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
	      "it runs again: %llu ns", (unsigned long long)(later.running - back.running));
	check_there(t, "and counts again, without a start");
	check(t->values[1] >= before + 2 * ROUNDS, "on top of what it had");
}

/* Stopped while its CPU is away: it does not count when that is back. */
static void stopped_meanwhile(struct there *t)
{
	uint64_t value;

	if (!cpu_online(1, false))
		die("cpu 1 does not go offline");
	check(!dev_stop(t->fd, t->ids[1]), "stop on an offline CPU");
	value = dev_value(t->fd, t->ids[1]);
	if (!cpu_online(1, true))
		die("cpu 1 does not come online");
	nap(500);
	on_its_cpu(t);
	check(t->values[1] == value, "and it stays stopped when that is back");
	check(!dev_start(t->fd, t->ids[1]), "start");
	check_there(t, "it counts from then on");
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
	check(!dev_ids(t.fd, HWPMC_IOC_START, t.ids, 2), "start one on each CPU");
	check_there(&t, "the CPU that the task runs on");
	check(t.values[0] - t.before[0] < 2000, "the other one: %llu of the test's own",
	      (unsigned long long)(t.values[0] - t.before[0]));
	check(!dev_stop(t.fd, t.ids[1]), "stop");
	on_its_cpu(&t);
	check(t.values[1] == t.before[1], "nothing is counted after stop");
	check(!dev_start(t.fd, t.ids[1]), "start");
	check_there(&t, "and it goes on");
	offline(&t);
	online(&t);
	stopped_meanwhile(&t);
	return result();
}
