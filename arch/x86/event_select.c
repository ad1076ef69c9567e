// SPDX-License-Identifier: GPL-2.0-only
/* x86: the fields of an event select register. Pure: see event_select.h. */
#include <linux/errno.h>
#include <linux/stddef.h>

#include "event_select.h"

int x86_event_select_add_caps(const struct hwpmc_request *req, u64 *sel, const char **why)
{
	if (req->caps & ~X86_CAPS) {
		*why = "the class lacks a requested capability";
		return -EOPNOTSUPP;
	}
	if ((req->caps & HWPMC_CAP_THRESHOLD) && !(*sel & X86_SEL_CMASK)) {
		*why = "HWPMC_CAP_THRESHOLD needs the threshold in bits 24-31 of the event (cmask)";
		return -EINVAL;
	}
	if (req->caps & HWPMC_CAP_EDGE)
		*sel |= X86_SEL_EDGE;
	if (req->caps & HWPMC_CAP_INVERT)
		*sel |= X86_SEL_INV;
	if (req->caps & HWPMC_CAP_USER)
		*sel |= X86_SEL_USR;
	if (req->caps & HWPMC_CAP_SYSTEM)
		*sel |= X86_SEL_OS;
	return 0;
}

const char *x86_event_select_refusal(u64 event)
{
	if (event & (X86_SEL_USR | X86_SEL_OS))
		return "bits 16 and 17 of the event are set by the module: use :u and :k (HWPMC_CAP_USER, HWPMC_CAP_SYSTEM)";
	if (event & (X86_SEL_INT | X86_SEL_EN))
		return "bits 20 (interrupt) and 22 (enable) of the event are set by the module";
	if (event & X86_SEL_PC)
		return "bit 19 of the event (pin control) is reserved";
	return NULL;
}
