// SPDX-License-Identifier: GPL-2.0-only
/* PMUv3: from an event to the value of its type register. Pure: see pmuv3_event.h. */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <uapi/linux/hwpmc.h>

#include "pmuv3_event.h"

#define PMUV3_CAPS	(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ | \
			 HWPMC_CAP_WRITE | HWPMC_CAP_INTERRUPT)

bool pmuv3_id_usable(const struct pmuv3_id *id)
{
	return id->version != PMUV3_VER_NONE && id->version != PMUV3_VER_IMPDEF;
}

unsigned int pmuv3_id_width(const struct pmuv3_id *id)
{
	return id->version >= PMUV3_VER_V8_5 ? 64 : 32;
}

/* The same core, whatever its revision. */
static bool pmuv3_id_same_core(const struct pmuv3_id *a, const struct pmuv3_id *b)
{
	return !((a->midr ^ b->midr) & PMUV3_MIDR_MODEL);
}

void pmuv3_id_intersect(struct pmuv3_id *all, const struct pmuv3_id *one)
{
	if (!all->midr) {
		*all = *one;
		return;
	}
	if (pmuv3_id_usable(all))
		all->version = pmuv3_id_usable(one) ? min(all->version, one->version) :
						      PMUV3_VER_NONE;
	all->smt |= one->smt;
	all->mixed |= !pmuv3_id_same_core(all, one);
	all->events = min(all->events, one->events);
	all->ceid[0] &= one->ceid[0];
	all->ceid[1] &= one->ceid[1];
}

bool pmuv3_id_fits(const struct pmuv3_id *all, const struct pmuv3_id *one)
{
	if (!pmuv3_id_usable(all))
		return true;
	return pmuv3_id_usable(one) && one->version >= all->version &&
	       one->events >= all->events && (all->smt || !one->smt) &&
	       (all->mixed || pmuv3_id_same_core(all, one)) &&
	       !(all->ceid[0] & ~one->ceid[0]) && !(all->ceid[1] & ~one->ceid[1]);
}

/*
 * PMCEID0 tells of the events 0x00-0x1f in its lower half and of 0x4000-0x401f
 * in its upper half, PMCEID1 of the next 32 of both. Of the others nothing is
 * known but the range, and each kind of core may count something else by them.
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
		return "the event number is out of this PMU's range";
	if (event == PMUV3_EVENT_CHAIN)
		return "CHAIN is not needed: counters are 64 bits wide here";
	if (pmuv3_event_listed(event))
		return pmuv3_event_implemented(id, event) ? NULL :
			"this CPU does not implement the event";
	if (id->mixed)
		return "the machine has CPUs of several kinds, and the event need not be the same on all: count it on a CPU, not for tasks";
	return NULL;
}

static u32 pmuv3_filter(const struct pmuv3_id *id, u32 caps)
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
		enc->why = "class ARMV8 has no such capability";
		return -EOPNOTSUPP;
	}
	enc->why = pmuv3_event_refused(id, req->event);
	if (enc->why)
		return -EINVAL;

	enc->sel.event = (u32)req->event | pmuv3_filter(id, req->caps);
	enc->rows = event_rows;
	enc->prefer = 0;
	/* With threads the cycle counter counts the core's clock, also for one that sleeps. */
	if (req->event == PMUV3_EVENT_CPU_CYCLES && !id->smt) {
		enc->rows |= BIT_ULL(PMUV3_ROW_CYCLES);
		enc->prefer = BIT_ULL(PMUV3_ROW_CYCLES);
	}
	return 0;
}
