/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_KERNEL_CODE_H
#define PMCTL_KERNEL_CODE_H

#include "symbol/function.h"

/**
 * struct kernel_code - the source of the kernel's instructions
 * @fd: vmlinux, or /proc/kcore; -1 without
 * @dso: vmlinux, for its source lines; @dso.module is NULL for /proc/kcore
 * @slide: added to an address of vmlinux to get that of the log
 * @modules: it has the code of modules, too
 * @why: without @fd: the reason, as the end of a message
 */
struct kernel_code {
	int fd;
	struct dso dso;
	uint64_t slide;
	bool modules;
	char why[512];
};

/*
 * Opens vmlinux: @vmlinux, or with NULL one at the usual places for the log's release; else
 * /proc/kcore, if this machine still runs the recorded kernel. If none can be used, @fd is -1.
 */
void kernel_code_open(struct kernel_code *code, struct symbols *symbols, const char *vmlinux);
void kernel_code_close(struct kernel_code *code);

#endif
