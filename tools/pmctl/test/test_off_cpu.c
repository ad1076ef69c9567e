// SPDX-License-Identifier: GPL-2.0-only
/* A log of off-CPU time is reported in milliseconds, and its flame graph says what it shows. */
#include <linux/hwpmc.h>

#include "check.h"
#include "report_log.h"

#define MS	1000000ULL

static void put_allocate(struct log_writer *log, uint32_t id, uint64_t code)
{
	struct hwpmc_log_allocate *record = log_build(&sample_build, HWPMC_LOG_ALLOCATE,
						      sizeof(*record), 1);

	record->h.id = id;
	record->class_id = HWPMC_CLASS_SOFT;
	record->event = code;
	log_write_records(log, record, sample_build.length);
}

/* PMC 1 samples off-CPU time, PMC 2 the clock. */
static void put_blocks(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl record --off-cpu -- prog");
	put_allocate(log, 1, HWPMC_SOFT_OFF_CPU);
	put_allocate(log, 2, HWPMC_SOFT_CLOCK);
	log_write_event(log, 1, "off-cpu");
	log_write_event(log, 2, "cpu-clock");
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + MAIN_LOOP, "main_loop");
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + LESS, "schedule");
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + LEAF, "leaf");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", 1);
	put_stack(log, 1, 100, 1250 * MS, 2, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 250 * MS, 3, (uint64_t[]){ LESS + 4, LEAF, 0 });
	put_stack(log, 2, 100, 3 * MS, 4, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
}

static void texts(void)
{
	check(!report("-i", log_path, NULL) &&
	      says("# event 'off-cpu': 2 samples, 1,500.00 ms off the CPU, 0 lost\n"),
	      "a report has the time in milliseconds");
	check(says("# event 'cpu-clock': 1 samples, 3,000,000 events, 0 lost\n"),
	      "other events are as before");
	check(!report("-i", log_path, "--folded", "--event", "off-cpu", NULL) &&
	      says("sh;main_loop_[k];schedule_[k] 1250000000\n"), "folded stacks have nanoseconds");
}

static void graphs(void)
{
	check(!report("-i", log_path, "--flamegraph", "-", "--event", "off-cpu", NULL) &&
	      says(">Off-CPU time: pmctl record --off-cpu -- prog</text>"),
	      "a flame graph's title says what it shows");
	check(says("off-cpu: 2 samples, 1,500.00 ms off the CPU"), "and the line below the time");
	check(says("main_loop ([kernel]): 83.33%, 1,250.00 ms, 1 samples"), "so has each box");
	check(says("Width is the share of off-CPU time; callers are below their callees."),
	      "its foot says what a width is");
	check(!report("-i", log_path, "--flamegraph", "-", "--event", "cpu-clock", NULL) &&
	      says(">pmctl record --off-cpu -- prog</text>") && says("Width is the share of events;"),
	      "that of another event is as before");
}

int main(void)
{
	report_begin();
	write_log(put_blocks);
	texts();
	graphs();
	report_end();
	return check_result();
}
