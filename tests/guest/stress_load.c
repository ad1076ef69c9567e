// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stress_load [CYCLES]": load and unload the module again and again while owners
 * come and go. A task that was followed sleeps all the time, so that every
 * unload finds a record of it. An unload that finds the device open is refused,
 * and tried again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "test.h"

#define MODULE	"/hwpmc/modules/hwpmc.ko"

struct shared {
	volatile bool stop;
	volatile unsigned long owned;
};

static void load(void)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		die("load: %s", strerror(errno));
	close(fd);
}

/* A node without its module would have the kernel start modprobe, which finds nothing and takes longest of all. */
static void no_modprobe(void)
{
	int fd = open("/proc/sys/kernel/modprobe", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "\n", 1) != 1)
		die("/proc/sys/kernel/modprobe: %s", strerror(errno));
	close(fd);
}

static bool unload(void)
{
	if (!syscall(SYS_delete_module, "hwpmc", O_NONBLOCK))
		return true;
	if (errno != EAGAIN && errno != EBUSY && errno != EWOULDBLOCK)
		die("unload: %s", strerror(errno));
	return false;
}

/* Follows the sleeper and a child that comes and goes; often without releasing. */
static void own(struct shared *shared, pid_t sleeper)
{
	while (!shared->stop) {
		int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);
		int64_t id;

		if (fd < 0)
			continue;
		id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_CYCLES,
				  HWPMC_CAP_USER, 0);
		if (id > 0 && !dev_attach(fd, id, sleeper, 0) && !dev_attach(fd, id, 0, 0) &&
		    !dev_start(fd, id))
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
	pid_t sleeper, owner;

	if (shared == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	no_modprobe();
	/* What kind of counters there are, while there is somebody to ask. */
	dev_class();
	sleeper = fork();
	if (!sleeper)
		for (;;)
			pause();
	while (!unload())
		;
	owner = fork();
	if (!owner)
		own(shared, sleeper);
	for (unsigned long i = 0; i < cycles; i++) {
		unsigned long before = shared->owned;

		load();
		/* Every other cycle somebody has really used it. */
		for (int tries = 0; i % 2 && shared->owned == before && tries < 1000; tries++)
			usleep(100);
		for (; !unload(); refused++)
			usleep(50);
	}
	shared->stop = true;
	waitpid(owner, NULL, 0);
	load();
	check(shared->owned >= cycles / 4, "%lu cycles of load and unload, %lu owners, %lu unloads refused",
	      cycles, shared->owned, refused);
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
	return result();
}
