/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time of samples: CLOCK_MONOTONIC, as ktime_get_mono_fast_ns() returns it, in fewer
 * instructions. Used in the overflow interrupt.
 */
#ifndef HWPMC_NOW_H
#define HWPMC_NOW_H

#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <asm/barrier.h>

#include <hwpmc_arch_inline.h>

struct notifier_block;

/* Ticks since the last update for which the product with a multiplier of 32 bits fits in a u64. */
#define HWPMC_NOW_BITS	31

/*
 * A value of @last that makes hwpmc_now_nmi() call the kernel's function: no counter is less than
 * BIT(HWPMC_NOW_BITS) ticks past it.
 */
#define HWPMC_NOW_NEVER	BIT_ULL(63)

/**
 * struct hwpmc_now_base - how ticks become a time
 * @last: the clock's ticks at the kernel's last update of the time; HWPMC_NOW_NEVER: unknown
 * @base: time then, in ns, without @fraction
 * @fraction: the rest, in ns << @shift
 * @mult: a tick, in ns << @shift
 * @shift: see above
 *
 * Aligned, so that the address of a copy takes no multiplication.
 */
struct hwpmc_now_base {
	u64 last;
	u64 base;
	u64 fraction;
	u64 mult;
	unsigned int shift;
} __aligned(64);

/**
 * struct hwpmc_now - two copies, of which one can be read at any time
 * @copies: the copies
 * @seq: its lowest bit is the number of the copy that is not written now
 */
struct hwpmc_now {
	struct hwpmc_now_base copies[2];
	unsigned int seq;
};

/* kmod/base/now.c */
extern struct hwpmc_now hwpmc_now;
void hwpmc_now_write(const struct hwpmc_now_base *from);
int hwpmc_now_sleep(struct notifier_block *nb, unsigned long event, void *unused);
int hwpmc_now_init(void);
void hwpmc_now_exit(void);

/**
 * hwpmc_now_nmi - CLOCK_MONOTONIC, in ns
 *
 * The same time as ktime_get_mono_fast_ns(): both may be used for the records of a ring. Context:
 * any, NMI included; preemption off.
 */
static __always_inline u64 hwpmc_now_nmi(void)
{
	unsigned int seq = READ_ONCE(hwpmc_now.seq);
	const struct hwpmc_now_base *copy = &hwpmc_now.copies[seq & 1];
	u64 ticks = hwpmc_arch_kernel_clock() - READ_ONCE(copy->last);
	u64 ns = READ_ONCE(copy->base) +
		 ((ticks * READ_ONCE(copy->mult) + READ_ONCE(copy->fraction)) >>
		  READ_ONCE(copy->shift));

	/* Pairs with hwpmc_now_write(). */
	smp_rmb();
	/* If the kernel's update was after the read, @ticks is negative, so very large as a u64. */
	if (unlikely(ticks >> HWPMC_NOW_BITS || READ_ONCE(hwpmc_now.seq) != seq))
		return ktime_get_mono_fast_ns();
	return ns;
}

#endif /* HWPMC_NOW_H */
