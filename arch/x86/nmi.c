// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: registration of the NMI handler, and its time. Apart from pmi.c, which KUnit also builds
 * where there are no NMIs.
 */
#include <linux/cache.h>
#include <linux/kprobes.h>
#include <asm/nmi.h>

#include <hwpmc_arch_inline.h>

#include "nmi.h"
#include "pmi.h"

static void (*x86_nmi_end)(u64 begun) __read_mostly;

static int x86_nmi(unsigned int type, struct pt_regs *regs)
{
	u64 begun = hwpmc_arch_clock();
	int handled = x86_pmi_handle(regs);

	if (handled)
		x86_nmi_end(begun);
	return handled;
}

NOKPROBE_SYMBOL(x86_nmi);

void x86_nmi_set_end(void (*end)(u64 begun))
{
	x86_nmi_end = end;
}

int x86_nmi_register(void)
{
	return register_nmi_handler(NMI_LOCAL, x86_nmi, 0, "hwpmc");
}

void x86_nmi_unregister(void)
{
	unregister_nmi_handler(NMI_LOCAL, "hwpmc");
}
