/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DEMANGLE_H
#define PMCTL_DEMANGLE_H

/* The demangled name of a C++ or Rust function, without parameters; a copy of other names. */
char *demangle(const char *name);

#endif
