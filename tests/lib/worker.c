// SPDX-License-Identifier: GPL-2.0-only
/* Child processes that run a function on request; see worker.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "blocked_call.h"
#include "exact.h"

static void worker_run(struct worker *worker, int in, int out, void (*fn)(void *arg), void *arg)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(worker->request);
	close(worker->done);
	while (read(in, &byte, 1) == 1) {
		fn(arg);
		if (write(out, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

struct worker worker_start(void (*fn)(void *arg), void *arg)
{
	int to[2], from[2];
	struct worker worker;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	worker.request = to[1];
	worker.done = from[0];
	fflush(stdout);
	worker.pid = fork();
	if (worker.pid < 0)
		die("fork: %s", strerror(errno));
	if (!worker.pid)
		worker_run(&worker, to[0], from[1], fn, arg);
	close(to[0]);
	close(from[1]);
	wait_asleep(worker.pid);
	return worker;
}

void worker_begin(const struct worker *worker)
{
	if (write(worker->request, "", 1) != 1)
		die("a worker exited: %s", strerror(errno));
}

void worker_wait(const struct worker *worker)
{
	char byte;

	if (read(worker->done, &byte, 1) != 1)
		die("a worker exited before it was done");
}

void worker_do(const struct worker *worker)
{
	worker_begin(worker);
	worker_wait(worker);
}

void worker_end(struct worker *worker)
{
	kill(worker->pid, SIGKILL);
	if (waitpid(worker->pid, NULL, 0) != worker->pid)
		die("waitpid: %s", strerror(errno));
	close(worker->request);
	close(worker->done);
}

void wait_asleep(pid_t pid)
{
	double limit = seconds() + 5 * PATIENCE;

	while (task_state(pid) != 'S') {
		if (seconds() > limit)
			die("task %d does not sleep", pid);
		nap(1);
	}
}

static void server_run(void *arg)
{
	const struct server *s = arg;

	serve(s->in[0], s->out[1], s->times, s->rounds, s->doze);
}

void server_open(struct server *server)
{
	if (pipe2(server->in, O_CLOEXEC) || pipe2(server->out, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	server->worker = worker_start(server_run, server);
}

void server_do(const struct server *server)
{
	char byte = 0;

	if (write(server->in[1], &byte, 1) != 1 || read(server->out[0], &byte, 1) != 1)
		die("the server exited");
}

void server_close(struct server *server)
{
	int i;

	worker_end(&server->worker);
	for (i = 0; i < 2; i++) {
		close(server->in[i]);
		close(server->out[i]);
	}
}
