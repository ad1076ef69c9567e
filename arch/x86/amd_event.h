/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AMD: from an event to the value of its selection register. Pure.
 *
 * APM volume 2, 13.2 "Performance Monitoring Counters"; BKDGs and PPRs of the
 * families, "Core Performance Event Selects".
 */
#ifndef HWPMC_AMD_EVENT_H
#define HWPMC_AMD_EVENT_H

#include "../hwpmc_arch.h"
#include "id.h"

/**
 * amd_event_encode - class AMD: the selection register's value for a request
 * @id: where it is to count
 * @req: @req->event is the register as perf's raw events give it: event in
 *	bits 0-7 and 32-35, umask 8-15, edge 18, inv 23, cmask 24-31
 * @enc: out
 *
 * GuestOnly and HostOnly stay 0: both are counted, as on Intel. HostOnly alone
 * would count nothing while SVM is off (APM volume 2, 13.2.1), and switching it
 * with EFER.SVME is KVM's business with perf.
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int amd_event_encode(const struct x86_id *id, const struct hwpmc_request *req,
	       struct hwpmc_encoding *enc);

#endif /* HWPMC_AMD_EVENT_H */
