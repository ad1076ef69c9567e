/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DOCTOR_H
#define PMCTL_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "event/hardware.h"

enum doctor_result {
	DOCTOR_OK,
	DOCTOR_PROBLEM,
	DOCTOR_UNKNOWN,	/* cannot be told, or is not asked on this machine */
};

/**
 * struct doctor - what the checks found out for those after them
 * @loaded: the module is
 * @fd: the device, -1 if it would not open
 * @hardware: valid if @fd is
 * @text: the words of the check that runs
 */
struct doctor {
	bool loaded;
	int fd;
	struct hardware hardware;
	char text[512];
};

/* The result, and in doctor->text a sentence; empty: say nothing. */
typedef enum doctor_result (*doctor_check)(struct doctor *doctor);

/* Ends with NULL. In this order: each may ask what those before it found. */
extern const doctor_check doctor_module_checks[];	/* does the kernel take the module */
extern const doctor_check doctor_device_checks[];	/* is the device there, and may we use it */
extern const doctor_check doctor_pmu_checks[];	/* does it have counters to give */

enum doctor_result doctor_report(struct doctor *doctor, enum doctor_result result,
				 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The first line of a file without its line break; "" if it cannot be read. */
void doctor_read_line(const char *path, char *line, size_t size);

#endif
