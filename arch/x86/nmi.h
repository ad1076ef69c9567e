/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: the way of the PMU's interrupt, an NMI through the local APIC. */
#ifndef HWPMC_X86_NMI_H
#define HWPMC_X86_NMI_H

/** x86_nmi_register - hear of NMIs. May sleep. Return: 0 or a negative errno */
int x86_nmi_register(void);

/** x86_nmi_unregister - undo it; off on every CPU before. May sleep */
void x86_nmi_unregister(void);

#endif /* HWPMC_X86_NMI_H */
