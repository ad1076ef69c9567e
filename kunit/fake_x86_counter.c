// SPDX-License-Identifier: GPL-2.0-only
/* arch/x86/counter.c once more, on the fake registers and under other names. */
#include "../arch/x86/counter.c"
