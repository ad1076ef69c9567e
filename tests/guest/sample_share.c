// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two that sample on one CPU: one as often as it may, and is throttled for it in one
 * window after the other; the other one now and then, and never is.
 */
#include <signal.h>
#include <sys/wait.h>

#include "exact.h"
#include "param.h"
#include "ring.h"

#define OFTEN		1000
#define SELDOM		1000000
#define MOST		10000	/* samples a second of a CPU */
#define THROTTLES	100	/* enough for a look */

/* Who samples: an owner, and its PMC once it has begun. */
struct sampler {
	int fd;
	struct ring_map map;
	uint32_t id;
};

static void begin(struct sampler *s, uint64_t period)
{
	pin(0, 0);
	s->id = dev_sampler(s->fd, -1, countable(), period, HWPMC_CAP_USER, 0);
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

/* A child that samples itself for ever. */
static pid_t sample_often(struct sampler *s)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		begin(s, OFTEN);
		for (;;)
			spin(1);
	}
	return pid;
}

int main(void)
{
	struct sampler *often = sampler_new(), *seldom = sampler_new();
	struct hwpmc_sampled loud = { 0 }, quiet;
	pid_t pid;

	time_limit(60);
	param_set("max_samples", MOST);
	pid = sample_often(often);
	begin(seldom, SELDOM);
	for (int i = 0; i < 400 && loud.throttles < THROTTLES; i++) {
		spin(1);
		if (__atomic_load_n(&often->id, __ATOMIC_ACQUIRE))
			loud = dev_sampled(often->fd, often->id, -1);
	}
	quiet = dev_sampled(seldom->fd, seldom->id, -1);
	check(loud.throttles >= THROTTLES, "who samples often is throttled %llu times in %llu samples",
	      (unsigned long long)loud.throttles, (unsigned long long)loud.taken);
	check(!quiet.throttles && quiet.taken > THROTTLES,
	      "who seldom does beside it is throttled %llu times in %llu",
	      (unsigned long long)quiet.throttles, (unsigned long long)quiet.taken);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	param_set("max_samples", 100000);
	return result();
}
