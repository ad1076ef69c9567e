// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulated PMU of x86: counting, overflows and the interrupt.
 *
 * The counts are computed from two numbers that the translated code keeps exactly
 * for each CPU: instructions (CPUState.insns) and near branches
 * (CPUX86State.branches). Before anything changes which counters count (a write of
 * an MSR, a change of CPL), a fold adds what was executed until then to them. The
 * next overflow is a number of instructions as well, and the CPU stops exactly
 * there (CPUState.insns_deadline).
 *
 * A write of an MSR is counted by the old settings, and an instruction that changes
 * CPL by the CPL at its start.
 */
#include "qemu/osdep.h"
#include "x86_pmu.h"
#include "qemu/main-loop.h"
#include "hw/i386/apic.h"

enum event { EV_NONE, EV_INSNS, EV_CYCLES, EV_REF, EV_SLOTS, EV_BRANCHES, EV_SYNTH };

/* Two core cycles for each instruction, so that a test can distinguish the two events. */
#define CYCLES_PER_INSN	2
#define SLOTS_PER_INSN	8

#define EVENT_SYNTH	0x15a

static void add(struct X86PMU *pmu, int i, int64_t n)
{
	struct counter *c = &pmu->c[i];

	c->value += n;
	if (!(c->value >> pmu->f->width))
		return;
	c->value &= counter_mask(pmu);
	if (has_global(pmu))
		pmu->status |= global_bit(i);
	pmu->pmi |= c->pmi;
}

static bool counts(const struct counter *c, bool user)
{
	return user ? c->user : c->kernel;
}

void x86_pmu_fold(CPUX86State *env)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	int64_t insns = env_cpu(env)->insns - pmu->insns;
	int64_t branches = env->branches - pmu->branches;
	int i;

	for (i = 0; i < COUNTERS; i++) {
		const struct counter *c = &pmu->c[i];

		if (counts(c, pmu->user))
			add(pmu, i, c->per_insn * insns + c->per_branch * branches);
	}
	pmu->insns += insns;
	pmu->branches += branches;
}

/*
 * A branch is an instruction as well and may add more to a counter than one. If each
 * instruction until the deadline adds the most it can, the first counter overflows
 * at the deadline; otherwise no counter has overflowed there, and a later deadline is
 * set.
 */
void x86_pmu_set_deadline(CPUX86State *env)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	int64_t left = INT64_MAX - pmu->insns;
	int i;

	for (i = 0; i < COUNTERS; i++) {
		const struct counter *c = &pmu->c[i];
		int most = c->per_insn + MAX(c->per_branch, 0);

		if (counts(c, pmu->user) && most)
			left = MIN(left, DIV_ROUND_UP(BIT64(pmu->f->width) - c->value, most));
	}
	env_cpu(env)->insns_deadline = pmu->pmi ? pmu->insns : pmu->insns + left;
}

static void deliver(X86CPU *cpu)
{
	struct X86PMU *pmu = cpu->pmu;

	pmu->pmi = false;
	qemu_mutex_lock_iothread();
	if (cpu->apic_state && apic_deliver_pmi(cpu->apic_state, !pmu->f->amd))
		pmu->own[OWN_PMIS]++;
	else
		pmu->own[OWN_PMIS_MASKED]++;
	qemu_mutex_unlock_iothread();
}

static enum event intel_event(uint64_t sel)
{
	switch ((sel & 0xffff) | (sel & SEL_UMASK2) >> 24) {
	case 0x00c0: return EV_INSNS;
	case 0x003c: return EV_CYCLES;
	case 0x013c: return EV_REF;
	case 0x01a4: return EV_SLOTS;
	case 0x00c4: return EV_BRANCHES;
	case 0x100c4: return EV_INSNS;
	case EVENT_SYNTH: return EV_SYNTH;
	}
	return EV_NONE;
}

static enum event amd_event(uint64_t sel)
{
	switch ((sel & 0xffff) | (sel >> 32 & 0xf) << 16) {
	case 0x00c0: return EV_INSNS;
	case 0x0076: return EV_CYCLES;
	case 0x00c2: return EV_BRANCHES;
	case EVENT_SYNTH: return EV_SYNTH;
	}
	return EV_NONE;
}

/*
 * Without a threshold the counter counts events, with one it counts the cycles that
 * have at least that many events. A cycle has at most one event (four slots), and
 * every second cycle has an instruction.
 */
static void set_rate(struct counter *c, enum event event, uint64_t sel)
{
	static const int most[] = {
		[EV_INSNS] = 1, [EV_CYCLES] = 1, [EV_REF] = 1, [EV_BRANCHES] = 1,
		[EV_SLOTS] = SLOTS_PER_INSN / CYCLES_PER_INSN,
	};
	unsigned int threshold = sel >> 24 & 0xff;
	bool always, never;

	c->per_insn = c->per_branch = 0;
	c->synth = event == EV_SYNTH;
	if (event == EV_NONE || event == EV_SYNTH)
		return;
	if (!threshold && (sel & SEL_EDGE))
		threshold = 1;
	never = threshold > most[event];
	always = !never && (event == EV_CYCLES || event == EV_SLOTS);

	if (!threshold) {
		c->per_insn = event == EV_SLOTS ? SLOTS_PER_INSN :
			      event == EV_CYCLES ? CYCLES_PER_INSN : event != EV_BRANCHES;
		c->per_branch = event == EV_BRANCHES;
		return;
	}
	if (never || always) {
		if (!(sel & SEL_EDGE) && always == !(sel & SEL_INV))
			c->per_insn = CYCLES_PER_INSN;
		return;
	}
	c->per_insn = event != EV_BRANCHES;
	c->per_branch = event == EV_BRANCHES;
	if ((sel & SEL_INV) && !(sel & SEL_EDGE)) {
		c->per_insn = CYCLES_PER_INSN - c->per_insn;
		c->per_branch = -c->per_branch;
	}
}

/* A write of the synthetic event's register is one cycle. Other cycles are ignored. */
void x86_pmu_synthesize(struct X86PMU *pmu, bool user, uint64_t n)
{
	int i;

	n = MIN(n, counter_mask(pmu) >> 1);
	for (i = 0; i < pmu->f->gp; i++) {
		uint64_t sel = pmu->evtsel[i], threshold = sel >> 24 & 0xff;

		if (!pmu->c[i].synth || !counts(&pmu->c[i], user))
			continue;
		if (!threshold && !(sel & SEL_EDGE))
			add(pmu, i, n);
		else
			add(pmu, i, (n >= MAX(threshold, 1)) == !(sel & SEL_INV));
	}
}

/*
 * Does the counter not count now, by AMD's GuestOnly and HostOnly bits? They have an
 * effect only if exactly one is set and EFER.SVME is on.
 */
static bool is_excluded(const CPUX86State *env, uint64_t sel)
{
	uint64_t whose = sel & (SEL_GUEST | SEL_HOST);

	if (!(env->efer & MSR_EFER_SVME) || (whose != SEL_GUEST && whose != SEL_HOST))
		return false;
	return (whose == SEL_GUEST) != !!(env->hflags & HF_GUEST_MASK);
}

void x86_pmu_configure(CPUX86State *env)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	int i;

	for (i = 0; i < COUNTERS; i++) {
		static const enum event fixed[] = { EV_INSNS, EV_CYCLES, EV_REF, EV_SLOTS };
		struct counter *c = &pmu->c[i];
		uint64_t sel = 0;
		bool on = exists(pmu, i);

		if (i < GP_MAX) {
			sel = pmu->evtsel[i];
			on = on && (sel & SEL_EN);
			c->user = sel & SEL_USR;
			c->kernel = sel & SEL_OS;
			c->pmi = sel & SEL_INT;
			set_rate(c, pmu->f->amd ? amd_event(sel) : intel_event(sel), sel);
		} else {
			unsigned int ctrl = pmu->fixed_ctrl >> 4 * (i - GP_MAX);

			c->user = ctrl & FIXED_USR;
			c->kernel = ctrl & FIXED_OS;
			c->pmi = ctrl & FIXED_PMI;
			set_rate(c, fixed[i - GP_MAX], 0);
		}
		if (has_global(pmu) && !(pmu->global_ctrl & global_bit(i)))
			on = false;
		if (pmu->status & CTR_FRZ)
			on = false;
		if (pmu->f->amd && is_excluded(env, sel))
			on = false;
		c->user &= on;
		c->kernel &= on;
	}
	x86_pmu_set_deadline(env);
}

/* IA32_DEBUGCTL.FREEZE_PERFMON_ON_PMI. */
static void freeze(struct X86PMU *pmu)
{
	if (pmu->f->amd || !(pmu->debugctl & DEBUGCTL_FRZ))
		return;
	if (pmu->f->version >= 4)
		pmu->status |= CTR_FRZ;
	else
		pmu->global_ctrl = 0;
}

void x86_pmu_reached(CPUState *cs)
{
	X86CPU *cpu = X86_CPU(cs);

	x86_pmu_fold(&cpu->env);
	if (cpu->pmu->pmi) {
		deliver(cpu);
		freeze(cpu->pmu);
		x86_pmu_configure(&cpu->env);
	}
	x86_pmu_set_deadline(&cpu->env);
}

/*
 * QEMU calls this whenever SS is loaded, so also at VMRUN and #VMEXIT, which may
 * change who counts without a change of CPL.
 */
void x86_pmu_set_cpl(CPUX86State *env, int cpl)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	bool guest = env->hflags & HF_GUEST_MASK;

	if (!pmu || (pmu->user == !!cpl && pmu->guest == guest))
		return;
	x86_pmu_fold(env);
	pmu->user = cpl;
	if (pmu->guest != guest) {
		pmu->guest = guest;
		x86_pmu_configure(env);
	}
	x86_pmu_set_deadline(env);
}
