// SPDX-License-Identifier: GPL-2.0-only
/* SAMPLE records that omit fields which the reader can fill in. */
#include <stdint.h>

#include "check.h"
#include "log/log_merge.h"
#include "sample_log.h"

#define PLACE	offsetof(struct hwpmc_log_sample, period)
#define PERIOD	offsetof(struct hwpmc_log_sample, chain_offset)

static void put_short(struct log_writer *log, uint32_t id, size_t length, uint64_t period,
		      uint64_t time)
{
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);

	sample->h.id = id;
	sample->h.length = (__u32)length;
	sample->pid = 7;
	sample->tid = 8;
	sample->pc = 0x400100;
	sample->period = period;
	log_write_records(log, sample, length);
}

static void put_allocate(struct log_writer *log, uint32_t id, uint64_t count, uint64_t time)
{
	struct hwpmc_log_allocate *allocate = log_build(&sample_build, HWPMC_LOG_ALLOCATE,
							sizeof(*allocate), time);

	allocate->h.id = id;
	allocate->count = count;
	log_write_records(log, allocate, sizeof(*allocate));
}

/* The samples of PMC 2 are in a ring that is written before the one that has its ALLOCATE. */
static void put_log(struct log_writer *log)
{
	log_write_initialize(log, 2, 0);
	put_allocate(log, 1, 1000, 1);
	put_short(log, 1, PLACE, 0, 10);
	put_short(log, 1, PERIOD, 3000, 11);
	put_short(log, 2, PLACE, 0, 12);
	put_short(log, 1, PLACE, 0, 13);
	put_short(log, 3, PLACE, 0, 14);
	put_allocate(log, 2, 555, 2);
}

static bool has_all(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_sample *sample = (const void *)record;

	return record->length == sizeof(*sample) && sample->pid == 7 && sample->tid == 8 &&
	       sample->pc == 0x400100 && !sample->chain_offset && !sample->regs &&
	       !sample->stack_size;
}

static void expect(struct log_reader *log, struct log_merge *merge, const uint64_t *periods,
		   unsigned int count, const char *name)
{
	const struct hwpmc_log_header *record;
	unsigned int samples = 0;
	bool good = true;

	while ((record = merge ? log_merge_next(merge) : log_read_next(log))) {
		if (record->type != HWPMC_LOG_SAMPLE)
			continue;
		good = good && has_all(record) && samples < count &&
		       ((const struct hwpmc_log_sample *)record)->period == periods[samples];
		samples++;
	}
	check(good && samples == count && !log->damaged, name);
}

static void sorted(const unsigned char *bytes, size_t size)
{
	static const uint64_t periods[] = { 1000, 3000, 555, 1000, 0 };
	struct log_merge merge;
	struct log_reader log;
	char why[512];

	log_read_open_fd(&log, sample_fd(bytes, size), "log", why, sizeof(why));
	log_merge_open(&merge, &log, 0);
	expect(&log, &merge, periods, 5, "samples have the periods of their PMCs");
	check(merge.without_period == 1, "one is of a PMC that the log does not have");
	log_merge_close(&merge);
	log_read_close(&log);
}

static void unsorted(const unsigned char *bytes, size_t size)
{
	static const uint64_t periods[] = { 1000, 3000, 0, 1000, 0 };
	struct log_reader log;
	char why[512];

	log_read_open_fd(&log, sample_fd(bytes, size), "log", why, sizeof(why));
	expect(&log, NULL, periods, 5, "in the order of the log, those that were read before them");
	log_read_close(&log);
}

/* Ids of one log mean nothing in the next. */
static void another(const unsigned char *bytes, size_t size)
{
	unsigned char *twice = malloc(2 * size);
	uint64_t period = 1;
	const struct hwpmc_log_header *record;
	struct log_reader log;
	char why[512];

	memcpy(twice, bytes, size);
	memcpy(twice + size, bytes, size);
	log_read_open_fd(&log, sample_fd(twice, 2 * size), "logs", why, sizeof(why));
	while (log_read_next(&log))
		;
	check(log_read_another(&log) && !log_periods_of(&log.periods, 1),
	      "the next log of a file begins without periods");
	while ((record = log_read_next(&log)))
		if (record->type == HWPMC_LOG_SAMPLE && record->id == 3)
			period = ((const struct hwpmc_log_sample *)record)->period;
	check(!period, "and has its own");
	log_read_close(&log);
	free(twice);
}

static void put_too_short(struct log_writer *log)
{
	log_write_initialize(log, 1, 0);
	put_short(log, 1, PLACE - 8, 0, 10);
}

static void too_short(void)
{
	size_t size;
	unsigned char *bytes = sample_log(put_too_short, false, &size);
	struct log_reader log;
	char why[512];

	log_read_open_fd(&log, sample_fd(bytes, size), "log", why, sizeof(why));
	while (log_read_next(&log))
		;
	check(log.damaged == 1, "a sample without its place is damaged");
	log_read_close(&log);
	free(bytes);
}

int main(void)
{
	size_t size;
	unsigned char *bytes = sample_log(put_log, false, &size);

	sorted(bytes, size);
	unsorted(bytes, size);
	another(bytes, size);
	too_short();
	free(bytes);
	return check_result();
}
