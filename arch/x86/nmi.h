/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: registration of the NMI handler. */
#ifndef HWPMC_X86_NMI_H
#define HWPMC_X86_NMI_H

/** x86_nmi_register - register x86_pmi_handle() for NMIs. May sleep. Returns 0 or an errno */
int x86_nmi_register(void);

/** x86_nmi_unregister - undo it, after x86_pmi_disable() on every CPU. May sleep */
void x86_nmi_unregister(void);

#endif /* HWPMC_X86_NMI_H */
