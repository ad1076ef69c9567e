/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intel: from an event to what its row's registers want. Pure.
 *
 * SDM volume 3, "Architectural Performance Monitoring": version 1 (the
 * selection register), version 2 (fixed-function counters), version 3
 * (AnyThread), "Pre-defined Architectural Performance Events".
 */
#ifndef HWPMC_INTEL_EVENT_H
#define HWPMC_INTEL_EVENT_H

#include <linux/bits.h>

#include "../hwpmc_arch.h"
#include "id.h"

/* One fixed counter's part of IA32_FIXED_CTR_CTRL; four bits a counter. */
#define INTEL_FIXED_OS		BIT_ULL(0)
#define INTEL_FIXED_USR		BIT_ULL(1)
#define INTEL_FIXED_PMI		BIT_ULL(3)

/* For whom intel_event_encode() is asked */
#define INTEL_FOR_CPU		BIT(0)	/* one CPU, not tasks */
#define INTEL_FOR_THREADS	BIT(1)	/* a core there runs two threads */

/**
 * intel_event_encode - class IAP: the selection register's value for a request
 * @id: where it is to count
 * @req: @req->event is the register as perf's raw events give it: event and
 *	umask in bits 0-15, edge 18, any 21, inv 23, cmask 24-31.
 *	@req->config[0] goes into the register besides, if the event has one
 * @how: INTEL_FOR_*
 * @enc: out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int intel_event_encode(const struct x86_id *id, const struct hwpmc_request *req, unsigned int how,
		 struct hwpmc_encoding *enc);

/**
 * intel_event_encode_fixed - class IAF: a fixed counter's control bits for a request
 * @id: where it is to count
 * @req: @req->event is the counter's number: 0 INST_RETIRED.ANY,
 *	1 CPU_CLK_UNHALTED.CORE, 2 CPU_CLK_UNHALTED.REF_TSC, 3 TOPDOWN.SLOTS, ...
 * @enc: out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int intel_event_encode_fixed(const struct x86_id *id, const struct hwpmc_request *req,
		       struct hwpmc_encoding *enc);

#endif /* HWPMC_INTEL_EVENT_H */
