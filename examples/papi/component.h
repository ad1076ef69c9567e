/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The component hwpmc of PAPI: what its files share. PAPI calls it through the vector in
 * component.c, in the thread that owns the event set, or in a signal handler of that thread.
 */
#ifndef HWPMC_PAPI_COMPONENT_H
#define HWPMC_PAPI_COMPONENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"
#include "papi_libpfm4_events.h"

#include <hwpmc_ring.h>

/* The most events of a set. */
#define EVENTS_MAX	64

/**
 * struct hwpmc_event - one event of a set
 * @class_id: enum hwpmc_class_id of the programmable counters, or 0: no such counter counts it
 * @event: the event's number in that class
 * @config: value of the further register that some events of Intel need
 * @fixed: the fixed counter of Intel that counts it, or -1
 * @caps: HWPMC_CAP_USER, HWPMC_CAP_SYSTEM
 * @cpu: the CPU that the event's name selects; -1: it selects none
 * @period: of its overflows; 0: it only counts
 */
struct hwpmc_event {
	uint32_t class_id;
	uint64_t event;
	uint64_t config;
	int fixed;
	uint64_t caps;
	int cpu;
	uint64_t period;
};

/**
 * struct hwpmc_options - the options of an event set
 * @cpu: counts this CPU; -1: threads
 * @inherit: counts children as well
 * @attached: counts the thread @tid instead of the thread that starts the set
 * @tid: see @attached; else the thread that started the set
 */
struct hwpmc_options {
	int cpu;
	bool inherit;
	bool attached;
	pid_t tid;
};

/**
 * struct hwpmc_control - an event set; PAPI allocates it for each
 * @events: what it counts
 * @count: how many
 * @domain: PAPI_DOM_*, for events whose names do not say it
 * @options: see struct hwpmc_options
 * @handled: the handler of the overflow signal is installed for this set
 * @fd: the device, open for this set alone, so that its counters share no limits or rings; or -1
 * @opener: the process that opened @fd. A child has the descriptor, but not the mappings
 * @running: started
 * @ids: of the PMCs, in the order of @events
 * @group: of @ids, to read them by one call
 * @base: values of the PMCs that PAPI takes for 0
 * @values: what was read last; PAPI has a pointer to it
 * @rings: one for each CPU; NULL: no event overflows
 * @ring_count: how many
 */
struct hwpmc_control {
	struct hwpmc_event events[EVENTS_MAX];
	unsigned int count;
	int domain;
	struct hwpmc_options options;
	bool handled;
	int fd;
	pid_t opener;
	bool running;
	uint32_t ids[EVENTS_MAX];
	uint64_t group;
	uint64_t base[EVENTS_MAX];
	long long values[EVENTS_MAX];
	struct hwpmc_ring_reader *rings;
	unsigned int ring_count;
};

/* PAPI keeps one for each thread. It is empty: this component keeps its state in the event set. */
struct hwpmc_context {
	int unused;
};

extern papi_vector_t _hwpmc_vector;

/* device.c */
int hwpmc_device_call(int fd, unsigned long request, void *args);
const char *hwpmc_device_sentence(void);
int hwpmc_device_probe(uint32_t *core, unsigned int *counters);
int hwpmc_device_open(struct hwpmc_control *set);
void hwpmc_device_close(struct hwpmc_control *set);
int hwpmc_device_ids(struct hwpmc_control *set, unsigned long request);
int hwpmc_device_attach(struct hwpmc_control *set, unsigned long request);

/* events.c */
int hwpmc_events_init(int cidx, uint32_t core);
void hwpmc_events_exit(void);
int hwpmc_events_fill(struct hwpmc_control *set, NativeInfo_t *native, int count);
int hwpmc_events_enumerate(unsigned int *code, int modifier);
int hwpmc_events_code(const char *name, unsigned int *code);
int hwpmc_events_name(unsigned int code, char *name, int size);
int hwpmc_events_description(unsigned int code, char *text, int size);
int hwpmc_events_info(unsigned int code, PAPI_event_info_t *info);

/* count.c */
int hwpmc_count_start(hwd_context_t *context, hwd_control_state_t *control);
int hwpmc_count_stop(hwd_context_t *context, hwd_control_state_t *control);
int hwpmc_count_read(hwd_context_t *context, hwd_control_state_t *control, long long **values,
		     int flags);
int hwpmc_count_reset(hwd_context_t *context, hwd_control_state_t *control);
int hwpmc_count_write(hwd_context_t *context, hwd_control_state_t *control, long long *values);

/* overflow.c */
int hwpmc_overflow_set(EventSetInfo_t *info, int index, int threshold);
int hwpmc_overflow_profile(EventSetInfo_t *info, int index, int threshold);
int hwpmc_overflow_end_profile(ThreadInfo_t *thread, EventSetInfo_t *info);
int hwpmc_overflow_map(struct hwpmc_control *set);
void hwpmc_overflow_unmap(struct hwpmc_control *set);
void hwpmc_overflow_rest(struct hwpmc_control *set);
void hwpmc_overflow_signal(int number, hwd_siginfo_t *info, void *ucontext);

#endif
