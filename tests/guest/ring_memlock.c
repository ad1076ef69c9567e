// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of the memory of an unprivileged user's rings on a machine with many CPUs: the default
 * size fits the default limit of locked memory, STATS returns the memory used and the memory left,
 * and the default size shrinks when little is left.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include "param.h"
#include "test_class.h"

#define USER		1000
#define LIMIT		(8ULL << 20)	/* RLIMIT_MEMLOCK, as systemd and the kernel set it */
#define FILES		64

static uint64_t cpus, page;

/* Returns the memory of a file's rings of @size bytes each. */
static uint64_t cost(uint64_t size)
{
	return cpus * (size + 2 * page);
}

/* Calls RING with the default size. Returns the size of the rings, or 0. */
static uint64_t make_rings(int fd)
{
	struct hwpmc_ring ring = { 0 };

	return dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)) ? 0 : ring.data_size;
}

/*
 * Opens files and creates rings until RING is refused; the rings shrink, and STATS has their sum.
 */
static void fill(const char *what, uint64_t first)
{
	int fds[FILES], n = 0;
	uint64_t size, used = 0, least = UINT64_MAX, room = dev_stats(user_fd).ring_room;
	bool sums = true, shrinks = true;
	struct hwpmc_stats stats, before = dev_stats(user_fd);

	for (; n < FILES; n++) {
		fds[n] = dev_open();
		size = make_rings(fds[n]);
		if (!size)
			break;
		shrinks &= size <= least && (n || size == first);
		least = size;
		used += cost(size);
		stats = dev_stats(user_fd);
		sums &= stats.ring_used == used && stats.ring_room == room - used;
	}
	check(shrinks && n > 1 && room - used < cost(page),
	      "%s: rings of the default size are of %llu bytes, and shrink to %llu in %d files", what,
	      (unsigned long long)first, (unsigned long long)least, n);
	check(sums, "%s: STATS returns the memory of all rings, and the memory left", what);
	refused(fds[n], -EPERM, EPERM, "mlock_kb", "%s: RING without memory left", what);
	stats = dev_stats(user_fd);
	check(stats.buffer_requests - before.buffer_requests == (uint64_t)n + 1 &&
	      stats.buffer_failures - before.buffer_failures == 1,
	      "%s: STATS counts %llu requests for rings, and %llu that failed", what,
	      (unsigned long long)(stats.buffer_requests - before.buffer_requests),
	      (unsigned long long)(stats.buffer_failures - before.buffer_failures));
	for (; n > 0; n--)
		close(fds[n]);
	stats = dev_stats(user_fd);
	check(stats.ring_used == cost(first) && stats.ring_room == room - cost(first),
	      "%s: close(2) frees the memory of all rings but those of one file", what);
	close(fds[0]);
	stats = dev_stats(user_fd);
	check(!stats.ring_used && stats.ring_room == room, "%s: close(2) frees the memory of the rings", what);
}

/* The memory of a closed file is free at once: the next file's rings are as large. */
static void again(const char *what, uint64_t first)
{
	unsigned int i, smaller = 0;
	int fd;

	for (i = 0; i < 20; i++) {
		fd = dev_open();
		smaller += make_rings(fd) != first;
		close(fd);
	}
	check(!smaller, "%s: of %u files, one after the other, %u have smaller rings", what, i,
	      smaller);
}

/* Returns the largest default size of rings that fits into @room. */
static uint64_t fitting(uint64_t room)
{
	uint64_t size = 512 << 10;

	while (cost(size) > room)
		size /= 2;
	return size;
}

static void plain(void *arg)
{
	const struct rlimit limit = { LIMIT, LIMIT };
	uint64_t allowance = *(uint64_t *)arg;
	struct hwpmc_stats stats;
	char what[64];

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		die("RLIMIT_MEMLOCK: %s", strerror(errno));
	stats = dev_stats(user_fd);
	check(stats.ring_room == allowance + LIMIT && !stats.ring_used,
	      "STATS returns the sum of the allowance and the limit: %llu KiB", (unsigned long long)stats.ring_room / 1024);
	snprintf(what, sizeof(what), "%llu KiB", (unsigned long long)stats.ring_room / 1024);
	fill(what, fitting(stats.ring_room));
	again(what, fitting(stats.ring_room));
	check(!system("pmctl record -e instructions:u -o /tmp/wide.log -- true 2>/tmp/wide.err"),
	      "%s: pmctl record works", what);
	check(!system("grep -q 'rings of ' /tmp/wide.err") == (fitting(stats.ring_room) < 512 << 10),
	      "%s: pmctl reports the size of its rings if they are small", what);
	check(!system("pmctl record -m 16384 -e instructions:u -o /tmp/wide.log -- true 2>/tmp/wide.err && grep -q 'rings of ' /tmp/wide.err"),
	      "%s: pmctl record -m creates rings as large as permitted, and reports their size", what);
	unlink("/tmp/wide.log");
	unlink("/tmp/wide.err");
}

static void root(void)
{
	struct hwpmc_stats stats = dev_stats(user_fd);

	check(stats.ring_room == UINT64_MAX, "with CAP_IPC_LOCK there is no limit");
}

int main(void)
{
	uint64_t allowance;

	class_open(120);
	page = sysconf(_SC_PAGESIZE);
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	allowance = (528 * sysconf(_SC_NPROCESSORS_ONLN) * 1024) / page * page;
	user_fd = dev_open();
	root();
	close(user_fd);
	as_user("default", USER, 0, plain, &allowance);
	param_set("mlock_kb", 0);
	allowance = 0;
	as_user("no allowance", USER, 0, plain, &allowance);
	param_set("mlock_kb", 528);
	return result();
}
