/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's primitives that kmod/log/ring.c uses, for a program on the host: each has the same
 * ordering in terms of C11, and no stronger one.
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

/* Called between the steps of the protocol; may wait for the reader: see stress.c. */
void protocol_step(void);

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define pointed(x)							\
({									\
	__typeof__(x) _value;						\
									\
	protocol_step();						\
	_value = (x);							\
	protocol_step();						\
	_value;								\
})

#define pointed_do(x)							\
do {									\
	protocol_step();						\
	x;								\
	protocol_step();						\
} while (0)

#define READ_ONCE(x)		pointed(__atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, v)	pointed_do(__atomic_store_n(&(x), (v), __ATOMIC_RELAXED))
/* Acquire: later accesses are not moved before it. */
#define smp_load_acquire(p)	pointed(__atomic_load_n((p), __ATOMIC_ACQUIRE))
/* Release: earlier accesses are not moved after it. */
#define smp_store_release(p, v)	pointed_do(__atomic_store_n((p), (v), __ATOMIC_RELEASE))
#define barrier()		atomic_signal_fence(memory_order_seq_cst)

/* Only kernels with lock debugging check for writers that interrupt each other. */
#define IS_ENABLED(option)	0
#define WARN_ON_ONCE(x)		((void)(x))

#endif /* HWPMC_TEST_RING_KERNEL_H */
