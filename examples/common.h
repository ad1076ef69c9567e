/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that the examples share: open the device, make a call and print its sentence if it
 * fails, and find an event that this machine can count.
 */
#ifndef COMMON_H
#define COMMON_H

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/hwpmc.h>

/* Converts a pointer to a field of a structure. */
#define POINTER(p)	((__u64)(uintptr_t)(p))

/*
 * Makes a call. @args begins with a struct hwpmc_head, and @size is that of the whole structure. If
 * the call fails, prints the module's sentence and exits.
 */
static inline void call(int fd, unsigned long number, void *args, __u32 size)
{
	struct hwpmc_head *head = args;
	char sentence[HWPMC_SENTENCE_MAX] = "";

	head->size = size;
	head->error_text = POINTER(sentence);
	head->error_size = sizeof(sentence);
	if (!ioctl(fd, number, args))
		return;
	if (sentence[0])
		errx(1, "%s", sentence);
	err(1, "hwpmc");
}

static inline int open_device(void)
{
	struct hwpmc_version version = { .abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR) };
	int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		err(1, "/dev/hwpmc");
	call(fd, HWPMC_IOC_VERSION, &version, sizeof(version));
	return fd;
}

/* An event: its number for ALLOCATE, and its name. */
struct event {
	__u32 class_id;
	__u64 event;
	__u64 caps;
	const char *name;
};

/* Instructions in user mode, or if no PMU counts them, CPU time in ns. */
static inline struct event find_event(int fd)
{
	static const struct event known[] = {
		{ HWPMC_CLASS_ARMV8, 0x08, HWPMC_CAP_USER, "instructions" },
		{ HWPMC_CLASS_IAP, 0xc0, HWPMC_CAP_USER, "instructions" },
		{ HWPMC_CLASS_AMD, 0xc0, HWPMC_CAP_USER, "instructions" },
	};
	static const struct event clock = { HWPMC_CLASS_SOFT, HWPMC_SOFT_CLOCK, 0, "nanoseconds" };
	struct hwpmc_class_info classes[16];
	struct hwpmc_cpu_info info = {
		.classes = 16, .class_list = POINTER(classes), .class_size = sizeof(classes[0]),
	};

	call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));
	for (__u32 i = 0; i < info.classes && !info.problem[0]; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (classes[i].class_id == known[k].class_id)
				return known[k];
	return clock;
}

/* Allocates a PMC that follows tasks. @count: its period, if @mode samples. Returns its id. */
static inline __u32 allocate(int fd, struct event event, __u32 mode, __u32 flags, __u64 count)
{
	struct hwpmc_allocate args = {
		.flags = flags, .class_id = event.class_id, .mode = mode, .cpu = -1,
		.caps = event.caps, .event = event.event, .count = count,
	};

	/* Samples of user mode need no privilege, whatever the event is. */
	if (mode == HWPMC_MODE_TS)
		args.caps = HWPMC_CAP_USER;

	call(fd, HWPMC_IOC_ALLOCATE, &args, sizeof(args));
	return args.id;
}

/* Calls START, STOP or RELEASE. */
static inline void call_ids(int fd, unsigned long number, const __u32 *ids, __u32 count)
{
	struct hwpmc_ids args = { .count = count, .ids = POINTER(ids) };

	call(fd, number, &args, sizeof(args));
}

/* Work to count: a loop of @rounds. */
static inline void work(unsigned long rounds)
{
	for (volatile unsigned long i = 0; i < rounds; i++)
		;
}

#endif /* COMMON_H */
