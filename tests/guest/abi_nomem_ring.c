// SPDX-License-Identifier: GPL-2.0-only
/*
 * "abi_nomem_ring": as abi_nomem, for rings, logs and sampling PMCs. RLIMIT_MEMLOCK allows the rings
 * of one owner only: if a failed call leaked its charge, the next call would fail.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "test_class.h"
#include "fail.h"
#include "fail_call.h"
#include "param.h"
#include "ring.h"
#include "log_summary.h"

#define PERIOD	1000000000ULL	/* never reached */

static int fd, file, other;
static size_t page;
static uint32_t id;

static void new_owner(void)
{
	other = dev_open();
}

static int ring_call(void)
{
	struct hwpmc_ring ring = { .size = sizeof(ring), .data_size = page };

	return fail_ioctl(other, HWPMC_IOC_RING, &ring);
}

/* @want: returns whether rings exist; otherwise whether they can be created. */
static bool ring_there(bool want)
{
	return ring_call() == (want ? -EBUSY : 0);
}

static bool ring_done(int err)
{
	bool ok = ring_there(!err);

	close(other);
	return ok;
}

static void ringed(void)
{
	new_owner();
	if (ring_call())
		die("rings: %s", dev_sentence(other));
}

static int log_call(void)
{
	struct hwpmc_log log = { .size = sizeof(log), .fd = file };

	return fail_ioctl(other, HWPMC_IOC_LOG_OPEN, &log);
}

static bool log_done(int err)
{
	bool ok = (dev_log(other, HWPMC_IOC_LOG_CLOSE, 0) == 0) == !err;

	ok &= ring_there(!err);
	close(other);
	return ok;
}

/* Rings without a log can still be mapped. */
static bool log_of_rings_done(int err)
{
	bool ok = (dev_log(other, HWPMC_IOC_LOG_CLOSE, 0) == 0) == !err;
	void *tail = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);

	ok &= (tail != MAP_FAILED) == !!err;
	if (tail != MAP_FAILED)
		munmap(tail, page);
	close(other);
	return ok;
}

/* The records, read by read(2). */
static struct log_summary recorded(void)
{
	static char all[65536];
	struct log_summary s = { 0 };
	ssize_t size;

	fcntl(other, F_SETFL, O_NONBLOCK);
	size = read(other, all, sizeof(all));
	if (size < 0 && errno != EAGAIN)
		die("read: %s", dev_sentence(other));
	if (size > 0)
		log_summary_add(&s, all, size);
	return s;
}

/* A log that has written all but one record. */
static off_t written;

static void logged(void)
{
	struct stat status;

	new_owner();
	if (log_call() || dev_flush(other) || fstat(file, &status) ||
	    dev_log_write(other, 1, "text"))
		die("a log: %s", dev_sentence(other));
	written = status.st_size;
}

static int log_only_call(unsigned long cmd)
{
	struct hwpmc_log log = { .size = sizeof(log) };

	return fail_ioctl(other, cmd, &log);
}

static int flush_call(void)
{
	return log_only_call(HWPMC_IOC_LOG_FLUSH);
}

static bool is_written(void)
{
	struct stat status;

	return !fstat(file, &status) && status.st_size > written;
}

static bool flush_done(int err)
{
	bool ok = (err || is_written()) && !dev_log(other, HWPMC_IOC_LOG_CLOSE, 0);

	close(other);
	return ok;
}

static int close_call(void)
{
	return log_only_call(HWPMC_IOC_LOG_CLOSE);
}

static bool close_done(int err)
{
	bool ok = (err || is_written()) &&
		  dev_log(other, HWPMC_IOC_LOG_CLOSE, 0) == (err ? 0 : -EINVAL);

	close(other);
	return ok;
}

static int write_call(void)
{
	static const char text[] = "a text";
	struct hwpmc_log_write a = {
		.size = sizeof(a), .length = sizeof(text) - 1, .text = (uintptr_t)text,
	};

	return fail_ioctl(other, HWPMC_IOC_LOG_WRITE, &a);
}

static bool write_done(int err)
{
	bool ok = recorded().types[HWPMC_LOG_USER] == !err;

	close(other);
	return ok;
}

static int sampler_call(uint32_t mode, int cpu)
{
	struct hwpmc_allocate a = {
		.size = sizeof(a), .flags = HWPMC_F_CALLCHAIN, .class_id = test_class.class_id,
		.mode = mode, .cpu = cpu, .caps = test_class.caps, .event = test_class.event, .count = PERIOD,
		.user_stack = 1024,
	};
	int err = fail_ioctl(other, HWPMC_IOC_ALLOCATE, &a);

	id = a.id;
	return err;
}

static int virtual_call(void)
{
	return sampler_call(HWPMC_MODE_TS, -1);
}

static int system_call(void)
{
	return sampler_call(HWPMC_MODE_SS, 1);
}

/* If ALLOCATE failed, no record in the rings has such a PMC. */
static bool allocate_done(int err)
{
	bool ok = dev_stats(fd).pmcs == fail_others + !err &&
		  recorded().types[HWPMC_LOG_ALLOCATE] == !err;

	close(other);
	return ok && dev_stats(fd).pmcs == fail_others;
}

static void virtual_one(void)
{
	ringed();
	if (virtual_call())
		die("a sampler: %s", dev_sentence(other));
}

static void system_one(void)
{
	ringed();
	if (system_call())
		die("a sampler: %s", dev_sentence(other));
}

static int start_call(void)
{
	struct hwpmc_ids a = { .size = sizeof(a), .count = 1, .ids = (uintptr_t)&id };

	return fail_ioctl(other, HWPMC_IOC_START, &a);
}

static bool runs(void)
{
	return dev_set_count(other, id, PERIOD) == -EBUSY;
}

static bool system_start_done(int err)
{
	bool ok = runs() == !err;

	close(other);
	return ok;
}

/* A failed START detaches its target, and the log has both records. */
static bool virtual_start_done(int err)
{
	struct log_summary s = recorded();
	bool ok = s.types[HWPMC_LOG_ATTACH] == s.types[HWPMC_LOG_DETACH] + !err;

	ok &= (dev_detach(other, id, 0, 0) == 0) == !err;

	return system_start_done(err) && ok;
}

/* The address has no page table, so that the mapping allocates one. */
#define FAR	((void *)0x200000000000)

static int map_call(void)
{
	void *tail = mmap(FAR, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, other, 0);

	return tail == MAP_FAILED ? -errno : 0;
}

/* read(2) works if the rings are not mapped, or after they were unmapped. */
static bool map_done(int err)
{
	bool ok = dev_log(other, HWPMC_IOC_LOG_OPEN, file) == (err ? 0 : -EBUSY);

	if (!err)
		munmap(FAR, page);
	close(other);
	return ok;
}

/* Checks for rings that were not freed: kmemleak does not report memory of vmalloc(). */
static unsigned int areas(void)
{
	FILE *info = fopen("/proc/vmallocinfo", "r");
	unsigned int count = 0;
	char line[512];

	if (!info)
		die("/proc/vmallocinfo: %s", strerror(errno));
	while (fgets(line, sizeof(line), info))
		count += !!strstr(line, "hwpmc_buffer");
	fclose(info);
	return count;
}

static const struct fail_call calls[] = {
	{ "RING", HWPMC_IOC_RING, false, new_owner, ring_call, ring_done },
	{ "LOG_OPEN, which makes rings", HWPMC_IOC_LOG_OPEN, false, new_owner, log_call, log_done },
	{ "LOG_OPEN of rings", HWPMC_IOC_LOG_OPEN, false, ringed, log_call, log_of_rings_done },
	{ "LOG_FLUSH", HWPMC_IOC_LOG_FLUSH, false, logged, flush_call, flush_done },
	{ "LOG_CLOSE", HWPMC_IOC_LOG_CLOSE, false, logged, close_call, close_done },
	{ "LOG_WRITE", HWPMC_IOC_LOG_WRITE, false, ringed, write_call, write_done },
	{ "mmap of a ring", 0, false, ringed, map_call, map_done },
	{ "ALLOCATE, virtual sampling", HWPMC_IOC_ALLOCATE, true, ringed, virtual_call, allocate_done },
	{ "ALLOCATE, system-wide sampling", HWPMC_IOC_ALLOCATE, true, ringed, system_call, allocate_done },
	{ "START of sampling that attaches the caller", HWPMC_IOC_START, true, virtual_one, start_call,
	  virtual_start_done },
	{ "START of sampling a CPU", HWPMC_IOC_START, true, system_one, start_call, system_start_done },
};

/* A ring has a data page, a header page and a tail page. */
static void room_for_one(void)
{
	rlim_t room = 3 * page * sysconf(_SC_NPROCESSORS_CONF);
	int first;

	/* A size that only the limit allows. */
	param_set("mlock_kb", 0);
	if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ room, room }))
		die("limit of locked memory: %s", strerror(errno));
	become(0, ~(1ULL << CAP_IPC_LOCK));
	ringed();
	first = other;
	new_owner();
	check(ring_call() == -EPERM, "RING of a second owner exceeds RLIMIT_MEMLOCK: %s",
	      dev_sentence(other));
	close(other);
	close(first);
}

int main(void)
{
	fd = class_open(120);
	page = sysconf(_SC_PAGESIZE);
	if (!fail_open())
		return result();
	/* Rings are allocated as single pages. */
	fail_set("fail_page_alloc/min-order", "0");
	param_set("ring_kb", page / 1024);
	file = open("/tmp/nomem.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	room_for_one();
	fail_calls(fd, calls, ARRAY_SIZE(calls));
	check(SOON(!areas()), "the memory of all rings is released");
	param_set("ring_kb", 512);
	fail_set("fail_page_alloc/min-order", "1");
	return result();
}
