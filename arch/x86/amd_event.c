// SPDX-License-Identifier: GPL-2.0-only
/* AMD: encode an event as the value of its event select register. Pure: see amd_event.h. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "amd_event.h"
#include "event_select.h"

/* Bits that the user may set */
#define AMD_USER_BITS	(X86_SEL_EVENT | X86_SEL_AMD_EVENT | X86_SEL_UMASK | X86_SEL_EDGE | \
			 X86_SEL_INV | X86_SEL_CMASK)

/* GuestOnly, HostOnly */
#define AMD_GUEST_HOST	(BIT_ULL(40) | BIT_ULL(41))

/* Retired SSE and AVX operations, from family 17h: can increment by more than 15 per cycle. */
#define AMD_FLOPS	0x003
#define AMD_ZEN		0x17
#define AMD_BULLDOZER	0x15

/* Sets of counters of family 15h */
#define F15_0		BIT_ULL(0)
#define F15_0_TO_2	GENMASK_ULL(2, 0)
#define F15_0_AND_3	(BIT_ULL(0) | BIT_ULL(3))
#define F15_3		BIT_ULL(3)
#define F15_3_TO_5	GENMASK_ULL(5, 3)
#define F15_ALL		GENMASK_ULL(5, 0)

static unsigned int amd_code(u64 event)
{
	return (event & X86_SEL_EVENT) | (event & X86_SEL_AMD_EVENT) >> 24;
}

/* Floating point: events 0x000-0x01f. */
static u64 amd_f15_fp(unsigned int code, unsigned int umask)
{
	switch (code) {
	case 0x000:
		return (umask & 0xf0) && (umask & 0x0f) ? F15_3 : F15_3_TO_5;
	case 0x004:
		return hweight32(umask) > 1 ? F15_3 : F15_3_TO_5;
	case 0x003:
	case 0x00b:
	case 0x00d:
		return F15_3;
	default:
		return F15_3_TO_5;
	}
}

/* Load and store, data cache, execution: events 0x020-0x05f and 0x0c0-0x0cf. */
static u64 amd_f15_execution(unsigned int code, unsigned int umask)
{
	switch (code) {
	case 0x023:
	case 0x043:
	case 0x045:
	case 0x046:
	case 0x054:
	case 0x055:
		return F15_0_TO_2;
	case 0x02d:
		return F15_3;
	case 0x02e:
		return F15_0_AND_3;
	case 0x031:
		return hweight32(umask) > 1 ? 0 : F15_0_TO_2;
	case 0x1c0:
		return F15_3_TO_5;
	default:
		return F15_ALL;
	}
}

/* L2 cache (shared by two cores), instruction cache, decoder: 0x060-0x0bf, 0x0d0-0x0df. */
static u64 amd_f15_front(unsigned int code)
{
	switch (code) {
	case 0x08f:
	case 0x187:
	case 0x188:
		return F15_0;
	case 0x0db ... 0x0df:
	case 0x1d6:
	case 0x1d8:
		return F15_ALL;
	default:
		return F15_0_TO_2;
	}
}

/* Counters that can count an event: BKDG for family 15h, "Core Performance Counter Events". */
static u64 amd_f15_rows(unsigned int code, unsigned int umask)
{
	switch (code & 0x0f0) {
	case 0x000:
	case 0x010:
		return amd_f15_fp(code, umask);
	case 0x020:
	case 0x030:
	case 0x040:
	case 0x050:
	case 0x0c0:
		return amd_f15_execution(code, umask);
	default:
		return amd_f15_front(code);
	}
}

static const char *amd_event_refused(const struct x86_id *id, u64 event)
{
	const char *why = x86_event_select_refusal(event);

	if (why)
		return why;
	if (event & AMD_GUEST_HOST)
		return "bits 40 and 41 (GuestOnly, HostOnly) are not supported, since KVM and perf control them: guests are counted together with the host; use perf to count them separately";
	if (event & X86_SEL_ANY)
		return "bit 21 of the event is reserved on AMD";
	if (event & ~AMD_USER_BITS)
		return "bits above 35 of the event are reserved";
	if ((event & X86_SEL_AMD_EVENT) && id->family < 0x10)
		return "bits 32-35 of the event are reserved on this CPU: its events have eight bits";
	/* All cores of a node share them: a core's counter includes the events of other cores. */
	if (id->family < AMD_ZEN && (event & 0xe0) == 0xe0)
		return "northbridge events are not supported: all cores of a node share them";
	if (id->family >= AMD_ZEN && amd_code(event) == AMD_FLOPS && !(event & X86_SEL_CMASK))
		return "event 0x003 increments by more per cycle than a counter can add, so it would count too low: set a cmask to count cycles instead";
	return NULL;
}

int amd_event_encode(const struct x86_id *id, const struct hwpmc_request *req,
		     struct hwpmc_encoding *enc)
{
	u64 sel = req->event, limit = ~0ULL;
	int err;

	if (req->config[0] || req->config[1]) {
		enc->why = "class AMD takes no config words";
		return -EINVAL;
	}
	enc->why = amd_event_refused(id, req->event);
	if (enc->why)
		return -EINVAL;
	err = x86_event_select_add_caps(req, &sel, &enc->why);
	if (err)
		return err;
	if (id->family == AMD_BULLDOZER)
		limit = amd_f15_rows(amd_code(sel), (sel & X86_SEL_UMASK) >> 8);
	if (!limit) {
		enc->why = "this event takes only one bit of its unit mask at a time";
		return -EINVAL;
	}
	enc->sel.event = sel;
	enc->sel.extra = 0;
	enc->extra = 0;
	enc->rows = id->programmable & limit;
	enc->prefer = 0;
	return 0;
}
