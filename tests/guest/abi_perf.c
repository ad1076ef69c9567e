// SPDX-License-Identifier: GPL-2.0-only
/*
 * While perf counts, calls are refused with a reason and a remedy; they succeed when perf does not
 * count. perf has the PMU after the module is unloaded, which this program does at its end.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "cpu.h"
#include "notices.h"
#include "param.h"
#include "test_class.h"

static struct perf_event_mmap_page *page;

/* An event that samples cycles and is stopped; its ring is @page. */
static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP, .disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open: %s", strerror(errno));
	page = mmap(NULL, 2 * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		die("perf's ring: %s", strerror(errno));
	return fd;
}

static bool perf_samples(int perf)
{
	uint64_t before = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t after = before;

	/* The ring may have become full while the module was refused. */
	__atomic_store_n(&page->data_tail, before, __ATOMIC_RELEASE);
	if (ioctl(perf, PERF_EVENT_IOC_ENABLE, 0))
		return false;
	for (int i = 0; i < 100 && after == before; i++) {
		spin(1);
		after = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	}
	return !ioctl(perf, PERF_EVENT_IOC_DISABLE, 0) && after != before;
}

/* Whether perf's interrupt handler is registered; without it the next overflow would interrupt forever. */
static bool perf_has_interrupt(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[512];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		found |= !!strstr(line, "arm-pmu");
	if (f)
		fclose(f);
	return found;
}

static void unload(int fd, int perf)
{
	check(perf_samples(perf), "perf samples while the module is loaded");
	close(fd);
	if (!check(SOON(module_unload()), "the module can be unloaded"))
		return;
	if (check(perf_has_interrupt(), "perf has its interrupt after that"))
		check(perf_samples(perf), "perf samples after that");
	close(perf);
}

static bool problem_is(int fd, const char *words)
{
	struct hwpmc_cpu_info info = {};

	if (dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info)))
		return false;
	return check(*words ? !!strstr(info.problem, words) : !info.problem[0],
		     "CPU_INFO returns the problem '%s'", info.problem);
}

static void refused_while_perf_counts(int fd)
{
	uint64_t before = dev_stats(fd).pmcs;

	refused(fd, class_allocate(fd, HWPMC_MODE_TC, -1, 0), EBUSY, "perf holds|KVM|watchdog",
		"ALLOCATE of a virtual PMC");
	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 0, 0), EBUSY, "perf holds|KVM|watchdog",
		"ALLOCATE of a system-wide PMC");
	refused(fd, class_allocate(fd, HWPMC_MODE_TC, -1, HWPMC_F_TRY), EBUSY,
		"perf holds|KVM|watchdog", "ALLOCATE with TRY");
	check(dev_stats(fd).pmcs == before, "no PMC is left");
	check(dev_row_info(fd, 0, test_class.first).disposition == HWPMC_ROW_FREE, "no row is held");
}

#define REFUSALS	1000

/*
 * A listener gets the number of refusals in few notices, the last of them when the file is closed.
 */
static void refusals_are_notices(void)
{
	int fd = dev_open(), sk;
	struct notices notices;
	double begun = seconds();

	notices_init();
	sk = notices_listener();
	for (unsigned int i = 0; i < REFUSALS; i++) {
		class_allocate(fd, HWPMC_MODE_TC, -1, HWPMC_F_TRY);
		class_allocate(fd, HWPMC_MODE_TC, -1, 0);
	}
	close(fd);
	notices_read(sk, &notices);
	check(notices.count[HWPMC_NL_WHAT_REFUSE] == REFUSALS,
	      "%u refusals are in notices, without those of TRY: %llu", REFUSALS,
	      (unsigned long long)notices.count[HWPMC_NL_WHAT_REFUSE]);
	check(notices.of[HWPMC_NL_WHAT_REFUSE] <= 10 * (seconds() - begun) + 2,
	      "ten times a second at most: %u", notices.of[HWPMC_NL_WHAT_REFUSE]);
	check(notices.all == notices.of[HWPMC_NL_WHAT_REFUSE] + 1, "and then the file is closed");
	close(sk);
}

/* Nobody has counted since the module was loaded. */
static void first(void *arg)
{
	int64_t id = dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event,
				  HWPMC_CAP_USER, 0);

	(void)arg;
	check(id > 0 && !dev_release(user_fd, id),
	      "an ordinary user is the first to get a counter: %s", dev_sentence(user_fd));
}

int main(void)
{
	int fd = class_open(60), perf;
	uint32_t id;

	as_user("an ordinary user is the first", 1000, 0, first, NULL);
	perf = perf_open();
	problem_is(fd, "");
	if (ioctl(perf, PERF_EVENT_IOC_ENABLE, 0))
		die("perf's event: %s", strerror(errno));
	problem_is(fd, "perf holds the counters");
	refused_while_perf_counts(fd);
	refusals_are_notices();
	if (ioctl(perf, PERF_EVENT_IOC_DISABLE, 0))
		die("perf's event: %s", strerror(errno));
	problem_is(fd, "");
	id = class_pmc(fd, 0);
	check(!perf_samples(perf), "perf samples nothing while the module has a PMC");
	check(!dev_release(fd, id), "RELEASE of it");
	unload(fd, perf);
	return result();
}
