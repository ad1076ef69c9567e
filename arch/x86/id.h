/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: what one CPU's PMU is, from what CPUID says. Pure.
 *
 * Intel: SDM volume 3, "Architectural Performance Monitoring", and CPUID leaf
 * 0AH in volume 2. AMD: APM volume 2, "Performance Monitoring Counters", and
 * CPUID 8000_0001H and 8000_0022H in volume 3.
 */
#ifndef HWPMC_X86_ID_H
#define HWPMC_X86_ID_H

#include <linux/types.h>

/* Rows a class may have. RDPMC reaches no more than six of AMD's. */
#define X86_MAX_PROGRAMMABLE	32
#define X86_MAX_FIXED		16
#define X86_MAX_AMD		6

enum x86_id_vendor { X86_ID_VENDOR_OTHER, X86_ID_VENDOR_INTEL, X86_ID_VENDOR_AMD };

/**
 * enum x86_flavour - by what registers its counters are driven
 * @X86_NONE: no PMU that is known here
 * @X86_INTEL: Intel's architectural performance monitoring
 * @X86_AMD_K7: AMD's four counters since K7
 * @X86_AMD_CORE: AMD's six core counters since family 15h
 * @X86_AMD_V2: the same with PerfMonV2's global registers
 */
enum x86_flavour { X86_NONE, X86_INTEL, X86_AMD_K7, X86_AMD_CORE, X86_AMD_V2 };

/**
 * struct x86_leaves - what is read off one CPU; a leaf that it lacks is 0
 * @vendor: by CPUID leaf 0
 * @leaf1_eax: family, model, stepping
 * @leaf1_ecx: bit 15 PDCM, bit 31 a hypervisor
 * @leaf7_edx: bit 13 TSX_FORCE_ABORT, bit 11 RTM_ALWAYS_ABORT
 * @leaf_a: EAX, EBX, ECX, EDX of CPUID leaf 0AH
 * @leaf1a_eax: bits 31-24: 20H Atom, 40H Core
 * @ext1_ecx: of leaf 8000_0001H; bit 23 core counters
 * @ext22_eax: of leaf 8000_0022H; bit 0 PerfMonV2
 * @ext22_ebx: bits 3-0 how many core counters
 * @capabilities: IA32_PERF_CAPABILITIES where PDCM says that there is one
 */
struct x86_leaves {
	enum x86_id_vendor vendor;
	u32 leaf1_eax;
	u32 leaf1_ecx;
	u32 leaf7_edx;
	u32 leaf_a[4];
	u32 leaf1a_eax;
	u32 ext1_ecx;
	u32 ext22_eax;
	u32 ext22_ebx;
	u64 capabilities;
};

/**
 * struct x86_id - one CPU's PMU, or what several have in common
 * @flavour: enum x86_flavour
 * @family: as CPUID counts them
 * @model: likewise
 * @version: of Intel's architectural performance monitoring
 * @programmable: set of the programmable counters
 * @fixed: set of the fixed-function counters
 * @width: of the programmable counters, in bits
 * @fixed_width: of the fixed ones
 * @wide: counters can be written in their whole width, not just with 32 bits
 *	that the CPU sign-extends
 * @tsx: the microcode keeps counter 3 for transactions, so it is not in @programmable
 * @any: AnyThread exists: counting for both threads of a core
 * @architectural: events that the CPU says are, by their number
 * @missing: those that it says it lacks, likewise
 * @cores: INTEL_* of intel_model.h: what cores are meant
 */
struct x86_id {
	enum x86_flavour flavour;
	unsigned int family;
	unsigned int model;
	unsigned int version;
	u64 programmable;
	u64 fixed;
	unsigned int width;
	unsigned int fixed_width;
	bool wide;
	bool tsx;
	bool any;
	u32 architectural;
	u32 missing;
	u32 cores;
};

/** x86_id_decode - what PMU a CPU with these leaves has */
void x86_id_decode(const struct x86_leaves *leaves, struct x86_id *id);

/**
 * x86_id_intersect - narrow what several CPUs have in common down to one more
 * @all: of those before; zeroed if @one is the first
 * @one: what one CPU has
 *
 * CPUs whose counters are not driven the same way have none in common.
 */
void x86_id_intersect(struct x86_id *all, const struct x86_id *one);

/** x86_id_compatible - whether the counters of both are driven the same way */
bool x86_id_compatible(const struct x86_id *a, const struct x86_id *b);

/** x86_id_fits - whether @one has everything that @all promises */
bool x86_id_fits(const struct x86_id *all, const struct x86_id *one);

/** x86_id_describe - "Intel v5, 8+4 rows, 48 bits"; fits HWPMC_NAME_MAX */
void x86_id_describe(const struct x86_id *id, char *buf, size_t size);

#endif /* HWPMC_X86_ID_H */
