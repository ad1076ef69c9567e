/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DOCTOR_H
#define PMCTL_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "event/hardware.h"

enum health {
	HEALTH_OK,
	HEALTH_BAD,
	HEALTH_UNKNOWN,	/* cannot be told, or is not asked on this machine */
};

/**
 * struct patient - what the checks found out for those after them
 * @loaded: the module is
 * @fd: the device, -1 if it would not open
 * @hardware: valid if @fd is
 * @text: the words of the check that runs
 */
struct patient {
	bool loaded;
	int fd;
	struct hardware hardware;
	char text[512];
};

/* The result, and in patient->text a sentence; empty: say nothing. */
typedef enum health (*check_fn)(struct patient *patient);

/* Ends with NULL. In this order: each may ask what those before it found. */
extern const check_fn module_checks[];	/* does the kernel take the module */
extern const check_fn device_checks[];	/* is the device there, and may we use it */
extern const check_fn pmu_checks[];	/* does it have counters to give */

enum health health_say(struct patient *patient, enum health health, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The first line of a file without its line break; "" if it cannot be read. */
void first_line(const char *path, char *line, size_t size);

#endif
