/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DEMANGLE_H
#define PMCTL_DEMANGLE_H

/* The name as C++ or Rust source has it, without parameters; other names as they are. */
char *demangle(const char *name);

#endif
