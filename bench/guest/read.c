// SPDX-License-Identifier: GPL-2.0-only
/* The cost of reading the caller's own counters. */
#include <sys/syscall.h>

#include "bench.h"

#define READS	2000

/* Returns the cost of an ioctl that does nothing. */
static double null_calls(void)
{
	uint64_t start = now();
	double null;

	for (int i = 0; i < READS; i++)
		syscall(SYS_getppid);
	print("null-call", (double)(now() - start) / READS);
	start = now();
	for (int i = 0; i < READS; i++)
		ioctl(0, _IO(0, 0), 0);
	null = (double)(now() - start) / READS;
	print("null-ioctl", null);
	return null;
}

static double reads(const struct backend *b, const char *name, unsigned int count)
{
	char key[16];
	uint64_t start;
	double each;

	b->read();
	start = now();
	for (int i = 0; i < READS; i++)
		b->read();
	each = (double)(now() - start) / READS;
	snprintf(key, sizeof(key), "%s-%u", name, count);
	print(key, each);
	return each;
}

static void read_pages(const struct backend *b)
{
	for (unsigned int count = 1; count <= 6; count += 5) {
		char key[16];
		uint64_t start;

		b->open_page(count, 0);
		b->read_page(1);
		start = now();
		b->read_page(READS);
		snprintf(key, sizeof(key), "page-%u", count);
		print(key, (double)(now() - start) / READS);
		b->close();
	}
}

static void read_direct(const struct backend *b)
{
	for (unsigned int count = 1; count <= 6; count += 5) {
		char key[16];
		uint64_t start;

		if (b->open_direct(count)) {
			b->read_direct(1);
			start = now();
			b->read_direct(READS);
			snprintf(key, sizeof(key), "direct-%u", count);
			print(key, (double)(now() - start) / READS);
		}
		b->close();
	}
}

void bench_read(const struct backend *b)
{
	double null = null_calls(), each = 0, group = 0;

	if (b->open_page)
		read_pages(b);
	if (b->open_direct)
		read_direct(b);

	for (unsigned int count = 1; count <= 6; count += 5) {
		b->open(count, 0);
		each = reads(b, "read", count);
		if (b->prepare) {
			b->prepare();
			group = reads(b, "group", count);
		}
		b->close();
	}
	print("read-above", each - null);
	if (b->prepare)
		print("group-above", group - null);
}
