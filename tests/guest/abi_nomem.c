// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fails the 1st, 2nd, ... allocation, or copy from or to user space, of a call, until the call has
 * no more of them. The call succeeds nevertheless or returns a reason, leaks nothing, and succeeds
 * when it is repeated.
 */
#include <fcntl.h>
#include <inttypes.h>

#include "test_class.h"
#include "fail.h"
#include "fail_call.h"
#include "fail_pmcs.h"
#include "param.h"

static int fd;
static int other = -1;

static int open_call(void)
{
	other = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);
	return other < 0 ? -errno : 0;
}

static bool open_done(int err)
{
	if (!err)
		close(other);
	return true;
}

static int allocate_of(int owner, uint32_t mode, int cpu)
{
	struct hwpmc_allocate a = {
		.class_id = test_class.class_id, .mode = mode, .cpu = cpu,
		.caps = test_class.caps, .event = test_class.event,
	};

	return pmcs_allocate(owner, &a);
}

static int allocate(uint32_t mode, int cpu)
{
	return allocate_of(fd, mode, cpu);
}

/*
 * probes_linger is 1 (ms), so that unused probes are unregistered at the next tick but one, and the
 * call registers them each time.
 */
static void nothing_hooked(void)
{
	usleep(30000);
}

static int virtual_call(void)
{
	return allocate(HWPMC_MODE_TC, -1);
}

static int system_call(void)
{
	return allocate(HWPMC_MODE_SC, 1);
}

/* The first id allocates the table of ids, the ninth id grows it. */
static void new_owner(void)
{
	other = dev_open();
}

static int first_call(void)
{
	return allocate_of(other, HWPMC_MODE_SC, 0);
}

static void eight(void)
{
	new_owner();
	while (pmcs.count < 8)
		if (allocate_of(other, HWPMC_MODE_SC, pmcs.count & 1))
			die("eight: %s", dev_sentence(other));
}

static bool table_done(int err)
{
	bool ok = dev_stats(fd).pmcs == fail_others + pmcs.count;

	if (!err)
		ok &= !dev_rw(other, HWPMC_RW_OLD, &pmcs.ids[pmcs.count - 1], 1, &(uint64_t){ 0 });
	close(other);
	pmcs.count = 0;
	return ok && dev_stats(fd).pmcs == fail_others;
}

static void one(void)
{
	if (virtual_call())
		die("one: %s", dev_sentence(fd));
}

static void attached(void)
{
	one();
	if (pmcs_attach())
		die("attach: %s", dev_sentence(fd));
}

static int detach_call(void)
{
	struct hwpmc_attach a = { .size = sizeof(a), .id = pmcs.ids[0], .pid = pmcs.target.pid };

	return fail_ioctl(fd, HWPMC_IOC_DETACH, &a);
}

static bool detach_done(int err)
{
	bool ok = (dev_detach(fd, pmcs.ids[0], pmcs.target.pid, 0) == 0) == !!err;

	return pmcs_release_all() && ok;
}

static void two(void)
{
	one();
	one();
}

static bool started_all(bool want)
{
	unsigned int i;

	for (i = 0; i < pmcs.count; i++)
		if (pmcs_runs(pmcs.ids[i]) != want)
			return false;
	return true;
}

static void ten(void)
{
	while (pmcs.count < 10)
		if (allocate(HWPMC_MODE_SC, pmcs.count & 1))
			die("ten: %s", dev_sentence(fd));
}

static bool start_done(int err)
{
	bool ok = started_all(!err);

	return pmcs_release_all() && ok;
}

static void ten_run(void)
{
	ten();
	if (pmcs_start())
		die("start: %s", dev_sentence(fd));
}

static int stop_call(void)
{
	return pmcs_call(HWPMC_IOC_STOP);
}

static bool stop_done(int err)
{
	bool ok = started_all(!!err);

	return pmcs_release_all() && ok;
}

static int read_call(void)
{
	static uint64_t values[10];
	static struct hwpmc_target_value targets[64];
	static struct hwpmc_times times[10];
	struct hwpmc_rw rw = {
		.size = sizeof(rw), .flags = HWPMC_RW_OLD, .count = pmcs.count,
		.ids = (uintptr_t)pmcs.ids, .values = (uintptr_t)values, .times = (uintptr_t)times,
		.times_size = sizeof(times[0]), .target_size = sizeof(targets[0]),
		.targets = (uintptr_t)targets, .target_count = ARRAY_SIZE(targets),
	};

	return fail_ioctl(fd, HWPMC_IOC_RW, &rw);
}

static bool read_done(int err)
{
	bool ok = started_all(true);

	(void)err;
	return pmcs_release_all() && ok;
}

/* Values for RW with OLD and NEW, which exchanges all of them or none. */
static uint64_t swap[10];

static void ten_written(void)
{
	unsigned int i;

	ten();
	for (i = 0; i < pmcs.count; i++) {
		if (dev_write(fd, pmcs.ids[i], 100 + i))
			die("write: %s", dev_sentence(fd));
		swap[i] = 200 + i;
	}
}

static int swap_call(void)
{
	struct hwpmc_rw rw = {
		.size = sizeof(rw), .flags = HWPMC_RW_OLD | HWPMC_RW_NEW, .count = pmcs.count,
		.ids = (uintptr_t)pmcs.ids, .values = (uintptr_t)swap,
	};

	return fail_ioctl(fd, HWPMC_IOC_RW, &rw);
}

static bool swap_done(int err)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < pmcs.count; i++)
		ok &= dev_value(fd, pmcs.ids[i]) == (err ? 100 : 200) + i &&
		      (err || swap[i] == 100 + i);
	return pmcs_release_all() && ok;
}

/* A row of CPU 1; the call evicts its holder. */
static uint32_t row;

static void held(void)
{
	struct hwpmc_caps caps;

	one();
	if (dev_caps(fd, pmcs.ids[0], &caps))
		die("caps: %s", dev_sentence(fd));
	row = caps.row;
}

static int admin_call(void)
{
	struct hwpmc_admin a = {
		.size = sizeof(a), .flags = HWPMC_ADMIN_FORCE, .cpu = 1, .row = row,
		.state = HWPMC_ADMIN_DISABLED,
	};

	return fail_ioctl(fd, HWPMC_IOC_ADMIN, &a);
}

static bool admin_done(int err)
{
	uint64_t value;
	bool ok = dev_row_info(fd, 1, row).enabled == !!err &&
		  dev_read(fd, pmcs.ids, 1, &value) == (err ? 0 : -ECANCELED);

	ok &= err || !dev_admin(fd, 1, row, HWPMC_ADMIN_FREE);
	return pmcs_release_all() && ok;
}

static int set_count_call(void)
{
	struct hwpmc_set_count a = { .size = sizeof(a), .id = pmcs.ids[0], .count = 77 };

	return fail_ioctl(fd, HWPMC_IOC_SET_COUNT, &a);
}

static bool set_count_done(int err)
{
	bool ok = dev_value(fd, pmcs.ids[0]) == (err ? 0 : 77);

	return pmcs_release_all() && ok;
}

static const struct fail_call calls[] = {
	{ "open", 0, false, NULL, open_call, open_done },
	{ "ALLOCATE, virtual", HWPMC_IOC_ALLOCATE, false, nothing_hooked, virtual_call,
	  pmcs_allocate_done },
	{ "ALLOCATE, system-wide", HWPMC_IOC_ALLOCATE, false, NULL, system_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of the first", HWPMC_IOC_ALLOCATE, true, new_owner, first_call, table_done },
	{ "ALLOCATE of the ninth", HWPMC_IOC_ALLOCATE, true, eight, first_call, table_done },
	{ "ATTACH of many threads", HWPMC_IOC_ATTACH, true, one, pmcs_attach, pmcs_attach_done },
	{ "DETACH of many threads", HWPMC_IOC_DETACH, true, attached, detach_call, detach_done },
	{ "START that attaches the caller", HWPMC_IOC_START, true, one, pmcs_start,
	  pmcs_start_done },
	{ "START of two that attaches the caller", HWPMC_IOC_START, true, two, pmcs_start,
	  pmcs_start_done },
	{ "START of ten", HWPMC_IOC_START, true, ten, pmcs_start, start_done },
	{ "STOP of ten", HWPMC_IOC_STOP, true, ten_run, stop_call, stop_done },
	{ "READ of ten, with times and parts", HWPMC_IOC_RW, true, ten_run, read_call, read_done },
	{ "exchange of ten", HWPMC_IOC_RW, true, ten_written, swap_call, swap_done },
	{ "SET_COUNT", HWPMC_IOC_SET_COUNT, false, one, set_count_call, set_count_done },
	{ "ADMIN that ends a PMC", HWPMC_IOC_ADMIN, false, held, admin_call, admin_done },
	{ "RELEASE of ten that run", HWPMC_IOC_RELEASE, true, ten_run, pmcs_release,
	  pmcs_release_done },
};

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	fd = class_open(120);
	param_set("probes_linger", 1);
	pmcs_init(fd);
	if (!fail_open())
		return result();
	pmcs_start_target();
	fail_calls(fd, calls, ARRAY_SIZE(calls));
	agent_reap(&pmcs.target);
	return result();
}
