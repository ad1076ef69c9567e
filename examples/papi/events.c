// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of events: PAPI's own table over libpfm4, which the component perf_event has as well, and
 * what such an event is in the module's classes. Called by PAPI through the vector, in any thread.
 */
#include <string.h>

#include "component.h"
#include "../perf_event/pe_libpfm4_events.h"

/* The class of this machine's programmable counters. */
static uint32_t core_class;

static struct native_event_table_t table;

/**
 * hwpmc_events_init() - read libpfm4's tables
 * @cidx: the component's number
 * @core: class of the programmable counters
 *
 * Return: PAPI_OK, or an error, with the reason in the vector.
 */
int hwpmc_events_init(int cidx, uint32_t core)
{
	char *why = _hwpmc_vector.cmp_info.disabled_reason;
	int result = _papi_libpfm4_init(&_hwpmc_vector);

	if (result != PAPI_OK) {
		strcpy(why, "libpfm4 cannot be initialized");
		return result;
	}
	core_class = core;
	result = _pe_libpfm4_init(&_hwpmc_vector, cidx, &table, PMU_TYPE_CORE);
	if (result != PAPI_OK)
		strcpy(why, "libpfm4 does not know this CPU; LIBPFM_FORCE_PMU may name one");
	return result;
}

void hwpmc_events_exit(void)
{
	_pe_libpfm4_shutdown(&_hwpmc_vector, &table);
	_papi_libpfm4_shutdown(&_hwpmc_vector);
}

/* The fixed counter of Intel that counts what @select does, or -1. */
static int fixed_counter(uint64_t select)
{
	switch (select) {
	case 0x00c0: return 0;
	case 0x003c: return 1;
	case 0x0300: return 2;
	case 0x0400: return 3;
	default: return -1;
	}
}

/* Events with number 0, the low byte of @select, are counted by fixed counters only. */
static bool only_fixed(uint64_t select)
{
	return !(select & 0xff);
}

/* The modes in which an event counts: those of its name (:u=0, :k=1), else those of the set. */
static uint64_t caps_of(const struct native_event_t *native, int domain)
{
	bool user = domain & PAPI_DOM_USER, system = domain & PAPI_DOM_KERNEL;

	if (native->allocated_name && strstr(native->allocated_name, ":u="))
		user = !native->attr.exclude_user;
	if (native->allocated_name && strstr(native->allocated_name, ":k="))
		system = !native->attr.exclude_kernel;
	return (user ? HWPMC_CAP_USER : 0) | (system ? HWPMC_CAP_SYSTEM : 0);
}

static int fill_one(const struct hwpmc_control *set, const struct native_event_t *native,
		    struct hwpmc_event *event)
{
	uint64_t select = native->attr.config;

	if (native->attr.type != PERF_TYPE_RAW)
		return PAPI_ENOSUPP;
	memset(event, 0, sizeof(*event));
	event->class_id = core_class;
	event->event = select;
	event->config = native->attr.config1;
	event->fixed = -1;
	if (core_class == HWPMC_CLASS_IAP) {
		event->fixed = fixed_counter(select);
		if (only_fixed(select))
			event->class_id = 0;
		if (!event->class_id && event->fixed < 0)
			return PAPI_ENOSUPP;
	}
	event->caps = caps_of(native, set->domain);
	event->cpu = native->cpu;
	return event->caps ? PAPI_OK : PAPI_EINVAL;
}

/* An event without masks is known by its code alone. */
static const struct native_event_t *find(int code)
{
	int index = _papi_hwi_get_ntv_idx((unsigned int)code);

	for (int i = 0; index < 0 && i < table.num_native_events; i++)
		if (table.native_events[i].papi_event_code == code)
			index = i;
	return index < 0 ? NULL : &table.native_events[index];
}

/**
 * hwpmc_events_fill() - set the events of a set; periods of overflows are forgotten
 * @set: its domain is set
 * @native: PAPI's list; out: where each event is in the set
 * @count: how many
 *
 * Return: PAPI_OK, or an error; then the set has no events.
 */
int hwpmc_events_fill(struct hwpmc_control *set, NativeInfo_t *native, int count)
{
	if (count > EVENTS_MAX)
		return PAPI_ECOUNT;
	for (int i = 0; i < count; i++) {
		const struct native_event_t *one = find(native[i].ni_papi_code);
		int result = one ? fill_one(set, one, &set->events[i]) : PAPI_ENOEVNT;

		if (result != PAPI_OK)
			return result;
		native[i].ni_position = i;
	}
	set->count = (unsigned int)count;
	return PAPI_OK;
}

int hwpmc_events_enumerate(unsigned int *code, int modifier)
{
	return _pe_libpfm4_ntv_enum_events(code, modifier, _hwpmc_vector.cmp_info.CmpIdx, &table);
}

int hwpmc_events_code(const char *name, unsigned int *code)
{
	return _pe_libpfm4_ntv_name_to_code(name, code, _hwpmc_vector.cmp_info.CmpIdx, &table);
}

int hwpmc_events_name(unsigned int code, char *name, int size)
{
	return _pe_libpfm4_ntv_code_to_name(code, name, size, &table);
}

int hwpmc_events_description(unsigned int code, char *text, int size)
{
	return _pe_libpfm4_ntv_code_to_descr(code, text, size, &table);
}

int hwpmc_events_info(unsigned int code, PAPI_event_info_t *info)
{
	return _pe_libpfm4_ntv_code_to_info(code, info, &table);
}
