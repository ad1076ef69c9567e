// SPDX-License-Identifier: GPL-2.0-only
/* Calls with failures injected; see fail_call.h. */
#include "test_class.h"
#include "fail.h"
#include "fail_call.h"

uint64_t fail_others;
static unsigned int every = 1, every_later = 1;
static unsigned long asked;	/* the ioctl that the call made, or 0 */

int fail_ioctl(int owner, unsigned long cmd, void *args)
{
	asked = cmd;
	return dev_ioctl(owner, cmd, args);
}

static bool allowed(int err)
{
	return !err || err == -ENOMEM || err == -EFAULT;
}

/* Whether the call returned a sentence. */
static bool has_sentence(void)
{
	return !asked || strcmp(dev_sentence(0), NO_SENTENCE);
}

/* The results of all attempts. */
struct tries {
	unsigned int nth;		/* which allocation or copy fails next */
	unsigned int failures;		/* number of injected failures */
	unsigned int refusals, no_sentence, wrong, leaks, again;
	unsigned int others;		/* calls that made another ioctl than the one named */
	int strange;
	bool fired;			/* whether the last attempt reached its failure */
};

static void one_try(int fd, const struct fail_call *it, const struct hwpmc_stats *before,
		    struct tries *t)
{
	struct hwpmc_stats after;
	int err;

	if (it->before)
		it->before();
	asked = 0;
	fail_set_nth(t->nth);
	err = it->call();
	t->fired = fail_nth_fired();
	t->others += asked != it->cmd;
	t->failures += t->fired;
	t->nth += t->nth > FAIL_FIRST ? every_later : every;
	t->refusals += err != 0;
	if (!allowed(err) || (err && !t->fired))
		t->strange = err;
	t->no_sentence += err && !has_sentence();
	t->wrong += !it->done(err);
	after = dev_stats(fd);
	t->leaks += after.pmcs != before->pmcs || after.owners != before->owners;
	/* Makes the same call again, without a failure. */
	if (it->before)
		it->before();
	err = it->call();
	t->again += err != 0;
	t->wrong += !it->done(err);
}

static void left_nothing(int fd, const struct fail_call *it, const struct hwpmc_stats *before,
			 unsigned int leaks)
{
	struct hwpmc_stats after = dev_stats(fd);

	check(!leaks && after.pmcs == before->pmcs && after.owners == before->owners &&
	      after.threads == before->threads && !after.hooking && !after.switch_probe,
	      "%s leaks nothing (%u leaks; %llu PMCs, %llu owners, %llu threads)",
	      it->name, leaks, (unsigned long long)(after.pmcs - before->pmcs),
	      (unsigned long long)(after.owners - before->owners),
	      (unsigned long long)(after.threads - before->threads));
	check(class_free_rows(fd, HWPMC_MODE_TC, -1) == test_class.rows, "%s leaves every row free",
	      it->name);
}

static void one_call(int fd, const struct fail_call *it)
{
	struct tries t = { .nth = 1, .fired = true };
	struct hwpmc_stats before;
	uint32_t keeper = 0;
	int keeper_fd = -1;

	fail_wait_idle(fd);
	if (it->hooked) {
		keeper_fd = dev_open();
		keeper = class_pmc(keeper_fd, 0);
	}
	before = dev_stats(fd);
	fail_others = before.pmcs;
	while (t.fired && t.failures < FAIL_MAX)
		one_try(fd, it, &before, &t);
	check(!t.fired, "%s completes after %u injected failures, %u of which it returned",
	      it->name, t.failures, t.refusals);
	check(!t.others, "%s makes the call that its row names; not %u times", it->name, t.others);
	check(!t.strange, "%s fails with ENOMEM or EFAULT only: %s", it->name,
	      strerror(-t.strange));
	check(!t.no_sentence, "%s returns a sentence when it fails; not %u times", it->name,
	      t.no_sentence);
	check(!t.wrong, "%s takes effect if and only if it succeeds; wrong %u times",
	      it->name, t.wrong);
	check(!t.again, "%s succeeds in the next try; not %u times", it->name, t.again);
	fail_wait_idle(fd);
	left_nothing(fd, it, &before, t.leaks);
	if (it->hooked) {
		dev_release(keeper_fd, keeper);
		close(keeper_fd);
	}
}

void fail_every(unsigned int step, unsigned int later)
{
	every = step;
	every_later = later;
}

void fail_calls(int fd, const struct fail_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		one_call(fd, &calls[i]);
}
