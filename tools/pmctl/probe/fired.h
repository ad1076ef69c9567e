/* SPDX-License-Identifier: GPL-2.0-only */
/* One event of a probe: its record, and the prototype of its probe. */
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
 * @string: the argument whose string is in its records, from 1; HWPMC_PROBE_STRING_RETVAL; or 0
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

/* Gets the copy of argument @index, from 0. Returns whether there is one. */
bool fired_argument(const struct fired *fired, unsigned int index, uint64_t *raw);
/* Returns the number of arguments in the record, at most as many as were requested. */
unsigned int fired_arguments(const struct fired *fired);
/* Gets the return value. Returns whether the event is a return. */
bool fired_result(const struct fired *fired, int64_t *value);
/* Returns the name of the error of a system call, such as "ENOENT"; or NULL. */
const char *fired_error(const struct fired *fired);
/* Returns the name of the thread; NULL if the record has none. */
const char *fired_comm(const struct fired *fired);
/*
 * Returns the string of an argument or result, with *@cut set if it is not complete; NULL if the
 * module could not read it.
 */
const char *fired_string(const struct fired *fired, bool *cut);
/* Returns the name of error @number; NULL if there is none. */
const char *fired_error_name(int64_t number);

#endif
