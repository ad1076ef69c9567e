// SPDX-License-Identifier: GPL-2.0-only
/* The contents of a log: the records of the rings, and records that pmctl adds. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "log/log_record.h"
#include "run/record.h"
#include "run/session.h"
#include "symbol/build_id.h"
#include "symbol/kallsyms.h"
#include "symbol/processes.h"
#include "symbol/symbols.h"

/**
 * struct unread_file - a mapped file whose build-id is to be read
 * @inode: its inode
 * @path: its path
 */
struct unread_file {
	uint64_t inode;
	char path[];
};

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct unread_file *)a)->path, ((const struct unread_file *)b)->path);
}

/* Stores a file whose build-id is not in MAP_IN: the build-id is read at the end of the run. */
static void note_file(struct record_run *run, const struct hwpmc_log_map *map)
{
	const char *path = log_record_text(map, map->path_offset);
	size_t size = strlen(path) + 1;
	struct unread_file *file = xcalloc(1, sizeof(*file) + size), **found;

	file->inode = map->inode;
	memcpy(file->path, path, size);
	found = tsearch(file, &run->files, compare_files);
	if (!found || *found != file)
		free(file);
}

/* Whether @state has what each log needs. */
static bool keeps_state(const struct record_run *run)
{
	return run->state.fd >= 0;
}

/**
 * struct symbol_filter - which symbols of /proc/kallsyms to write
 * @run: whose log
 * @time: time from which they are valid
 * @module: only the symbols of this "[module]"
 */
struct symbol_filter {
	struct record_run *run;
	uint64_t time;
	const char *module;
};

static void put_module_symbol(uint64_t start, const char *name, void *context)
{
	const struct symbol_filter *which = context;
	const char *module = strchr(name, '[');

	if (!module || strcmp(module, which->module))
		return;
	if (which->run->log.fd >= 0)
		log_write_ksym(&which->run->log, which->time, start, name);
	if (keeps_state(which->run))
		log_write_ksym(&which->run->state, which->time, start, name);
}

static void put_module(struct record_run *run, uint64_t time, const char *module)
{
	struct symbol_filter which = { .run = run, .time = time, .module = module };
	FILE *file = fopen("/proc/kallsyms", "re");

	if (!file)
		return;
	kallsyms_visit(file, put_module_symbol, &which);
	fclose(file);
}

/* A symbol that existed when sampling began. */
static void put_symbol(uint64_t start, const char *name, void *context)
{
	struct record_run *run = context;

	log_write_ksym(&run->log, run->begin, start, name);
}

/*
 * The samples of a PMC that counts user mode only have no addresses of the kernel. A probe fires
 * where it is, whatever its modifiers are.
 */
static bool samples_kernel(const struct session *session)
{
	for (unsigned int i = 0; i < session->counter_count; i++) {
		const struct event *event = &session->events[session->counters[i].event];

		if (event->modifiers != MODIFIER_USER ||
		    event->codes[0].class_id == HWPMC_CLASS_PROBE)
			return true;
	}
	return false;
}

/*
 * Reads /proc/kallsyms only if a sample can have a kernel address: the kernel prints all symbols,
 * which is 95 % of the work at the start of a recording.
 */
static void read_symbols(struct record_run *run)
{
	FILE *file = samples_kernel(&run->session) ? fopen("/proc/kallsyms", "re") : NULL;

	if (!file)
		return;
	kernel_symbols_read(&run->symbols, file);
	fclose(file);
}

static void put_events(struct record_run *run)
{
	const struct session *session = &run->session;

	for (unsigned int i = 0; i < session->counter_count; i++) {
		const struct event *event = &session->events[session->counters[i].event];
		const char *letters = modifier_letters(event->modifiers);
		char *name = xasprintf("%s%s%s", event->name, *letters ? ":" : "", letters);

		log_write_event(&run->log, session->ids[i], name);
		free(name);
	}
}

static void put_first(struct record_run *run)
{
	const struct hwpmc_cpu_info *cpu = &run->session.hardware.cpu;

	log_write_initialize(&run->log, cpu->cpus_possible, cpu->cpuid);
	log_write_system(&run->log, run->words);
	put_events(run);
	kernel_symbols_forget(&run->symbols);
	kernel_symbols_begin(&run->symbols, put_symbol, run);
}

void record_log_begin(struct record_run *run)
{
	read_symbols(run);
	if (record_output_numbered(run)) {
		/* Kept in memory: nothing is written to this descriptor. */
		log_write_begin(&run->state, dup(STDERR_FILENO), "memory", false);
		log_write_hold(&run->state);
	}
	if (run->log.fd >= 0)
		put_first(run);
}

/*
 * The symbols of a module are written at once, since they vanish when it is unloaded. Modules that
 * were loaded before sampling began have been read already.
 */
static void take_map(struct record_run *run, const struct hwpmc_log_map *map)
{
	if (map->pid == PROCESSES_KERNEL && map->h.flags & HWPMC_MAP_EXISTS)
		return;
	if (map->pid == PROCESSES_KERNEL)
		put_module(run, map->h.time, log_record_text(map, map->path_offset));
	else if (!map->build_id_size)
		note_file(run, map);
}

/*
 * Returns whether the sample belongs into the log. Throttled events may have occurred in any
 * process, so the log must have the sample that represents them, whichever process it hits.
 */
static bool take_sample(struct record_run *run, const struct hwpmc_log_header *record)
{
	struct hwpmc_log_sample room;
	const struct hwpmc_log_sample *sample =
		hwpmc_sample_whole(record, run->session.sampling.count, &room);
	bool own = run->options.own_samples == OWN_SAMPLES_EXCLUDE && sample->pid == getpid();
	bool waiting = run->throttle.waiting;
	bool spans = log_throttle_spans(&run->throttle, sample);

	if (own && !waiting && !spans) {
		run->excluded++;
		return false;
	}
	run->samples++;
	run->events = number_sum(run->events, sample->period);
	if (spans)
		run->throttled_events = number_sum(run->throttled_events, sample->period);
	return true;
}

static void take_throttle(struct record_run *run, const struct hwpmc_log_header *record)
{
	log_throttle_take(&run->throttle, record);
	if (!run->throttle_reported)
		note("sampling is throttled: samples take too much of the CPU's time; "
		     "while it is, events are counted but not sampled");
	run->throttle_reported = true;
}

static void take_detach(struct record_run *run, const struct hwpmc_log_attach *detach)
{
	if (!(detach->h.flags & HWPMC_DETACH_LOST) || detach->pid == run->lost_pid)
		return;
	/* One message for all events. */
	run->lost_pid = detach->pid;
	note("process %d executed a program that you may not follow: its recording ended",
	     detach->pid);
}

/*
 * Whether later logs need the record to show the samples in them: those of PMCs, processes and
 * mappings.
 */
static bool is_state(const struct hwpmc_log_header *record)
{
	switch (record->type) {
	case HWPMC_LOG_SAMPLE:
	case HWPMC_LOG_PROBE:
	case HWPMC_LOG_DROP:
	/* The sample that represents the throttled span is in the same log as this record. */
	case HWPMC_LOG_THROTTLE:
	case HWPMC_LOG_SWITCH:
	case HWPMC_LOG_VALUE:
	case HWPMC_LOG_USER:
		return false;
	default:
		return true;
	}
}

static void write_record(const struct hwpmc_log_header *record, void *context)
{
	struct record_run *run = context;
	struct hwpmc_log_sample room;

	/* Before the sample, for readers that do not sort the whole log. */
	if (log_record_is_sample(record))
		kernel_symbols_take(&run->symbols,
				    hwpmc_sample_whole(record, run->session.sampling.count, &room),
				    put_symbol, run);
	log_write_records(&run->log, record, record->length);
}

static void take(const struct hwpmc_log_header *record, void *context)
{
	struct record_run *run = context;

	if (log_record_is_sample(record) && !take_sample(run, record))
		return;
	if (keeps_state(run) && is_state(record))
		log_write_records(&run->state, record, record->length);
	else if (run->options.overwrite)
		retain_add(&run->retained, record);
	if (run->log.fd >= 0)
		write_record(record, run);
	if (record->type == HWPMC_LOG_THROTTLE)
		take_throttle(run, record);
	else if (record->type == HWPMC_LOG_MAP_IN)
		take_map(run, (const void *)record);
	else if (record->type == HWPMC_LOG_DETACH)
		take_detach(run, (const void *)record);
}

static int cannot_write(struct record_run *run)
{
	if (!run->error_reported)
		error("cannot write '%s': %s", run->path, strerror(errno));
	run->error_reported = true;
	return -1;
}

int record_log_drain(struct record_run *run)
{
	if (rings_drain(&run->rings, take, run))
		return -1;
	if (run->log.error) {
		errno = run->log.error;
		return cannot_write(run);
	}
	return 0;
}

static void put_build_id(const void *node, VISIT which, void *context)
{
	const struct unread_file *file = *(struct unread_file *const *)node;
	struct build_id id;

	if (which != postorder && which != leaf)
		return;
	id = build_id_read(file->path, file->inode);
	if (id.size)
		log_write_build_id(context, file->path, id.bytes, id.size);
}

static int end_log(struct record_run *run)
{
	struct build_id kernel = build_id_kernel();
	int result;

	/* There is no log: the next one could not be opened, which was reported. */
	if (run->log.fd < 0)
		return -1;
	if (kernel.size)
		log_write_build_id(&run->log, SYMBOLS_KERNEL, kernel.bytes, kernel.size);
	twalk_r(run->files, put_build_id, &run->log);
	result = log_write_close(&run->log);
	run->written += run->log.bytes;
	return result ? cannot_write(run) : 0;
}

/* A log begins with what was recorded about PMCs, processes and mappings before. */
static int next_log(struct record_run *run)
{
	if (record_output_open(run))
		return -1;
	put_first(run);
	log_write_flush(&run->state);
	log_write_records(&run->log, run->state.held, run->state.held_size);
	return 0;
}

static int snapshot(struct record_run *run)
{
	if (next_log(run))
		return -1;
	retain_visit(&run->retained, write_record, run);
	retain_clear(&run->retained);
	return end_log(run);
}

int record_log_switch(struct record_run *run)
{
	if (run->options.overwrite)
		return snapshot(run);
	return end_log(run) || next_log(run) ? -1 : 0;
}

int record_log_end(struct record_run *run)
{
	if (run->options.overwrite)
		return snapshot(run);
	return end_log(run);
}

void record_log_free(struct record_run *run)
{
	tdestroy(run->files, free);
	retain_free(&run->retained);
	if (run->state.fd >= 0)
		log_write_close(&run->state);
	free(run->path);
	log_throttle_free(&run->throttle);
	kernel_symbols_free(&run->symbols);
	run->files = NULL;
}
