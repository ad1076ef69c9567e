/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs pmctl report on a small log in its own process, and checks what it printed. */
#ifndef PMCTL_TEST_REPORT_LOG_H
#define PMCTL_TEST_REPORT_LOG_H

#include <stdarg.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "commands/command.h"
#include "sample_log.h"

#define KERNEL	0xffff800010000000ULL
#define ODD	"less<a, b>::go \"x\" & y"
#define WORDS	16

static char *log_path, *out_path, *err_path;
static char *printed, *complained;
static int cmd_report(int argc, char **argv)
{
	return report_command.run(argc, argv);
}

static int (*command)(int argc, char **argv) = cmd_report;

/* --- The log */

enum { MAIN_LOOP = 0x1000, LESS = 0x2000, LEAF = 0x3000, OTHER = 0x4000 };

/* A chain in the kernel: @places innermost first, terminated by 0. */
static inline void put_stack(struct log_writer *log, uint32_t pmc, int pid, uint64_t period,
			     uint64_t time, const uint64_t *places)
{
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);
	uint64_t chain[8];
	unsigned int depth = 0;

	sample->h.id = pmc;
	sample->h.cpu = pmc - 1;
	sample->pid = pid;
	sample->tid = pid;
	sample->period = period;
	sample->pc = KERNEL + places[0];
	while (places[1 + depth]) {
		/* A return address is the byte after the call. */
		chain[depth] = KERNEL + places[1 + depth] + 0x1000;
		depth++;
	}
	sample->chain_kernel = (__u16)depth;
	if (depth)
		sample->chain_offset = (__u16)log_build_bytes(&sample_build, chain,
							       depth * sizeof(*chain));
	log_write_records(log, sample, sample_build.length);
}

/* A sample that a throttled PMC takes when its thread is scheduled out. */
static inline void put_late(struct log_writer *log, uint32_t pmc, int pid, uint64_t period,
			    uint64_t time)
{
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);

	sample->h.id = pmc;
	sample->h.cpu = pmc - 1;
	sample->h.flags = HWPMC_SAMPLE_LATE | HWPMC_SAMPLE_CUT;
	sample->pid = pid;
	sample->tid = pid;
	sample->period = period;
	sample->pc = KERNEL + OTHER;
	log_write_records(log, sample, sample_build.length);
}

static inline void put_throttle(struct log_writer *log, uint32_t pmc, uint64_t period, bool on,
				uint64_t time)
{
	struct hwpmc_log_throttle *throttle = log_build(&sample_build, HWPMC_LOG_THROTTLE,
							sizeof(*throttle), time);

	throttle->h.id = pmc;
	throttle->h.cpu = pmc - 1;
	throttle->h.flags = on ? HWPMC_THROTTLE_ON : 0;
	throttle->period = period;
	log_write_records(log, throttle, sample_build.length);
}

static inline void put_troubles(struct log_writer *log, uint64_t time)
{
	struct hwpmc_log_drop *drop = log_build(&sample_build, HWPMC_LOG_DROP, sizeof(*drop), time);
	struct hwpmc_log_throttle *throttle;

	drop->h.id = 1;
	drop->lost = 5;
	drop->events = 5000;
	log_write_records(log, drop, sample_build.length);
	throttle = log_build(&sample_build, HWPMC_LOG_THROTTLE, sizeof(*throttle), time);
	throttle->h.id = 2;
	throttle->h.flags = HWPMC_THROTTLE_ON;
	log_write_records(log, throttle, sample_build.length);
}

static inline void put_names(struct log_writer *log)
{
	log_write_event(log, 1, "cycles");
	log_write_event(log, 2, "cycles");
	log_write_event(log, 3, "instructions");
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + MAIN_LOOP, "main_loop");
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + LESS, ODD);
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + LEAF, "leaf");
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + OTHER, "other [mod]");
}

static inline void put_log(struct log_writer *log)
{
	uint64_t t = (uint64_t)1 << 40;

	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl record -- prog");
	put_names(log);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", t);
	put_sample_task(log, HWPMC_LOG_PROCESS, 101, 0, "we\"ird,<x>", t);
	put_stack(log, 1, 100, 600, t + 1, (uint64_t[]){ LEAF + 4, LESS, MAIN_LOOP, 0 });
	put_stack(log, 2, 101, 300, t + 2, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 100, t + 3, (uint64_t[]){ LEAF + 4, LEAF, MAIN_LOOP, 0 });
	put_stack(log, 3, 100, 50, t + 4, (uint64_t[]){ OTHER + 4, 0 });
	put_troubles(log, t + 5);
}

static inline void write_log(void (*put)(struct log_writer *log))
{
	struct log_writer log;

	if (log_write_open(&log, log_path, false))
		abort();
	put(&log);
	if (log_write_close(&log))
		abort();
}

/* Removes the end of the log. */
static inline void cut_log(off_t by)
{
	int fd = open(log_path, O_RDWR | O_CLOEXEC);

	if (ftruncate(fd, lseek(fd, 0, SEEK_END) - by))
		abort();
	close(fd);
}

/* --- Running */

static inline char *contents(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = xcalloc(1, 1 << 20);

	if (file) {
		text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
		fclose(file);
	}
	return text;
}

static inline void child(int count, char **words) __attribute__((noreturn));

static inline void child(int count, char **words)
{
	int result;

	if (!freopen(out_path, "w", stdout) || !freopen(err_path, "w", stderr))
		_exit(99);
	result = command(count, words);
	fflush(NULL);
	_exit(result);
}

/* Runs pmctl report with these arguments, up to NULL. Returns its status. */
static inline int report(const char *first, ...)
{
	char *words[WORDS + 1] = { (char *)"report" };
	int count = 1, status;
	va_list args;
	pid_t pid;

	va_start(args, first);
	for (const char *word = first; word && count < WORDS; word = va_arg(args, const char *))
		words[count++] = (char *)word;
	va_end(args);
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(count, words);
	waitpid(pid, &status, 0);
	free(printed);
	free(complained);
	printed = contents(out_path);
	complained = contents(err_path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int says(const char *text)
{
	int found = !!strstr(printed, text);

	if (!found)
		printf("# no '%s' in:\n# %s\n", text, printed);
	return found;
}

static inline int count(const char *in, const char *what)
{
	int found = 0;

	for (const char *at = in; (at = strstr(at, what)); at++)
		found++;
	return found;
}

static inline char *temporary(void)
{
	char *path = xstrdup("/tmp/pmctl-profile-XXXXXX");
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	return path;
}

static inline void discard(char *path)
{
	unlink(path);
	free(path);
}

static inline void report_begin(void)
{
	log_path = temporary();
	out_path = temporary();
	err_path = temporary();
	write_log(put_log);
}

static inline void report_end(void)
{
	discard(log_path);
	discard(out_path);
	discard(err_path);
	free(printed);
	free(complained);
}

#endif
