/* SPDX-License-Identifier: GPL-2.0-only */
/* The module: load and unload, its parameters and its reference count. */
#ifndef HWPMC_TEST_PARAM_H
#define HWPMC_TEST_PARAM_H

#include <stdbool.h>
#include <stdint.h>

/* Returns 0 or -errno. */
int param_write(const char *name, const char *value);
/* These functions exit with a failed case on error. */
void param_set(const char *name, uint64_t value);
uint64_t param_get(const char *name);

/* Opens the module's file. Exits with a failed case on error. */
int module_open(void);
/* Loads the module from that file with the parameters @params. Returns 0 or -errno. */
int module_try_load(int fd, const char *params);
/* Loads the module as the machine did at boot. Exits with a failed case on error. */
void module_load(void);
/* Unloads it. Returns false if it is in use; exits with a failed case on another error. */
bool module_unload(void);
/* The module's reference count: open files, threads of logs, unfinished dumps. */
int module_references(void);

#endif /* HWPMC_TEST_PARAM_H */
