/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DEVICE_H
#define PMCTL_DEVICE_H

#include <stddef.h>
#include <linux/hwpmc.h>

/* The path of the device: $PMCTL_DEVICE if it is set, else /dev/hwpmc. */
const char *device_path(void);

/* Opens the device and checks the ABI version. A descriptor, or -1 with errno. */
int device_try_open(void);

/* The same, with a message on standard error if it fails. */
int device_open(void);

/* Writes into @buf why opening failed with @error, and what to do. */
void device_explain(int error, char *buf, size_t size);

/*
 * ioctl() that is restarted after a signal. @argument begins with struct hwpmc_head, whose size and
 * flags are set. 0, or -1 with errno; then device_sentence() returns the module's own message.
 */
int device_call(int fd, unsigned long request, void *argument);

/* The message of this thread's last failed call; strerror(@error) if it returned none. */
void device_sentence(int error, char *buf, size_t size);

#endif
