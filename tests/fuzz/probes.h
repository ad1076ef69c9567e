/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HWPMC_FUZZ_PROBES_H
#define HWPMC_FUZZ_PROBES_H

#include <stdbool.h>

/*
 * What pmctl probe prints of the PROBE records of a log, to standard output: each event, or
 * aggregations of every kind.
 */
void probes_print(const char *path, bool json, bool aggregate);

#endif
