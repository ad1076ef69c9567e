// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMC that exceeds the sampling rate is throttled in each window, and resumes at its end; a
 * PMC that samples rarely on the same CPU is not throttled.
 */
#include <signal.h>
#include <sys/wait.h>

#include "exact.h"
#include "param.h"
#include "ring.h"

#define OFTEN		1000
#define SELDOM		1000000
#define MOST		2000	/* samples a second of a CPU */
#define THROTTLES	100	/* enough for a case */

/* An owner, and its PMC after the start. */
struct sampler {
	int fd;
	struct ring_map map;
	uint32_t id;
};

/* A PMC of the caller, or of @cpu if that is not -1. */
static void begin(struct sampler *s, int cpu, uint64_t period)
{
	pin(0, 0);
	s->id = dev_sampler(s->fd, cpu, EV_INSTRUCTIONS, period, HWPMC_CAP_USER, 0);
	if (dev_ids(s->fd, HWPMC_IOC_START, &s->id, 1))
		die("start: %s", dev_sentence(s->fd));
}

static struct sampler *sampler_new(void)
{
	struct sampler *s = shared(sizeof(*s));

	s->fd = dev_open();
	ring_open(&s->map, s->fd, 0);
	return s;
}

/* A child that samples itself until it is killed. */
static pid_t sample_often(struct sampler *s)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		begin(s, -1, OFTEN);
		for (;;)
			spin(1);
	}
	return pid;
}

/*
 * Returns the most samples that may be taken since @since: in each window the CPU's quota, and as
 * much again for a PMC with a quota of its own.
 */
static uint64_t most(double since)
{
	return 2 * (MOST / 100 + 1) * (uint64_t)((seconds() - since) * 100 + 2);
}

static void beside(void)
{
	struct sampler *often = sampler_new(), *seldom = sampler_new();
	struct hwpmc_sampled loud = { 0 }, quiet = { 0 };
	double since = seconds();
	uint64_t limit;
	pid_t pid = sample_often(often);

	begin(seldom, -1, SELDOM);
	for (int i = 0; i < 800 && (loud.throttles < THROTTLES || quiet.taken <= THROTTLES); i++) {
		spin(1);
		quiet = dev_sampled(seldom->fd, seldom->id, -1);
		if (__atomic_load_n(&often->id, __ATOMIC_ACQUIRE))
			loud = dev_sampled(often->fd, often->id, -1);
	}
	quiet = dev_sampled(seldom->fd, seldom->id, -1);
	limit = most(since);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(loud.throttles >= THROTTLES, "a PMC that samples often is throttled %llu times",
	      (unsigned long long)loud.throttles);
	/* If the host stops the CPU during a sample, the sample appears to take that time. */
	check(quiet.throttles <= quiet.taken / 20 && quiet.taken > THROTTLES,
	      "a PMC that samples rarely is throttled %llu times in %llu samples",
	      (unsigned long long)quiet.throttles, (unsigned long long)quiet.taken);
	check(loud.taken + quiet.taken <= limit, "both take %llu samples, at most %llu",
	      (unsigned long long)(loud.taken + quiet.taken), (unsigned long long)limit);
	close(often->fd);
	close(seldom->fd);
}

/*
 * No switch occurs while the thread spins, so only the end of a window resumes the PMC. This takes
 * a second, since windows are real time.
 */
static void alone(void)
{
	struct sampler *s = sampler_new();
	struct hwpmc_sampled it;
	double since = seconds(), took;

	begin(s, 0, OFTEN);
	do {
		spin(1);
		took = seconds() - since;
	} while (took < 1);
	it = dev_sampled(s->fd, s->id, -1);
	check(it.throttles >= took * 10 && it.taken <= most(since),
	      "a PMC of a CPU is throttled %llu times in %.1f s, with %llu samples",
	      (unsigned long long)it.throttles, took, (unsigned long long)it.taken);
	close(s->fd);
}

/* The records of a PMC that is throttled at times. */
struct records {
	bool throttled;
	unsigned long plain, with_chain, throttled_chain;
};

static void see(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct records *records = arg;

	if (record->type == HWPMC_LOG_THROTTLE)
		records->throttled = record->flags & HWPMC_THROTTLE_ON;
	if (record->type != HWPMC_LOG_SAMPLE)
		return;
	if (!records->throttled)
		records->with_chain += !!sample->chain_offset;
	else if (sample->chain_offset || !(record->flags & HWPMC_SAMPLE_CUT))
		records->throttled_chain++;
	else
		records->plain++;
}

/*
 * A switch-out of a throttled thread takes the sample that is due, so that no event is lost; but it
 * has no call chain, since otherwise switches would circumvent the throttle.
 */
static void away(void)
{
	struct records records = { 0 };
	struct ring_map map;
	int fd = dev_open();
	uint32_t id;

	ring_open(&map, fd, 0);
	pin(0, 0);
	param_set("max_samples", 100);
	id = dev_sampler(fd, -1, EV_INSTRUCTIONS, OFTEN, HWPMC_CAP_USER, HWPMC_F_CALLCHAIN);
	if (dev_ids(fd, HWPMC_IOC_START, &id, 1))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 10000 && records.plain < 50; i++) {
		for (volatile int n = 0; n < 5000; n++)
			;
		usleep(1);
		ring_drain(&map, see, &records);
	}
	check(records.plain >= 50 && records.with_chain && !records.throttled_chain,
	      "scheduled out while throttled: %lu samples have no chain, %lu have one; %lu while not throttled",
	      records.plain, records.throttled_chain, records.with_chain);
	ring_close(&map);
	close(fd);
}

int main(void)
{
	time_limit(60);
	param_set("max_samples", MOST);
	beside();
	alone();
	away();
	param_set("max_samples", 100000);
	return result();
}
