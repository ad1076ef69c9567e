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
 * @class_count: how many
 * @core: HWPMC_CLASS_* of the CPU's programmable counters, 0 if it has none
 */
struct hardware {
	struct hwpmc_cpu_info cpu;
	struct hwpmc_class_info *classes;
	unsigned int class_count;
	unsigned int core;
};

/**
 * struct event_code - an event as HWPMC_IOC_ALLOCATE wants it
 * @class_id: HWPMC_CLASS_*
 * @event: its number there
 * @config: what else the class takes
 */
struct event_code {
	unsigned int class_id;
	uint64_t event;
	uint64_t config[2];
};

/* 0, or -1 and it was explained on standard error. */
int hardware_read(int fd, struct hardware *hardware);
/* Fills in @core; hardware_read() does that already. */
void hardware_find_core(struct hardware *hardware);
const struct hwpmc_class_info *hardware_class(const struct hardware *hardware, unsigned int id);
/* Whether counters of class @id are the CPU's, which a hypervisor, or somebody else, may keep. */
bool hardware_class_needs_pmu(unsigned int id);
/* Rows of the CPU itself: software events are everywhere. */
unsigned int hardware_cpu_rows(const struct hardware *hardware);
void hardware_free(struct hardware *hardware);

#endif
