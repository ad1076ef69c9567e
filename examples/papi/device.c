// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device: what it has, and the PMCs of an event set. Each set opens the device, and closing
 * that file releases the set. A child that inherits the descriptor releases nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "component.h"

#define CLASSES_MAX	16

static __thread char sentence[HWPMC_SENTENCE_MAX];

/* The module's sentence about the last failed call of this thread. */
const char *hwpmc_device_sentence(void)
{
	return sentence;
}

static void say(const char *text)
{
	snprintf(sentence, sizeof(sentence), "%s", text);
}

static int papi_error(int error)
{
	switch (error) {
	case EBUSY: return PAPI_ECNFLCT;
	case EPERM:
	case EACCES: return PAPI_EPERM;
	case ENOMEM: return PAPI_ENOMEM;
	case ENODEV:
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP: return PAPI_ENOSUPP;
	case EINVAL:
	case ESRCH: return PAPI_EINVAL;
	default: return PAPI_ESYS;
	}
}

/**
 * hwpmc_device_call() - make a call of the device
 * @fd: the device
 * @request: HWPMC_IOC_*
 * @args: its structure, with the size set
 *
 * Return: PAPI_OK, or PAPI's error for errno; then hwpmc_device_sentence() has the reason.
 */
int hwpmc_device_call(int fd, unsigned long request, void *args)
{
	struct hwpmc_head *head = args;
	int error;

	head->error_text = (uintptr_t)sentence;
	head->error_size = sizeof(sentence);
	head->error_length = 0;
	if (!ioctl(fd, request, args))
		return PAPI_OK;
	error = errno;
	if (!head->error_length)
		say(strerror(error));
	SUBDBG("hwpmc: %s\n", sentence);
	return papi_error(error);
}

static int open_device(void)
{
	int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		say(errno == ENOENT ? "there is no /dev/hwpmc; is the module loaded?" :
		    strerror(errno));
	return fd;
}

/**
 * hwpmc_device_probe() - what this machine counts with
 * @core: out: class of the programmable counters
 * @counters: out: how many there are, with Intel's fixed ones
 *
 * Return: PAPI_OK; an error, if there are none or they cannot be used.
 */
int hwpmc_device_probe(uint32_t *core, unsigned int *counters)
{
	struct hwpmc_class_info classes[CLASSES_MAX];
	struct hwpmc_cpu_info cpu = {
		.size = sizeof(cpu),
		.classes = CLASSES_MAX,
		.class_list = (uintptr_t)classes,
		.class_size = sizeof(classes[0]),
	};
	int fd = open_device(), result;

	if (fd < 0)
		return PAPI_ENOSUPP;
	result = hwpmc_device_call(fd, HWPMC_IOC_CPU_INFO, &cpu);
	close(fd);
	if (result != PAPI_OK)
		return result;
	*core = 0;
	*counters = 0;
	for (unsigned int i = 0; i < cpu.classes; i++) {
		switch (classes[i].class_id) {
		case HWPMC_CLASS_IAP:
		case HWPMC_CLASS_AMD:
		case HWPMC_CLASS_ARMV8:
			*core = classes[i].class_id;
			*counters += classes[i].rows;
			break;
		case HWPMC_CLASS_IAF:
			*counters += classes[i].rows;
			break;
		}
	}
	say(cpu.problem[0] ? cpu.problem : "this CPU has no counters that the module knows");
	return *core && !cpu.problem[0] ? PAPI_OK : PAPI_ENOSUPP;
}

/* The CPU that an event counts, or -1: it counts threads. */
static int cpu_of(const struct hwpmc_control *set, const struct hwpmc_event *event)
{
	return event->cpu >= 0 ? event->cpu : set->options.cpu;
}

static uint32_t mode_of(const struct hwpmc_control *set, const struct hwpmc_event *event)
{
	if (cpu_of(set, event) >= 0)
		return event->period ? HWPMC_MODE_SS : HWPMC_MODE_SC;
	return event->period ? HWPMC_MODE_TS : HWPMC_MODE_TC;
}

/* Follow one thread, or a process with all threads and processes that it creates. */
static uint32_t flags_of(const struct hwpmc_control *set, const struct hwpmc_event *event)
{
	if (cpu_of(set, event) >= 0)
		return 0;
	return set->options.inherit ? HWPMC_F_DESCENDANTS : HWPMC_F_THREAD;
}

static int allocate(const struct hwpmc_control *set, const struct hwpmc_event *event,
		    uint32_t class_id, uint64_t number, uint32_t *id)
{
	struct hwpmc_allocate args = {
		.size = sizeof(args),
		.flags = flags_of(set, event),
		.class_id = class_id,
		.mode = mode_of(set, event),
		.cpu = cpu_of(set, event),
		.caps = event->caps,
		.event = number,
		.count = event->period,
		.config = { class_id == HWPMC_CLASS_IAF ? 0 : event->config },
	};
	int result = hwpmc_device_call(set->fd, HWPMC_IOC_ALLOCATE, &args);

	*id = args.id;
	return result;
}

/* Try a fixed counter first: it counts nothing else, and other events can use the others. */
static int allocate_any(const struct hwpmc_control *set, const struct hwpmc_event *event,
			uint32_t *id)
{
	int result = PAPI_ENOSUPP;

	if (event->fixed >= 0)
		result = allocate(set, event, HWPMC_CLASS_IAF, (uint64_t)event->fixed, id);
	if (result != PAPI_OK && event->class_id)
		result = allocate(set, event, event->class_id, event->event, id);
	return result;
}

static int make_group(struct hwpmc_control *set)
{
	struct hwpmc_group args = {
		.size = sizeof(args),
		.count = set->count,
		.ids = (uintptr_t)set->ids,
	};
	int result = hwpmc_device_call(set->fd, HWPMC_IOC_GROUP, &args);

	set->group = args.group;
	return result;
}

static int fill_device(struct hwpmc_control *set)
{
	int result = PAPI_OK;

	for (unsigned int i = 0; result == PAPI_OK && i < set->count; i++)
		result = allocate_any(set, &set->events[i], &set->ids[i]);
	if (result == PAPI_OK)
		result = make_group(set);
	if (result == PAPI_OK)
		result = hwpmc_overflow_map(set);
	/* Report now, not at the start, that the thread has exited or may not be followed. */
	if (result == PAPI_OK && set->options.attached)
		result = hwpmc_device_attach(set, HWPMC_IOC_ATTACH);
	return result;
}

/**
 * hwpmc_device_open() - allocate the PMCs of a set
 * @set: its events and options are set, and it is closed
 *
 * Return: PAPI_OK; an error, such as PAPI_ECNFLCT if there are not enough counters. Then the set
 * is closed.
 */
int hwpmc_device_open(struct hwpmc_control *set)
{
	int result;

	set->fd = open_device();
	if (set->fd < 0)
		return PAPI_ESYS;
	set->opener = getpid();
	memset(set->base, 0, sizeof(set->base));
	result = fill_device(set);
	if (result != PAPI_OK)
		hwpmc_device_close(set);
	return result;
}

/* Release all of a set. What it counted is lost; its events and options remain. */
void hwpmc_device_close(struct hwpmc_control *set)
{
	if (set->fd < 0)
		return;
	hwpmc_overflow_unmap(set);
	close(set->fd);
	set->fd = -1;
	set->running = false;
}

/* Calls START or STOP for all PMCs of a set: all of them change, or none. */
int hwpmc_device_ids(struct hwpmc_control *set, unsigned long request)
{
	struct hwpmc_ids args = {
		.size = sizeof(args),
		.count = set->count,
		.ids = (uintptr_t)set->ids,
	};

	return hwpmc_device_call(set->fd, request, &args);
}

/* The target is the calling process (0) if children are counted, unless a thread was given. */
static int attach_one(const struct hwpmc_control *set, unsigned int index, unsigned long request)
{
	struct hwpmc_attach args = {
		.size = sizeof(args),
		.id = set->ids[index],
		.pid = set->options.inherit && !set->options.attached ? 0 : set->options.tid,
	};

	if (cpu_of(set, &set->events[index]) >= 0)
		return PAPI_OK;
	return hwpmc_device_call(set->fd, request, &args);
}

/**
 * hwpmc_device_attach() - ATTACH or DETACH the PMCs of a set that count threads
 * @set: its options say which
 * @request: HWPMC_IOC_ATTACH or HWPMC_IOC_DETACH
 *
 * Return: PAPI_OK, or the first error. If ATTACH fails, none of the PMCs is attached.
 */
int hwpmc_device_attach(struct hwpmc_control *set, unsigned long request)
{
	int result = PAPI_OK;
	unsigned int done;

	for (done = 0; done < set->count; done++) {
		result = attach_one(set, done, request);
		if (result != PAPI_OK)
			break;
	}
	while (result != PAPI_OK && request == HWPMC_IOC_ATTACH && done > 0)
		attach_one(set, --done, HWPMC_IOC_DETACH);
	return result;
}
