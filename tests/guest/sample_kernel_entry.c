// SPDX-License-Identifier: GPL-2.0-only
/*
 * "sample_kernel_entry [DIVISOR]": samples in the kernel's entry code, where the user registers
 * are only partly saved: the place and the call chain of user mode are those of this entry, not of
 * the previous one. Two system calls alternate, one of them in a deep call chain: place and depth
 * must match. The target of a program's jump is not a frame of the kernel, even if it is an address
 * of the kernel.
 */
#include <setjmp.h>
#include <signal.h>

#include "exact.h"
#include "param.h"
#include "ring.h"
#include "symbol.h"

#ifdef __x86_64__
#define OVERFLOW_IS_NMI	true
#else
#define OVERFLOW_IS_NMI	false
#endif

#define DEPTH	20
#define PERIOD	3001
#define ROUNDS	60	/* rounds of CALLS calls */
#define CALLS	500
#define SITE	16	/* size in bytes of the C library's getppid() and getuid() */

struct entries {
	uint32_t id;
	uint64_t entry;			/* address of the kernel's entry for system calls */
	unsigned long all, entering;	/* all samples, and those in the entry's first 64 bytes */
	unsigned long far, near;	/* samples in the deep call, and in the other one */
	unsigned long mixed;		/* samples whose depth is that of the other call */
};

__attribute__((noinline))
static int call_far(volatile int *levels)
{
	if (--*levels > 0)
		return call_far(levels) + 1;
	return getppid() + *levels;
}

static bool within(uint64_t pc, const void *function)
{
	return pc - (uintptr_t)function < SITE;
}

static void entry(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	const uint64_t *chain = (const void *)((const char *)record + sample->chain_offset);
	bool user = record->flags & HWPMC_SAMPLE_USER;
	struct entries *e = arg;
	unsigned int depth;
	uint64_t left;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != e->id)
		return;
	e->all++;
	e->entering += !user && sample->pc - e->entry < 64;
	depth = sample->chain_offset ? sample->chain_user : 0;
	/* If the place in user mode is unknown, there is no chain of user mode. */
	if (!user && !depth)
		return;
	left = user ? sample->pc : chain[sample->chain_kernel];
	if (within(left, getppid)) {
		e->far++;
		e->mixed += depth && depth < DEPTH;
	} else if (within(left, getuid)) {
		e->near++;
		e->mixed += depth >= DEPTH;
	}
}

static bool enough(const struct entries *e)
{
	return e->far > 10 && e->near > 10 && (e->entering || !e->entry);
}

static void entries(int fd, struct ring_map *map, uint64_t start, uint64_t caps,
		    const char *name)
{
	struct entries e = { .entry = start };

	e.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, caps,
			   HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN);
	/* On a slow host samples are throttled. */
	for (int i = 0; i < (int)scaled(ROUNDS) || (i < 20 * ROUNDS && !enough(&e)); i++) {
		if (dev_start(fd, e.id))
			die("start: %s", dev_sentence(fd));
		for (int j = 0; j < CALLS; j++) {
			volatile int levels = DEPTH;

			call_far(&levels);
			getuid();
		}
		if (dev_stop(fd, e.id))
			die("stop: %s", dev_sentence(fd));
		ring_drain(map, entry, &e);
	}
	check(enough(&e) && !e.mixed,
	      "%s: of %lu samples %lu are in the deep call and %lu in the other; %lu mix the two", name,
	      e.all, e.far, e.near, e.mixed);
	/* Interrupts are disabled in the entry code: only NMIs take samples there. */
	if (e.entry)
		check(e.entering, "%s: %lu samples are taken while registers are saved", name, e.entering);
	dev_release(fd, e.id);
}

struct jumps {
	uint32_t id;
	uint64_t to;
	unsigned long chains, wrong;
};

static sigjmp_buf before_jump;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(before_jump, 1);
}

static void jump_chain(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	const uint64_t *chain = (const void *)((const char *)record + sample->chain_offset);
	struct jumps *jumps = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != jumps->id)
		return;
	if (!sample->chain_offset || !sample->chain_kernel)
		return;
	jumps->chains++;
	jumps->wrong += chain[sample->chain_kernel - 1] == jumps->to;
}

/* Each jump to a function of the kernel is a fault, whose handler in the kernel is sampled. */
static void jumps_into_kernel(int fd, struct ring_map *map)
{
	const struct sigaction fault = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	struct jumps jumps = { .to = kernel_symbol("schedule") };

	sigaction(SIGSEGV, &fault, NULL);
	jumps.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_SYSTEM, HWPMC_F_CALLCHAIN);
	for (int i = 0; i < (int)scaled(ROUNDS) || (i < 20 * ROUNDS && jumps.chains < 100); i++) {
		if (dev_start(fd, jumps.id))
			die("start: %s", dev_sentence(fd));
		for (volatile int j = 0; j < CALLS; j++)
			if (!sigsetjmp(before_jump, 0))
				((void (*)(void))(uintptr_t)jumps.to)();
		if (dev_stop(fd, jumps.id))
			die("stop: %s", dev_sentence(fd));
		ring_drain(map, jump_chain, &jumps);
	}
	check(jumps.chains >= 100 && !jumps.wrong,
	      "jumps into the kernel: of %lu chains of the kernel %lu end where the program jumped to",
	      jumps.chains, jumps.wrong);
	dev_release(fd, jumps.id);
	signal(SIGSEGV, SIG_DFL);
}

int main(int argc, char **argv)
{
	struct ring_map map;
	int fd = dev_open();
	uint64_t percent = param_get("max_cpu_percent");

	time_limit(200);
	scale_down(argc, argv);
	/* A sample of the debug kernel takes longer than a period, so leave some time. */
	param_set("max_cpu_percent", 75);
	ring_open(&map, fd, 1 << 20);
	entries(fd, &map, OVERFLOW_IS_NMI ? kernel_entry() : 0,
		HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, "both modes");
	entries(fd, &map, 0, HWPMC_CAP_USER, "user mode");
	jumps_into_kernel(fd, &map);
	param_set("max_cpu_percent", percent);
	ring_close(&map);
	close(fd);
	return result();
}
