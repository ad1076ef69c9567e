// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU translates a page of code once, also if it is mapped at several addresses (tests/qemu-pmu).
 * At each of them the code computes its own address, returns there, and faults there.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "test.h"

#define MAPPINGS	3
#define ROUNDS		100

/* A function that returns its address. */
#if defined(__aarch64__)
static const uint32_t code[] = { 0x10000000, 0xd65f03c0 };			/* adr x0, . ; ret */
#elif defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff, 0xc3 };	/* lea -7(%rip), %rax ; ret */
#else
#error "no code for this architecture"
#endif

static char *mapped[MAPPINGS];

static void own_addresses(void)
{
	int wrong = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < MAPPINGS; i++)
			wrong += ((char *(*)(void))mapped[i])() != mapped[i];
	check(!wrong, "a function that is mapped %d times returns its address at each: %d of %d calls do not", MAPPINGS,
	      wrong, ROUNDS * MAPPINGS);
}

#if defined(__aarch64__)
static sigjmp_buf before;
static char *volatile at;

static void fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	at = info->si_addr;
	siglongjmp(before, 1);
}

/* An instruction's address is a multiple of 4: otherwise FAR is that address (Arm ARM, PC alignment checking). */
static void own_faults(void)
{
	const struct sigaction action = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO };
	int wrong = 0;

	sigaction(SIGBUS, &action, NULL);
	for (volatile int i = 0; i < MAPPINGS; i++) {
		if (!sigsetjmp(before, 1))
			((void (*)(void))(mapped[i] + 2))();
		wrong += at != mapped[i] + 2;
	}
	check(!wrong, "a misaligned jump faults at its own address in each mapping: %d of %d do not", wrong, MAPPINGS);
}
#endif

int main(void)
{
	int fd = memfd_create("code", 0);

	if (fd < 0 || write(fd, code, sizeof(code)) != sizeof(code))
		die("memfd: %s", strerror(errno));
	for (int i = 0; i < MAPPINGS; i++) {
		mapped[i] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
		if (mapped[i] == MAP_FAILED)
			die("mmap: %s", strerror(errno));
	}
	own_addresses();
#if defined(__aarch64__)
	own_faults();
#endif
	return result();
}
