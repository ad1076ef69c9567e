// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a sample: without a call chain, with one of the program, and with one
 * of the kernel.
 *
 * The result is the cost of the whole interrupt: the additional time of a fixed amount of work with
 * a sampling PMC compared to a counting one, divided by the number of samples.
 */
#include <fcntl.h>
#include <sys/sendfile.h>

#include "bench.h"

#define PERIOD		20000
#define FRAMES		16
#define RUNS		5
#define SHOWN		150	/* spins: more than ten seconds */

/* The compiler must not turn the recursion into a loop: each level needs a stack frame. */
__attribute__((noinline))
static int deep(volatile int *levels, unsigned long tens)
{
	if (--*levels > 0)
		return deep(levels, tens) + 1;
	spin(tens);
	return *levels;
}

static void in_user(unsigned long tens)
{
	volatile int levels = 2 * FRAMES;

	deep(&levels, tens);
}

/* Nearly all of the time is spent generating random numbers, 16 calls below the system call. */
static void in_kernel(unsigned long tens)
{
	size_t size = tens * 512 * 1024;
	int from = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	int to = open("/dev/null", O_WRONLY | O_CLOEXEC);

	while (size) {
		ssize_t done = sendfile(to, from, NULL, size);

		if (done <= 0)
			die("sendfile: %s", strerror(errno));
		size -= done;
	}
	close(from);
	close(to);
}

static const struct scene {
	const char *name;
	struct sampling how;
	void (*work)(unsigned long tens);	/* in tens of millions of instructions */
} scenes[] = {
	{ "sample", { .period = PERIOD }, in_user },
	{ "user", { .period = PERIOD, .frames = FRAMES }, in_user },
	{ "kernel", { .period = PERIOD, .frames = FRAMES, .kernel = true }, in_kernel },
};

static void print_of(const struct scene *scene, const char *what, double value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s-%s", scene->name, what);
	print(key, value);
}

/* The time of the work, and the number of samples taken in it. */
static uint64_t timed(const struct backend *b, const struct scene *scene,
		      const struct sampling *how, struct drained *sum)
{
	struct drained before = {};
	uint64_t took;

	b->sample_open(how, 0);
	scene->work(1);
	b->sample_drain(&before);
	took = now();
	scene->work(2);
	took = now() - took;
	b->sample_stop();
	b->sample_drain(sum);
	b->sample_close();
	return took;
}

static void whole(const struct backend *b, const struct scene *scene)
{
	struct sampling count = scene->how;
	struct drained sum = {}, none = {};
	double took = 0;

	count.period = 0;
	count.frames = 0;
	for (int i = 0; i < RUNS; i++) {
		took += timed(b, scene, &scene->how, &sum);
		took -= timed(b, scene, &count, &none);
	}
	if (!sum.samples || none.samples)
		die("%lu samples, and %lu without sampling", sum.samples, none.samples);
	print_of(scene, "whole", took / sum.samples);
	print_of(scene, "samples", sum.samples);
	print_of(scene, "frames", (double)sum.frames / sum.samples);
}

/* Takes samples without call chains for a while, for bench/handler. */
void bench_shown(const struct backend *b)
{
	struct drained sum = {};

	b->sample_open(&scenes[0].how, 0);
	print("shown", 1);
	for (int i = 0; i < SHOWN; i++) {
		spin(1);
		b->sample_drain(&sum);
	}
	b->sample_stop();
	b->sample_close();
	print_of(&scenes[0], "shown", sum.samples);
}

void bench_sample(const struct backend *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		whole(b, &scenes[i]);
}
