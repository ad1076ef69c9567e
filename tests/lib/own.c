// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the calling thread in a page; see own.h. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

#include "own.h"
#include "test.h"

#ifdef __aarch64__
#define FAULT	SIGILL
#else
#define FAULT	SIGSEGV
#endif

void own_open_as(struct own *own, int fd, unsigned int count, uint32_t flags)
{
	own->fd = fd;
	for (own->count = 0; own->count < count; own->count++) {
		uint32_t id = dev_instructions(fd, HWPMC_F_THREAD | flags);

		own->ids[own->count] = id;
		if (dev_attach(fd, id, syscall(SYS_gettid), HWPMC_ATTACH_TID))
			die("attach: %s", dev_sentence(fd));
	}
	if (hwpmc_user_map(&own->reader, fd, own->ids, own->count))
		die("map: %s", dev_sentence(fd));
}

void own_start(struct own *own)
{
	if (dev_ids(own->fd, HWPMC_IOC_START, own->ids, own->count))
		die("start: %s", dev_sentence(own->fd));
}

void own_open(struct own *own, int fd, unsigned int count)
{
	own_open_as(own, fd, count, HWPMC_F_DIRECT);
	own_start(own);
}

void own_close(struct own *own)
{
	unsigned int i;

	/* One call for each, since the test may have released some. */
	for (i = 0; i < own->count; i++)
		dev_release(own->fd, own->ids[i]);
	hwpmc_user_unmap(&own->reader);
}

static sigjmp_buf refused_read;

static void on_fault(int signal)
{
	siglongjmp(refused_read, signal);
}

static uint64_t read_counter(uint32_t index)
{
#ifdef __aarch64__
	return hwpmc_user_counter(index);
#else
	uint32_t low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index) : "memory");
	return low | (uint64_t)high << 32;
#endif
}

bool own_raw(uint32_t index, uint64_t *value)
{
	struct sigaction action = { .sa_handler = on_fault }, before;
	volatile bool read = false;

	sigaction(FAULT, &action, &before);
	if (!sigsetjmp(refused_read, 1)) {
		*value = read_counter(index);
		read = true;
	}
	sigaction(FAULT, &before, NULL);
	return read;
}

bool own_raw_faults(void)
{
	uint64_t value;
#ifdef __aarch64__
	return !own_raw(1, &value) && !own_raw(OWN_CYCLES, &value);
#else
	/*
	 * ECX[31:16] of RDPMC is the type of the counter: 0 for programmable counters, 4000H for
	 * fixed ones, 2000H for Intel's metrics. AMD's counters of the north bridge and the caches
	 * follow the programmable ones. All values of the four highest bits are tried.
	 */
	uint32_t kind, row;

	for (kind = 0; kind < 16; kind++)
		for (row = 0; row < 64; row++)
			if (own_raw(kind << 28 | row, &value))
				return false;
	return true;
#endif
}

bool own_clean(unsigned int rows, uint64_t *worst)
{
	unsigned int index;
	bool all = true;

	for (index = 1; index <= rows; index++) {
		uint64_t value = 0, least;

		if (!own_raw(index < rows ? index : OWN_CYCLES, &value))
			return false;
		/* A row in use may start at half of its range: only the highest bit is set. */
		least = value & (1ULL << 63) ? 1ULL << 63 : value & (1ULL << 31) ? 1ULL << 31 : 0;
		if (value - least > *worst)
			*worst = value - least;
		all &= value - least < OWN_SHORT;
	}
	return all;
}
