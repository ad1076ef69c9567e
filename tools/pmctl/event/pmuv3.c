// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <strings.h>

#include "event/pmuv3.h"

const struct pmuv3_event pmuv3_events[] = {
	{ 0x0000, "SW_INCR", "writes to the software increment register" },
	{ 0x0001, "L1I_CACHE_REFILL", "level 1 instruction cache refills" },
	{ 0x0002, "L1I_TLB_REFILL", "level 1 instruction TLB refills" },
	{ 0x0003, "L1D_CACHE_REFILL", "level 1 data cache refills" },
	{ 0x0004, "L1D_CACHE", "level 1 data cache accesses" },
	{ 0x0005, "L1D_TLB_REFILL", "level 1 data TLB refills" },
	{ 0x0006, "LD_RETIRED", "load instructions retired" },
	{ 0x0007, "ST_RETIRED", "store instructions retired" },
	{ 0x0008, "INST_RETIRED", "instructions retired" },
	{ 0x0009, "EXC_TAKEN", "exceptions taken" },
	{ 0x000a, "EXC_RETURN", "exception returns" },
	{ 0x000b, "CID_WRITE_RETIRED", "writes to the context id register" },
	{ 0x000c, "PC_WRITE_RETIRED", "changes of the program counter by software" },
	{ 0x000d, "BR_IMMED_RETIRED", "immediate branches retired" },
	{ 0x000e, "BR_RETURN_RETIRED", "procedure returns retired" },
	{ 0x000f, "UNALIGNED_LDST_RETIRED", "unaligned loads and stores retired" },
	{ 0x0010, "BR_MIS_PRED", "branches predicted wrong or not at all" },
	{ 0x0011, "CPU_CYCLES", "cycles" },
	{ 0x0012, "BR_PRED", "branches that could be predicted" },
	{ 0x0013, "MEM_ACCESS", "data memory accesses" },
	{ 0x0014, "L1I_CACHE", "level 1 instruction cache accesses" },
	{ 0x0015, "L1D_CACHE_WB", "level 1 data cache write-backs" },
	{ 0x0016, "L2D_CACHE", "level 2 data cache accesses" },
	{ 0x0017, "L2D_CACHE_REFILL", "level 2 data cache refills" },
	{ 0x0018, "L2D_CACHE_WB", "level 2 data cache write-backs" },
	{ 0x0019, "BUS_ACCESS", "bus accesses" },
	{ 0x001a, "MEMORY_ERROR", "local memory errors" },
	{ 0x001b, "INST_SPEC", "operations executed speculatively" },
	{ 0x001c, "TTBR_WRITE_RETIRED", "writes to the translation table base" },
	{ 0x001d, "BUS_CYCLES", "bus cycles" },
	{ 0x001f, "L1D_CACHE_ALLOCATE", "level 1 data cache allocations without refill" },
	{ 0x0020, "L2D_CACHE_ALLOCATE", "level 2 data cache allocations without refill" },
	{ 0x0021, "BR_RETIRED", "branches retired" },
	{ 0x0022, "BR_MIS_PRED_RETIRED", "branches retired that were predicted wrong" },
	{ 0x0023, "STALL_FRONTEND", "cycles without an operation from the front end" },
	{ 0x0024, "STALL_BACKEND", "cycles in which the back end took no operation" },
	{ 0x0025, "L1D_TLB", "level 1 data TLB accesses" },
	{ 0x0026, "L1I_TLB", "level 1 instruction TLB accesses" },
	{ 0x0027, "L2I_CACHE", "level 2 instruction cache accesses" },
	{ 0x0028, "L2I_CACHE_REFILL", "level 2 instruction cache refills" },
	{ 0x0029, "L3D_CACHE_ALLOCATE", "level 3 data cache allocations without refill" },
	{ 0x002a, "L3D_CACHE_REFILL", "level 3 data cache refills" },
	{ 0x002b, "L3D_CACHE", "level 3 data cache accesses" },
	{ 0x002c, "L3D_CACHE_WB", "level 3 data cache write-backs" },
	{ 0x002d, "L2D_TLB_REFILL", "level 2 data TLB refills" },
	{ 0x002e, "L2I_TLB_REFILL", "level 2 instruction TLB refills" },
	{ 0x002f, "L2D_TLB", "level 2 data TLB accesses" },
	{ 0x0030, "L2I_TLB", "level 2 instruction TLB accesses" },
	{ 0x0031, "REMOTE_ACCESS", "accesses to another socket" },
	{ 0x0032, "LL_CACHE", "last level cache accesses" },
	{ 0x0033, "LL_CACHE_MISS", "last level cache misses" },
	{ 0x0034, "DTLB_WALK", "data TLB accesses that walked a table" },
	{ 0x0035, "ITLB_WALK", "instruction TLB accesses that walked a table" },
	{ 0x0036, "LL_CACHE_RD", "last level cache reads" },
	{ 0x0037, "LL_CACHE_MISS_RD", "last level cache read misses" },
	{ 0x0038, "REMOTE_ACCESS_RD", "reads from another socket" },
	{ 0x0039, "L1D_CACHE_LMISS_RD", "level 1 data cache long-latency read misses" },
	{ 0x003a, "OP_RETIRED", "micro-operations retired" },
	{ 0x003b, "OP_SPEC", "micro-operations executed speculatively" },
	{ 0x003c, "STALL", "cycles in which no operation was sent" },
	{ 0x003d, "STALL_SLOT_BACKEND", "slots empty because of the back end" },
	{ 0x003e, "STALL_SLOT_FRONTEND", "slots empty because of the front end" },
	{ 0x003f, "STALL_SLOT", "slots in which no operation was sent" },
	{ 0x4004, "CNT_CYCLES", "cycles at a constant rate" },
	{ 0x4005, "STALL_BACKEND_MEM", "back end stalls for memory" },
	{ 0x4006, "L1I_CACHE_LMISS", "level 1 instruction cache long-latency misses" },
	{ 0x4009, "L2D_CACHE_LMISS_RD", "level 2 data cache long-latency read misses" },
	{ 0x400b, "L3D_CACHE_LMISS_RD", "level 3 data cache long-latency read misses" },
};

const unsigned int pmuv3_count = sizeof(pmuv3_events) / sizeof(pmuv3_events[0]);

const struct pmuv3_event *pmuv3_find(const char *name)
{
	for (unsigned int i = 0; i < pmuv3_count; i++)
		if (!strcasecmp(pmuv3_events[i].name, name))
			return &pmuv3_events[i];
	return NULL;
}
