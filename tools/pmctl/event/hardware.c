// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "event/hardware.h"

const struct hwpmc_class_info *hardware_class(const struct hardware *hardware, unsigned int id)
{
	for (unsigned int i = 0; i < hardware->class_count; i++)
		if (hardware->classes[i].class_id == id)
			return &hardware->classes[i];
	return NULL;
}

void hardware_find_core(struct hardware *hardware)
{
	static const unsigned int cores[] = {
		HWPMC_CLASS_ARMV8, HWPMC_CLASS_IAP, HWPMC_CLASS_AMD,
	};

	hardware->core = 0;
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (hardware_class(hardware, cores[i]))
			hardware->core = cores[i];
}

bool hardware_class_needs_pmu(unsigned int id)
{
	return id != HWPMC_CLASS_TSC && id != HWPMC_CLASS_SOFT;
}

unsigned int hardware_cpu_rows(const struct hardware *hardware)
{
	const struct hwpmc_class_info *soft = hardware_class(hardware, HWPMC_CLASS_SOFT);

	return hardware->cpu.rows - (soft ? soft->rows : 0);
}

/* Repeats with a larger array if the module has more classes than fit. */
static int read_classes(int fd, struct hardware *hardware)
{
	int result;

	do {
		unsigned int room = hardware->cpu.classes;

		hardware->classes = xrealloc(hardware->classes, room, sizeof(*hardware->classes));
		memset(&hardware->cpu, 0, sizeof(hardware->cpu));
		hardware->cpu.size = sizeof(hardware->cpu);
		hardware->cpu.classes = room;
		hardware->cpu.class_list = (uintptr_t)hardware->classes;
		hardware->cpu.class_size = sizeof(*hardware->classes);
		result = device_call(fd, HWPMC_IOC_CPU_INFO, &hardware->cpu);
		if (!result || errno != ENOSPC || hardware->cpu.classes <= room)
			break;
	} while (1);
	return result;
}

int hardware_read(int fd, struct hardware *hardware)
{
	char why[HWPMC_SENTENCE_MAX];

	memset(hardware, 0, sizeof(*hardware));
	hardware->cpu.classes = 8;
	if (read_classes(fd, hardware)) {
		device_sentence(errno, why, sizeof(why));
		error("cannot read this CPU's counters: %s", why);
		hardware_free(hardware);
		return -1;
	}
	hardware->class_count = hardware->cpu.classes;
	hardware_find_core(hardware);
	return 0;
}

void hardware_free(struct hardware *hardware)
{
	free(hardware->classes);
	memset(hardware, 0, sizeof(*hardware));
}
