/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of the running kernel, as /sys/kernel/btf has them: only what the prototypes of
 * functions and tracepoints need. Everybody may read these files.
 */
#ifndef PMCTL_BTF_H
#define PMCTL_BTF_H

#include "event/prototype.h"

struct btf;

/* The types of the kernel; NULL if it has none. Those of modules are read when they are needed. */
struct btf *btf_open(void);
void btf_close(struct btf *btf);

/*
 * The arguments and the result of function @name, in the kernel or in a module; or of the
 * tracepoint of that name. 0; -1 if it is not known, with @prototype unchanged.
 */
int btf_function(struct btf *btf, const char *name, struct prototype *prototype);
int btf_tracepoint(struct btf *btf, const char *name, struct prototype *prototype);

#endif
