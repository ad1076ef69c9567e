// SPDX-License-Identifier: GPL-2.0-only
/* Intel: encode an event as the values of its row's registers. Pure: see intel_event.h. */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "intel_event.h"
#include "intel_model.h"
#include "event_select.h"

/* Bits that the user may set */
#define INTEL_USER_BITS	(X86_SEL_EVENT | X86_SEL_UMASK | X86_SEL_EDGE | X86_SEL_ANY | \
			 X86_SEL_INV | X86_SEL_CMASK)
#define INTEL_FIXED_CAPS (HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ | HWPMC_CAP_WRITE | \
			  HWPMC_CAP_INTERRUPT)

/* Events that not all counters can count are counted by one or more of these. */
#define INTEL_FIRST_ROWS GENMASK_ULL(3, 0)

/* Event and unit mask, by the bit of CPUID.0AH:EBX that says that the event is missing */
static const u16 intel_architectural[] = {
	0x003c,		/* core cycles */
	0x00c0,		/* instructions retired */
	0x013c,		/* reference cycles */
	0x4f2e,		/* last-level cache references */
	0x412e,		/* last-level cache misses */
	0x00c4,		/* branches retired */
	0x00c5,		/* mispredicted branches retired */
	0x01a4,		/* top-down slots */
};

/* The bit of CPUID.0AH:EBX for @event, or 0 */
static u32 intel_event_bit(u64 event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(intel_architectural); i++)
		if ((event & (X86_SEL_EVENT | X86_SEL_UMASK)) == intel_architectural[i])
			return BIT(i);
	return 0;
}

/* Whether @id has cores of several kinds, on which @event may have different meanings. */
static bool intel_event_differs(const struct x86_id *id, u64 event)
{
	return hweight32(id->cores) > 1 && !(intel_event_bit(event) & id->architectural);
}

static const char *intel_event_refused(const struct x86_id *id, u64 event, unsigned int how)
{
	const char *why = x86_event_select_refusal(event);

	if (why)
		return why;
	if (event & ~INTEL_USER_BITS)
		return "bits above 31 of the event are reserved";
	if (!(event & X86_SEL_EVENT))
		return "event 0x00 is perf's notation for fixed counters: use class IAF, whose events are the numbers of the counters";
	if ((event & X86_SEL_ANY) && !id->any)
		return "bit 21 of the event (AnyThread) is reserved on this CPU";
	/* The other thread may belong to another user. */
	if ((event & X86_SEL_ANY) && !(how & INTEL_FOR_CPU))
		return "bit 21 of the event (AnyThread) also counts the core's other thread: use a system-wide PMC";
	if (!(how & INTEL_FOR_CPU) && intel_event_differs(id, event))
		return "the CPUs' cores differ, and so may the meaning of this event: use a system-wide PMC, or an architectural event";
	if (intel_event_bit(event) & id->missing)
		return "this CPU lacks the architectural event (CPUID leaf 0AH, EBX)";
	if (intel_model_needs_pebs(id->cores, (u16)event))
		return "load latency needs precise sampling (PEBS), which hwpmc does not support: the event would count nothing";
	if ((how & INTEL_FOR_THREADS) && intel_model_corrupts_sibling(id->cores, (u16)event))
		return "on this CPU the event corrupts counts of the core's other thread (errata BJ122, BV98, HSD29): disable hyper-threading first (/sys/devices/system/cpu/smt/control)";
	return NULL;
}

static const char *intel_extra_refused(const struct x86_id *id,
				       const struct intel_extra_reg *reg, const u64 *config)
{
	if (config[1])
		return "class IAP takes only one config word";
	if (!reg)
		return config[0] ?
		       "the event takes no known config word on this CPU" : NULL;
	if (!config[0])
		return "the event needs a config word, the value of its extra register (config1= in pmctl)";
	if (config[0] & ~reg->valid)
		return "the config word has bits set that are reserved on this CPU";
	return NULL;
}

/* The counters that can count @event, and those of them to try first. */
static void intel_encode_rows(const struct x86_id *id, u16 event, struct hwpmc_encoding *enc)
{
	u64 limit = intel_model_rows(id->cores, event);

	/* Unknown cores count architectural events on every counter. */
	if (intel_event_bit(event) & id->architectural)
		limit |= intel_model_rows(id->cores & ~INTEL_OTHERS, event);
	enc->rows = id->programmable & limit;
	/* Leave counters that some events need to these events. */
	enc->prefer = ~limit ? 0 : enc->rows & ~INTEL_FIRST_ROWS;
	if (id->cores & INTEL_OTHERS)
		enc->prefer = enc->rows & INTEL_FIRST_ROWS;
}

int intel_event_encode(const struct x86_id *id, const struct hwpmc_request *req, unsigned int how,
		       struct hwpmc_encoding *enc)
{
	u16 event = req->event & (X86_SEL_EVENT | X86_SEL_UMASK);
	const struct intel_extra_reg *reg = intel_model_extra(id->cores, event);
	u64 sel = req->event;
	int err;

	enc->why = intel_event_refused(id, req->event, how);
	if (!enc->why)
		enc->why = intel_extra_refused(id, reg, req->config);
	if (enc->why)
		return -EINVAL;
	err = x86_event_select_add_caps(req, &sel, &enc->why);
	if (err)
		return err;
	enc->sel.event = sel;
	enc->sel.extra = req->config[0];
	enc->extra = reg ? reg->extra : INTEL_EXTRA_NONE;
	intel_encode_rows(id, event, enc);
	return 0;
}

int intel_event_encode_fixed(const struct x86_id *id, const struct hwpmc_request *req,
			     struct hwpmc_encoding *enc)
{
	if (req->config[0] || req->config[1]) {
		enc->why = "class IAF takes no config words";
		return -EINVAL;
	}
	if (req->caps & ~INTEL_FIXED_CAPS) {
		enc->why = "class IAF lacks a requested capability: fixed counters have no edge, threshold or other qualifier";
		return -EOPNOTSUPP;
	}
	if (req->event >= X86_MAX_FIXED || !(id->fixed & BIT_ULL(req->event))) {
		enc->why = "this CPU has no such fixed counter: an event of class IAF is the number of a fixed counter";
		return -EINVAL;
	}
	enc->sel.event = INTEL_FIXED_PMI |
			 (req->caps & HWPMC_CAP_USER ? INTEL_FIXED_USR : 0) |
			 (req->caps & HWPMC_CAP_SYSTEM ? INTEL_FIXED_OS : 0);
	enc->sel.extra = 0;
	enc->extra = INTEL_EXTRA_NONE;
	enc->rows = BIT_ULL(req->event);
	enc->prefer = 0;
	return 0;
}
