// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of 32-bit code are marked, and their call chains follow 32-bit frames. On x86 a
 * 64-bit program jumps into such code; on arm64 a 32-bit program is executed.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test_class.h"
#include "exact.h"
#include "ring.h"

#define PERIOD	100000
#define DEPTH	3

/* The 32-bit code, and the return addresses of its innermost function's callers. */
struct code {
	uint64_t leaf, end;
	uint64_t chain[DEPTH];
};

static struct code code;

struct seen {
	uint32_t id;
	unsigned long narrow, wide, unmarked, whole;
};

static void see(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	const uint64_t *chain = (const void *)((const char *)record + sample->chain_offset);
	bool compat = record->flags & HWPMC_SAMPLE_COMPAT;
	struct seen *seen = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != seen->id ||
	    ring_was_throttled(sample))
		return;
	if (sample->pc < code.leaf || sample->pc >= code.end) {
		/* In the kernel's entry code a sample is marked if the user's code is 32-bit. */
		seen->wide += !compat;
		return;
	}
	seen->narrow++;
	seen->unmarked += !compat;
	seen->whole += sample->chain_offset && sample->chain_user == DEPTH &&
		       !memcmp(chain, code.chain, sizeof(code.chain));
}

#ifdef __x86_64__

extern const char code32_outer_back[], code32_inner_back[], code32_leaf[], code32_end[];
extern const char code32_far_back[];
void code32_call(void *stack, unsigned long turns);

/* A static program is in the lowest 4 GiB, where both modes can address it. */
asm(".text\n"
"	.globl code32_call, code32_outer_back, code32_inner_back, code32_leaf, code32_end\n"
"	.globl code32_far_back\n"
"code32_call:\n"
"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
"	mov %rsp, code32_saved\n"
"	mov %rdi, %rsp\n"
"	mov %esi, %ecx\n"
"	xor %ebp, %ebp\n"
"	lcall *code32_far\n"
"code32_far_back:\n"
"	mov code32_saved, %rsp\n"
"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n"
"	ret\n"
"	.code32\n"
"code32_start:\n"
"	push %ebp\n	mov %esp, %ebp\n	call code32_outer\n"
"code32_outer_back:\n"
"	pop %ebp\n	lret\n"
"code32_outer:\n"
"	push %ebp\n	mov %esp, %ebp\n	call code32_inner\n"
"code32_inner_back:\n"
"	pop %ebp\n	ret\n"
"code32_inner:\n"
"	push %ebp\n	mov %esp, %ebp\n"
"code32_leaf:\n"
"	dec %ecx\n	jnz code32_leaf\n"
"code32_end:\n"
"	pop %ebp\n	ret\n"
"	.code64\n"
"	.data\n"
"code32_far:	.long code32_start\n	.word 0x23\n"	/* __USER32_CS */
"	.balign 8\n"
"code32_saved:	.quad 0\n"
"	.text\n");

static char stack32[4096] __attribute__((aligned(16)));

static void run_32bit(int fd, uint32_t id)
{
	code = (struct code) {
		.leaf = (uintptr_t)code32_leaf, .end = (uintptr_t)code32_end,
		.chain = {
			(uintptr_t)code32_inner_back, (uintptr_t)code32_outer_back,
			(uintptr_t)code32_far_back,
		},
	};
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	code32_call(stack32 + sizeof(stack32) - 64, 10000000);
	spin(1);
}

#else

#define BASE	0x10000

/* _start calls outer, outer inner, and inner leaf, which spins. r11 is the frame pointer. */
static const uint32_t program[] = {
	/* _start */	0xe3a0b000,	/* mov fp, #0 */
	/* 04 */	0xeb000002,	/* bl outer */
	/* 08 */	0xe3a00000,	/* mov r0, #0 */
	/* 0c */	0xe3a07001,	/* mov r7, #__NR_exit */
	/* 10 */	0xef000000,	/* svc #0 */
	/* outer 14 */	0xe92d4800,	/* push {fp, lr} */
	/* 18 */	0xe1a0b00d,	/* mov fp, sp */
	/* 1c */	0xeb000000,	/* bl inner */
	/* 20 */	0xe8bd8800,	/* pop {fp, pc} */
	/* inner 24 */	0xe92d4800,	/* push {fp, lr} */
	/* 28 */	0xe1a0b00d,	/* mov fp, sp */
	/* 2c */	0xeb000000,	/* bl leaf */
	/* 30 */	0xe8bd8800,	/* pop {fp, pc} */
	/* leaf 34 */	0xe92d4800,	/* push {fp, lr} */
	/* 38 */	0xe1a0b00d,	/* mov fp, sp */
	/* 3c */	0xe3090680,	/* movw r0, #0x9680 */
	/* 40 */	0xe3400098,	/* movt r0, #0x98: 10,000,000 */
	/* 44 */	0xe2500001,	/* subs r0, r0, #1 */
	/* 48 */	0x1afffffd,	/* bne 44 */
	/* 4c */	0xe8bd8800,	/* pop {fp, pc} */
};

static void write_program(const char *path)
{
	struct {
		Elf32_Ehdr head;
		Elf32_Phdr load;
		uint32_t text[ARRAY_SIZE(program)];
	} file = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = EM_ARM, .e_version = EV_CURRENT,
			.e_entry = BASE + offsetof(typeof(file), text),
			.e_phoff = offsetof(typeof(file), load), .e_flags = EF_ARM_EABI_VER5,
			.e_ehsize = sizeof(Elf32_Ehdr), .e_phentsize = sizeof(Elf32_Phdr),
			.e_phnum = 1,
		},
		.load = {
			.p_type = PT_LOAD, .p_vaddr = BASE, .p_paddr = BASE, .p_filesz = sizeof(file),
			.p_memsz = sizeof(file), .p_flags = PF_R | PF_X, .p_align = 4096,
		},
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	memcpy(file.text, program, sizeof(program));
	if (fd < 0 || write(fd, &file, sizeof(file)) != sizeof(file) || close(fd))
		die("%s: %s", path, strerror(errno));
	code = (struct code) {
		.leaf = file.head.e_entry + 0x44, .end = file.head.e_entry + 0x4c,
		.chain = {
			file.head.e_entry + 0x30, file.head.e_entry + 0x20, file.head.e_entry + 0x08,
		},
	};
}

static void run_32bit(int fd, uint32_t id)
{
	static const char path[] = "/tmp/program32";
	pid_t child;
	int status;

	write_program(path);
	child = fork_tied();
	if (!child) {
		raise(SIGSTOP);
		spin(1);
		execl(path, path, NULL);
		_exit(errno);
	}
	waitpid(child, &status, WUNTRACED);
	if (dev_attach(fd, id, child, 0) || dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "the 32-bit program exits with status 0: 0x%x",
	      status);
	unlink(path);
}

#endif

int main(void)
{
	struct ring_map map;
	struct seen seen = { 0 };
	int fd = dev_open();

	time_limit(60);
	ring_open(&map, fd, 256 * 1024);
	seen.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, HWPMC_F_CALLCHAIN);
	run_32bit(fd, seen.id);
	dev_stop(fd, seen.id);
	ring_drain(&map, see, &seen);
	check(seen.narrow > 50 && !seen.unmarked, "of %lu samples of 32-bit code %lu are not marked",
	      seen.narrow, seen.unmarked);
	check(seen.whole == seen.narrow, "samples of 32-bit code have complete call chains: %lu", seen.whole);
	check(seen.wide > 10, "%lu other samples are not marked as 32-bit code", seen.wide);
	ring_close(&map);
	close(fd);
	return result();
}
