/* SPDX-License-Identifier: GPL-2.0-only */
/* One event of a probe: its record, and what its probe is known to be. */
#ifndef PMCTL_FIRED_H
#define PMCTL_FIRED_H

#include <stdbool.h>
#include <linux/hwpmc_log.h>

#include "event/event.h"
#include "event/prototype.h"

/**
 * struct probe_event - a probe of -e or --latency
 * @name: its name
 * @prototype: its arguments
 * @string: of which its records have a string, from 1; HWPMC_PROBE_STRING_RETVAL; or 0
 */
struct probe_event {
	const char *name;
	struct prototype prototype;
	unsigned int string;
};

/**
 * struct fired - an event
 * @record: its record
 * @number: of its probe
 * @of: its probe
 */
struct fired {
	const struct hwpmc_log_probe *record;
	unsigned int number;
	const struct probe_event *of;
};

/* Argument @index, from 0, as it was copied. Whether there is one. */
bool fired_argument(const struct fired *fired, unsigned int index, uint64_t *raw);
/* How many arguments it has, of those that were asked for. */
unsigned int fired_arguments(const struct fired *fired);
/* What was returned. Whether it is a return. */
bool fired_result(const struct fired *fired, int64_t *value);
/* The name of the error that a system call returned, such as "ENOENT"; or NULL. */
const char *fired_error(const struct fired *fired);
/* The name of the thread; NULL if the record has none. */
const char *fired_comm(const struct fired *fired);
/* The string of an argument or result, *@cut if it is not whole; NULL: it could not be read. */
const char *fired_string(const struct fired *fired, bool *cut);
/* The name of error @number; NULL if there is none. */
const char *fired_error_name(int64_t number);

#endif
