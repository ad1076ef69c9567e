/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_FAKE_ROOT_H
#define PMCTL_FAKE_ROOT_H

/* The path below FAKE_ROOT for a path of the system; @path itself without FAKE_ROOT. */
const char *fake_root(const char *path, char *buf);

/* FAKE_ORDER=FILE: appends a line to it. */
void fake_order(const char *what);

#endif
