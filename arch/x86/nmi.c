// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: registration of the NMI handler. It is not in pmi.c because KUnit builds that file on arm64,
 * too.
 */
#include <asm/nmi.h>

#include "nmi.h"
#include "pmi.h"

int x86_nmi_register(void)
{
	return register_nmi_handler(NMI_LOCAL, x86_pmi_handle, 0, "hwpmc");
}

void x86_nmi_unregister(void)
{
	unregister_nmi_handler(NMI_LOCAL, "hwpmc");
}
