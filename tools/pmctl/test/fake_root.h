/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_FAKE_ROOT_H
#define PMCTL_FAKE_ROOT_H

/* Where in FAKE_ROOT a path of the system is; @path itself if that is not set. */
const char *fake_root(const char *path, char *buf);

#endif
