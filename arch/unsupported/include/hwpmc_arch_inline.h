/* SPDX-License-Identifier: GPL-2.0-only */
/* Kbuild's search path has this directory if the architecture has none of its own. */
#error "hwpmc: unsupported architecture: no arch/<name>/include/hwpmc_arch_inline.h"
