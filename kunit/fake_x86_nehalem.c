// SPDX-License-Identifier: GPL-2.0-only
/* arch/x86/nehalem.c once more, on the fake registers and under another name. */
#define HWPMC_FAKE_REGS

#include "../arch/x86/nehalem.c"
