// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: while the module has the PMU no task can read a counter by RDPMC: neither the thread whose
 * PMCs count, nor another thread, nor a process that perf permitted it before.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <linux/perf_event.h>

#include "exact.h"
#include "own.h"
#include "param.h"

static int fd;

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1, .exclude_kernel = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* A process that maps an event of perf may execute RDPMC until it unmaps it. */
static void permitted_by_perf(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	int event = perf_open();
	uint64_t value;
	int64_t id;
	void *page;

	if (event < 0) {
		skip("a process that perf permits RDPMC: perf has no counters here");
		return;
	}
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, event, 0);
	if (page == MAP_FAILED)
		die("perf's page: %s", strerror(errno));
	close(event);
	id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS, HWPMC_CAP_USER, 0);
	check(own_raw(0, &value) && id == -EBUSY,
	      "ALLOCATE fails while perf permits a process RDPMC: %s", dev_sentence(fd));
	munmap(page, size);
	check(own_raw_faults(), "after munmap every RDPMC gets SIGSEGV");
}

static void *thread_faults(void *arg)
{
	return own_raw_faults() ? arg : NULL;
}

/* A PMC counts a victim on the CPU and the rows of this thread. */
static void owner(void)
{
	volatile uint64_t *progress = shared(sizeof(*progress));
	pid_t victim = fork_tied();
	void *faults = NULL;
	pthread_t thread;
	struct own own;
	uint32_t id;

	if (!victim)
		spin_on(progress);
	id = dev_instructions(fd, 0);
	if (dev_attach(fd, id, victim, 0) || dev_start(fd, id))
		die("victim: %s", dev_sentence(fd));
	own_open(&own, fd, 2);
	check(!own_index(&own, 0) && !own_index(&own, 1), "a page with DIRECT has no counter");
	check(SOON(dev_value(fd, id)) && own_raw_faults(),
	      "RDPMC of its thread gets SIGSEGV for every counter while a victim is counted");
	pthread_create(&thread, NULL, thread_faults, &own);
	pthread_join(thread, &faults);
	check(faults == &own, "RDPMC of another thread gets SIGSEGV");
	own_close(&own);
	dev_release(fd, id);
	kill(victim, SIGKILL);
	reap(victim);
}

int main(void)
{
	if (OWN_READS) {
		skip("RDPMC: on x86");
		return result();
	}
	time_limit(60);
	fd = dev_open();
	pin(0, 0);
	permitted_by_perf();
	param_set("user_reads", 1);
	owner();
	param_set("user_reads", 0);
	check(own_raw_faults(), "after RELEASE RDPMC gets SIGSEGV");
	return result();
}
