/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's parameters, while it is loaded. */
#ifndef HWPMC_TEST_PARAM_H
#define HWPMC_TEST_PARAM_H

#include <stdint.h>

/* 0 or -errno */
int param_write(const char *name, const char *value);
/* These die if they cannot. */
void param_set(const char *name, uint64_t value);
uint64_t param_get(const char *name);

#endif /* HWPMC_TEST_PARAM_H */
