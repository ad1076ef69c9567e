// SPDX-License-Identifier: GPL-2.0-only
/* A thread that is blocked in a call; see blocked_call.h. */
#define _GNU_SOURCE
#include <fcntl.h>

#include "test.h"
#include "blocked_call.h"

static void *wait_in_call(void *arg)
{
	struct blocked_call *w = arg;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	w->err = w->call(w->fd);
	return NULL;
}

void blocked_call_begin(struct blocked_call *w)
{
	if (pthread_create(&w->thread, NULL, wait_in_call, w))
		die("a thread");
	if (!SOON(task_state(__atomic_load_n(&w->tid, __ATOMIC_ACQUIRE)) == 'D'))
		die("the call does not block");
}

char task_state(pid_t tid)
{
	char path[64], text[512], *end;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len < 0 ? 0 : len] = '\0';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}
