// SPDX-License-Identifier: GPL-2.0-only
/* Processes of many threads, which sleep for ever. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "slope.h"

#define STACK	(64 * 1024)

static void *sleep_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void be_many(unsigned int count, int ready)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	while (--count)
		if (pthread_create(&thread, &attr, sleep_for_ever, NULL))
			_exit(1);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	sleep_for_ever(NULL);
}

pid_t fork_threads(unsigned int count)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		be_many(count, ready[1]);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		die("the threads did not start");
	close(ready[0]);
	/* Wait until the last threads sleep, too. */
	usleep(100000);
	return pid;
}

pid_t fork_sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		sleep_for_ever(NULL);
	return pid;
}

void end_threads(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
