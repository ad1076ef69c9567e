// SPDX-License-Identifier: GPL-2.0-only
/*
 * For pmctl_report.sh: spends 70, 20 and 10 % of its time in three functions: the
 * first in a library that it opens, the second in a child, the third after an exec.
 * It is the library itself, too (-DLIBRARY).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARE	__attribute__((noinline))

static volatile unsigned long sink;

static inline __attribute__((always_inline)) void turn(unsigned long percent)
{
	/* Whoever asks for its frame has one. A leaf without hides who called it. */
	__asm__ volatile("" : : "r" (__builtin_frame_address(0)));
	for (unsigned long i = 0; i < percent * 4000000; i++)
		__asm__ volatile("" : : "r" (i));
	sink = percent;
}

#ifdef LIBRARY

void seventy(void);

SHARE void seventy(void)
{
	turn(70);
}

#else

SHARE static void twenty(void)
{
	turn(20);
}

SHARE static void ten(void)
{
	turn(10);
}

SHARE static void from_library(void)
{
	void *library = dlopen("/usr/local/bin/shares.so", RTLD_NOW);
	void (*function)(void) = library ? (void (*)(void))dlsym(library, "seventy") : NULL;

	if (!function)
		exit(2);
	function();
	/* Keeps the call from being its last. */
	sink = 0;
}

int main(int argc, char **argv)
{
	pid_t child;

	if (argc > 1) {
		ten();
		return strcmp(argv[1], "rest");
	}
	child = fork();
	if (!child) {
		twenty();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	from_library();
	execl("/proc/self/exe", argv[0], "rest", NULL);
	return 1;
}

#endif
