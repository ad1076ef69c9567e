// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: registration of the NMI handler. Apart from pmi.c, which KUnit also builds where there are
 * no NMIs.
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
