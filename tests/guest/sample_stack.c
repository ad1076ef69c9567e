// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples with the user registers and a copy of the user stack: the last register is the
 * program counter, and the copy has the stack's content and ends at the stack's end.
 */
#include "guarded.h"
#include "exact.h"
#include "ring.h"
#include "spin_regs.h"

#define PERIOD	100000
#define STACK	1024U
#define MARKS	32

static uint64_t marks[MARKS];

/* A loop of @size bytes at @begin, in which samples are taken, with marks on the stack at @at. */
struct stacks {
	uint32_t id;
	uintptr_t begin, size, at;
	uint32_t there;			/* expected size of the copy */
	unsigned long all, placed, sized, marked;
};

static bool is_zero(const char *at, size_t size)
{
	while (size && !*at) {
		at++;
		size--;
	}
	return !size;
}

static void look(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	const char *copy = (const char *)record + sample->stack_offset;
	const uint64_t *regs;
	struct stacks *s = arg;
	uint64_t up;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != s->id ||
	    record->flags & HWPMC_SAMPLE_LATE || sample->pc - s->begin >= s->size)
		return;
	s->all++;
	regs = sample_regs(sample);
	if (!regs || !sample->stack_offset || record->length != sample->stack_offset + STACK)
		return;
	s->placed += (record->flags & HWPMC_SAMPLE_USER) && regs[SAMPLE_REGS - 1] == sample->pc;
	s->sized += sample->stack_size == s->there &&
		    is_zero(copy + s->there, STACK - s->there);
	up = s->at - regs[SAMPLE_SP];
	s->marked += up <= STACK - sizeof(marks) && !memcmp(copy + up, marks, sizeof(marks));
}

/* The stack is larger than the copy. */
__attribute__((noinline))
static void spin_marked(struct stacks *s)
{
	uint64_t local[MARKS];
	char above[2 * STACK];

	memcpy(local, marks, sizeof(local));
	s->at = (uintptr_t)local;
	asm volatile("" : : "r"(local), "r"(above) : "memory");
	spin(1);
	asm volatile("" : : "r"(local), "r"(above) : "memory");
}

/* The stack's memory ends behind the marks. */
static void spin_at_edge(struct stacks *s)
{
	s->at = (uintptr_t)guarded_end - sizeof(marks);
	memcpy((void *)s->at, marks, sizeof(marks));
	spin_regs(SPIN_UNIT / 2, 0, s->at);
}

static void stacks(int fd, struct ring_map *map, struct stacks s,
		   void (*run_it)(struct stacks *s), const char *name)
{
	/* On a slow host the PMC is throttled at times. */
	for (int i = 0; i < 100 && s.all <= 5; i++) {
		if (dev_start(fd, s.id))
			die("start: %s", dev_sentence(fd));
		run_it(&s);
		if (dev_stop(fd, s.id))
			die("stop: %s", dev_sentence(fd));
		ring_drain(map, look, &s);
	}
	check(s.all > 5 && s.placed == s.all, "%s: of %lu samples %lu have their place in the registers",
	      name, s.all, s.placed);
	check(s.sized == s.all, "%s: %lu samples have %u bytes of the stack", name, s.sized, s.there);
	check(s.marked == s.all, "%s: %lu samples have the stack's content", name, s.marked);
}

int main(void)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TS, .cpu = -1, .caps = HWPMC_CAP_USER,
		.event = EV_INSTRUCTIONS, .count = PERIOD, .user_stack = STACK,
	};
	int fd = dev_open();
	struct ring_map map;

	time_limit(60);
	for (int i = 0; i < MARKS; i++)
		marks[i] = 0x6d61726b00000000 + i;
	ring_open(&map, fd, 512 * 1024);
	/* Mapped last, so that no mapping follows it. */
	guarded_map();
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	stacks(fd, &map, (struct stacks){
		.id = a.id, .begin = (uintptr_t)spin, .size = 256, .there = STACK,
	}, spin_marked, "a large stack");
	stacks(fd, &map, (struct stacks){
		.id = a.id, .begin = (uintptr_t)spin_regs_loop,
		.size = spin_regs_end - spin_regs_loop, .there = sizeof(marks),
	}, spin_at_edge, "the stack's end");
	ring_close(&map);
	close(fd);
	return result();
}
