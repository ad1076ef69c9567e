/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's primitives that kmod/log/ring.c uses, for a program of the host: the
 * same ordering in terms of C11, and no more. An interrupt may occur at each of them.
 */
#ifndef HWPMC_TEST_RING_KERNEL_H
#define HWPMC_TEST_RING_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

typedef __u64 u64;
typedef __u32 u32;
typedef __u16 u16;
typedef __s64 s64;

/* May run an interrupt of the producer; see stress.c. */
void interrupt_point(void);

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define pointed(x)							\
({									\
	__typeof__(x) _value;						\
									\
	interrupt_point();						\
	_value = (x);							\
	interrupt_point();						\
	_value;								\
})

#define pointed_do(x)							\
do {									\
	interrupt_point();						\
	x;								\
	interrupt_point();						\
} while (0)

#define READ_ONCE(x)		pointed(__atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, v)	pointed_do(__atomic_store_n(&(x), (v), __ATOMIC_RELAXED))
/* Acquire: later accesses stay after it. */
#define smp_load_acquire(p)	pointed(__atomic_load_n((p), __ATOMIC_ACQUIRE))
/* Release: earlier accesses stay before it. */
#define smp_store_release(p, v)	pointed_do(__atomic_store_n((p), (v), __ATOMIC_RELEASE))
/* A compiler barrier: the other side is on the same CPU. */
#define barrier()		pointed_do(atomic_signal_fence(memory_order_seq_cst))

/* Atomic with respect to interrupts, unordered with respect to other CPUs. */
struct local {
	long counter;
};

#define local_t			struct local

#define local_read(l)		pointed(__atomic_load_n(&(l)->counter, __ATOMIC_RELAXED))
#define local_set(l, v)		pointed_do(__atomic_store_n(&(l)->counter, (v), __ATOMIC_RELAXED))
#define local_add(v, l)							\
	pointed_do(__atomic_fetch_add(&(l)->counter, (v), __ATOMIC_RELAXED))
#define local_inc(l)		local_add(1, l)
#define local_add_return(v, l)	pointed(__atomic_add_fetch(&(l)->counter, (v), __ATOMIC_RELAXED))

static inline long local_cmpxchg(struct local *l, long old, long new)
{
	interrupt_point();
	__atomic_compare_exchange_n(&l->counter, &old, new, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	interrupt_point();
	return old;
}

#endif /* HWPMC_TEST_RING_KERNEL_H */
