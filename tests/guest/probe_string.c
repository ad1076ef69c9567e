// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROBE records have a copy of the string that an argument points to, in user or in kernel memory:
 * the part that is present, up to a limit, with a mark if it is not complete. For a system call
 * with an address of the kernel there is no copy. Invalid requests are refused.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "cpu.h"
#include "probe.h"
#include "ring.h"
#include "symbol.h"
#include "test.h"

#define COMM	"stringer"
#define PAGE	4096UL

static int fd;
static struct ring_map map;

/* The last record of a PMC. */
struct seen {
	uint32_t id;
	unsigned int records;
	bool any;
	bool cut;
	char text[HWPMC_PROBE_STRING_MAX];
	char comm[16];
};

static void look(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_probe *probe = (const void *)record;
	const char *bytes = (const char *)record;
	struct seen *seen = arg;

	if (record->type != HWPMC_LOG_PROBE || record->id != seen->id)
		return;
	seen->records++;
	seen->any = probe->string_offset;
	seen->cut = record->flags & HWPMC_PROBE_CUT;
	seen->text[0] = '\0';
	if (seen->any)
		snprintf(seen->text, sizeof(seen->text), "%s", bytes + probe->string_offset);
	if (probe->comm_offset)
		memcpy(seen->comm, bytes + probe->comm_offset, sizeof(seen->comm));
}

static int allocate(const char *name, int file, uint32_t mode, uint32_t string, uint32_t *id)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = -1,
		.flags = mode == HWPMC_MODE_TS ? HWPMC_F_COMM | HWPMC_F_USERCALLCHAIN : 0,
		.name = (uintptr_t)name, .name_length = strlen(name), .file = file,
		.count = mode == HWPMC_MODE_TS, .args = mode == HWPMC_MODE_TS, .string = string,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	*id = a.id;
	return err;
}

static uint32_t sampler(const char *name, int file, uint32_t string)
{
	uint32_t id;

	if (allocate(name, file, HWPMC_MODE_TS, string, &id))
		die("%s: %s", name, dev_sentence(fd));
	return id;
}

/* Calls faccessat(*, path), whose second argument is the path; its result does not matter. */
static struct seen call(const char *path)
{
	struct seen seen = { .id = sampler("syscall:faccessat:entry", 0, 2) };

	if (dev_start(fd, seen.id))
		die("start: %s", dev_sentence(fd));
	syscall(SYS_faccessat, AT_FDCWD, path, 0);
	if (dev_stop(fd, seen.id))
		die("stop: %s", dev_sentence(fd));
	ring_drain(&map, look, &seen);
	dev_release(fd, seen.id);
	return seen;
}

static void is(const char *what, const struct seen *seen, const char *text, bool cut)
{
	check(seen->records == 1 && seen->any == !!text && seen->cut == cut &&
	      !strcmp(seen->text, text ?: "") && !strcmp(seen->comm, COMM),
	      "%s: %u record, %s'%.20s'%s", what, seen->records, seen->any ? "" : "no string ",
	      seen->text, seen->cut ? ", cut" : "");
}

/* Strings in user memory, around the end of a page that is followed by unmapped memory. */
static void user(void)
{
	char *memory = small_pages(2 * PAGE), *end = memory + PAGE, longest[HWPMC_PROBE_STRING_MAX];
	struct seen seen;

	munmap(end, PAGE);
	memset(memory, 'x', PAGE);
	strcpy(memory, "/proc/self");
	seen = call(memory);
	is("a string", &seen, "/proc/self", false);
#ifdef __aarch64__
	/*
	 * Addresses of user space may have a tag in the top byte. By default system calls refuse
	 * such addresses.
	 */
	seen = call((const char *)((uintptr_t)memory | 0x5aUL << 56));
	is("a string at an address with a tag", &seen, "/proc/self", false);
#endif
	memory[0] = '\0';
	seen = call(memory);
	is("an empty string", &seen, "", false);
	memcpy(end - 4, "end", 4);
	seen = call(end - 4);
	is("a string that ends at the end of its page", &seen, "end", false);
	memcpy(end - 4, "none", 4);
	seen = call(end - 4);
	is("a string that continues in unmapped memory", &seen, "none", true);
	memset(longest, 'y', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	strcpy(memory, longest);
	seen = call(memory);
	is("the longest string", &seen, longest, false);
	memory[sizeof(longest) - 1] = 'y';
	memory[sizeof(longest)] = '\0';
	seen = call(memory);
	is("a longer string", &seen, longest, true);
	munmap(memory, PAGE);
	seen = call(memory);
	is("an unmapped address", &seen, NULL, false);
	seen = call(NULL);
	is("address NULL", &seen, NULL, false);
	seen = call((const char *)~0xfffUL);
	is("an address in the last page", &seen, NULL, false);
}

#ifdef __aarch64__
/* Older headers lack these. */
#define HAS_TAGS	(1UL << 18)	/* HWCAP2_MTE */
#define PROT_TAGS	0x20		/* PROT_MTE */
#define CHECK_TAGS	(1UL | 1UL << 1 | 0xfffeUL << 3)	/* PR_TAGGED_ADDR_ENABLE, PR_MTE_TCF_SYNC */
#define GRANULE		16

/* Sets the tag of the granule at @at to @value. Returns @at with that tag. */
static char *tag(char *at, unsigned long value)
{
	at = (char *)((uintptr_t)at | value << 56);
	asm volatile(".arch armv8.5-a+memtag\n\tstg %0, [%0]" : : "r" (at) : "memory");
	return at;
}

/*
 * Strings in memory of MTE: the CPU compares its tags with those of addresses. The first 16 bytes
 * have tag 5, the next have tag 6.
 */
static void tagged(void)
{
	char *memory, *text;
	struct seen seen;

	if (!(getauxval(AT_HWCAP2) & HAS_TAGS))
		return;
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_TAGS, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED || prctl(PR_SET_TAGGED_ADDR_CTRL, CHECK_TAGS, 0, 0, 0))
		die("tags: %s", strerror(errno));
	tag(memory + GRANULE, 6);
	text = tag(memory, 5);
	strcpy(text, "of one tag");
	seen = call(text);
	is("a string in memory that has its tag, before memory with another", &seen, text, false);
	seen = call(text + 3);
	is("the same string from its middle", &seen, text + 3, false);
	memset(text, 'z', GRANULE);
	seen = call(text);
	is("a string that continues in memory with another tag", &seen, "zzzzzzzzzzzzzzzz", true);
	seen = call(memory);
	is("a string at an address with another tag", &seen, NULL, false);
	prctl(PR_SET_TAGGED_ADDR_CTRL, 0, 0, 0, 0);
	munmap(memory, PAGE);
}
#else
static void tagged(void)
{
}
#endif

/*
 * A program may pass any address to a system call. A probe of the system call does not read a
 * kernel address. A probe of a kernel function does: such an argument does not differ from an
 * address that the kernel itself passes.
 */
static void kernel(void)
{
	const char *address = (const char *)kernel_symbol("vfs_read");
	struct seen seen = call(address);

	is("a system call with an address of the kernel", &seen, NULL, false);
	seen = (struct seen) { .id = sampler("kprobe:getname_flags", 0, 1) };
	if (dev_start(fd, seen.id))
		die("start: %s", dev_sentence(fd));
	syscall(SYS_faccessat, AT_FDCWD, address, 0);
	if (dev_stop(fd, seen.id))
		die("stop: %s", dev_sentence(fd));
	ring_drain(&map, look, &seen);
	check(seen.records == 1 && seen.any, "a kernel function that gets this address: %u record, %s string",
	      seen.records, seen.any ? "a" : "no");
	dev_release(fd, seen.id);
}

/* A kernel function whose argument is a string in kernel memory. */
static void function(void)
{
	struct seen seen = { .id = sampler("kprobe:__set_task_comm", 0, 2) };

	if (dev_start(fd, seen.id))
		die("start: %s", dev_sentence(fd));
	prctl(PR_SET_NAME, "renamed");
	if (dev_stop(fd, seen.id))
		die("stop: %s", dev_sentence(fd));
	prctl(PR_SET_NAME, COMM);
	ring_drain(&map, look, &seen);
	is("the argument of a kernel function", &seen, "renamed", false);
	dev_release(fd, seen.id);
}

/* A function of this program: the argument and the result are addresses of strings. */
static PROBED const char *passed(const char *text)
{
	return text + 1;
}

static void look_at_two(const struct hwpmc_log_header *record, void *arg)
{
	struct seen *two = arg;

	look(record, &two[0]);
	look(record, &two[1]);
}

static void program(void)
{
	static const char text[] = "passed and returned";
	uint64_t offset;
	int file = probe_file(passed, &offset);
	struct seen two[2] = { { 0 } };
	char name[64];

	snprintf(name, sizeof(name), "uprobe:%#" PRIx64 ":entry", offset);
	two[0].id = sampler(name, file, 1);
	snprintf(name, sizeof(name), "uprobe:%#" PRIx64 ":return", offset);
	two[1].id = sampler(name, file, HWPMC_PROBE_STRING_RETVAL);
	if (dev_start(fd, two[0].id) || dev_start(fd, two[1].id))
		die("start: %s", dev_sentence(fd));
	if (!strlen(text) || passed(text) != text + 1)
		die("passed() does not return what it should");
	ring_drain(&map, look_at_two, two);
	is("the argument of a program's function", &two[0], text, false);
	is("the result of a program's function", &two[1], text + 1, false);
	dev_release(fd, two[0].id);
	dev_release(fd, two[1].id);
	close(file);
}

static void refused(const char *what, uint32_t mode, uint32_t string)
{
	uint32_t id;
	int err = allocate("syscall:faccessat:entry", 0, mode, string, &id);

	check(err == -EINVAL && strcmp(dev_sentence(fd), NO_SENTENCE), "%s is refused: %s", what,
	      err ? dev_sentence(fd) : "it is accepted");
	if (!err)
		dev_release(fd, id);
}

int main(void)
{
	alarm(60 * PATIENCE);
	prctl(PR_SET_NAME, COMM);
	fd = dev_open();
	ring_open(&map, fd, 65536);
	user();
	tagged();
	kernel();
	function();
	program();
	refused("the string of an eleventh argument", HWPMC_MODE_TS, HWPMC_PROBE_ARGS_MAX + 1);
	refused("the string of an unknown value", HWPMC_MODE_TS, UINT32_MAX);
	refused("a string of a PMC that counts", HWPMC_MODE_TC, 1);
	return result();
}
