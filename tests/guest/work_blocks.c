// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload, not a test: "work_blocks US TIMES" blocks in three functions for US microseconds,
 * TIMES times each; then in one of them in a child, and in another in the program that the child
 * executes. For each it prints a line: the caller, the function, and the off-CPU time in ns.
 */
#include <sys/wait.h>

#include "blocks.h"
#include "test.h"

static uint64_t us;
static unsigned int times;

static void report(const char *caller, enum block how, uint64_t ns)
{
	printf("%s %s %llu\n", caller, block_names[how], (unsigned long long)ns);
	fflush(stdout);
}

__attribute__((noinline)) static void in_parent(void)
{
	for (int how = 0; how < BLOCK_COUNT; how++)
		report(__func__, how, block(how, us, times));
}

__attribute__((noinline)) static void in_child(void)
{
	report(__func__, BLOCK_SLEEP, block(BLOCK_SLEEP, us, times));
}

__attribute__((noinline)) static void after_exec(void)
{
	report(__func__, BLOCK_WAIT, block(BLOCK_WAIT, us, times));
}

int main(int argc, char **argv)
{
	pid_t child;
	int status;

	if (argc < 3)
		die("usage: work_blocks US TIMES");
	us = strtoull(argv[1], NULL, 10);
	times = strtoul(argv[2], NULL, 10);
	if (argc > 3) {
		after_exec();
		return 0;
	}
	in_parent();
	child = fork();
	if (child < 0)
		die("fork: %s", strerror(errno));
	if (!child) {
		in_child();
		execl("/proc/self/exe", argv[0], argv[1], argv[2], "exec", NULL);
		die("exec: %s", strerror(errno));
	}
	return waitpid(child, &status, 0) == child && !status ? 0 : 1;
}
