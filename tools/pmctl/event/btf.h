/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of the running kernel from /sys/kernel/btf: only those parts that the prototypes of
 * functions and tracepoints need. Every user may read these files.
 */
#ifndef PMCTL_BTF_H
#define PMCTL_BTF_H

#include "event/prototype.h"

struct btf;

/*
 * Reads the types of the kernel; NULL if it has none. The types of modules are read when they are
 * needed.
 */
struct btf *btf_open(void);
void btf_close(struct btf *btf);

/*
 * Gets the arguments and the result of function @name, in the kernel or in a module, or of the
 * tracepoint of that name. Returns 0; -1 if there is none, with @prototype unchanged.
 */
int btf_function(struct btf *btf, const char *name, struct prototype *prototype);
int btf_tracepoint(struct btf *btf, const char *name, struct prototype *prototype);

#endif
