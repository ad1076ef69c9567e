// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "event/hardware.h"

const struct hwpmc_class_info *machine_class(const struct machine *machine, unsigned int id)
{
	for (unsigned int i = 0; i < machine->class_count; i++)
		if (machine->classes[i].class_id == id)
			return &machine->classes[i];
	return NULL;
}

void machine_find_core(struct machine *machine)
{
	static const unsigned int cores[] = {
		HWPMC_CLASS_ARMV8, HWPMC_CLASS_IAP, HWPMC_CLASS_AMD,
	};

	machine->core = 0;
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (machine_class(machine, cores[i]))
			machine->core = cores[i];
}

bool machine_class_needs_pmu(unsigned int id)
{
	return id != HWPMC_CLASS_TSC && id != HWPMC_CLASS_SOFT;
}

unsigned int machine_cpu_rows(const struct machine *machine)
{
	const struct hwpmc_class_info *soft = machine_class(machine, HWPMC_CLASS_SOFT);

	return machine->cpu.rows - (soft ? soft->rows : 0);
}

/* The classes never change, but how many there are is known to the module only. */
static int read_classes(int fd, struct machine *machine)
{
	int result;

	do {
		unsigned int room = machine->cpu.classes;

		machine->classes = xrealloc(machine->classes, room, sizeof(*machine->classes));
		memset(&machine->cpu, 0, sizeof(machine->cpu));
		machine->cpu.size = sizeof(machine->cpu);
		machine->cpu.classes = room;
		machine->cpu.class_list = (uintptr_t)machine->classes;
		result = device_call(fd, HWPMC_IOC_CPU_INFO, &machine->cpu);
		if (!result || errno != ENOSPC || machine->cpu.classes <= room)
			break;
	} while (1);
	return result;
}

int machine_read(int fd, struct machine *machine)
{
	char why[HWPMC_SENTENCE_MAX];

	memset(machine, 0, sizeof(*machine));
	machine->cpu.classes = 8;
	if (read_classes(fd, machine)) {
		device_sentence(fd, errno, why, sizeof(why));
		error("cannot read what this CPU has: %s", why);
		machine_free(machine);
		return -1;
	}
	machine->class_count = machine->cpu.classes;
	machine_find_core(machine);
	return 0;
}

void machine_free(struct machine *machine)
{
	free(machine->classes);
	memset(machine, 0, sizeof(*machine));
}
