// SPDX-License-Identifier: GPL-2.0-only
/* x86: identify a CPU's PMU by CPUID. Pure: see id.h. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "id.h"
#include "intel_model.h"

#define X86_PDCM		BIT(15)		/* leaf 1, ECX */
#define X86_HYPERVISOR		BIT(31)		/* leaf 1, ECX */
#define X86_RTM_ALWAYS_ABORT	BIT(11)		/* leaf 7, EDX */
#define X86_TSX_FORCE_ABORT	BIT(13)		/* leaf 7, EDX */
#define X86_CORE_COUNTERS	BIT(23)		/* leaf 8000_0001H, ECX */
#define X86_PERFMON_V2		BIT(0)		/* leaf 8000_0022H, EAX */
#define X86_ANY_DEPRECATED	BIT(15)		/* leaf 0AH, EDX */
#define X86_FULL_WIDTH		BIT(13)		/* IA32_PERF_CAPABILITIES */

#define X86_TSX_COUNTER		3

/* Architectural events 0 to 6 predate EBX of leaf 0AH: SDM 20.2.1. */
#define X86_OLD_EVENTS		7

/* Set of the first @count rows or events */
static u64 x86_id_first(unsigned int count)
{
	return count ? GENMASK_ULL(count - 1, 0) : 0;
}

/* CPUID leaf 1: SDM volume 2, "CPUID - CPU Identification", figure 3-6. */
static void x86_id_family(u32 eax, struct x86_id *id)
{
	id->family = eax >> 8 & 0xf;
	id->model = eax >> 4 & 0xf;
	if (id->family == 0xf)
		id->family += eax >> 20 & 0xff;
	if (id->family == 6 || id->family >= 0xf)
		id->model |= eax >> 12 & 0xf0;
}

/*
 * EAX[31:24] is the number of valid bits of EBX. An old event without a valid bit is missing; a
 * later one may exist without being architectural.
 */
static void x86_id_events(const u32 *a, struct x86_id *id)
{
	u32 valid = x86_id_first(min(a[0] >> 24, 31U));

	id->architectural = valid & ~a[1];
	id->missing = (valid & a[1]) | (x86_id_first(X86_OLD_EVENTS) & ~valid);
}

/*
 * EDX[4:0] is the number of contiguous fixed counters; from version 5, ECX also lists them
 * one by one. The first CPUs of version 2 have three and report none.
 */
static u64 x86_id_fixed(const struct x86_leaves *leaves, unsigned int version)
{
	unsigned int count = leaves->leaf_a[3] & 0x1f;

	if (version < 2)
		return 0;
	if (version == 2 && !(leaves->leaf1_ecx & X86_HYPERVISOR))
		count = max(count, 3U);
	count = min_t(unsigned int, count, X86_MAX_FIXED);
	return x86_id_first(count) |
	       (version >= 5 ? leaves->leaf_a[2] & x86_id_first(X86_MAX_FIXED) : 0);
}

/*
 * Intel, "Performance Monitoring Impact of TSX Memory Ordering Issue": Skylake's microcode uses
 * a counter during transactions and may write it at any time, unless an MSR aborts all
 * transactions. perf owns this MSR.
 */
static u64 x86_id_tsx(u32 leaf7_edx)
{
	if (!(leaf7_edx & X86_TSX_FORCE_ABORT) || (leaf7_edx & X86_RTM_ALWAYS_ABORT))
		return 0;
	return BIT_ULL(X86_TSX_COUNTER);
}

static void x86_id_intel(const struct x86_leaves *leaves, struct x86_id *id)
{
	const u32 *a = leaves->leaf_a;

	id->version = a[0] & 0xff;
	if (!id->version)
		return;
	id->programmable = x86_id_first(min_t(unsigned int, a[0] >> 8 & 0xff,
					      X86_MAX_PROGRAMMABLE));
	id->tsx = id->programmable & x86_id_tsx(leaves->leaf7_edx);
	id->programmable &= ~x86_id_tsx(leaves->leaf7_edx);
	id->width = a[0] >> 16 & 0xff;
	id->fixed = x86_id_fixed(leaves, id->version);
	id->fixed_width = a[3] >> 5 & 0xff;
	if (!id->fixed_width)
		id->fixed_width = id->width;
	/* No CPU has other widths: a hypervisor reported a wrong value. */
	if (id->width < 32 || id->width > 63 || id->fixed_width < 32 || id->fixed_width > 63)
		return;
	id->wide = (leaves->leaf1_ecx & X86_PDCM) && (leaves->capabilities & X86_FULL_WIDTH);
	id->any = id->version >= 3 && !(a[3] & X86_ANY_DEPRECATED);
	x86_id_events(a, id);
	id->cores = intel_model_cores(id->family, id->model, leaves->leaf1a_eax >> 24);
	if (id->programmable || id->fixed)
		id->flavour = X86_INTEL;
}

static void x86_id_amd(const struct x86_leaves *leaves, struct x86_id *id)
{
	unsigned int count = 4;

	/* K6 and before have no counters: AMD APM volume 2, 13.2. */
	if (id->family < 6)
		return;
	id->flavour = X86_AMD_K7;
	if (leaves->ext1_ecx & X86_CORE_COUNTERS) {
		id->flavour = X86_AMD_CORE;
		count = 6;
	}
	if (leaves->ext22_eax & X86_PERFMON_V2) {
		id->flavour = X86_AMD_V2;
		count = min_t(unsigned int, leaves->ext22_ebx & 0xf, X86_MAX_AMD);
	}
	id->programmable = x86_id_first(count);
	id->width = 48;
	id->wide = true;
	if (!count)
		id->flavour = X86_NONE;
}

void x86_id_decode(const struct x86_leaves *leaves, struct x86_id *id)
{
	*id = (struct x86_id){};
	x86_id_family(leaves->leaf1_eax, id);
	if (leaves->vendor == X86_ID_VENDOR_INTEL)
		x86_id_intel(leaves, id);
	else if (leaves->vendor == X86_ID_VENDOR_AMD)
		x86_id_amd(leaves, id);
}

bool x86_id_compatible(const struct x86_id *a, const struct x86_id *b)
{
	return a->flavour == b->flavour && a->width == b->width && a->wide == b->wide &&
	       (a->version >= 2) == (b->version >= 2) &&
	       (!a->fixed || !b->fixed || a->fixed_width == b->fixed_width);
}

void x86_id_intersect(struct x86_id *all, const struct x86_id *one)
{
	if (!all->family) {
		*all = *one;
		return;
	}
	all->programmable &= one->programmable;
	all->fixed &= one->fixed;
	if (!x86_id_compatible(all, one)) {
		all->programmable = 0;
		all->fixed = 0;
	}
	all->version = min(all->version, one->version);
	all->tsx |= one->tsx;
	all->any &= one->any;
	all->architectural &= one->architectural;
	all->missing |= one->missing;
	all->cores |= one->cores;
}

bool x86_id_fits(const struct x86_id *all, const struct x86_id *one)
{
	if (!all->programmable && !all->fixed)
		return true;
	return x86_id_compatible(all, one) && !(all->programmable & ~one->programmable) &&
	       !(all->fixed & ~one->fixed);
}

bool x86_id_shares_with_perf(const struct x86_id *id, bool perf_v6)
{
	return perf_v6 && id->flavour == X86_INTEL && id->version >= 6;
}

void x86_id_describe(const struct x86_id *id, char *buf, size_t size)
{
	unsigned int rows = hweight64(id->programmable), fixed = hweight64(id->fixed);
	static const char * const amd[] = {
		[X86_AMD_K7] = "K7", [X86_AMD_CORE] = "core", [X86_AMD_V2] = "v2",
	};

	if (id->flavour == X86_NONE)
		snprintf(buf, size, "TSC only");
	else if (id->flavour == X86_INTEL)
		snprintf(buf, size, "Intel v%u, %u+%u rows, %u bits", id->version, rows, fixed,
			 id->width);
	else
		snprintf(buf, size, "AMD %s, %u rows, %u bits", amd[id->flavour], rows,
			 id->width);
}
