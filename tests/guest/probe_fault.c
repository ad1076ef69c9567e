// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PROBE record with a user call chain whose frame pointer points to memory without access: the
 * chain ends there, and lockdep's state of interrupts is still correct. setsockopt(2) enables
 * softirqs, where the debug kernel checks that state.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "child.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define CALLS	100

/* Calls setsockopt(2) with the frame pointer @frame. */
static long set_option(uintptr_t frame, int socket, const int *value)
{
#ifdef __aarch64__
	register long x0 asm("x0") = socket;
	register long x1 asm("x1") = SOL_SOCKET;
	register long x2 asm("x2") = SO_RCVBUF;
	register long x3 asm("x3") = (long)value;
	register long x4 asm("x4") = sizeof(*value);
	register long x8 asm("x8") = SYS_setsockopt;

	asm volatile("mov x9, x29\n mov x29, %[frame]\n svc #0\n mov x29, x9"
		     : "+r" (x0)
		     : "r" (x1), "r" (x2), "r" (x3), "r" (x4), "r" (x8), [frame] "r" (frame)
		     : "x9", "memory");
	return x0;
#else
	register long r10 asm("r10") = (long)value;
	register long r8 asm("r8") = sizeof(*value);
	long ret;

	asm volatile("mov %%rbp, %%r12\n mov %[frame], %%rbp\n syscall\n mov %%r12, %%rbp"
		     : "=a" (ret)
		     : "0" (SYS_setsockopt), "D" (socket), "S" (SOL_SOCKET), "d" (SO_RCVBUF),
		       "r" (r10), "r" (r8), [frame] "r" (frame)
		     : "rcx", "r11", "r12", "memory");
	return ret;
#endif
}

struct seen {
	unsigned long records, one_frame;
};

static void look(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_probe *probe = (const void *)record;
	struct seen *seen = arg;

	if (record->type != HWPMC_LOG_PROBE)
		return;
	seen->records++;
	seen->one_frame += probe->sample.chain_user <= 1;
}

int main(void)
{
	static const char name[] = "syscall:setsockopt:entry";
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TS, .cpu = -1, .count = 1,
		.name = (uintptr_t)name, .name_length = sizeof(name) - 1,
		.flags = HWPMC_F_THREAD | HWPMC_F_USERCALLCHAIN,
	};
	void *closed = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = dev_open(), pair[2], value = 65536;
	struct seen seen = { 0 };
	struct ring_map map;
	long err = 0;

	time_limit(60);
	ring_open(&map, fd, 64 * 1024);
	if (closed == MAP_FAILED || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		die("%s", strerror(errno));
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)) || dev_start(fd, a.id))
		die("%s: %s", name, dev_sentence(fd));
	for (int i = 0; i < CALLS; i++)
		err |= set_option((uintptr_t)closed, pair[0], &value);
	if (dev_stop(fd, a.id))
		die("stop: %s", dev_sentence(fd));
	ring_drain(&map, look, &seen);
	check(!err && seen.records == CALLS && seen.one_frame == CALLS,
	      "%d calls whose frame pointer points to memory without access: %lu records, %lu without that frame",
	      CALLS, seen.records, seen.one_frame);
	ring_close(&map);
	return result();
}
