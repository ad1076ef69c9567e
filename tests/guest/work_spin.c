// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload, not a test: executes 10,000,000 user instructions times its argument, and the few of
 * libc. Several arguments are executed in order; an argument may also be one of
 *	wait	read a byte from standard input
 *	ready	write a byte to standard output
 *	pause	sleep until it is killed
 *	clock	read the clock 100,000 times, in the vdso if there is one
 *	memory	execute 10,000,000 user instructions in anonymous memory; /tmp/perf-PID.map names it
 */
#include <sys/mman.h>
#include <time.h>

#include "test.h"

static bool read_clock(void)
{
	struct timespec now;

	for (int i = 0; i < 100000; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return true;
}

/* Writes code to anonymous memory, as just-in-time compilers do. */
static bool spin_in_memory(void)
{
	const size_t size = 64;
	void (*copy)(unsigned long tens);
	char path[64];
	void *memory;
	FILE *map;

	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "we");
	if (memory == MAP_FAILED || !map)
		return false;
	fprintf(map, "%lx %zx spin_in_memory\n", (unsigned long)memory, size);
	fclose(map);
	memcpy(memory, (const void *)spin, size);
	__builtin___clear_cache(memory, (char *)memory + size);
	if (mprotect(memory, size, PROT_READ | PROT_EXEC))
		return false;
	copy = (void (*)(unsigned long))memory;
	copy(1);
	return true;
}

static bool execute(const char *word)
{
	char byte = '\n';

	if (!strcmp(word, "wait"))
		return read(STDIN_FILENO, &byte, 1) == 1;
	if (!strcmp(word, "ready"))
		return write(STDOUT_FILENO, &byte, 1) == 1;
	if (!strcmp(word, "pause"))
		return pause();
	if (!strcmp(word, "clock"))
		return read_clock();
	if (!strcmp(word, "memory"))
		return spin_in_memory();
	spin(strtoul(word, NULL, 10));
	return true;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		spin(1);
	for (int i = 1; i < argc; i++)
		if (!execute(argv[i]))
			return 1;
	return 0;
}
