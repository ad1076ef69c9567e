// SPDX-License-Identifier: GPL-2.0-only
/* A second copy of arch/x86/counter.c, on the fake registers: see fake/x86_regs.h. */
#include "../arch/x86/counter.c"
