// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload for pmctl_report.sh. It spends 70, 20 and 10 % of its time in three functions: the
 * first in a library that it opens, the second in a child, the third after an exec. The third is
 * called through 40 recursive calls of level(). The same file is the library (-DLIBRARY). The
 * argument is the percentage of its usual time to run. It is also built without frame pointers
 * (-DBARE), to be unwound by DWARF.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARE	__attribute__((noinline))
#define ROUNDS	4000000
#define LEVELS	40
/* More bytes of the stack than were used before. */
#define UNUSED	(256 << 10)

#ifdef BARE
#define LIBRARY_PATH	"/usr/local/bin/work_shares-bare.so"
#else
#define LIBRARY_PATH	"/usr/local/bin/work_shares.so"
#endif

static volatile unsigned long sink;

static inline __attribute__((always_inline)) void turn(unsigned long percent, unsigned long rounds)
{
#ifndef BARE
	/* Makes the compiler set up a frame: a leaf function without a frame hides its caller. */
	__asm__ volatile("" : : "r" (__builtin_frame_address(0)));
#endif
	for (unsigned long i = 0; i < percent * rounds; i++)
		__asm__ volatile("" : : "r" (i));
	sink = percent;
}

#ifdef LIBRARY

void seventy(unsigned long rounds);

SHARE void seventy(unsigned long rounds)
{
	turn(70, rounds);
}

#else

SHARE static void twenty(unsigned long rounds)
{
	turn(20, rounds);
}

SHARE static void ten(unsigned long rounds)
{
	turn(10, rounds);
}

SHARE static void level(unsigned int below, unsigned long rounds)
{
	if (below)
		level(below - 1, rounds);
	else
		ten(rounds);
	/* Prevents a tail call. */
	sink = below;
}

SHARE static void from_library(unsigned long rounds)
{
	void *library = dlopen(LIBRARY_PATH, RTLD_NOW);
	void (*function)(unsigned long) =
		library ? (void (*)(unsigned long))dlsym(library, "seventy") : NULL;

	if (!function)
		exit(2);
	function(rounds);
	/* Prevents a tail call. */
	sink = 0;
}

int main(int argc, char **argv)
{
	const char *percent = argc > 1 ? argv[1] : "100";
	unsigned long rounds = ROUNDS / 100 * strtoul(percent, NULL, 10);
	pid_t child;

	if (argc > 2) {
		level(LEVELS - 1, rounds);
		return strcmp(argv[2], "rest");
	}
	child = fork();
	if (!child) {
		/*
		 * twenty() uses no stack, and the memory at the stack pointer was never accessed: a
		 * sample has no copy of it, and on arm64 only the link register leads to main().
		 */
		__asm__ volatile("" : : "r" (alloca(UNUSED)));
		twenty(rounds);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	from_library(rounds);
	execl("/proc/self/exe", argv[0], percent, "rest", NULL);
	return 1;
}

#endif
