// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stress_load [CYCLES]": load and unload the module repeatedly while owners open and close the
 * device. One target sleeps all the time, so that every unload finds its record; another one
 * migrates, forks and execs during each unload. An unload fails while the device is open, and
 * is repeated.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "exact.h"
#include "file.h"
#include "param.h"

struct shared {
	volatile bool stop;
	volatile unsigned long owned;
	volatile unsigned long moved;
};

/* Migrates, and forks a child that executes this program, which exits at once. */
static void move(void *arg)
{
	struct shared *shared = arg;
	int status;
	pid_t pid;

	pin(0, shared->moved % sysconf(_SC_NPROCESSORS_ONLN));
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "stress_load", "end", NULL);
		_exit(1);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		shared->moved++;
}

/*
 * Follows the sleeper, the mover with its children, and itself, and closes the file without
 * RELEASE.
 */
static void own(struct shared *shared, pid_t sleeper, pid_t mover)
{
	while (!shared->stop) {
		int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);
		int64_t id;

		if (fd < 0) {
			usleep(200);
			continue;
		}
		id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS,
				  HWPMC_CAP_USER, HWPMC_F_DESCENDANTS);
		if (id > 0 && !dev_attach(fd, id, sleeper, 0) && !dev_attach(fd, id, mover, 0) &&
		    !dev_attach(fd, id, 0, 0) && !dev_start(fd, id))
			shared->owned++;
		close(fd);
		usleep(500);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long cycles = argc > 1 ? strtoul(argv[1], NULL, 0) : 100, refused = 0;
	struct shared *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct worker mover;
	pid_t sleeper, owner;

	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	if (shared == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	/* Otherwise an open without the module would start modprobe, which takes long. */
	file_set("/proc/sys/kernel/modprobe", "\n");
	/* dev_class() keeps the result, so call it while the module is loaded. */
	dev_class();
	sleeper = fork();
	if (!sleeper)
		for (;;)
			pause();
	mover = worker_start(move, shared);
	while (!module_unload())
		;
	owner = fork();
	if (!owner)
		own(shared, sleeper, mover.pid);
	for (unsigned long i = 0; i < cycles; i++) {
		unsigned long before = shared->owned;

		module_load();
		/* Every other cycle waits until an owner has used the module. */
		for (int tries = 0; i % 2 && shared->owned == before && tries < 1000; tries++)
			usleep(100);
		worker_begin(&mover);
		for (; !module_unload(); refused++)
			usleep(50);
		worker_wait(&mover);
	}
	shared->stop = true;
	waitpid(owner, NULL, 0);
	module_load();
	check(shared->owned >= cycles / 4, "%lu cycles of load and unload succeed: %lu owners, %lu unloads refused",
	      cycles, shared->owned, refused);
	check(shared->moved == cycles, "a target migrates, forks and execs in every cycle: %lu", shared->moved);
	worker_end(&mover);
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
	return result();
}
