// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits on the time and memory of a report of a million samples with call chains of 16 frames, in
 * the kernel, in a missing file and in this program: 2 seconds and 300 MB, since without graphs the
 * callers are not looked at. With graphs 3 seconds. With an argument: writes the log to that file.
 */
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "check.h"
#include "commands/command.h"
#include "sample_log.h"

#define SAMPLES		1000000
#define DEPTH		16
#define USER		0x400000ULL
#define KERNEL		0xffff800010000000ULL
#define LEAF		(USER + DEPTH * 0x1000)	/* most samples are in the function there */
#define PROCESSES	64
#define FLAT_MAX	2	/* seconds */
#define GRAPH_MAX	3
#define TRIES		5
#define MEGABYTES_MAX	300

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static uint64_t state = 1;

static uint32_t chance(uint32_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33) % below;
}

/* Most chains are equal, but there are hundreds of thousands of different ones. */
static uint64_t pick(uint64_t base, int level)
{
	uint32_t way = level < 4 || chance(100) < 85 ? 0 : 1 + chance(6);

	return base + (uint64_t)level * 0x1000 + way * 0x100 + 0x10;
}

static void put_fast_sample(struct log_writer *log, uint64_t time)
{
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);
	bool kernel = !chance(4);
	uint64_t chain[DEPTH];

	sample->h.id = 1 + chance(2);
	sample->h.cpu = chance(8);
	sample->h.flags = kernel ? 0 : HWPMC_SAMPLE_USER;
	sample->pid = 100 + (int)chance(PROCESSES);
	sample->tid = sample->pid;
	sample->period = 1000 + chance(1000);
	sample->chain_kernel = kernel ? 3 : 0;
	sample->chain_user = (__u16)(DEPTH - sample->chain_kernel);
	sample->pc = pick(kernel ? KERNEL : USER, DEPTH);
	for (int i = 0; i < DEPTH; i++)
		chain[i] = pick(i < sample->chain_kernel ? KERNEL : USER, DEPTH - 1 - i);
	sample->chain_offset = (__u16)log_build_bytes(&sample_build, chain, sizeof(chain));
	log_write_records(log, sample, sample_build.length);
}

/* Finds the offset of cmd_report() in the file of this program. */
static int find_report(struct dl_phdr_info *info, size_t size, void *offset)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) part = info->dlpi_phdr[i];
		uint64_t at = (uintptr_t)report_command.run - info->dlpi_addr - part.p_vaddr;

		if (part.p_type == PT_LOAD && at < part.p_filesz)
			*(uint64_t *)offset = at + part.p_offset;
	}
	/* The program itself is the first; libraries are not needed. */
	return 1;
}

/* Every other process runs this program, with cmd_report() at LEAF. */
static void put_fast_maps(struct log_writer *log, uint64_t time)
{
	char path[PATH_MAX] = "";
	uint64_t offset = 0;

	dl_iterate_phdr(find_report, &offset);
	if (!offset || readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		exit(2);
	for (int i = 0; i < PROCESSES; i++)
		put_sample_map(log, HWPMC_LOG_MAP_IN, 100 + i,
			       i % 2 ? LEAF + SAMPLE_MAP_OFFSET - offset : USER, 0x100000,
			       i % 2 ? path : "/no/such/cc1", time);
}

static void put_fast_log(struct log_writer *log)
{
	uint64_t time = (uint64_t)1 << 40;
	char name[32];

	log_write_initialize(log, 8, 0);
	log_write_system(log, "pmctl record -g -- make");
	log_write_event(log, 1, "cycles");
	log_write_event(log, 2, "instructions");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "kernel_function_%d", i);
		log_write_ksym(log, time, KERNEL + (uint64_t)i * 0x80, name);
	}
	for (int i = 0; i < PROCESSES; i++)
		put_sample_task(log, HWPMC_LOG_PROCESS, 100 + i, 0, i % 2 ? "cc1" : "make", time);
	put_fast_maps(log, ++time);
	for (int i = 0; i < SAMPLES; i++)
		put_fast_sample(log, time += chance(2000));
}

static void write_log(const char *path)
{
	struct log_writer log;

	if (log_write_open(&log, path, false))
		exit(2);
	put_fast_log(&log);
	if (log_write_close(&log))
		exit(2);
}

static int run(const char *path, const char *option, int out, struct rusage *usage)
{
	char *words[5] = { (char *)"report", (char *)"-i", (char *)path, (char *)option, NULL };
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		if (dup2(out, STDOUT_FILENO) < 0)
			_exit(2);
		status = report_command.run(option ? 4 : 3, words);
		fflush(stdout);
		_exit(status);
	}
	wait4(child, &status, 0, usage);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In seconds of CPU time: the machine may be busy. */
static double cpu_time(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static void measure(const char *path, const char *option, int out, double limit)
{
	const char *name = option ? option : "flat";
	double seconds = limit, megabytes = 0;
	struct rusage usage = { 0 };
	int result = 0;
	char text[128];

	/* The best of several tries: a busy sibling thread also increases CPU time. */
	for (int i = 0; i < TRIES && !result && seconds >= limit; i++) {
		result = run(path, option, out, &usage);
		seconds = cpu_time(&usage);
		megabytes = (double)usage.ru_maxrss / 1024;
		printf("# %s: %.2f s of CPU and %.0f MB, of %.0f s and %d MB\n", name, seconds,
		       megabytes, limit, MEGABYTES_MAX);
	}
	snprintf(text, sizeof(text), "a million samples, %s: read", name);
	check(!result, text);
	snprintf(text, sizeof(text), "a million samples, %s: in %.2f seconds", name, limit);
	check(seconds < limit, text);
	snprintf(text, sizeof(text), "a million samples, %s: in %d MB", name, MEGABYTES_MAX);
	check(SANITIZED || megabytes < MEGABYTES_MAX, text);
}

/* Whether the report has the name of a function of this program. */
static bool is_named(int out)
{
	char text[4096];
	ssize_t size = pread(out, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	return strstr(text, "[.] cmd_report\n");
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/pmctl-speed-XXXXXX";
	int fd, flat, null;
	const int slower = SANITIZED ? 20 : 1;

	if (argc > 1) {
		write_log(argv[1]);
		return 0;
	}
	fd = mkstemp(path);
	flat = memfd_create("flat", MFD_CLOEXEC);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	write_log(path);
	measure(path, NULL, flat, FLAT_MAX * slower);
	check(is_named(flat), "a million samples, flat: those in a file that is here have names");
	measure(path, "-gcallers", null, GRAPH_MAX * slower);
	measure(path, "-gcallees", null, GRAPH_MAX * slower);
	measure(path, "--folded", null, GRAPH_MAX * slower);
	unlink(path);
	close(null);
	close(flat);
	close(fd);
	return check_result();
}
