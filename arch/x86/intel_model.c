// SPDX-License-Identifier: GPL-2.0-only
/* Intel: differences between cores. Pure: see intel_model.h. */
#include <linux/kernel.h>

#include "intel_model.h"

#define INTEL_TYPE_ATOM	0x20	/* CPUID leaf 1AH */

/* SDM volume 4, table 2-1. @atom: the small cores of a hybrid part, or 0. */
static const struct {
	u8 model;
	u32 core;
	u32 atom;
} intel_models[] = {
	{ 0x0e, INTEL_CORE1 },
	{ 0x0f, INTEL_CORE2 }, { 0x16, INTEL_CORE2 }, { 0x17, INTEL_CORE2 }, { 0x1d, INTEL_CORE2 },
	{ 0x1a, INTEL_NHM }, { 0x1e, INTEL_NHM }, { 0x1f, INTEL_NHM }, { 0x2e, INTEL_NHM },
	{ 0x25, INTEL_WSM }, { 0x2c, INTEL_WSM }, { 0x2f, INTEL_WSM },
	{ 0x2a, INTEL_SNB }, { 0x2d, INTEL_SNB_EP },
	{ 0x3a, INTEL_IVB }, { 0x3e, INTEL_IVB_EP },
	{ 0x3c, INTEL_HSW }, { 0x3f, INTEL_HSW }, { 0x45, INTEL_HSW }, { 0x46, INTEL_HSW },
	{ 0x3d, INTEL_BDW }, { 0x47, INTEL_BDW }, { 0x4f, INTEL_BDW }, { 0x56, INTEL_BDW },
	{ 0x4e, INTEL_SKL }, { 0x5e, INTEL_SKL }, { 0x55, INTEL_SKL }, { 0x8e, INTEL_SKL },
	{ 0x9e, INTEL_SKL }, { 0xa5, INTEL_SKL }, { 0xa6, INTEL_SKL },
	{ 0x6a, INTEL_ICL }, { 0x6c, INTEL_ICL }, { 0x7d, INTEL_ICL }, { 0x7e, INTEL_ICL },
	{ 0x8c, INTEL_ICL }, { 0x8d, INTEL_ICL }, { 0xa7, INTEL_ICL },
	{ 0x8f, INTEL_GLC }, { 0xcf, INTEL_GLC }, { 0xad, INTEL_RWC }, { 0xae, INTEL_RWC },
	{ 0x97, INTEL_GLC, INTEL_GRT }, { 0x9a, INTEL_GLC, INTEL_GRT },
	{ 0xb7, INTEL_GLC, INTEL_GRT }, { 0xba, INTEL_GLC, INTEL_GRT },
	{ 0xbf, INTEL_GLC, INTEL_GRT }, { 0xbe, INTEL_GRT, INTEL_GRT },
	{ 0xaa, INTEL_RWC, INTEL_CMT }, { 0xac, INTEL_RWC, INTEL_CMT },
	{ 0xb5, INTEL_RWC, INTEL_CMT },
	{ 0xaf, INTEL_CMT, INTEL_CMT }, { 0xb6, INTEL_CMT, INTEL_CMT },
	{ 0x37, INTEL_SLM }, { 0x4a, INTEL_SLM }, { 0x4c, INTEL_SLM }, { 0x4d, INTEL_SLM },
	{ 0x5a, INTEL_SLM },
	{ 0x5c, INTEL_GLM }, { 0x5f, INTEL_GLM }, { 0x7a, INTEL_GLM },
	{ 0x86, INTEL_TNT }, { 0x96, INTEL_TNT }, { 0x9c, INTEL_TNT },
};

#define INTEL_SNB_TO_SKL	(INTEL_SNB | INTEL_SNB_EP | INTEL_IVB | INTEL_IVB_EP | INTEL_HSW | \
			 INTEL_BDW | INTEL_SKL)
#define INTEL_SNB_TO_HSW	(INTEL_SNB | INTEL_SNB_EP | INTEL_IVB | INTEL_IVB_EP | INTEL_HSW)
#define INTEL_GLC_RWC	(INTEL_GLC | INTEL_RWC)
#define INTEL_LONG_RSP	(INTEL_SNB_EP | INTEL_IVB_EP | INTEL_HSW | INTEL_BDW | INTEL_SKL)

#define INTEL_RSP_0	0x1a6	/* MSR_OFFCORE_RSP_0 */
#define INTEL_RSP_1	0x1a7	/* MSR_OFFCORE_RSP_1 */
#define INTEL_FRONTEND	0x3f7	/* MSR_PEBS_FRONTEND */

#define RSP0(cores, event, valid) \
	{ cores, event, INTEL_EXTRA_OFFCORE_0, INTEL_RSP_0, valid }
#define RSP1(cores, event, valid) \
	{ cores, event, INTEL_EXTRA_OFFCORE_1, INTEL_RSP_1, valid }

static const struct intel_extra_reg intel_extras[] = {
	RSP0(INTEL_NHM | INTEL_WSM, 0x01b7, 0xffff),
	RSP1(INTEL_WSM, 0x01bb, 0xffff),
	RSP0(INTEL_SNB | INTEL_IVB, 0x01b7, 0x3f807f8fffULL),
	RSP1(INTEL_SNB | INTEL_IVB, 0x01bb, 0x3f807f8fffULL),
	RSP0(INTEL_LONG_RSP, 0x01b7, 0x3fffff8fffULL),
	RSP1(INTEL_LONG_RSP, 0x01bb, 0x3fffff8fffULL),
	RSP0(INTEL_ICL, 0x01b7, 0x3fffffbfffULL),
	RSP1(INTEL_ICL, 0x01bb, 0x3fffffbfffULL),
	RSP0(INTEL_GLC_RWC, 0x012a, 0x3fffffffffULL),
	RSP1(INTEL_GLC_RWC, 0x012b, 0x3fffffffffULL),
	RSP0(INTEL_SLM, 0x01b7, 0x768005ffffULL),
	RSP1(INTEL_SLM, 0x02b7, 0x368005ffffULL),
	RSP0(INTEL_GLM, 0x01b7, 0x760005ffbfULL),
	RSP1(INTEL_GLM, 0x02b7, 0x360005ffbfULL),
	RSP0(INTEL_TNT, 0x01b7, 0x800ff0ffffff9fffULL),
	RSP1(INTEL_TNT, 0x02b7, 0x000ff0ffffff9fffULL),
	RSP0(INTEL_GRT, 0x01b7, 0x3fffffffffULL),
	RSP1(INTEL_GRT, 0x02b7, 0x3fffffffffULL),
	RSP0(INTEL_CMT, 0x01b7, 0x800ff3ffffffffffULL),
	RSP1(INTEL_CMT, 0x02b7, 0x000ff3ffffffffffULL),
	/* The low byte selects an event; setting its other bits raises #GP. */
	{ INTEL_SKL | INTEL_ICL, 0x01c6, INTEL_EXTRA_FRONTEND, INTEL_FRONTEND, 0x7fff17 },
	{ INTEL_GLC, 0x01c6, INTEL_EXTRA_FRONTEND, INTEL_FRONTEND, 0x7fff1f },
	{ INTEL_RWC, 0x03c6, INTEL_EXTRA_FRONTEND, INTEL_FRONTEND, 0x7fff1f },
};

#define ANY_UMASK	-1
/* On known cores, every event that not all counters can count has one of these. */
#define OTHER_ROWS	0xf

/* Counters on which events @first to @last count correctly; the first line that matches applies. */
static const struct {
	u32 cores;
	u8 first;
	u8 last;
	s16 umask;
	u8 rows;
} intel_limits[] = {
	{ INTEL_CORE1 | INTEL_CORE2, 0x11, 0x13, ANY_UMASK, 0x2 },
	{ INTEL_CORE1 | INTEL_CORE2, 0x14, 0x14, ANY_UMASK, 0x1 },
	{ INTEL_CORE1 | INTEL_CORE2, 0x19, 0x19, ANY_UMASK, 0x2 },
	{ INTEL_CORE1, 0xc1, 0xc1, ANY_UMASK, 0x1 },
	{ INTEL_CORE2, 0x10, 0x10, ANY_UMASK, 0x1 },
	{ INTEL_CORE2, 0x18, 0x18, ANY_UMASK, 0x1 },
	{ INTEL_CORE2, 0xa1, 0xa1, ANY_UMASK, 0x1 },
	{ INTEL_CORE2, 0xc9, 0xc9, ANY_UMASK, 0x1 },
	{ INTEL_CORE2, 0xcb, 0xcb, ANY_UMASK, 0x1 },

	{ INTEL_NHM, 0x40, 0x43, ANY_UMASK, 0x3 },
	{ INTEL_NHM, 0x48, 0x48, ANY_UMASK, 0x3 },
	{ INTEL_NHM, 0x4e, 0x4e, ANY_UMASK, 0x3 },
	{ INTEL_NHM | INTEL_WSM, 0x51, 0x51, ANY_UMASK, 0x3 },
	{ INTEL_NHM | INTEL_WSM, 0x63, 0x63, ANY_UMASK, 0x3 },
	{ INTEL_WSM, 0x60, 0x60, ANY_UMASK, 0x1 },
	{ INTEL_WSM, 0xb3, 0xb3, ANY_UMASK, 0x1 },

	{ INTEL_SNB | INTEL_SNB_EP, 0x48, 0x48, ANY_UMASK, 0x4 },
	{ INTEL_IVB | INTEL_IVB_EP | INTEL_HSW | INTEL_BDW, 0x48, 0x48, 0x01, 0x4 },
	{ INTEL_SNB | INTEL_SNB_EP, 0xa3, 0xa3, 0x02, 0x4 },
	{ INTEL_SNB | INTEL_SNB_EP, 0xa3, 0xa3, 0x06, 0x4 },
	{ INTEL_IVB | INTEL_IVB_EP | INTEL_HSW | INTEL_BDW, 0xa3, 0xa3, 0x08, 0x4 },
	{ INTEL_IVB | INTEL_IVB_EP | INTEL_HSW | INTEL_BDW, 0xa3, 0xa3, 0x0c, 0x4 },
	{ INTEL_SNB | INTEL_SNB_EP | INTEL_IVB | INTEL_IVB_EP | INTEL_HSW, 0xa3, 0xa3, ANY_UMASK,
	  0xf },
	{ INTEL_IVB | INTEL_IVB_EP, 0x79, 0x79, 0x02, 0xf },
	{ INTEL_IVB | INTEL_IVB_EP, 0x9c, 0x9c, 0x01, 0xf },
	{ INTEL_SNB_TO_SKL & ~INTEL_BDW, 0xc0, 0xc0, 0x01, 0x2 },
	{ INTEL_SNB | INTEL_SNB_EP | INTEL_IVB | INTEL_IVB_EP | INTEL_HSW, 0xcd, 0xcd, ANY_UMASK,
	  0x8 },
	{ INTEL_BDW | INTEL_SKL, 0xcd, 0xcd, ANY_UMASK, 0xf },
	{ INTEL_SNB_TO_SKL, 0xd0, 0xd3, ANY_UMASK, 0xf },
	{ INTEL_SKL, 0xc6, 0xc6, ANY_UMASK, 0xf },

	{ INTEL_ICL, 0x03, 0x0a, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0x1f, 0x28, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0x32, 0x32, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0x48, 0x56, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0x60, 0x8b, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0xa3, 0xa3, 0x04, 0xff },
	{ INTEL_ICL, 0xa3, 0xa3, 0x10, 0xff },
	{ INTEL_ICL, 0xa3, 0xa3, 0x14, 0xff },
	{ INTEL_ICL, 0xa3, 0xa3, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0xa8, 0xb0, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0xb7, 0xbd, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0xd0, 0xe6, ANY_UMASK, 0xf },
	{ INTEL_ICL, 0xef, 0xf4, ANY_UMASK, 0xf },

	{ INTEL_GLC_RWC, 0x2e, 0x2e, ANY_UMASK, 0xff },
	{ INTEL_GLC_RWC, 0x3c, 0x3c, ANY_UMASK, 0xff },
	{ INTEL_GLC_RWC, 0x01, 0x8f, ANY_UMASK, 0xf },
	{ INTEL_GLC_RWC, 0xa3, 0xa3, 0x01, 0xf },
	{ INTEL_GLC_RWC, 0xa3, 0xa3, 0x02, 0xf },
	{ INTEL_GLC_RWC, 0xa3, 0xa3, 0x08, 0xf },
	{ INTEL_GLC_RWC, 0xa4, 0xa4, 0x04, 0x1 },
	{ INTEL_GLC_RWC, 0xa4, 0xa4, 0x08, 0x1 },
	{ INTEL_GLC_RWC, 0xcd, 0xcd, 0x02, 0x1 },
	{ INTEL_GLC_RWC, 0xce, 0xce, ANY_UMASK, 0x1 },
	{ INTEL_GLC_RWC, 0xd0, 0xdf, ANY_UMASK, 0xf },
};

u32 intel_model_cores(unsigned int family, unsigned int model, unsigned int type)
{
	bool atom = type == INTEL_TYPE_ATOM;
	size_t i;

	for (i = 0; family == 6 && i < ARRAY_SIZE(intel_models); i++) {
		if (intel_models[i].model != model)
			continue;
		if (atom && intel_models[i].atom)
			return intel_models[i].atom;
		return intel_models[i].core;
	}
	return atom ? INTEL_OTHER_ATOM : INTEL_OTHER;
}

static u64 intel_core_rows(u32 core, u16 event)
{
	unsigned int code = event & 0xff, umask = event >> 8;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(intel_limits); i++)
		if ((intel_limits[i].cores & core) && code >= intel_limits[i].first &&
		    code <= intel_limits[i].last &&
		    (intel_limits[i].umask == ANY_UMASK || intel_limits[i].umask == (int)umask))
			return intel_limits[i].rows;
	return core & INTEL_OTHERS ? OTHER_ROWS : ~0ULL;
}

u64 intel_model_rows(u32 cores, u16 event)
{
	u64 rows = ~0ULL;

	for (; cores; cores &= cores - 1)
		rows &= intel_core_rows(cores & -cores, event);
	return rows;
}

/* Load latency: PEBS selects the loads that are measured. */
bool intel_model_needs_pebs(u32 cores, u16 event)
{
	switch (event) {
	case 0x100b:
		return cores & (INTEL_NHM | INTEL_WSM);
	case 0x01cd:
		return cores & (INTEL_SNB_TO_SKL | INTEL_ICL | INTEL_GLC_RWC);
	case 0x05d0:
		return cores & (INTEL_GRT | INTEL_CMT);
	default:
		return false;
	}
}

/* MEM_UOPS_RETIRED to MEM_LOAD_UOPS_LLC_MISS_RETIRED: errata BJ122, BV98, HSD29. */
bool intel_model_corrupts_sibling(u32 cores, u16 event)
{
	return (cores & INTEL_SNB_TO_HSW) && (event & 0xff) >= 0xd0 && (event & 0xff) <= 0xd3;
}

const struct intel_extra_reg *intel_model_extra(u32 cores, u16 event)
{
	size_t i;

	/* The same number means different things on different cores. */
	if (cores & (cores - 1))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(intel_extras); i++)
		if ((intel_extras[i].cores & cores) && intel_extras[i].event == event)
			return &intel_extras[i];
	return NULL;
}
