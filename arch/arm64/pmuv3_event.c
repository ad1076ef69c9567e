// SPDX-License-Identifier: GPL-2.0-only
/* PMUv3: encode an event as the value of its event type register. Pure: see pmuv3_event.h. */
#include <linux/bits.h>
#include <linux/errno.h>
#include <uapi/linux/hwpmc.h>

#include "pmuv3_event.h"

#define PMUV3_CAPS	(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ | \
			 HWPMC_CAP_WRITE | HWPMC_CAP_INTERRUPT)

/*
 * PMCEID0_EL0 lists the events 0x00-0x1f in its lower half and 0x4000-0x401f in its upper half,
 * PMCEID1_EL0 the next 32 of both (Arm ARM, D19.5). Other events are not listed, and their
 * meaning differs between cores.
 */
static bool pmuv3_event_listed(u64 event)
{
	return (event & 0x3fff) < 0x40 && event < 0x8000;
}

static bool pmuv3_event_implemented(const struct pmuv3_id *id, u64 event)
{
	unsigned int upper = event >= 0x4000 ? 32 : 0;
	u64 common = event & 0x3fff;

	return id->ceid[common / 32] & BIT_ULL(upper + common % 32);
}

static const char *pmuv3_event_refused(const struct pmuv3_id *id, u64 event)
{
	if (event > (id->version >= PMUV3_VER_V8_1 ? 0xffff : 0x3ff))
		return "the event number is out of range for this PMU";
	if (event == PMUV3_EVENT_CHAIN)
		return "event CHAIN is not available: hwpmc extends every counter to 64 bits";
	if (pmuv3_event_listed(event))
		return pmuv3_event_implemented(id, event) ? NULL :
			"this CPU does not implement the event";
	if (id->mixed)
		return "the CPUs are of several kinds, on which this event may differ: use a system-wide PMC";
	return NULL;
}

static u32 pmuv3_filter(const struct pmuv3_id *id, u64 caps)
{
	u32 filter = 0;

	if (!(caps & HWPMC_CAP_USER))
		filter |= PMUV3_TYPER_U;
	if (!(caps & HWPMC_CAP_SYSTEM))
		filter |= PMUV3_TYPER_P;
	else if (id->el2)
		filter |= PMUV3_TYPER_NSH;
	return filter;
}

int pmuv3_event_encode(const struct pmuv3_id *id, const struct hwpmc_request *req,
		       struct hwpmc_encoding *enc)
{
	u64 event_rows = GENMASK_ULL(id->events, 0) & ~BIT_ULL(PMUV3_ROW_CYCLES);

	if (req->config[0] || req->config[1]) {
		enc->why = "class ARMV8 takes no config words";
		return -EINVAL;
	}
	if (req->caps & ~PMUV3_CAPS) {
		enc->why = "class ARMV8 lacks a requested capability";
		return -EOPNOTSUPP;
	}
	enc->why = pmuv3_event_refused(id, req->event);
	if (enc->why)
		return -EINVAL;

	enc->sel.event = (u32)req->event | pmuv3_filter(id, req->caps);
	enc->rows = event_rows;
	enc->prefer = 0;
	/* With SMT the cycle counter also counts while this thread sleeps and another runs. */
	if (req->event == PMUV3_EVENT_CPU_CYCLES && !id->smt) {
		enc->rows |= BIT_ULL(PMUV3_ROW_CYCLES);
		enc->prefer = BIT_ULL(PMUV3_ROW_CYCLES);
	}
	return 0;
}
