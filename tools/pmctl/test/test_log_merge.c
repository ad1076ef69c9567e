// SPDX-License-Identifier: GPL-2.0-only
/* Tests the order of the records that are read from a log, and the memory that sorting uses. */
#include "check.h"
#include "log/log_merge.h"
#include "sample_log.h"

#define NOW	(1ULL << 50)

/* The state of a reading. */
struct reading {
	unsigned char *bytes;
	struct log_reader log;
	struct log_merge merge;
};

static void begin(struct reading *reading, void (*put)(struct log_writer *log), size_t limit)
{
	size_t size;
	char why[512];

	reading->bytes = sample_log(put, false, &size);
	if (log_read_open_fd(&reading->log, sample_fd(reading->bytes, size), "log", why,
			     sizeof(why)))
		abort();
	log_merge_open(&reading->merge, &reading->log, limit);
}

/* CLOSE has the time when the log was written, long before the samples'. */
static const struct hwpmc_log_sample *next(struct reading *reading)
{
	const struct hwpmc_log_header *record;

	do {
		record = log_merge_next(&reading->merge);
	} while (record && record->type != HWPMC_LOG_SAMPLE);
	return (const void *)record;
}

static void end(struct reading *reading)
{
	log_merge_close(&reading->merge);
	log_read_close(&reading->log);
	free(reading->bytes);
}

/* Every other sample has the time of an earlier sample, with other samples between them. */
static void put_simultaneous(struct log_writer *log)
{
	log_write_initialize(log, 1, 0);
	for (unsigned int i = 0; i < 100; i++) {
		put_sample(log, 0, 1, i, NOW);
		put_sample(log, 0, 1, 100 + i, NOW + 1);
	}
}

static void simultaneous(void)
{
	const struct hwpmc_log_sample *sample;
	struct reading reading;
	uint64_t count = 0;
	int wrong = 0;

	begin(&reading, put_simultaneous, 0);
	while ((sample = next(&reading)))
		wrong += sample->pc != count++;
	check(count == 200 && !wrong, "records of the same time keep their order");
	end(&reading);
}

static void put_interleaved(struct log_writer *log)
{
	log_write_initialize(log, 2, 0);
	for (unsigned int round = 0; round < 100; round++)
		for (int cpu = 0; cpu < 2; cpu++)
			for (unsigned int i = 0; i < 20; i++)
				put_sample(log, cpu, 1, i,
					   NOW + round * 100 + i * 2 + (unsigned int)cpu);
}

/* Each record is earlier than the one that was written before it. */
static void put_backwards(struct log_writer *log)
{
	log_write_initialize(log, 1, 0);
	for (unsigned int i = 0; i < 4000; i++)
		put_sample(log, 0, 1, i, NOW + 4000 - i);
}

static void merged(void (*put)(struct log_writer *log), size_t limit, bool ordered,
		   const char *name)
{
	uint64_t time = 0, count = 0, back = 0;
	const struct hwpmc_log_sample *sample;
	struct reading reading;

	begin(&reading, put, limit);
	for (; (sample = next(&reading)); count++) {
		back += sample->h.time < time;
		time = sample->h.time;
	}
	check(count == 4000 && !back == ordered && (ordered || reading.merge.late), name);
	end(&reading);
}

/* pmctl record writes a symbol when a sample first needs it. It is valid from the beginning. */
static void put_symbol_behind(struct log_writer *log)
{
	log_write_initialize(log, 1, 0);
	put_sample(log, 0, 1, 1, NOW);
	log_write_ksym(log, 1ULL << 40, 0xffff800010000000, "needed");
	put_sample(log, 0, 1, 2, NOW + 1);
}

static void symbol_behind(void)
{
	const struct hwpmc_log_header *record;
	struct reading reading;
	uint64_t late = 0;
	int symbols = 0;

	begin(&reading, put_symbol_behind, 1);
	while ((record = log_merge_next(&reading.merge)) && record->type != HWPMC_LOG_CLOSE) {
		symbols += record->type == HWPMC_LOG_KSYM;
		late = reading.merge.late;
	}
	check(symbols == 1 && !late, "a kernel symbol behind older samples is not out of order");
	end(&reading);
}

/* One of a hundred records is much later than the others. */
static void put_ahead(struct log_writer *log)
{
	log_write_initialize(log, 1, 0);
	for (unsigned int i = 0; i < 100000; i++)
		put_sample(log, 0, 1, i, i % 100 ? NOW + i : 2 * NOW + i);
}

#define LIMIT	(256UL * 1024)

/* The limit applies to the memory of blocks, not only to the records in them. */
static void ahead(void)
{
	struct reading reading;
	size_t most = 0;
	int count = 0;

	begin(&reading, put_ahead, LIMIT);
	for (; next(&reading); count++)
		most = reading.merge.held > most ? reading.merge.held : most;
	check(count == 100000 && most > LIMIT && most < 3 * LIMIT,
	      "records that are far ahead do not hold the memory of others");
	end(&reading);
}

int main(void)
{
	merged(put_interleaved, 0, true, "records in the order of time");
	merged(put_interleaved, 16384, true, "with little memory");
	merged(put_interleaved, 1, false, "with too little, what is out of order is counted");
	merged(put_backwards, 0, true, "a log from its end to its beginning is in order, too");
	symbol_behind();
	simultaneous();
	ahead();
	return check_result();
}
