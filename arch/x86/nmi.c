// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: the way of the PMU's interrupt, an NMI through the local APIC.
 *
 * The APIC's driver is called through its table: apic_write() is a static call
 * in newer kernels, which modules cannot reach.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "nmi.h"
#include "pmi.h"

/* What the entry was before: perf's, an NMI as well. */
static DEFINE_PER_CPU(u32, x86_nmi_before);

static int x86_nmi(unsigned int type, struct pt_regs *regs)
{
	return x86_pmi_serve(regs);
}

NOKPROBE_SYMBOL(x86_nmi);

int x86_nmi_request(void)
{
	return register_nmi_handler(NMI_LOCAL, x86_nmi, 0, "hwpmc");
}

void x86_nmi_release(void)
{
	unregister_nmi_handler(NMI_LOCAL, "hwpmc");
}

void x86_nmi_on(void)
{
	__this_cpu_write(x86_nmi_before, apic->read(APIC_LVTPC));
	x86_pmi_on();
	apic->write(APIC_LVTPC, APIC_DM_NMI);
}

void x86_nmi_off(void)
{
	apic->write(APIC_LVTPC, __this_cpu_read(x86_nmi_before));
	x86_pmi_off();
}
