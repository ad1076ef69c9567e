/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the fields of an event selection register, which Intel and AMD share.
 *
 * SDM volume 3, figure "Layout of IA32_PERFEVTSELx MSRs"; APM volume 2,
 * figure 13-8 "Core Performance Event-Select Registers".
 */
#ifndef HWPMC_X86_EVENT_SELECT_H
#define HWPMC_X86_EVENT_SELECT_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <uapi/linux/hwpmc.h>

#include "../hwpmc_arch.h"

#define X86_SEL_EVENT		GENMASK_ULL(7, 0)
#define X86_SEL_UMASK		GENMASK_ULL(15, 8)
#define X86_SEL_USR		BIT_ULL(16)
#define X86_SEL_OS		BIT_ULL(17)
#define X86_SEL_EDGE		BIT_ULL(18)
#define X86_SEL_PC		BIT_ULL(19)	/* pin control; gone since long */
#define X86_SEL_INT		BIT_ULL(20)
#define X86_SEL_ANY		BIT_ULL(21)	/* Intel only */
#define X86_SEL_EN		BIT_ULL(22)
#define X86_SEL_INV		BIT_ULL(23)
#define X86_SEL_CMASK		GENMASK_ULL(31, 24)
#define X86_SEL_AMD_EVENT	GENMASK_ULL(35, 32)	/* event's bits 11-8 */

/* What both makers' programmable counters can */
#define X86_CAPS	(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ | HWPMC_CAP_WRITE | \
			 HWPMC_CAP_INTERRUPT | HWPMC_CAP_EDGE | HWPMC_CAP_THRESHOLD | \
			 HWPMC_CAP_INVERT)

/* Capabilities that stand for bits of the register: into @sel, which has the event. */
static inline int x86_event_select_add_caps(const struct hwpmc_request *req, u64 *sel, const char **why)
{
	if (req->caps & ~X86_CAPS) {
		*why = "the class has no such capability";
		return -EOPNOTSUPP;
	}
	if ((req->caps & HWPMC_CAP_THRESHOLD) && !(*sel & X86_SEL_CMASK)) {
		*why = "a threshold goes into bits 24-31 of the event (cmask)";
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

/* Bits of the event that are not the user's, of both makers; NULL if there are none. */
static inline const char *x86_event_select_refusal(u64 event)
{
	if (event & (X86_SEL_USR | X86_SEL_OS))
		return "bits 16 and 17 follow from :u and :k (HWPMC_CAP_USER, HWPMC_CAP_SYSTEM)";
	if (event & (X86_SEL_INT | X86_SEL_EN))
		return "bits 20 (interrupt) and 22 (enable) are set by the module";
	if (event & X86_SEL_PC)
		return "bit 19 (pin control) is reserved";
	return NULL;
}

#endif /* HWPMC_X86_EVENT_SELECT_H */
