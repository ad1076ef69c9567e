// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of the emulated x86 PMU (tests/qemu-pmu), accessed without a driver: faults,
 * masks, counting, and QEMU's own statistics registers. perf must not use the PMU:
 * nmi_watchdog=0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

#include "cpu.h"
#include "file.h"
#include "test.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define RDPMC		"/sys/bus/event_source/devices/cpu/rdpmc"

#define OWN(n)		(0x4000f000 + (n))
#define OWN_WRMSR_PMU	OWN(1)
#define OWN_WRMSR	OWN(2)
#define OWN_OTHER	OWN(3)
#define OWN_LAST	OWN(4)
#define OWN_FAULTS	OWN(5)
#define OWN_SYNTH_K	OWN(8)
#define OWN_SYNTH_U	OWN(9)
#define OWN_WRMSR_V6	OWN(12)

#define SYNTH		0x15aULL
#define USR		(1ULL << 16)
#define OS		(1ULL << 17)
#define EDGE		(1ULL << 18)
#define EN		(1ULL << 22)
#define INV		(1ULL << 23)
#define CMASK(n)	((uint64_t)(n) << 24)

static const struct flavour {
	const char *name;
	uint32_t sel, counter, step;
	uint32_t global_ctrl, global_status, global_clear;
	unsigned int counters, width;
	bool full;	/* a write of the counter keeps all its bits */
	uint32_t faults[8];
} flavours[] = {
	{ "intel-v2", 0x186, 0xc1, 1, 0x38f, 0x38e, 0x390, 4, 40, false,
	  { 0x345, 0x391, 0x392, 0x4c1, 0x30c, 0xc5, 0x18a, 0xc0010000 } },
	{ "intel-v5", 0x186, 0x4c1, 1, 0x38f, 0x38e, 0x390, 8, 48, true,
	  { 0x329, 0x3f1, 0x1900, 0x1901, 0xc0000300, 0xc0010000, 0xc0010200, 0xc0010201 } },
	{ "amd-legacy", 0xc0010000, 0xc0010004, 1, 0, 0, 0, 4, 48, true,
	  { 0xc0010200, 0xc0010201, 0xc0000300, 0xc0000301, 0x186, 0xc1, 0x38f, 0x345 } },
	{ "amd-core", 0xc0010200, 0xc0010201, 2, 0, 0, 0, 6, 48, true,
	  { 0xc0000300, 0xc0000301, 0xc0000302, 0x186, 0xc1, 0x38f, 0x345, 0x4c1 } },
	{ "amd-v2", 0xc0010200, 0xc0010201, 2, 0xc0000301, 0xc0000300, 0xc0000302, 6, 48, true,
	  { 0xc0000303, 0x186, 0xc1, 0x38d, 0x38f, 0x390, 0x345, 0x4c1 } },
	{ "intel-v6", 0x1901, 0x1900, 4, 0x38f, 0x38e, 0x390, 8, 48, true,
	  { 0x1902, 0x1903, 0x1920, 0x1921, 0x1981, 0x1990, 0xc0010000, 0xc0010200 } },
};

static const struct flavour *f;
static int msrs;

static bool rd(uint32_t msr, uint64_t *val)
{
	return pread(msrs, val, sizeof(*val), msr) == sizeof(*val);
}

static bool wr(uint32_t msr, uint64_t val)
{
	return pwrite(msrs, &val, sizeof(val), msr) == sizeof(val);
}

static uint64_t get(uint32_t msr)
{
	uint64_t val = 0;

	if (!rd(msr, &val))
		die("reading 0x%x faults", msr);
	return val;
}

static void set(uint32_t msr, uint64_t val)
{
	if (!wr(msr, val))
		die("writing 0x%llx to 0x%x faults", (unsigned long long)val, msr);
}

static uint32_t sel(unsigned int i)
{
	return f->sel + i * f->step;
}

static uint32_t counter(unsigned int i)
{
	return f->counter + i * f->step;
}

static void is(uint64_t got, uint64_t want, const char *name)
{
	check(got == want, "%s: %s: 0x%llx (expected 0x%llx)", f->name, name, (unsigned long long)got,
	      (unsigned long long)want);
}

static void faults(void)
{
	uint64_t before = get(OWN_FAULTS), val;
	unsigned int i, good = 0;

	for (i = 0; i < ARRAY_SIZE(f->faults); i++)
		good += !rd(f->faults[i], &val) && !wr(f->faults[i], 0);
	is(good, ARRAY_SIZE(f->faults), "registers of other PMUs that fault");
	is(get(OWN_FAULTS) - before, 2 * ARRAY_SIZE(f->faults), "#GP counted");
	if (f->global_ctrl == 0x38f) {
		check(!wr(sel(0), 1ULL << 32), "%s: #GP for a reserved bit of the event selection", f->name);
		check(!wr(sel(0), 1ULL << 21), "%s: #GP for AnyThread", f->name);
		check(!wr(f->global_ctrl, 1ULL << f->counters), "%s: #GP for a counter too many", f->name);
		check(!wr(f->global_status, 0), "%s: #GP for a write of the status", f->name);
		check(!wr(0x38d, 4), "%s: #GP for AnyThread of a fixed counter", f->name);
		check(!wr(0x309, 1ULL << f->width), "%s: #GP for a bit beyond the counter's width", f->name);
	} else {
		set(sel(0), 1ULL << 19 | 1ULL << 63);
		is(get(sel(0)), 0, "reserved bits that ignore a write");
	}
	if (f->counter == 0x4c1 || f->counter == 0x1900)
		check(!wr(counter(0), 1ULL << 48), "%s: #GP for a bit beyond the width", f->name);
}

static void keeps(void)
{
	uint64_t mask = (1ULL << f->width) - 1;
	unsigned int i;

	for (i = 0; i < f->counters; i++) {
		set(sel(i), 0);
		set(counter(i), 0x123456789aULL + i);
	}
	for (i = 0; i < f->counters; i++)
		is(get(counter(i)), f->full ? 0x123456789aULL + i : 0x3456789aULL + i, "a counter's value");
	if (f->global_ctrl == 0x38f) {
		set(0xc1, 0x80000000);
		is(get(0xc1), 0xffffffff80000000 & mask, "a value extended from 32 bits");
	}
	for (i = 0; i < f->counters; i++)
		set(counter(i), 0);
}

/* CPUID and registers of version 6, which includes those of earlier versions. */
static void version_6(void)
{
	const uint64_t value = 0x9876543210ULL, umask2 = 1ULL << 40 | 0xc0;
	uint64_t writes = get(OWN_WRMSR_V6);
	unsigned int a, b, c, d;

	if (f->counter != 0x1900)
		return;
	check(__get_cpuid_count(0x23, 0, &a, &b, &c, &d) && a == 3 && b == 1,
	      "%s: CPUID leaf 23H has bitmaps of counters and extended unit masks: 0x%x, 0x%x", f->name, a, b);
	check(__get_cpuid_count(0x23, 1, &a, &b, &c, &d) && a == 0xff && b == 0xf,
	      "%s: the bitmaps of counters: 0x%x, 0x%x fixed", f->name, a, b);
	set(counter(3), value);
	is(get(0xc4), value, "a counter read at its first address");
	set(0x4c4, value + 1);
	is(get(counter(3)), value + 1, "a counter written at its second address");
	set(sel(7), umask2);
	is(get(0x18d), umask2, "an event selection with an extended unit mask, read at its old address");
	set(0x18d, 0);
	is(get(sel(7)), 0, "the same, written at its old address");
	set(0x198c, value);
	is(get(0x30c), value, "a fixed counter read at its old address");
	set(0x30c, 0);
	is(get(0x198c), 0, "a fixed counter written at its old address");
	set(counter(3), 0);
	is(get(OWN_WRMSR_V6) - writes, 4, "writes at the new addresses");
}

static uint64_t synth(uint64_t bits, uint64_t from, uint32_t msr, uint64_t n)
{
	set(counter(1), from);
	set(sel(1), SYNTH | EN | bits);
	set(msr, n);
	set(sel(1), 0);
	return get(counter(1));
}

static void counting(void)
{
	uint64_t ones = f->full ? (1ULL << f->width) - 1 : 0xffffffff;

	if (f->global_ctrl)
		set(f->global_ctrl, 2);
	is(synth(OS, 0, OWN_SYNTH_K, 5), 5, "synthetic events of the kernel");
	is(synth(USR, 0, OWN_SYNTH_K, 5), 0, "synthetic events of the kernel counted in user mode");
	is(synth(USR, 0, OWN_SYNTH_U, 7), 7, "synthetic events of user mode");
	is(synth(OS, 0, OWN_SYNTH_U, 7), 0, "synthetic events of user mode counted in the kernel");
	is(synth(OS | CMASK(5), 0, OWN_SYNTH_K, 5), 1, "a threshold that is met");
	is(synth(OS | CMASK(6), 0, OWN_SYNTH_K, 5), 0, "a threshold that is not met");
	is(synth(OS | CMASK(6) | INV, 0, OWN_SYNTH_K, 5), 1, "an inverted threshold");
	is(synth(OS | EDGE, 0, OWN_SYNTH_K, 5), 1, "edges");
	is(synth(OS, ones - 2, OWN_SYNTH_K, 5), 2, "an overflow");
	if (!f->global_ctrl)
		return;
	is(get(f->global_status), 2, "the overflow's bit in the status");
	set(f->global_clear, 2);
	is(get(f->global_status), 0, "the status after it is acknowledged");
	set(f->global_ctrl, 0);
	is(synth(OS, 0, OWN_SYNTH_K, 5), 0, "synthetic events with global control off");
}

static sigjmp_buf back;

static void on_segv(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static bool rdpmc(uint32_t index, uint64_t *val)
{
	uint32_t lo, hi;

	if (sigsetjmp(back, 1))
		return false;
	asm volatile("rdpmc" : "=a" (lo), "=d" (hi) : "c" (index));
	*val = lo | (uint64_t)hi << 32;
	return true;
}

static void user_reads(void)
{
	uint64_t val, next;

	signal(SIGSEGV, on_segv);
	file_set(RDPMC, "0");
	check(!rdpmc(0, &val), "%s: RDPMC faults without CR4.PCE", f->name);
	file_set(RDPMC, "2");
	set(counter(1), 4711);
	check(rdpmc(1, &val) && val == 4711, "%s: RDPMC reads a counter", f->name);
	check(!rdpmc(f->counters, &val), "%s: RDPMC of one counter too many faults", f->name);
	check(!rdpmc(1u << 31, &val), "%s: RDPMC of an unknown kind of counter faults", f->name);
	if (f->global_ctrl)
		set(f->global_ctrl, 2);
	set(sel(1), 0xc0 | USR | EN);
	asm volatile("mov $1, %%ecx; rdpmc; mov %%eax, %%esi; nop; nop; rdpmc; sub %%esi, %%eax"
		     : "=a" (next) : : "ecx", "edx", "esi");
	set(sel(1), 0);
	is((uint32_t)next, 4, "instructions from one RDPMC to the next but three");
	file_set(RDPMC, "1");
	signal(SIGSEGV, SIG_DFL);
}

/* Two processes that switch to each other on this CPU. */
static void switches(void)
{
	uint64_t pmu = get(OWN_WRMSR_PMU), all = get(OWN_WRMSR), other = get(OWN_OTHER);
	unsigned int i;
	pid_t pid = fork();

	for (i = 0; i < 1000; i++)
		sched_yield();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	is(get(OWN_WRMSR_PMU) - pmu, 0, "writes of the PMU's registers in 2,000 switches of tasks");
	is(get(OWN_OTHER) - other, 0, "writes of registers that Linux does not write");
	printf("# all writes of registers: %llu\n", (unsigned long long)(get(OWN_WRMSR) - all));
	set(OWN_OTHER, 0);
	set(0x3a0, 0);
	is(get(OWN_OTHER), 1, "a write of such a register is counted");
	is(get(OWN_LAST), 0x3a0, "the last such register");
}

int main(void)
{
	uint64_t id;

	pin(0, 0);
	msrs = open("/dev/cpu/0/msr", O_RDWR);
	if (msrs < 0)
		die("no /dev/cpu/0/msr: %s", strerror(errno));
	id = get(OWN(0));
	if (id >> 12 != 0x68777 || (id & 0xfff) >= ARRAY_SIZE(flavours))
		die("no emulated PMU: 0x%llx", (unsigned long long)id);
	f = &flavours[id & 0xfff];
	faults();
	keeps();
	version_6();
	counting();
	user_reads();
	switches();
	return result();
}

#else

int main(void)
{
	skip("registers of the emulated x86 PMU: not on this machine");
	return 0;
}

#endif
