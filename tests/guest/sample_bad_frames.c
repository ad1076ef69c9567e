// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples with invalid frame pointers and stack pointers have the correct place. Their chains end
 * at the first invalid frame, and no page is faulted in.
 */
#include <sys/mman.h>

#include "userfault.h"
#include "guarded.h"
#include "exact.h"
#include "ring.h"
#include "spin_regs.h"

#define PERIOD	100000
#define ROUNDS	2000000
#define STACK	256
#define RETURN	0x12340		/* return address of the frames */

/* A kernel address, and the length of a chain whose frame pointer is not aligned. */
#ifdef __aarch64__
#define KERNEL	0xffff800008000000
#define ODD	0
#else
#define KERNEL	0xffffffff81000000
#define ODD	1
#endif

/* @frames: expected length of the chain; @sp 0: the program's own. */
struct bad_frame {
	const char *name;
	uint64_t fp, sp;
	unsigned int frames;
};

struct seen {
	uint32_t id;
	const struct bad_frame *bad;
	unsigned long user, kernel, odd;
};

/* Checks samples in the loop, and samples in the kernel when it had interrupted the loop. */
static void see(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	const uint64_t *chain = (const void *)((const char *)record + sample->chain_offset);
	bool user = record->flags & HWPMC_SAMPLE_USER;
	const uint64_t *regs;
	struct seen *s = arg;
	uint64_t left;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != s->id ||
	    record->flags & HWPMC_SAMPLE_LATE || (!user && !sample->chain_user))
		return;
	left = user ? sample->pc : chain[sample->chain_kernel];
	if (!in_spin_regs(left))
		return;
	s->user += user;
	s->kernel += !user;
	regs = sample_regs(sample);
	s->odd += !regs || regs[SAMPLE_FP] != s->bad->fp || regs[SAMPLE_REGS - 1] != left ||
		  sample->chain_user != s->bad->frames + !user ||
		  sample->stack_size != (s->bad->sp ? 0 : STACK);
}

static void one(int fd, uint32_t id, struct ring_map *map, const struct bad_frame *bad)
{
	struct seen s = { .id = id, .bad = bad };

	/* On a slow host the PMC is throttled at times. */
	for (int i = 0; i < 100 && s.user <= 3; i++) {
		if (dev_start(fd, id))
			die("start: %s", dev_sentence(fd));
		spin_regs(ROUNDS, bad->fp, bad->sp);
		if (dev_stop(fd, id))
			die("stop: %s", dev_sentence(fd));
		ring_drain(map, see, &s);
	}
	check(s.user > 3 && !s.odd, "%s: %lu samples, %lu more in the kernel; %lu are wrong",
	      bad->name, s.user, s.kernel, s.odd);
}

/* Frames that are readable, or partly readable. */
static void make_frames(void)
{
	uint64_t frame[] = { 0, RETURN };

	guarded_map();
	memcpy(guarded + guarded_page_size + 1, frame, sizeof(frame));
	frame[0] = (uintptr_t)guarded;
	memcpy(guarded, frame, sizeof(frame));
	memcpy(guarded_end - sizeof(frame[0]), frame, sizeof(frame[0]));
}

int main(void)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TS, .cpu = -1,
		.caps = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, .event = EV_INSTRUCTIONS, .count = PERIOD,
		.flags = HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN, .user_stack = STACK,
	};
	struct userfault userfault = userfault_open();
	void *closed = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = dev_open();
	struct ring_map map;

	time_limit(60);
	ring_open(&map, fd, 512 * 1024);
	if (closed == MAP_FAILED || dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	/* Mapped last, so that no mapping follows it. */
	make_frames();

	const uint64_t edge = (uintptr_t)guarded_end, gone = (uintptr_t)userfault.page;
	const struct bad_frame all[] = {
		{ "fp 0", 0, 0, 0 },
		{ "fp 1", 1, 0, 0 },
		{ "fp not aligned", (uintptr_t)guarded + guarded_page_size + 1, 0, ODD },
		{ "fp in the kernel", KERNEL, 0, 0 },
		{ "fp not canonical", 0x4141414141414140, 0, 0 },
		{ "fp in a PROT_NONE page", (uintptr_t)closed, 0, 0 },
		{ "fp in an unmapped page", edge, 0, 0 },
		{ "fp at a frame across an unmapped page", edge - 8, 0, 0 },
		{ "fp in a missing page", gone, 0, 0 },
		{ "fp at a frame that points to itself", (uintptr_t)guarded, 0, 1 },
		{ "sp in an unmapped page", 0, edge, 0 },
		{ "sp in the kernel", 0, KERNEL, 0 },
		{ "sp in a missing page", gone, gone, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
		one(fd, a.id, &map, &all[i]);
	check(!userfault_pending(&userfault, 0), "a sample of a missing page does not fault it in");
	ring_close(&map);
	close(fd);
	return result();
}
