/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intel: encode an event as the values of its row's registers. Pure functions.
 *
 * SDM volume 3, "Architectural Performance Monitoring": version 1 (the
 * event select register), version 2 (fixed-function counters), version 3
 * (AnyThread), "Pre-defined Architectural Performance Events".
 */
#ifndef HWPMC_INTEL_EVENT_H
#define HWPMC_INTEL_EVENT_H

#include <linux/bits.h>

#include "../hwpmc_arch.h"
#include "id.h"

/* The four bits of one fixed counter in IA32_FIXED_CTR_CTRL */
#define INTEL_FIXED_OS		BIT_ULL(0)
#define INTEL_FIXED_USR		BIT_ULL(1)
#define INTEL_FIXED_PMI		BIT_ULL(3)

/* What intel_event_encode() encodes for */
#define INTEL_FOR_CPU		BIT(0)	/* a system-wide PMC of one CPU, not tasks */
#define INTEL_FOR_THREADS	BIT(1)	/* a core concerned has two threads online */

/**
 * intel_event_encode - class IAP: encode a request
 * @id: the CPU, or what several have in common
 * @req: @req->event has the layout of perf's raw events: event and
 *	umask in bits 0-15, edge 18, any 21, inv 23, cmask 24-31.
 *	@req->config[0] is the value of the event's extra register, if it has one
 * @how: INTEL_FOR_*
 * @enc: out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int intel_event_encode(const struct x86_id *id, const struct hwpmc_request *req, unsigned int how,
		       struct hwpmc_encoding *enc);

/**
 * intel_event_encode_fixed - class IAF: encode a request
 * @id: the CPU, or what several have in common
 * @req: @req->event is the counter's number: 0 INST_RETIRED.ANY,
 *	1 CPU_CLK_UNHALTED.CORE, 2 CPU_CLK_UNHALTED.REF_TSC, 3 TOPDOWN.SLOTS, ...
 * @enc: out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int intel_event_encode_fixed(const struct x86_id *id, const struct hwpmc_request *req,
			     struct hwpmc_encoding *enc);

#endif /* HWPMC_INTEL_EVENT_H */
