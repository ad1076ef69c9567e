/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields that script -F prints of a sample, in the order and the format of perf script. */
#ifndef PMCTL_SCRIPT_FIELDS_H
#define PMCTL_SCRIPT_FIELDS_H

#include "commands/script.h"

/* A list such as "comm,tid,ip,sym" as a bit mask; 0 after a message on standard error. */
unsigned int script_fields_parse(const char *text);

void script_fields_show(struct script *script, const struct hwpmc_log_sample *sample,
			unsigned int fields);

#endif
