/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: identify a CPU's PMU by CPUID. Pure functions.
 *
 * Intel: SDM volume 3, "Architectural Performance Monitoring", and CPUID leaf
 * 0AH in volume 2. AMD: APM volume 2, "Performance Monitoring Counters", and
 * CPUID 8000_0001H and 8000_0022H in volume 3.
 */
#ifndef HWPMC_X86_ID_H
#define HWPMC_X86_ID_H

#include <linux/types.h>

/* Limits of rows. RDPMC can read six of AMD's core counters. */
#define X86_MAX_PROGRAMMABLE	32
#define X86_MAX_FIXED		16
#define X86_MAX_AMD		6

enum x86_id_vendor { X86_ID_VENDOR_OTHER, X86_ID_VENDOR_INTEL, X86_ID_VENDOR_AMD };

/**
 * enum x86_flavour - the register interface of a PMU
 * @X86_NONE: no PMU, or an unknown one
 * @X86_INTEL: Intel's architectural performance monitoring
 * @X86_AMD_K7: AMD's four counters since K7
 * @X86_AMD_CORE: AMD's six core counters since family 15h
 * @X86_AMD_V2: AMD's core counters with PerfMonV2's global registers
 */
enum x86_flavour { X86_NONE, X86_INTEL, X86_AMD_K7, X86_AMD_CORE, X86_AMD_V2 };

/**
 * struct x86_leaves - CPUID leaves of one CPU; a leaf that it lacks is 0
 * @vendor: by CPUID leaf 0
 * @leaf1_eax: family, model, stepping
 * @leaf1_ecx: bit 15 PDCM, bit 31 hypervisor
 * @leaf7_edx: bit 13 TSX_FORCE_ABORT, bit 11 RTM_ALWAYS_ABORT
 * @leaf_a: EAX, EBX, ECX, EDX of CPUID leaf 0AH
 * @leaf1a_eax: bits 31-24: 20H Atom, 40H Core
 * @ext1_ecx: of leaf 8000_0001H; bit 23 core counters
 * @ext22_eax: of leaf 8000_0022H; bit 0 PerfMonV2
 * @ext22_ebx: of leaf 8000_0022H; bits 3-0 number of core counters
 * @capabilities: IA32_PERF_CAPABILITIES if PDCM is set, else 0
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
 * struct x86_id - the PMU of one CPU, or what several have in common
 * @flavour: register interface
 * @family: by CPUID leaf 1, extended family included
 * @model: by CPUID leaf 1, extended model included
 * @version: version of Intel's architectural performance monitoring
 * @programmable: set of the programmable counters
 * @fixed: set of the fixed-function counters
 * @width: of the programmable counters, in bits
 * @fixed_width: of the fixed counters, in bits
 * @wide: counters can be written in full width, not only with 32 bits that the CPU
 *	sign-extends
 * @tsx: the microcode uses counter 3 for transactions, so it is not in @programmable
 * @any: AnyThread exists: an event can count for both threads of a core
 * @architectural: set of the architectural events that the CPU has
 * @missing: set of the architectural events that the CPU lacks
 * @cores: set of core types, INTEL_* of intel_model.h
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

/** x86_id_decode - identify the PMU of a CPU with these leaves */
void x86_id_decode(const struct x86_leaves *leaves, struct x86_id *id);

/**
 * x86_id_intersect - reduce what several CPUs have in common by one more CPU
 * @all: of the CPUs before; zeroed if @one is the first
 * @one: of the CPU to add
 *
 * CPUs that are not x86_id_compatible() have no counters in common.
 */
void x86_id_intersect(struct x86_id *all, const struct x86_id *one);

/** x86_id_compatible - whether both have the same register interface and widths */
bool x86_id_compatible(const struct x86_id *a, const struct x86_id *b);

/** x86_id_fits - whether a CPU has every counter that PMCs of tasks may use */
bool x86_id_fits(const struct x86_id *all, const struct x86_id *one);

/**
 * x86_id_shares_with_perf - whether perf uses the counters in spite of a reservation
 * @id: of the CPU that the kernel booted on, by which perf chooses its addresses
 * @perf_v6: perf uses the addresses of version 6 where the CPU has them (X86_COMPAT_PERF_V6)
 */
bool x86_id_shares_with_perf(const struct x86_id *id, bool perf_v6);

/** x86_id_describe - format as "Intel v5, 8+4 rows, 48 bits"; at most HWPMC_NAME_MAX */
void x86_id_describe(const struct x86_id *id, char *buf, size_t size);

#endif /* HWPMC_X86_ID_H */
