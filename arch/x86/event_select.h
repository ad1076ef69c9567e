/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the fields of an event select register, which Intel and AMD share. Pure functions.
 *
 * SDM volume 3, figure "Layout of IA32_PERFEVTSELx MSRs"; APM volume 2,
 * figure 13-8 "Core Performance Event-Select Registers".
 */
#ifndef HWPMC_X86_EVENT_SELECT_H
#define HWPMC_X86_EVENT_SELECT_H

#include <linux/bits.h>
#include <uapi/linux/hwpmc.h>

#include "../hwpmc_arch.h"

#define X86_SEL_EVENT		GENMASK_ULL(7, 0)
#define X86_SEL_UMASK		GENMASK_ULL(15, 8)
#define X86_SEL_USR		BIT_ULL(16)
#define X86_SEL_OS		BIT_ULL(17)
#define X86_SEL_EDGE		BIT_ULL(18)
#define X86_SEL_PC		BIT_ULL(19)	/* pin control; reserved on current CPUs */
#define X86_SEL_INT		BIT_ULL(20)
#define X86_SEL_ANY		BIT_ULL(21)	/* Intel only */
#define X86_SEL_EN		BIT_ULL(22)
#define X86_SEL_INV		BIT_ULL(23)
#define X86_SEL_CMASK		GENMASK_ULL(31, 24)
#define X86_SEL_AMD_EVENT	GENMASK_ULL(35, 32)	/* bits 11-8 of the event */

/* Capabilities of the programmable counters of both vendors */
#define X86_CAPS	(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ | HWPMC_CAP_WRITE | \
			 HWPMC_CAP_INTERRUPT | HWPMC_CAP_EDGE | HWPMC_CAP_THRESHOLD | \
			 HWPMC_CAP_INVERT)

/**
 * x86_event_select_add_caps - set the bits that capabilities stand for
 * @req: has the capabilities
 * @sel: in: the event; out: with the bits
 * @why: out: after an error, the reason
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int x86_event_select_add_caps(const struct hwpmc_request *req, u64 *sel, const char **why);

/**
 * x86_event_select_refusal - check for bits that the user must not set, on either vendor's CPUs
 * @event: the event
 *
 * Return: the reason to refuse it, or NULL.
 */
const char *x86_event_select_refusal(u64 event);

#endif /* HWPMC_X86_EVENT_SELECT_H */
