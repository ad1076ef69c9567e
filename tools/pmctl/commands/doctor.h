/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DOCTOR_H
#define PMCTL_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "event/hardware.h"

enum doctor_result {
	DOCTOR_OK,
	DOCTOR_PROBLEM,
	DOCTOR_UNKNOWN,	/* the check was not possible, or does not apply */
};

/**
 * struct doctor - state that checks leave for later checks
 * @fix: --fix: fix what can be fixed
 * @loaded: the module is loaded
 * @fd: the device; -1 if it could not be opened
 * @hardware: valid if @fd is
 * @text: the message of the current check
 */
struct doctor {
	bool fix;
	bool loaded;
	int fd;
	struct hardware hardware;
	char text[512];
};

/* Returns the result, with a message in doctor->text; an empty one is not printed. */
typedef enum doctor_result (*doctor_check)(struct doctor *doctor);

/* They end with NULL and run in this order, since a check may use the results of earlier checks. */
extern const doctor_check doctor_module_checks[];	/* is the module loaded, or why not */
extern const doctor_check doctor_device_checks[];	/* does the device exist, may we open it */
extern const doctor_check doctor_pmu_checks[];	/* are counters available */

enum doctor_result doctor_report(struct doctor *doctor, enum doctor_result result,
				 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Writes the processes that have perf events or guests of KVM, to be appended to a message: "; perf
 * events: perf (812)". "" if there are none.
 */
void doctor_list_holders(char *text, size_t size);

/* Reads the first line of a file, without its line break; "" on failure. */
void doctor_read_line(const char *path, char *line, size_t size);

#endif
