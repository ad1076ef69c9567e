/* SPDX-License-Identifier: GPL-2.0-only */
/* Kbuild searches here when it knows no directory for the architecture. */
#error "hwpmc: unsupported architecture: no arch/<name>/include/hwpmc_arch_inline.h"
