// SPDX-License-Identifier: GPL-2.0-only
/* arch/x86/nehalem_workaround.c once more, on the fake registers and under another name. */
#include "../arch/x86/nehalem_workaround.c"
