// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake device for LD_PRELOAD: opening the path "fake" returns a descriptor whose ioctls
 * behave like the module's on an arm64 machine with the events cycles (0x11) and instructions
 * (0x08). The n-th reading returns n million cycles and 1.36 times as many instructions.
 *
 * FAKE_ROWS=N: the number of rows. FAKE_USER_ONLY: kernel mode is refused. FAKE_NO_PMU: an x86
 * machine with a time-stamp counter only. FAKE_PROBLEM=TEXT: the problem of the PMU. Row 1 is
 * held by pid 812 (make), row 2 by a hidden process, and row 3 is disabled. FAKE_ABSENT: the CPUs
 * do not have row 6.
 * FAKE_CONSTRAINED: all rows that can count a refused event are pmctl's own. FAKE_PERF: perf
 * holds the counters. FAKE_LOSS: a child could not be counted. FAKE_NO_SAMPLING: sampling is
 * refused. FAKE_SKIPPED=N: N events of each probe were skipped. Probes are syscall:read and
 * syscall:openat, entry and return. FAKE_ORDER=FILE: each START and STOP, and each reading of the
 * kernel's symbols, is written there. What
 * START writes into the rings: fake_records.c.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <linux/hwpmc.h>
#include <linux/hwpmc_log.h>

#include "fake_records.h"
#include "fake_rings.h"
#include "fake_root.h"

#define IDS	64

static int fake_fd = -1;
static unsigned int used, readings;
static struct fake_pmc pmcs[IDS];	/* that of the id n is pmcs[n - 1] */
static struct hwpmc_sampled sampled;
static int started;
static int target;
static struct hwpmc_head *call;		/* the current one */

typedef int (*open_fn)(const char *path, int flags, ...);
typedef int (*ioctl_fn)(int fd, unsigned long request, ...);
typedef void *(*mmap_fn)(void *where, size_t size, int prot, int flags, int fd, off_t offset);

int open(const char *path, int flags, ...);
int ioctl(int fd, unsigned long request, ...);
void *mmap(void *where, size_t size, int prot, int flags, int fd, off_t offset);

int open(const char *path, int flags, ...)
{
	open_fn real = (open_fn)dlsym(RTLD_NEXT, "open");
	mode_t mode;
	va_list args;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (strcmp(path, "fake")) {
		char buf[PATH_MAX];

		return real(fake_root(path, buf), flags, mode);
	}
	if (getenv("FAKE_DENIED")) {
		errno = EACCES;
		return -1;
	}
	fake_fd = eventfd(0, EFD_CLOEXEC);
	return fake_fd;
}

static int fail(int error, const char *text)
{
	snprintf((char *)(uintptr_t)call->error_text, call->error_size, "%s", text);
	call->error_length = (__u32)strlen(text) + 1;
	errno = error;
	return -1;
}

static unsigned int rows(void)
{
	const char *text = getenv("FAKE_ROWS");

	return text ? (unsigned int)atoi(text) : 7;
}

static int cpu_info(struct hwpmc_cpu_info *info)
{
	struct hwpmc_class_info *list = (void *)(uintptr_t)info->class_list;
	const char *problem = getenv("FAKE_PROBLEM");
	struct hwpmc_class_info class = {
		.class_id = HWPMC_CLASS_ARMV8,
		.rows = rows(),
		.name = "ARMV8",
	};

	if (getenv("FAKE_NO_PMU"))
		class = (struct hwpmc_class_info){ .class_id = HWPMC_CLASS_TSC, .rows = 1,
						   .name = "TSC" };
	snprintf(info->problem, sizeof(info->problem), "%s", problem ? problem : "");
	if (info->classes < 1)
		return fail(ENOSPC, "more classes than room");
	list[0] = class;
	info->classes = 1;
	info->cpuid = 0x41009999;
	info->cpus_possible = 4096;
	info->rows = class.rows;
	return 0;
}

static int pmc_info(struct hwpmc_pmc_info *info)
{
	struct hwpmc_row_info *list = (void *)(uintptr_t)info->row_list;

	for (unsigned int i = 0; i < info->rows; i++) {
		list[i] = (struct hwpmc_row_info){
			.class_id = HWPMC_CLASS_ARMV8, .enabled = i != 3, .width = 32, .pid = -1,
			.disposition = i == 1 || i == 2 ? HWPMC_ROW_THREAD : HWPMC_ROW_FREE,
		};
		snprintf(list[i].name, sizeof(list[i].name), "counter %u", i);
	}
	if (info->rows > 6 && getenv("FAKE_ABSENT")) {
		list[6].enabled = 0;
		list[6].disposition = HWPMC_ROW_ABSENT;
	}
	info->cpuid = 0x41009999;
	if (info->rows < 4)
		return 0;
	list[1].pid = 812;
	strcpy(list[1].comm, "make");
	list[1].mode = HWPMC_MODE_TC;
	list[1].event = 0x11;
	list[1].holders = 2;
	list[2].pid = HWPMC_PID_HIDDEN;
	list[2].holders = 1;
	return 0;
}

/* A probe. As in the module, unknown names are refused. */
static int allocate_probe(struct hwpmc_allocate *request)
{
	static const char *const names[] = {
		"syscall:read:entry", "syscall:read:return", "syscall:openat:entry",
		"syscall:openat:return", "kprobe:vfs_read", "tracepoint:sched_switch",
	};
	const char *name = (void *)(uintptr_t)request->name;

	if (getenv("FAKE_USER_ONLY"))
		return fail(EPERM, "probes need CAP_PERFMON");
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) != request->name_length ||
		    strncmp(names[i], name, request->name_length) != 0)
			continue;
		pmcs[used] = (struct fake_pmc){
			.mode = request->mode, .flags = request->flags, .args = request->args,
			.string = request->string,
			.returns = !!strstr(names[i], ":return"),
		};
		request->id = ++used;
		request->row = HWPMC_ROW_NONE;
		return 0;
	}
	return fail(ENOENT, "there is no such system call");
}

static int allocate(struct hwpmc_allocate *request)
{
	if (request->class_id == HWPMC_CLASS_PROBE)
		return allocate_probe(request);
	if (request->event != 0x11 && request->event != 0x08)
		return fail(EINVAL, "this CPU does not count that");
	if (getenv("FAKE_USER_ONLY") && request->caps != HWPMC_CAP_USER)
		return fail(EPERM, "kernel mode needs CAP_PERFMON");
	if (request->mode != HWPMC_MODE_TC && request->mode != HWPMC_MODE_SC) {
		if (getenv("FAKE_NO_SAMPLING"))
			return fail(EOPNOTSUPP, "sampling is not available here");
		if (!request->count)
			return fail(EINVAL, "a period of 0");
	}
	if (request->flags & HWPMC_F_TRY)
		return 0;
	if (getenv("FAKE_PERF"))
		return fail(EBUSY, "perf holds the counters: disable the NMI watchdog");
	if (used >= rows() && getenv("FAKE_CONSTRAINED")) {
		char text[HWPMC_SENTENCE_MAX];
		int pid = getpid();

		snprintf(text, sizeof(text), "no row is free for event 0x%llx: row 1 pid %d (pmctl), "
			 "row 5 pid %d (pmctl), row 6 pid %d (pmctl), row 7 pid %d (pmctl)",
			 (unsigned long long)request->event, pid, pid, pid, pid);
		return fail(EBUSY, text);
	}
	if (used >= rows() || used >= IDS)
		return fail(EBUSY, "no row is free: all are held by pid 812 (make)");
	pmcs[used] = (struct fake_pmc){
		.event = request->event, .mode = request->mode, .flags = request->flags,
		.period = request->count,
	};
	request->id = ++used;
	if (fake_rings_memory() >= 0)
		fake_records_allocate(request->id, &pmcs[request->id - 1]);
	return 0;
}

static int rw(struct hwpmc_rw *request)
{
	const uint32_t *ids = (void *)(uintptr_t)request->ids;
	uint64_t *values = (void *)(uintptr_t)request->values;
	struct hwpmc_times *times = (void *)(uintptr_t)request->times;

	struct hwpmc_target_value *targets = (void *)(uintptr_t)request->targets;

	readings++;
	/* The threads that have exited are one entry. */
	for (unsigned int i = 0; targets && i < request->count; i++)
		targets[i] = (struct hwpmc_target_value){
			.id = ids[i], .flags = HWPMC_TARGET_GONE, .value = 7654321,
		};
	request->target_count = targets ? request->count : 0;
	for (unsigned int i = 0; i < request->count; i++) {
		values[i] = (pmcs[ids[i] - 1].event == 0x11 ? 1000000ULL : 1360000ULL) * readings;
		times[i].enabled = 1000000000ULL * readings;
		times[i].running = times[i].enabled;
	}
	return 0;
}

static int start(void)
{
	started = 1;
	fake_order("start");
	if (fake_rings_memory() >= 0)
		fake_records_process(target);
	for (unsigned int i = 0; i < used; i++) {
		const struct fake_pmc *pmc = &pmcs[i];

		if (fake_rings_memory() < 0 &&
		    (fake_records_samples(pmc) ||
		     pmc->flags & (HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT)))
			return fail(EBADFD, "there is no ring to write into");
		fake_records_start(i + 1, pmc, target, &sampled);
	}
	return 0;
}

static int flush(void)
{
	fake_records_drop(&sampled);
	return 0;
}

/* All samples are of the first PMC. */
static int tell_sampled(struct hwpmc_sampled *request)
{
	struct hwpmc_sampled reply = sampled;

	if (request->id != 1)
		memset(&reply, 0, sizeof(reply));
	/* 100 events were skipped before this run. */
	reply.skipped = 100 + (started && getenv("FAKE_SKIPPED") ?
				      (uint64_t)atoi(getenv("FAKE_SKIPPED")) : 0);
	reply.size = request->size;
	reply.id = request->id;
	reply.cpu = request->cpu;
	*request = reply;
	return 0;
}

/* FAKE_ATTACHED=FILE: who was attached to is written there. FAKE_REFUSED=PID is refused. */
static int attach(const struct hwpmc_attach *request)
{
	static int target_of[IDS + 1];
	const char *refused = getenv("FAKE_REFUSED"), *path = getenv("FAKE_ATTACHED");
	FILE *file;

	if (refused && request->pid == atoi(refused))
		return fail(EPERM, "no permission to follow it; CAP_SYS_PTRACE is needed");
	file = path ? fopen(path, "a") : NULL;
	if (file) {
		fprintf(file, "%d\n", request->pid);
		fclose(file);
	}
	if (request->pid == target_of[request->id])
		return fail(EEXIST, "it is attached already");
	target_of[request->id] = request->pid;
	target = request->pid;
	return 0;
}

/* FAKE_MEMORY: the largest ring that the user's limit allows, in KiB. */
static int ring(struct hwpmc_ring *request)
{
	const char *text = getenv("FAKE_MEMORY");

	if (text && request->data_size > strtoull(text, NULL, 0) * 1024)
		return fail(EPERM, "too much memory");
	return fake_rings_make(request) ? fail(errno, "no rings") : 0;
}

/* FAKE_ADMIN=FILE: the requests are written there. Row 1 cannot be disabled without FORCE. */
static int admin(const struct hwpmc_admin *request)
{
	const char *path = getenv("FAKE_ADMIN");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (file) {
		fprintf(file, "%u.%u %s%s\n", request->cpu, request->row,
			request->state == HWPMC_ADMIN_FREE ? "free" : "disabled",
			request->flags & HWPMC_ADMIN_FORCE ? " force" : "");
		fclose(file);
	}
	if (request->row == 1 && !(request->flags & HWPMC_ADMIN_FORCE))
		return fail(EBUSY, "row 1 is held by pid 812 (make)");
	return 0;
}

static int answer(unsigned int number, void *argument)
{
	call = argument;
	switch (number) {
	case _IOC_NR(HWPMC_IOC_VERSION):
		((struct hwpmc_version *)argument)->abi = HWPMC_ABI(HWPMC_ABI_MAJOR,
								    HWPMC_ABI_MINOR);
		return 0;
	case _IOC_NR(HWPMC_IOC_CPU_INFO):
		return cpu_info(argument);
	case _IOC_NR(HWPMC_IOC_PMC_INFO):
		return pmc_info(argument);
	case _IOC_NR(HWPMC_IOC_ALLOCATE):
		return allocate(argument);
	case _IOC_NR(HWPMC_IOC_RELEASE):
		used -= ((struct hwpmc_ids *)argument)->count;
		readings = used ? readings : 0;
		return 0;
	case _IOC_NR(HWPMC_IOC_ATTACH):
		return attach(argument);
	case _IOC_NR(HWPMC_IOC_START):
		return start();
	case _IOC_NR(HWPMC_IOC_STOP):
		fake_order("stop");
		return 0;
	case _IOC_NR(HWPMC_IOC_RING):
		return ring(argument);
	case _IOC_NR(HWPMC_IOC_SAMPLED):
		return tell_sampled(argument);
	case _IOC_NR(HWPMC_IOC_LOG_FLUSH):
		return flush();
	case _IOC_NR(HWPMC_IOC_RW):
		return rw(argument);
	case _IOC_NR(HWPMC_IOC_ADMIN):
		return admin(argument);
	case _IOC_NR(HWPMC_IOC_STATS):
		((struct hwpmc_stats *)argument)->owner_fork_failures = !!getenv("FAKE_LOSS");
		((struct hwpmc_stats *)argument)->calls = 1234567;
		return 0;
	default:
		return 0;
	}
}

int ioctl(int fd, unsigned long request, ...)
{
	ioctl_fn real = (ioctl_fn)dlsym(RTLD_NEXT, "ioctl");
	void *argument;
	va_list args;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (fd != fake_fd || _IOC_TYPE(request) != HWPMC_IOC_MAGIC)
		return real(fd, request, argument);
	return answer((unsigned int)_IOC_NR(request), argument);
}

void *mmap(void *where, size_t size, int prot, int flags, int fd, off_t offset)
{
	mmap_fn real = (mmap_fn)dlsym(RTLD_NEXT, "mmap");

	if (fd >= 0 && fd == fake_fd)
		fd = fake_rings_memory();
	return real(where, size, prot, flags, fd, offset);
}
