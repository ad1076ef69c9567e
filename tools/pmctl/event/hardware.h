/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_HARDWARE_H
#define PMCTL_HARDWARE_H

#include <stdbool.h>
#include <linux/hwpmc.h>

/**
 * struct machine - what counts here, as the module tells it
 * @cpu: HWPMC_IOC_CPU_INFO
 * @classes: its classes
 * @class_count: how many
 * @core: HWPMC_CLASS_* of the CPU's programmable counters, 0 if it has none
 */
struct machine {
	struct hwpmc_cpu_info cpu;
	struct hwpmc_class_info *classes;
	unsigned int class_count;
	unsigned int core;
};

/* 0, or -1 and it was explained on standard error. */
int machine_read(int fd, struct machine *machine);
/* Fills in @core; machine_read() does that already. */
void machine_find_core(struct machine *machine);
const struct hwpmc_class_info *machine_class(const struct machine *machine, unsigned int id);
/* Whether counters of class @id are the CPU's, which a hypervisor, or somebody else, may keep. */
bool machine_class_needs_pmu(unsigned int id);
/* Rows of the CPU itself: software events are everywhere. */
unsigned int machine_cpu_rows(const struct machine *machine);
void machine_free(struct machine *machine);

#endif
