// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "test_class.h"
#include "guarded.h"
#include "calls.h"
#include "ring.h"

#define MAX_ROWS	64

int call_on;
static int fd;				/* the owner of most calls */
static int file;
static uint32_t pmc;			/* stopped, attached to this process */
static uint32_t spare;			/* another PMC, for RELEASE and START */
static uint32_t list[2];
static uint64_t values[2];
static struct hwpmc_row_info rows[MAX_ROWS];

static void none_back(void *args, int err)
{
	(void)args;
	(void)err;
}

static void version_fill(void *args)
{
	struct hwpmc_version *a = args;

	a->abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR);
}

static void pmc_info_fill(void *args)
{
	struct hwpmc_pmc_info *a = args;

	a->rows = MAX_ROWS;
	a->row_list = (uintptr_t)rows;
	a->row_size = sizeof(rows[0]);
}

static void caps_fill(void *args)
{
	((struct hwpmc_caps *)args)->id = pmc;
}

static void admin_fill(void *args)
{
	((struct hwpmc_admin *)args)->row = test_class.first + test_class.rows - 1;
}

static void allocate_fill(void *args)
{
	struct hwpmc_allocate *a = args;

	a->class_id = test_class.class_id;
	a->mode = HWPMC_MODE_TC;
	a->cpu = -1;
	a->caps = test_class.caps;
	a->event = test_class.event;
}

static void allocate_back(void *args, int err)
{
	if (!err && dev_release(fd, ((struct hwpmc_allocate *)args)->id))
		die("release of an allocated PMC: %s", dev_sentence(fd));
}

static void ids_fill(struct hwpmc_ids *a)
{
	list[0] = spare;
	a->count = 1;
	a->ids = (uintptr_t)list;
}

static void release_fill(void *args)
{
	spare = class_pmc(fd, 0);
	ids_fill(args);
}

static void release_back(void *args, int err)
{
	(void)args;
	if (err && dev_release(fd, spare))
		die("release after a failed release: %s", dev_sentence(fd));
}

static void start_fill(void *args)
{
	spare = class_pmc(fd, 0);
	ids_fill(args);
}

static void start_back(void *args, int err)
{
	(void)args;
	/* STOP succeeds only for a PMC that runs. */
	if (!dev_stop(fd, spare) != !err)
		check(false, "START returned %d, but the PMC %s", err, err ? "runs" : "is stopped");
	dev_release(fd, spare);
}

static void stop_fill(void *args)
{
	spare = class_pmc(fd, 0);
	if (dev_start(fd, spare))
		die("start: %s", dev_sentence(fd));
	ids_fill(args);
}

static void stop_back(void *args, int err)
{
	(void)args;
	if (!dev_write(fd, spare, 0) != !err)
		check(false, "STOP returned %d, but the PMC %s", err, err ? "is stopped" : "runs");
	dev_release(fd, spare);
}

static void attach_fill(void *args)
{
	spare = class_pmc(fd, 0);
	((struct hwpmc_attach *)args)->id = spare;
}

static void attach_back(void *args, int err)
{
	(void)args;
	if (!dev_detach(fd, spare, 0, 0) != !err)
		check(false, "ATTACH returned %d, but the PMC is %sattached", err,
		      err ? "" : "not ");
	dev_release(fd, spare);
}

static void detach_fill(void *args)
{
	attach_fill(args);
	if (dev_attach(fd, spare, 0, 0))
		die("attach: %s", dev_sentence(fd));
}

static void detach_back(void *args, int err)
{
	(void)args;
	if (!dev_detach(fd, spare, 0, 0) == !err)
		check(false, "DETACH returned %d, but the PMC is %sattached", err,
		      err ? "not " : "");
	dev_release(fd, spare);
}

static void rw_fill(void *args)
{
	struct hwpmc_rw *a = args;

	list[0] = pmc;
	a->flags = HWPMC_RW_OLD;
	a->count = 1;
	a->ids = (uintptr_t)list;
	a->values = (uintptr_t)values;
}

static void set_count_fill(void *args)
{
	struct hwpmc_set_count *a = args;

	a->id = pmc;
	a->count = 5;
}

static void ring_fill(void *args)
{
	((struct hwpmc_ring *)args)->data_size = guarded_page_size;
}

static void log_open_fill(void *args)
{
	((struct hwpmc_log *)args)->fd = file;
}

static void ring_made(void)
{
	if (dev_rings(call_on, guarded_page_size))
		die("rings: %s", dev_sentence(call_on));
}

static void log_flush_fill(void *args)
{
	(void)args;
	ring_made();
}

static void log_close_fill(void *args)
{
	struct hwpmc_log log = { .fd = file };

	(void)args;
	if (dev_call(call_on, HWPMC_IOC_LOG_OPEN, &log, sizeof(log)))
		die("log: %s", dev_sentence(call_on));
}

static void sampled_fill(void *args)
{
	struct hwpmc_allocate a = {
		.class_id = test_class.class_id, .mode = HWPMC_MODE_TS, .cpu = -1,
		.caps = test_class.caps, .event = test_class.event, .count = 100000,
	};
	struct hwpmc_sampled *sampled = args;

	if (dev_call(call_on, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate a sampler: %s", dev_sentence(call_on));
	sampled->id = a.id;
	sampled->cpu = -1;
}

static uint64_t group_made(void)
{
	struct hwpmc_group group = { .count = 1, .ids = (uintptr_t)&pmc };

	if (dev_call(fd, HWPMC_IOC_GROUP, &group, sizeof(group)))
		die("group: %s", dev_sentence(fd));
	return group.group;
}

static int group_freed(uint64_t handle)
{
	struct hwpmc_group group = { .group = handle };

	return dev_call(fd, HWPMC_IOC_GROUP_FREE, &group, sizeof(group));
}

static void group_fill(void *args)
{
	struct hwpmc_group *a = args;

	a->count = 1;
	a->ids = (uintptr_t)&pmc;
}

static void group_back(void *args, int err)
{
	if (!err && group_freed(((struct hwpmc_group *)args)->group))
		die("GROUP_FREE of a group: %s", dev_sentence(fd));
}

static uint64_t group;			/* for GROUP_READ and GROUP_FREE */

static void group_free_fill(void *args)
{
	group = group_made();
	((struct hwpmc_group *)args)->group = group;
}

static void group_free_back(void *args, int err)
{
	(void)args;
	if (!group_freed(group) != !!err)
		check(false, "GROUP_FREE returned %d, but the group is %s", err,
		      err ? "gone" : "there");
}

static void group_read_fill(void *args)
{
	struct hwpmc_group_read *a = args;

	group = group_made();
	a->group = group;
	a->values = (uintptr_t)values;
}

static void group_read_back(void *args, int err)
{
	(void)args;
	(void)err;
	group_freed(group);
}

static void user_read_fill(void *args)
{
	struct hwpmc_user_read *a = args;

	spare = class_pmc(fd, HWPMC_F_THREAD);
	if (dev_attach(fd, spare, 0, 0))
		die("attach: %s", dev_sentence(fd));
	list[0] = spare;
	a->count = 1;
	a->ids = (uintptr_t)list;
}

static void user_read_back(void *args, int err)
{
	(void)args;
	/* The PMC has a page, and cannot be written, if and only if the call succeeded. */
	if (!dev_write(fd, spare, 0) != !!err)
		check(false, "USER_READ returned %d, but the PMC has %s page", err, err ? "a" : "no");
	dev_release(fd, spare);
}

static void map_fd_fill(void *args)
{
	((struct hwpmc_map_fd *)args)->address = (uintptr_t)map_fd_fill;
}

static void map_fd_back(void *args, int err)
{
	if (!err && close(((struct hwpmc_map_fd *)args)->fd))
		check(false, "MAP_FD returned 0, but no descriptor");
}

static void no_fill(void *args)
{
	(void)args;
}

#define FIELD(type, field)	offsetof(struct type, field)
#define ATTACH_FLAGS		(HWPMC_ATTACH_TID | HWPMC_ATTACH_PIDFD)
#define ALLOCATE_FLAGS		(2 * HWPMC_F_DIRECT - 1)
#define RW_FLAGS		(HWPMC_RW_OLD | HWPMC_RW_NEW | HWPMC_RW_STALE | HWPMC_RW_TIME)

#define CALL(name_, type, flags_, reply_, fill_, back_, ...)			\
	{ .name = #name_, .cmd = HWPMC_IOC_##name_, .size = sizeof(struct hwpmc_##type), \
	  .flags = (flags_), .reply = (reply_), .fill = (fill_), .back = (back_), ##__VA_ARGS__ }

const struct call calls[] = {
	CALL(VERSION, version, 0, true, version_fill, none_back,
	     .reserved = { FIELD(hwpmc_version, reserved) }),
	CALL(CPU_INFO, cpu_info, 0, true, no_fill, none_back,
	     .reserved = { FIELD(hwpmc_cpu_info, reserved) }),
	CALL(PMC_INFO, pmc_info, 0, true, pmc_info_fill, none_back,
	     .reserved = { FIELD(hwpmc_pmc_info, reserved) }),
	CALL(STATS, stats, 0, true, no_fill, none_back,
	     .first = offsetof(struct hwpmc_stats, probes)),
	CALL(CAPS, caps, 0, true, caps_fill, none_back),
	CALL(ADMIN, admin, HWPMC_ADMIN_FORCE, false, admin_fill, none_back,
	     .reserved = { FIELD(hwpmc_admin, reserved) }),
	CALL(ALLOCATE, allocate, ALLOCATE_FLAGS, true, allocate_fill, allocate_back,
	     .first = offsetof(struct hwpmc_allocate, config)),
	CALL(RELEASE, ids, 0, false, release_fill, release_back),
	CALL(ATTACH, attach, ATTACH_FLAGS, true, attach_fill, attach_back,
	     .reserved = { FIELD(hwpmc_attach, reserved) }),
	CALL(DETACH, attach, ATTACH_FLAGS | HWPMC_ATTACH_TARGET, false, detach_fill, detach_back,
	     .reserved = { FIELD(hwpmc_attach, reserved) }),
	CALL(START, ids, 0, false, start_fill, start_back),
	CALL(STOP, ids, 0, false, stop_fill, stop_back),
	/* The call writes to its structure only with targets: see abi_values. */
	CALL(RW, rw, RW_FLAGS, false, rw_fill, none_back,
	     .reserved = { FIELD(hwpmc_rw, reserved) }),
	CALL(SET_COUNT, set_count, 0, false, set_count_fill, none_back,
	     .reserved = { FIELD(hwpmc_set_count, reserved) }),
	CALL(RING, ring, 0, true, ring_fill, none_back,
	     .reserved = { FIELD(hwpmc_ring, reserved) }, .fresh = true),
	CALL(LOG_OPEN, log, 0, false, log_open_fill, none_back,
	     .reserved = { FIELD(hwpmc_log, reserved) }, .fresh = true),
	CALL(LOG_FLUSH, log, 0, false, log_flush_fill, none_back,
	     .reserved = { FIELD(hwpmc_log, fd), FIELD(hwpmc_log, reserved) }, .fresh = true),
	CALL(LOG_CLOSE, log, 0, false, log_close_fill, none_back,
	     .reserved = { FIELD(hwpmc_log, fd), FIELD(hwpmc_log, reserved) }, .fresh = true),
	CALL(LOG_WRITE, log_write, 0, false, log_flush_fill, none_back, .fresh = true),
	CALL(GROUP, group, 0, true, group_fill, group_back),
	/* The call writes to its structure only with TIME: see abi_group. */
	CALL(GROUP_READ, group_read, HWPMC_RW_STALE | HWPMC_RW_TIME, false, group_read_fill,
	     group_read_back),
	CALL(GROUP_FREE, group, 0, false, group_free_fill, group_free_back,
	     .reserved = { FIELD(hwpmc_group, count) }),
	CALL(USER_READ, user_read, 0, true, user_read_fill, user_read_back),
	CALL(SAMPLED, sampled, 0, true, sampled_fill, none_back, .fresh = true, .samples = true,
	     .first = offsetof(struct hwpmc_sampled, skipped)),
	CALL(EVENTS, events, 0, true, no_fill, none_back),
	CALL(MAP_FD, map_fd, HWPMC_ATTACH_PIDFD, true, map_fd_fill, map_fd_back),
};

#undef CALL

const size_t calls_count = ARRAY_SIZE(calls);

void calls_open(int device)
{
	fd = device;
	call_on = device;
	pmc = class_stopped_pmc(fd);
	file = open("/tmp/abi.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0)
		die("the log file: %s", strerror(errno));
}

void calls_close(void)
{
	dev_release(fd, pmc);
	close(file);
}

void *call_fill(const struct call *c, void *at)
{
	call_on = c->fresh ? dev_open() : fd;
	memset(at, 0, c->size);
	c->fill(at);
	return at;
}

void call_undo(const struct call *c, void *at, int err)
{
	c->back(at, err);
	if (call_on != fd)
		close(call_on);
	call_on = fd;
}
