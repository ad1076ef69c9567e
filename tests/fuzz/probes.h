/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HWPMC_FUZZ_PROBES_H
#define HWPMC_FUZZ_PROBES_H

#include <stdbool.h>

/*
 * Prints PROBE records of a log to standard output as pmctl probe does: each event, or aggregations
 * of every kind.
 */
void probes_print(const char *path, bool json, bool aggregate);

#endif
