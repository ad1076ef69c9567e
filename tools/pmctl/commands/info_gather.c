// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/device.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "commands/info.h"
#include "event/hardware.h"
#include "event/pfm.h"

static json_t *text(const char *bytes, size_t size)
{
	char *clean = xstrndup(bytes, strnlen(bytes, size));
	json_t *string;

	utf8_scrub(clean);
	string = json_string(clean);
	free(clean);
	return string;
}

#define field(array)	text(array, sizeof(array))

static void add(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void add_number(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *caps_list(uint64_t caps)
{
	static const char *const names[] = {
		"interrupt", "user", "system", "edge", "threshold", "read", "write", "invert",
		"qualifier", "precise", "tagging", "syswide",
	};
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (caps & (1ULL << i))
			json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *class_object(const struct hwpmc_class_info *info)
{
	json_t *object = json_object();

	add(object, "name", field(info->name));
	add_number(object, "rows", info->rows);
	add_number(object, "first-row", info->first_row);
	add_number(object, "width", info->width);
	add(object, "caps", caps_list(info->caps));
	return object;
}

static json_t *classes_array(const struct hardware *hardware)
{
	json_t *classes = json_array();

	for (unsigned int i = 0; i < hardware->class_count; i++)
		json_array_append_new(classes, class_object(&hardware->classes[i]));
	return classes;
}

static const char *disposition_name(unsigned int disposition)
{
	switch (disposition) {
	case HWPMC_ROW_FREE:
		return "free";
	case HWPMC_ROW_THREAD:
		return "thread";
	case HWPMC_ROW_STANDALONE:
		return "standalone";
	case HWPMC_ROW_ABSENT:
		return "absent";
	default:
		return "?";
	}
}

static const char *mode_name(unsigned int mode)
{
	static const char *const names[] = { "none", "SS", "SC", "TS", "TC" };

	return mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "?";
}

static void add_holder(json_t *object, const struct hwpmc_row_info *row)
{
	add_number(object, "holders", row->holders);
	if (!row->holders)
		return;
	/* Otherwise the holder is hidden from this user, or is in another PID namespace. */
	if (row->pid > 0)
		add_number(object, "pid", (uint64_t)row->pid);
	if (row->comm[0])
		add(object, "comm", field(row->comm));
	if (!row->mode)
		return;
	add(object, "mode", json_string(mode_name(row->mode)));
	add(object, "event", json_sprintf("0x%llx", (unsigned long long)row->event));
	add_number(object, "flags", row->flags);
	add_number(object, "count", row->count);
}

static json_t *row_object(unsigned int number, const struct hwpmc_row_info *row,
			  const struct hardware *hardware)
{
	const struct hwpmc_class_info *class = hardware_class(hardware, row->class_id);
	json_t *object = json_object();

	add_number(object, "row", number);
	add(object, "name", field(row->name));
	add(object, "class", class ? field(class->name) : json_string("?"));
	add_number(object, "width", row->width);
	add(object, "enabled", json_boolean(row->enabled));
	add(object, "disposition", json_string(disposition_name(row->disposition)));
	add_holder(object, row);
	return object;
}

/* NULL if the CPU has gone offline. */
static json_t *cpu_object(int fd, int cpu, const struct hardware *hardware)
{
	struct hwpmc_row_info *rows = xcalloc(hardware->cpu.rows, sizeof(*rows));
	struct hwpmc_pmc_info request = {
		.size = sizeof(request),
		.cpu = (__u32)cpu,
		.rows = hardware->cpu.rows,
		.row_list = (uintptr_t)rows,
		.row_size = sizeof(*rows),
	};
	json_t *object = NULL, *list;

	if (!device_call(fd, HWPMC_IOC_PMC_INFO, &request)) {
		object = json_object();
		list = json_array();
		for (unsigned int i = 0; i < request.rows && i < hardware->cpu.rows; i++)
			json_array_append_new(list, row_object(i, &rows[i], hardware));
		add_number(object, "cpu", (uint64_t)cpu);
		add(object, "cpuid", json_sprintf("0x%llx", (unsigned long long)request.cpuid));
		add(object, "rows", list);
	}
	free(rows);
	return object;
}

static json_t *cpus_array(int fd, const struct hardware *hardware)
{
	json_t *cpus = json_array(), *object;
	struct cpulist online;

	if (cpulist_online(&online))
		return cpus;
	for (unsigned int i = 0; i < online.count; i++) {
		object = cpu_object(fd, online.cpu[i], hardware);
		if (object)
			json_array_append_new(cpus, object);
	}
	cpulist_free(&online);
	return cpus;
}

static json_t *stats_object(int fd)
{
	struct hwpmc_stats stats = { .size = sizeof(stats) };
	const struct {
		const char *key;
		const __u64 *value;
	} all[] = {
		{ "interrupts-processed", &stats.intr_processed },
		{ "interrupts-ignored", &stats.intr_ignored },
		{ "interrupts-ring-full", &stats.intr_ring_full },
		{ "calls", &stats.calls },
		{ "calls-failed", &stats.calls_failed },
		{ "buffer-requests", &stats.buffer_requests },
		{ "buffer-failures", &stats.buffer_failures },
		{ "log-sweeps", &stats.log_sweeps },
		{ "throttles", &stats.throttles },
		{ "fork-failures", &stats.fork_failures },
		{ "threads", &stats.threads },
		{ "hooking", &stats.hooking },
		{ "switch-probe", &stats.switch_probe },
		{ "owners", &stats.owners },
		{ "pmcs", &stats.pmcs },
		{ "probes", &stats.probes },
		{ "probe-events-skipped", &stats.probe_skipped },
		{ "pmu-claims", &stats.pmu_claims },
		{ "pmu-refusals", &stats.pmu_refusals },
		{ "ring-bytes-used", &stats.ring_used },
		{ "ring-bytes-left", &stats.ring_room },
	};
	json_t *object = json_object();

	if (device_call(fd, HWPMC_IOC_STATS, &stats))
		return object;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		add_number(object, all[i].key, *all[i].value);
	return object;
}

static void add_module(int fd, json_t *info)
{
	struct hwpmc_version version = {
		.size = sizeof(version),
		.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR),
	};

	if (device_call(fd, HWPMC_IOC_VERSION, &version))
		return;
	add(info, "module", field(version.release));
	add(info, "abi", json_sprintf("%u.%u", version.abi >> 16, version.abi & 0xffff));
}

static void add_hardware(json_t *info, const struct hardware *hardware)
{
	const char *names = pfm_core(hardware);

	add(info, "vendor", field(hardware->cpu.vendor));
	add(info, "cpuid", json_sprintf("0x%llx", (unsigned long long)hardware->cpu.cpuid));
	add(info, "pmu", field(hardware->cpu.pmu));
	add(info, "event-names", names ? json_string(names) : json_null());
	add(info, "problem", field(hardware->cpu.problem));
	add_number(info, "cpus-possible", hardware->cpu.cpus_possible);
	add_number(info, "cpus-online", hardware->cpu.cpus_online);
	add_number(info, "rows", hardware->cpu.rows);
	add_number(info, "cpu-rows", hardware_cpu_rows(hardware));
	add(info, "classes", classes_array(hardware));
}

json_t *info_gather(int fd, bool stats)
{
	struct hardware hardware;
	json_t *info;

	if (hardware_read(fd, &hardware))
		return NULL;
	info = json_object();
	add_module(fd, info);
	add_hardware(info, &hardware);
	add(info, "cpus", cpus_array(fd, &hardware));
	if (stats)
		add(info, "stats", stats_object(fd));
	hardware_free(&hardware);
	return info;
}
