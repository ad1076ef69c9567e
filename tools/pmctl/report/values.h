/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_VALUES_H
#define PMCTL_VALUES_H

#include <jansson.h>

#include "report/profile.h"

/* Parts of JSON that report, annotate and diff have in common. */

void values_add(json_t *object, const char *key, json_t *value);
/* Numbers from 2^53 on are strings, since readers of JSON may round them. */
json_t *values_whole(uint64_t number);
json_t *values_name(const struct profile *profile, uint32_t id);
/* The machine and the command of a log. */
void values_add_machine(json_t *object, const struct profile *profile);
/* Prints a value and frees it. */
void values_print(FILE *out, json_t *value);

#endif
