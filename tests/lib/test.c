// SPDX-License-Identifier: GPL-2.0-only
/* Functions that all test programs share; see test.h. */
#include <fcntl.h>
#include <stdarg.h>

#include "test.h"

static int failures;

static void line(const char *verdict, const char *fmt, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, args);
	printf("%s - %s\n", verdict, text);
	fflush(stdout);
}

bool check(bool ok, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	line(ok ? "ok" : "not ok", fmt, args);
	va_end(args);
	failures += !ok;
	return ok;
}

void skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	line("skip", fmt, args);
	va_end(args);
}

int result(void)
{
	return failures ? 1 : 0;
}

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	line("not ok", fmt, args);
	va_end(args);
	exit(1);
}

int dev_open(void)
{
	int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die("open /dev/hwpmc: %s", strerror(errno));
	return fd;
}

int dev_call(int fd, unsigned long cmd, void *args, size_t size)
{
	*(uint32_t *)args = size;
	return dev_ioctl(fd, cmd, args);
}

static __thread char sentence[HWPMC_SENTENCE_MAX];

int dev_ioctl(int fd, unsigned long cmd, void *args)
{
	char room[HWPMC_SENTENCE_MAX];
	struct hwpmc_head *head = args;
	int err;

	room[0] = '\0';
	head->error_text = (uintptr_t)room;
	head->error_size = sizeof(room);
	err = ioctl(fd, cmd, args) ? -errno : 0;
	if (err)
		snprintf(sentence, sizeof(sentence), "%s", room[0] ? room : NO_SENTENCE);
	return err;
}

const char *dev_sentence(int fd)
{
	(void)fd;
	return sentence;
}

int64_t dev_allocate(int fd, uint32_t class_id, uint32_t mode, int cpu, uint64_t event,
		     uint64_t caps, uint32_t flags)
{
	struct hwpmc_allocate a = {
		.flags = flags, .class_id = class_id, .mode = mode, .cpu = cpu,
		.caps = caps, .event = event,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : (int64_t)a.id;
}

static bool is_programmable(uint32_t class_id)
{
	return class_id == HWPMC_CLASS_ARMV8 || class_id == HWPMC_CLASS_IAP ||
	       class_id == HWPMC_CLASS_AMD;
}

const struct hwpmc_class_info *dev_class_info(void)
{
	static struct hwpmc_class_info list[8];
	static const struct hwpmc_class_info *found;
	struct hwpmc_cpu_info info = {
		.classes = ARRAY_SIZE(list), .class_list = (uintptr_t)list,
		.class_size = sizeof(list[0]),
	};
	int fd;

	if (found)
		return found;
	fd = dev_open();
	if (dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info)))
		die("cpu info: %s", dev_sentence(fd));
	for (unsigned int i = 0; i < info.classes; i++)
		if (is_programmable(list[i].class_id))
			found = &list[i];
	close(fd);
	if (!found)
		die("this machine has no programmable counters");
	return found;
}

uint32_t dev_class(void)
{
	return dev_class_info()->class_id;
}

uint32_t dev_instructions(int fd, uint32_t flags)
{
	int64_t id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS,
				  HWPMC_CAP_USER, flags);

	if (id < 0)
		die("allocate: %s: %s", strerror(-id), dev_sentence(fd));
	return id;
}

int dev_ids(int fd, unsigned long cmd, const uint32_t *ids, unsigned int count)
{
	struct hwpmc_ids args = { .count = count, .ids = (uintptr_t)ids };

	return dev_call(fd, cmd, &args, sizeof(args));
}

int dev_start(int fd, uint32_t id)
{
	return dev_ids(fd, HWPMC_IOC_START, &id, 1);
}

int dev_stop(int fd, uint32_t id)
{
	return dev_ids(fd, HWPMC_IOC_STOP, &id, 1);
}

int dev_release(int fd, uint32_t id)
{
	return dev_ids(fd, HWPMC_IOC_RELEASE, &id, 1);
}

int dev_attach(int fd, uint32_t id, int pid, uint32_t flags)
{
	struct hwpmc_attach args = { .flags = flags, .id = id, .pid = pid };

	return dev_call(fd, HWPMC_IOC_ATTACH, &args, sizeof(args));
}

int dev_detach(int fd, uint32_t id, int pid, uint32_t flags)
{
	struct hwpmc_attach args = { .flags = flags, .id = id, .pid = pid };

	return dev_call(fd, HWPMC_IOC_DETACH, &args, sizeof(args));
}

uint64_t dev_attach_target(int fd, uint32_t id, int pid)
{
	struct hwpmc_attach args = { .id = id, .pid = pid };

	if (dev_call(fd, HWPMC_IOC_ATTACH, &args, sizeof(args)))
		die("attach: %s", dev_sentence(fd));
	return args.target;
}

int dev_detach_target(int fd, uint32_t id, uint64_t target)
{
	struct hwpmc_attach args = { .flags = HWPMC_ATTACH_TARGET, .id = id, .target = target };

	return dev_call(fd, HWPMC_IOC_DETACH, &args, sizeof(args));
}

int dev_read(int fd, const uint32_t *ids, unsigned int count, uint64_t *values)
{
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD, .count = count,
		.ids = (uintptr_t)ids, .values = (uintptr_t)values,
	};

	return dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));
}

uint64_t dev_value(int fd, uint32_t id)
{
	uint64_t value = 0;
	int err = dev_read(fd, &id, 1, &value);

	if (err)
		die("read: %s: %s", strerror(-err), dev_sentence(fd));
	return value;
}

int dev_write(int fd, uint32_t id, uint64_t value)
{
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_NEW, .count = 1,
		.ids = (uintptr_t)&id, .values = (uintptr_t)&value,
	};

	return dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));
}

int dev_targets(int fd, uint32_t id, uint64_t *value, struct hwpmc_target_value *list,
		uint32_t *count)
{
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD, .count = 1, .target_count = *count,
		.ids = (uintptr_t)&id, .values = (uintptr_t)value, .targets = (uintptr_t)list,
		.target_size = sizeof(*list),
	};
	int err = dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));

	*count = rw.target_count;
	return err;
}

struct hwpmc_stats dev_stats(int fd)
{
	struct hwpmc_stats stats = {};
	int err = dev_call(fd, HWPMC_IOC_STATS, &stats, sizeof(stats));

	if (err)
		die("stats: %s", strerror(-err));
	return stats;
}

int dev_map_fd(int fd, int pid, uint32_t flags, const void *at, struct hwpmc_map_fd *map)
{
	int err;

	*map = (struct hwpmc_map_fd) {
		.flags = flags, .pid = pid, .fd = 12345, .address = (uintptr_t)at,
	};
	err = dev_call(fd, HWPMC_IOC_MAP_FD, map, sizeof(*map));
	return err ? err : map->fd;
}

bool exact(uint64_t got, uint64_t want)
{
	uint64_t off = got > want ? got - want : want - got;

	return off <= want / 10000 + 2000;
}
