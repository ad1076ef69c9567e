/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DEVICE_H
#define PMCTL_DEVICE_H

#include <stddef.h>
#include <linux/hwpmc.h>

/* The device, or what the environment variable PMCTL_DEVICE names. */
const char *device_path(void);

/* A descriptor, or -1 and errno: opened, and the module speaks our ABI. */
int device_try_open(void);

/* The same; a failure was explained on standard error. */
int device_open(void);

/* In one sentence, why opening failed with @error and what to do about it. */
void device_explain(int error, char *buf, size_t size);

/*
 * ioctl() that does not stop for signals. 0, or -1 and errno; then
 * device_sentence() has the module's own words.
 */
int device_call(int fd, unsigned long request, void *argument);

/* The sentence of the last failed call, or strerror(@error) if there is none. */
void device_sentence(int fd, int error, char *buf, size_t size);

#endif
