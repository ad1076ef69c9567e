/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AMD: encode an event as the value of its event select register. Pure function.
 *
 * APM volume 2, 13.2 "Performance Monitoring Counters"; BKDGs and PPRs of the
 * families, "Core Performance Event Selects".
 */
#ifndef HWPMC_AMD_EVENT_H
#define HWPMC_AMD_EVENT_H

#include "../hwpmc_arch.h"
#include "id.h"

/**
 * amd_event_encode - class AMD: encode a request
 * @id: the CPU, or what several have in common
 * @req: @req->event has the layout of perf's raw events: event in
 *	bits 0-7 and 32-35, umask 8-15, edge 18, inv 23, cmask 24-31
 * @enc: out
 *
 * GuestOnly and HostOnly stay 0, so guests and the host are counted together, as on Intel.
 * HostOnly alone counts nothing while SVM is off (APM volume 2, 13.2.1); only KVM and perf
 * can switch it together with EFER.SVME.
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int amd_event_encode(const struct x86_id *id, const struct hwpmc_request *req,
		     struct hwpmc_encoding *enc);

#endif /* HWPMC_AMD_EVENT_H */
