// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86 with KVM: a guest's PMU consists of perf events on the host, so that either hwpmc or guests
 * have the counters. Instructions of guests count as those of their thread, in the guest's
 * privilege mode, on whichever CPU it runs.
 *
 * A guest runs one of four programs of two or three instructions, whose registers the host sets.
 * KVM runs nested, on the SVM that QEMU emulates.
 */
#define _GNU_SOURCE
#include "exact.h"

#if defined(__x86_64__)
#include <fcntl.h>
#include <linux/kvm.h>
#include <sched.h>
#include <sys/mman.h>

#include <hwpmc_user.h>

#include "ring.h"

#define PAGE		4096
#define ROUNDS		100000ULL	/* of two instructions */
#define PERIOD		9000		/* a loop has 22 periods and 2,000 instructions */
#define LITTLE		5000		/* instructions of the test around a guest's, at most */
#define HOPS		16

/* The legacy registers, aliases of the first core counters. */
#define SELECT		0xc0010000
#define COUNTER		0xc0010004
#define CYCLES_ON	0x430076	/* in both modes; in QEMU an instruction is two cycles */
#define INSNS_ON	0x4300c0

#define CALL(...) ({							\
	int ret_ = ioctl(__VA_ARGS__);					\
	if (ret_ < 0)							\
		die("%s: %s", #__VA_ARGS__, strerror(errno));		\
	ret_;								\
})

/* All programs end with OUT. */
static const uint8_t code[] = {
#define READ	0			/* RDMSR */
	0x0f, 0x32, 0xe7, 0x10,
#define WRITE	4			/* WRMSR */
	0x0f, 0x30, 0xe7, 0x10,
#define LOOP	8			/* DEC ECX; JNZ to it */
	0x49, 0x75, 0xfd, 0xe7, 0x10,
#define RDPMC	13
	0x0f, 0x33, 0xe7, 0x10,
};

struct guest {
	int kvm, vm, vcpu;
	void *memory;
	struct kvm_run *run;
};

static void guest_open(struct guest *g)
{
	struct kvm_userspace_memory_region region = { .memory_size = PAGE };

	g->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (g->kvm < 0)
		die("/dev/kvm: %s", strerror(errno));
	g->memory = shared(PAGE);
	memcpy(g->memory, code, sizeof(code));
	region.userspace_addr = (uintptr_t)g->memory;
	g->vm = CALL(g->kvm, KVM_CREATE_VM, 0);
	CALL(g->vm, KVM_SET_USER_MEMORY_REGION, &region);
	g->vcpu = CALL(g->vm, KVM_CREATE_VCPU, 0);
	g->run = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, g->vcpu, 0);
	if (g->run == MAP_FAILED)
		die("mmap: %s", strerror(errno));
}

static void guest_close(struct guest *g)
{
	munmap(g->run, PAGE);
	close(g->vcpu);
	close(g->vm);
	close(g->kvm);
	munmap(g->memory, PAGE);
}

/* Flat segments of 32 bits. */
static struct kvm_segment segment(unsigned int type, unsigned int ring)
{
	return (struct kvm_segment){
		.limit = UINT32_MAX, .selector = 8 | ring, .type = type, .present = 1,
		.dpl = ring, .db = 1, .s = 1, .g = 1,
	};
}

/* As guest_do(). Returns false if the program faulted, which shuts down the guest. */
static bool guest_try(struct guest *g, unsigned int program, unsigned int ring, uint32_t ecx,
		      uint64_t *value)
{
	struct kvm_regs regs = {
		.rip = program, .rcx = ecx, .rax = (uint32_t)*value, .rdx = *value >> 32,
		.rflags = 0x3002,	/* IN and OUT in every ring */
	};
	struct kvm_sregs sregs;

	CALL(g->vcpu, KVM_GET_SREGS, &sregs);
	sregs.cs = segment(11, ring);
	sregs.ds = segment(3, ring);
	sregs.es = sregs.ds;
	sregs.ss = sregs.ds;
	sregs.cr0 |= 1;		/* protected mode */
	CALL(g->vcpu, KVM_SET_SREGS, &sregs);
	CALL(g->vcpu, KVM_SET_REGS, &regs);
	CALL(g->vcpu, KVM_RUN, 0);
	if (g->run->exit_reason == KVM_EXIT_SHUTDOWN)
		return false;
	if (g->run->exit_reason != KVM_EXIT_IO)
		die("the guest exited with %u", g->run->exit_reason);
	CALL(g->vcpu, KVM_GET_REGS, &regs);
	*value = (uint32_t)regs.rax | regs.rdx << 32;
	return true;
}

/* Runs a program with @ecx and EDX:EAX = @value in @ring. Returns EDX:EAX. */
static uint64_t guest_do(struct guest *g, unsigned int program, unsigned int ring, uint32_t ecx,
			 uint64_t value)
{
	if (!guest_try(g, program, ring, ecx, &value))
		die("the guest faulted");
	return value;
}

static void guest_loop(struct guest *g, unsigned int ring, uint64_t rounds)
{
	guest_do(g, LOOP, ring, rounds, 0);
}

/* Starts the guest's counter at 0, and runs a loop in the guest's kernel. Returns the counter. */
static uint64_t guest_count(struct guest *g, uint64_t select)
{
	guest_do(g, WRITE, 0, SELECT, 0);
	guest_do(g, WRITE, 0, COUNTER, 0);
	guest_do(g, WRITE, 0, SELECT, select);
	guest_loop(g, 0, ROUNDS);
	return guest_do(g, READ, 0, COUNTER, 0);
}

static int64_t hwpmc_open(int fd, uint64_t caps, uint64_t start)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TC, .cpu = -1,
		.caps = caps, .event = EV_INSTRUCTIONS, .count = start,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : (int64_t)a.id;
}

static bool in_range(uint64_t got, uint64_t least, uint64_t room)
{
	return got >= least && got - least < room;
}

/* The guest cannot read the counters of its thread by RDPMC. */
static void guest_looks(struct guest *g)
{
	unsigned int ring, row, seen = 0, faults = 0, reads = 0;

	for (ring = 0; ring <= 3; ring += 3)
		for (row = 0; row < 64; row++) {
			uint64_t value = 0;

			if (!guest_try(g, RDPMC, ring, row < 32 ? row : 1U << 30 | (row - 32), &value)) {
				faults++;
				continue;
			}
			reads++;
			seen += value >= 100;
		}
	check(!seen && reads + faults == 128,
	      "RDPMC in the guest reads none of the host's counters: %u read, %u faulted, %u read one of the host",
	      reads, faults, seen);
}

/* hwpmc has the counters; one wraps while the guest runs, and interrupts it. */
static void ours(int fd, struct guest *g)
{
	const uint64_t start = (1ULL << 48) - ROUNDS;
	uint64_t before[2], mid[2], after[2], guests, interrupts;
	int64_t user = hwpmc_open(fd, HWPMC_CAP_USER, start);
	int64_t kernel = hwpmc_open(fd, HWPMC_CAP_SYSTEM, 0);
	uint32_t ids[] = { user, kernel };

	if (user < 0 || kernel < 0 || dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("the counters: %s", dev_sentence(fd));
	interrupts = dev_stats(fd).intr_processed;
	guests = guest_count(g, CYCLES_ON);
	check(!guests, "the guest's counter of cycles stays 0 while hwpmc has the counters (%llu)",
	      (unsigned long long)guests);
	guests = guest_count(g, INSNS_ON);
	check(guests < 100, "the guest's counter of instructions counts only instructions that KVM emulates (%llu)",
	      (unsigned long long)guests);
	dev_read(fd, ids, 2, before);
	guest_loop(g, 0, ROUNDS);
	dev_read(fd, ids, 2, mid);
	guest_loop(g, 3, ROUNDS);
	dev_read(fd, ids, 2, after);
	check(mid[0] - before[0] < LITTLE && mid[1] - before[1] > 2 * ROUNDS,
	      "instructions of the guest's kernel count as its thread's :k (%llu, and %llu :u)",
	      (unsigned long long)(mid[1] - before[1]), (unsigned long long)(mid[0] - before[0]));
	check(in_range(after[0] - mid[0], 2 * ROUNDS, LITTLE) && after[1] > mid[1],
	      "instructions of the guest's user mode count as its thread's :u (%llu of %llu)",
	      (unsigned long long)(after[0] - mid[0]), 2 * ROUNDS);
	guest_looks(g);
	interrupts = dev_stats(fd).intr_processed - interrupts;
	check(interrupts && before[0] < 1ULL << 48 && after[0] >= 1ULL << 48,
	      "a wrap in the guest interrupts it and is counted");
	if (dev_release(fd, user) || dev_release(fd, kernel))
		die("release: %s", dev_sentence(fd));
}

/* The guest has the counters, from its first use to some time after its last. */
static void guests(int fd, struct guest *g)
{
	uint64_t got = guest_count(g, CYCLES_ON);
	int64_t id = hwpmc_open(fd, HWPMC_CAP_USER, 0);
	int i;

	check(in_range(got, 4 * ROUNDS, LITTLE), "the guest's counter counts when hwpmc has released its own (%llu of %llu)",
	      (unsigned long long)got, 4 * ROUNDS);
	check(id == -EBUSY && strstr(dev_sentence(fd), "perf holds the counters"),
	      "hwpmc is refused while the guest counts: %s", dev_sentence(fd));
	guest_loop(g, 3, ROUNDS);
	got = guest_do(g, READ, 0, COUNTER, 0);
	check(in_range(got, 8 * ROUNDS, LITTLE), "that refusal does not disturb the guest's counter (%llu of %llu)",
	      (unsigned long long)got, 8 * ROUNDS);

	/* KVM releases an event when its thread was preempted twice without using it. */
	guest_do(g, WRITE, 0, SELECT, 0);
	busy_cpu0_begin();
	for (i = 0; i < 1000 && id < 0; i++) {
		guest_loop(g, 3, 10 * ROUNDS);
		id = hwpmc_open(fd, HWPMC_CAP_USER, 0);
	}
	busy_cpu0_end();
	check(id > 0, "hwpmc gets the counters after the guest stopped counting (after %d loops)", i);
	dev_release(fd, id);

	guest_count(g, CYCLES_ON);
	id = hwpmc_open(fd, HWPMC_CAP_USER, 0);
	check(id == -EBUSY, "hwpmc is refused while the guest counts again");
	guest_close(g);
	id = hwpmc_open(fd, HWPMC_CAP_USER, 0);
	check(id > 0 && !dev_release(fd, id), "hwpmc gets the counters when the guest has exited");
}

struct places {
	uint32_t id;
	uint64_t all, user, first;
	bool one;
	uint64_t throttled;
};

static void place(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct places *places = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != places->id)
		return;
	if (!places->all++)
		places->first = sample->pc;
	places->one &= sample->pc == places->first;
	places->user += !!(record->flags & HWPMC_SAMPLE_USER);
}

static struct places sampled_once(int fd, struct ring_map *map, struct guest *g, unsigned int ring)
{
	uint64_t caps = ring ? HWPMC_CAP_USER : HWPMC_CAP_SYSTEM;
	struct places p = { .one = true };

	p.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, caps, 0);
	if (dev_start(fd, p.id))
		die("start: %s", dev_sentence(fd));
	guest_loop(g, ring, ROUNDS);
	dev_stop(fd, p.id);
	ring_drain(map, place, &p);
	p.throttled = dev_sampled(fd, p.id, -1).throttles;
	dev_release(fd, p.id);
	return p;
}

/*
 * Samples of a loop in @ring. An NMI first exits the guest, so the sample is of the host. If the
 * host delayed a sample so that the PMC was throttled, the loop is repeated.
 */
static struct places sampled(int fd, struct ring_map *map, struct guest *g, unsigned int ring)
{
	struct places p;
	int tries = 10;

	do
		p = sampled_once(fd, map, g, ring);
	while (p.throttled && --tries);
	return p;
}

static void samples(int fd, struct guest *g)
{
	const uint64_t loops = 2 * ROUNDS / PERIOD;
	struct ring_map map;
	struct places p;

	ring_open(&map, fd, 0);
	p = sampled(fd, &map, g, 3);
	check(p.all == loops && p.user == p.all && p.one && p.first > PAGE,
	      "%llu samples of the guest's user mode have the place where its thread called KVM: %llu",
	      (unsigned long long)p.all, (unsigned long long)p.user);
	p = sampled(fd, &map, g, 0);
	check(p.all >= loops && !p.user,
	      "%llu samples of the guest's kernel are in kernel mode, %llu in user mode", (unsigned long long)p.all,
	      (unsigned long long)p.user);
	ring_close(&map);
}

/* A guest that runs until @stop is set; @reader reads the count of its thread from a page. */
struct vcpu {
	struct worker worker;
	uint32_t id;
	struct hwpmc_user_reader reader;
	volatile bool stop;
	volatile uint64_t loops, moves;
};

static void vcpu_run(void *arg)
{
	struct vcpu *v = arg;
	struct guest g;
	int cpu = -1, now;

	guest_open(&g);
	while (!v->stop) {
		guest_loop(&g, 3, ROUNDS);
		now = sched_getcpu();
		v->moves += cpu >= 0 && cpu != now;
		cpu = now;
		v->loops++;
	}
	guest_close(&g);
}

/* Waits for two loops: the second one began after this call. */
static void vcpu_wait(const struct vcpu *v)
{
	uint64_t loops = v->loops;

	if (!SOON(v->loops >= loops + 2))
		die("a guest does not run");
}

static void moved(int fd)
{
	struct vcpu *v = shared(2 * sizeof(*v));
	uint64_t value, back = 0;
	__u64 last[2] = { 0 }, page;
	int i, hop;

	for (i = 0; i < 2; i++) {
		v[i].worker = worker_start(vcpu_run, &v[i]);
		v[i].id = dev_instructions(fd, HWPMC_F_THREAD);
		if (dev_attach(fd, v[i].id, v[i].worker.pid, 0) ||
		    hwpmc_user_map(&v[i].reader, fd, &v[i].id, 1) || dev_start(fd, v[i].id))
			die("attach: %s", dev_sentence(fd));
		worker_begin(&v[i].worker);
	}
	for (hop = 0; hop < HOPS; hop++) {
		for (i = 0; i < 2; i++)
			pin(v[i].worker.pid, (i + hop) % 2);
		for (i = 0; i < 2; i++) {
			vcpu_wait(&v[i]);
			hwpmc_user_last(&v[i].reader, &page, NULL);
			back += page < last[i] || page > dev_value(fd, v[i].id);
			last[i] = page;
		}
	}
	check(!back && last[0] && last[1],
	      "the page of a guest's thread has the count of the thread's last switch; %llu times it has not",
	      (unsigned long long)back);
	for (i = 0; i < 2; i++) {
		v[i].stop = true;
		worker_wait(&v[i].worker);
		wait_asleep(v[i].worker.pid);
		value = dev_value(fd, v[i].id);
		hwpmc_user_last(&v[i].reader, &page, NULL);
		check(page == value, "at the end the page has the value of READ: %llu",
		      (unsigned long long)page);
		check(v[i].moves >= HOPS - 1 &&
		      in_range(value, v[i].loops * 2 * ROUNDS, v[i].loops * LITTLE / 10 + LITTLE),
		      "a guest is counted over %llu migrations and %llu loops: %llu of %llu", (unsigned long long)v[i].moves,
		      (unsigned long long)v[i].loops, (unsigned long long)value,
		      (unsigned long long)v[i].loops * 2 * ROUNDS);
	}
	/* The process is killed while the guest runs. */
	for (i = 0; i < 2; i++) {
		v[i].stop = false;
		worker_begin(&v[i].worker);
		vcpu_wait(&v[i]);
		worker_end(&v[i].worker);
		value = dev_value(fd, v[i].id);
		hwpmc_user_unmap(&v[i].reader);
		check(value >= v[i].loops * 2 * ROUNDS && !dev_release(fd, v[i].id),
		      "a thread killed in its guest is counted: %llu of %llu", (unsigned long long)value,
		      (unsigned long long)v[i].loops * 2 * ROUNDS);
	}
}

int main(void)
{
	int fd = dev_open();
	struct guest g;

	time_limit(60);
	pin(0, 0);
	guest_open(&g);
	ours(fd, &g);
	samples(fd, &g);
	guests(fd, &g);
	pin(0, -1);
	moved(fd);
	return result();
}
#else
int main(void)
{
	skip("KVM: QEMU emulates nested virtualization on x86_64 only");
	return result();
}
#endif
