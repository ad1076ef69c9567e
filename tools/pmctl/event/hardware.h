/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_HARDWARE_H
#define PMCTL_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/hwpmc.h>

/**
 * struct hardware - the counters of this machine, as the module reports them
 * @cpu: HWPMC_IOC_CPU_INFO
 * @classes: its classes
 * @class_count: number of classes
 * @core: HWPMC_CLASS_* of the CPU's programmable counters, 0 if it has none
 */
struct hardware {
	struct hwpmc_cpu_info cpu;
	struct hwpmc_class_info *classes;
	unsigned int class_count;
	unsigned int core;
};

/**
 * struct event_code - an event in the form of HWPMC_IOC_ALLOCATE
 * @class_id: HWPMC_CLASS_*
 * @event: its number in the class
 * @config: further configuration words of the class
 * @name: class PROBE: the name of the probe, which belongs to struct event; else NULL
 */
struct event_code {
	unsigned int class_id;
	uint64_t event;
	uint64_t config[2];
	const char *name;
};

/* 0, or -1 after a message on standard error. */
int hardware_read(int fd, struct hardware *hardware);
/* Sets @core; hardware_read() calls it. */
void hardware_find_core(struct hardware *hardware);
const struct hwpmc_class_info *hardware_class(const struct hardware *hardware, unsigned int id);
/* Whether class @id needs the CPU's PMU, which a hypervisor may hide or another user may hold. */
bool hardware_class_needs_pmu(unsigned int id);
/* Returns the number of rows, without those of software events. */
unsigned int hardware_cpu_rows(const struct hardware *hardware);
void hardware_free(struct hardware *hardware);

#endif
