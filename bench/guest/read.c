// SPDX-License-Identifier: GPL-2.0-only
/* The cost of reading the caller's own counters. */
#include <sys/syscall.h>

#include "bench.h"

#define READS	2000

static void null_calls(void)
{
	uint64_t start = now();

	for (int i = 0; i < READS; i++)
		syscall(SYS_getppid);
	print("null-call", (double)(now() - start) / READS);
	start = now();
	for (int i = 0; i < READS; i++)
		ioctl(0, _IO(0, 0), 0);
	print("null-ioctl", (double)(now() - start) / READS);
}

void bench_read(const struct backend *b)
{
	null_calls();
	for (unsigned int count = 1; count <= 6; count += 5) {
		char key[16];
		uint64_t start;

		b->open(count, 0);
		b->read();
		start = now();
		for (int i = 0; i < READS; i++)
			b->read();
		snprintf(key, sizeof(key), "read-%u", count);
		print(key, (double)(now() - start) / READS);
		b->close();
	}
}
