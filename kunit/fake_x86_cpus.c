// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUID leaves of x86 CPUs, and what they are expected to decode to. Read by suites hwpmc_x86_*.
 * A leaf that a CPU lacks, or that no code here reads, is 0.
 */
#include "fake_x86.h"

#define INTEL_LEAVES(leaf1, a, b, c, d)						\
	.vendor = X86_ID_VENDOR_INTEL, .leaf1_eax = (leaf1), .leaf1_ecx = BIT(15),	\
	.leaf_a = { a, b, c, d }
#define AMD_LEAVES(leaf1, ext1)							\
	.vendor = X86_ID_VENDOR_AMD, .leaf1_eax = (leaf1), .ext1_ecx = (ext1)

const struct fake_cpu fake_cpus[] = {
	{ "Core Duo", { INTEL_LEAVES(0x6e8, 0x07280201, 0, 0, 0) },
	  X86_INTEL, 1, 2, 0, 40, 40, false, false, 0, "Intel v1, 2+0 rows, 40 bits" },
	{ "Core 2", { INTEL_LEAVES(0x6fb, 0x07280202, 0, 0, 0x0503) },
	  X86_INTEL, 2, 2, 3, 40, 40, false, false, 0, "Intel v2, 2+3 rows, 40 bits" },
	/* CPUID does not report its fixed counters. */
	{ "Core 2, first", { INTEL_LEAVES(0x6f6, 0x07280202, 0, 0, 0) },
	  X86_INTEL, 2, 2, 3, 40, 40, false, false, 0, "Intel v2, 2+3 rows, 40 bits" },
	/* CPUID reports that reference cycles and mispredicted branches are not available. */
	{ "Nehalem", { INTEL_LEAVES(0x106a5, 0x07300403, 0x44, 0, 0x0603) },
	  X86_INTEL, 3, 4, 3, 48, 48, false, true, 0x44, "Intel v3, 4+3 rows, 48 bits" },
	{ "Silvermont", { INTEL_LEAVES(0x30678, 0x07280203, 0, 0, 0x0503), .capabilities = 0x2000 },
	  X86_INTEL, 3, 2, 3, 40, 40, true, true, 0, "Intel v3, 2+3 rows, 40 bits" },
	{ "Haswell", { INTEL_LEAVES(0x306c3, 0x07300403, 0, 0, 0x0603), .capabilities = 0x32c1 },
	  X86_INTEL, 3, 4, 3, 48, 48, true, true, 0, "Intel v3, 4+3 rows, 48 bits" },
	{ "Haswell, one thread", { INTEL_LEAVES(0x306c3, 0x07300803, 0, 0, 0x0603),
	  .capabilities = 0x32c1 },
	  X86_INTEL, 3, 8, 3, 48, 48, true, true, 0, "Intel v3, 8+3 rows, 48 bits" },
	{ "Broadwell", { INTEL_LEAVES(0x306d4, 0x07300403, 0, 0, 0x0603),
	  .capabilities = 0x32c1 },
	  X86_INTEL, 3, 4, 3, 48, 48, true, true, 0, "Intel v3, 4+3 rows, 48 bits" },
	{ "Skylake-SP", { INTEL_LEAVES(0x50654, 0x07300404, 0, 0, 0x0603), .capabilities = 0x33c5 },
	  X86_INTEL, 4, 4, 3, 48, 48, true, true, 0, "Intel v4, 4+3 rows, 48 bits" },
	/* Two versions of the microcode: the first uses counter 3 for TSX, the second does not. */
	{ "Skylake-SP, TSX", { INTEL_LEAVES(0x50654, 0x07300404, 0, 0, 0x0603),
	  .leaf7_edx = BIT(13), .capabilities = 0x33c5 },
	  X86_INTEL, 4, 3, 3, 48, 48, true, true, 0, "Intel v4, 3+3 rows, 48 bits" },
	{ "Skylake-SP, no TSX", { INTEL_LEAVES(0x50654, 0x07300404, 0, 0, 0x0603),
	  .leaf7_edx = BIT(13) | BIT(11), .capabilities = 0x33c5 },
	  X86_INTEL, 4, 4, 3, 48, 48, true, true, 0, "Intel v4, 4+3 rows, 48 bits" },
	{ "Ice Lake-SP", { INTEL_LEAVES(0x606a6, 0x08300805, 0, 0xf, 0x8604),
	  .capabilities = 0xf3c5 },
	  X86_INTEL, 5, 8, 4, 48, 48, true, false, 0, "Intel v5, 8+4 rows, 48 bits" },
	{ "Sapphire Rapids", { INTEL_LEAVES(0x806f8, 0x08300805, 0, 0xf, 0x8604),
	  .capabilities = 0x1f3c5 },
	  X86_INTEL, 5, 8, 4, 48, 48, true, false, 0, "Intel v5, 8+4 rows, 48 bits" },
	{ "Alder Lake P", { INTEL_LEAVES(0x90672, 0x08300805, 0, 0xf, 0x8604),
	  .leaf7_edx = BIT(15), .leaf1a_eax = 0x40000001, .capabilities = 0xf3c5 },
	  X86_INTEL, 5, 8, 4, 48, 48, true, false, 0, "Intel v5, 8+4 rows, 48 bits" },
	{ "Alder Lake E", { INTEL_LEAVES(0x90672, 0x07300605, 0, 0x7, 0x8603),
	  .leaf7_edx = BIT(15), .leaf1a_eax = 0x20000001, .capabilities = 0xf3c5 },
	  X86_INTEL, 5, 6, 3, 48, 48, true, false, 0, "Intel v5, 6+3 rows, 48 bits" },
	{ "Granite Rapids", { INTEL_LEAVES(0xa06d1, 0x08300805, 0, 0xf, 0x8604),
	  .capabilities = 0x1f3c5 },
	  X86_INTEL, 5, 8, 4, 48, 48, true, false, 0, "Intel v5, 8+4 rows, 48 bits" },
	{ "Meteor Lake E", { INTEL_LEAVES(0xa06a4, 0x08300805, 0, 0x7, 0x8603),
	  .leaf7_edx = BIT(15), .leaf1a_eax = 0x20000002, .capabilities = 0xf3c5 },
	  X86_INTEL, 5, 8, 3, 48, 48, true, false, 0, "Intel v5, 8+3 rows, 48 bits" },
	/* Neither kind of its cores is known to the module. */
	{ "Lunar Lake P", { INTEL_LEAVES(0xb06d1, 0x08300a05, 0, 0xf, 0x8604),
	  .leaf7_edx = BIT(15), .leaf1a_eax = 0x40000003, .capabilities = 0xf3c5 },
	  X86_INTEL, 5, 10, 4, 48, 48, true, false, 0, "Intel v5, 10+4 rows, 48 bits" },
	{ "Lunar Lake E", { INTEL_LEAVES(0xb06d1, 0x07300805, 0, 0x7, 0x8603),
	  .leaf7_edx = BIT(15), .leaf1a_eax = 0x20000003, .capabilities = 0xf3c5 },
	  X86_INTEL, 5, 8, 3, 48, 48, true, false, 0, "Intel v5, 8+3 rows, 48 bits" },
	/* Version 5 lists fixed counters one by one: 0, 1 and 4 here. */
	{ "version 5 with holes", { INTEL_LEAVES(0x806f8, 0x08300405, 0, 0x13, 0x8600),
	  .capabilities = 0x2000 },
	  X86_INTEL, 5, 4, 3, 48, 48, true, false, 0, "Intel v5, 4+3 rows, 48 bits" },
	/* Version 2 of a hypervisor has the fixed counters that CPUID reports: none. */
	{ "virtual, version 2", { .vendor = X86_ID_VENDOR_INTEL, .leaf1_eax = 0x306c3,
	  .leaf1_ecx = BIT(15) | BIT(31), .leaf_a = { 0x07300402, 0, 0, 0x0600 } },
	  X86_INTEL, 2, 4, 0, 48, 48, false, false, 0, "Intel v2, 4+0 rows, 48 bits" },
	{ "virtual, none", { .vendor = X86_ID_VENDOR_INTEL, .leaf1_eax = 0x306c3,
	  .leaf1_ecx = BIT(31) }, .text = "TSC only" },
	/* An impossible counter width. */
	{ "virtual, nonsense", { INTEL_LEAVES(0x306c3, 0x07ff0402, 0, 0, 0) },
	  .version = 2, .rows = 4, .fixed = 3, .width = 255, .fixed_width = 255,
	  .text = "TSC only" },
	{ "K7", { AMD_LEAVES(0x662, 0) },
	  X86_AMD_K7, 0, 4, 0, 48, 0, true, false, 0, "AMD K7, 4 rows, 48 bits" },
	{ "K8", { AMD_LEAVES(0xf5a, 0) },
	  X86_AMD_K7, 0, 4, 0, 48, 0, true, false, 0, "AMD K7, 4 rows, 48 bits" },
	{ "Phenom", { AMD_LEAVES(0x100f42, 0x7ff) },
	  X86_AMD_K7, 0, 4, 0, 48, 0, true, false, 0, "AMD K7, 4 rows, 48 bits" },
	{ "Bulldozer", { AMD_LEAVES(0x600f12, 0x01c9bfff) },
	  X86_AMD_CORE, 0, 6, 0, 48, 0, true, false, 0, "AMD core, 6 rows, 48 bits" },
	{ "Zen 1", { AMD_LEAVES(0x800f11, 0x35c233ff) },
	  X86_AMD_CORE, 0, 6, 0, 48, 0, true, false, 0, "AMD core, 6 rows, 48 bits" },
	{ "Zen 4", { AMD_LEAVES(0xa60f12, 0x75c237ff), .ext22_eax = 0x7, .ext22_ebx = 0x4106 },
	  X86_AMD_V2, 0, 6, 0, 48, 0, true, false, 0, "AMD v2, 6 rows, 48 bits" },
	{ "K6", { AMD_LEAVES(0x580, 0) }, .text = "TSC only" },
	{ "other vendor", { .vendor = X86_ID_VENDOR_OTHER, .leaf1_eax = 0x6fb,
	  .leaf_a = { 0x07280202, 0, 0, 0x0503 } }, .text = "TSC only" },
};

const unsigned int fake_cpu_count = ARRAY_SIZE(fake_cpus);

struct x86_id fake_cpu_id(struct kunit *test, const char *name)
{
	struct x86_id id = {};
	unsigned int i;

	for (i = 0; i < fake_cpu_count; i++)
		if (!strcmp(fake_cpus[i].name, name))
			break;
	if (i < fake_cpu_count)
		x86_id_decode(&fake_cpus[i].leaves, &id);
	else
		KUNIT_FAIL(test, "no CPU is called %s", name);
	return id;
}
