// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every call with structures that are too short, exact, longer with and without zeros, at the
 * edge of mapped memory, and unmapped; with every unknown flag and every reserved field. A
 * call that fails changes nothing.
 */
#include <sys/mman.h>

#include "test_class.h"
#include "guarded.h"
#include "calls.h"

#define LAST_NUMBER	_IOC_NR(HWPMC_IOC_MAP_FD)
#define UNUSED_NUMBER	0x0e

static int fd;

/* Makes the call @cmd with a structure of @size bytes at @at, then undoes what fill() did. */
static int call_as(const struct call *c, unsigned long cmd, void *at, uint32_t size)
{
	int err;

	memcpy(at, &size, sizeof(size));
	err = dev_ioctl(call_on, cmd, at);
	if (err)
		keep_last_error(call_on);
	call_undo(c, at, err);
	return err;
}

static void case_size(const struct call *c, uint32_t size, int want)
{
	int err;

	memset(guarded, 0, GUARDED_PAGES * guarded_page_size);
	err = call_as(c, c->cmd, call_fill(c, guarded), size);
	if (want && size < sizeof(struct hwpmc_head))
		refused_silent(err, want, "%s of %u bytes", c->name, size);
	else if (want)
		refused(fd, err, want, "bytes", "%s of %u bytes", c->name, size);
	else
		check(!err, "%s of %u bytes, of which the last are 0, succeeds: %d", c->name, size, err);
}

static void case_tail(const struct call *c, uint32_t size, uint32_t at)
{
	memset(guarded, 0, GUARDED_PAGES * guarded_page_size);
	call_fill(c, guarded);
	guarded[at] = 1;
	refused(fd, call_as(c, c->cmd, guarded, size), E2BIG, "sets fields",
		"%s of %u bytes, byte %u is 1", c->name, size, at);
}

static void case_edges(const struct call *c)
{
	char *at = guarded_end - c->size;
	int err = call_as(c, c->cmd, call_fill(c, at), c->size);

	check(!err, "%s that ends at an unmapped page succeeds: %d", c->name, err);
	refused(fd, call_as(c, c->cmd, call_fill(c, at), c->size + 8), EFAULT, NULL,
		"%s that ends 8 bytes after an unmapped page begins", c->name);
	refused(fd, call_as(c, c->cmd, call_fill(c, at), 0xffffffff), E2BIG, "bytes",
		"%s of 4 GiB", c->name);
	at = guarded + 1;
	err = call_as(c, c->cmd, call_fill(c, at), c->size);
	check(!err, "%s at an odd address succeeds: %d", c->name, err);

	/* Only the first 4 bytes, the size, are mapped. */
	memset(guarded_end - 4, 0, 4);
	memcpy(guarded_end - 4, &(uint32_t){ c->size }, 4);
	err = ioctl(fd, c->cmd, guarded_end - 4) ? -errno : 0;
	refused_silent(err, EFAULT, "%s of which the first 4 bytes are mapped", c->name);
}

static void case_nowhere(const struct call *c)
{
	static const struct { const char *what; uintptr_t at; } places[] = {
		{ "NULL", 0 },
		{ "the first page", 8 },
		{ "the kernel's memory", 0xffff800008000000UL },
		{ "the last page", -4096UL },
		{ "the last byte", -1UL },
		{ "a non-canonical address", 0x7fff000000000000UL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		refused_silent(ioctl(fd, c->cmd, places[i].at) ? -errno : 0, EFAULT, "%s at %s",
			       c->name, places[i].what);
	refused_silent(ioctl(fd, c->cmd, guarded_end) ? -errno : 0, EFAULT, "%s at an unmapped page",
		       c->name);
}

static void case_readonly(const struct call *c)
{
	uint32_t size = c->size;
	int err;

	memset(guarded, 0, guarded_page_size);
	call_fill(c, guarded);
	memcpy(guarded, &size, sizeof(size));
	mprotect(guarded, guarded_page_size, PROT_READ);
	err = ioctl(call_on, c->cmd, guarded) ? -errno : 0;
	mprotect(guarded, guarded_page_size, PROT_READ | PROT_WRITE);
	if (c->reply)
		refused_silent(err, EFAULT, "%s that writes to a read-only page", c->name);
	else
		check(!err, "%s, which writes nothing, in a read-only page succeeds: %d", c->name, err);
	/* ALLOCATE could not return the id, so it must have released the PMC itself. */
	call_undo(c, guarded, err);
}

/* The structure is filled in once, because all these calls fail. */
static void case_bits(const struct call *c, size_t field, uint32_t known, int want,
		      const char *words)
{
	uint32_t *at = (uint32_t *)(guarded + field), size = c->size, was, wrong = 0;
	unsigned int bit;
	int err = 0;

	memset(guarded, 0, guarded_page_size);
	call_fill(c, guarded);
	memcpy(guarded, &size, sizeof(size));
	was = *at;
	for (bit = 0; bit < 32; bit++) {
		if (known & 1U << bit)
			continue;
		*at = was | 1U << bit;
		err = dev_ioctl(call_on, c->cmd, guarded);
		if (err != -want)
			wrong |= 1U << bit;
	}
	keep_last_error(call_on);
	call_undo(c, guarded, err);
	refused(fd, wrong ? 0 : err, want, words,
		"%s with any bit of 0x%x at %zu (not so: 0x%x)", c->name, ~known, field, wrong);
}

static void case_flags(const struct call *c)
{
	case_bits(c, offsetof(struct hwpmc_head, flags), c->flags, EOPNOTSUPP, "flags");
}

static void case_reserved(const struct call *c)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(c->reserved) && c->reserved[i]; i++)
		case_bits(c, c->reserved[i], 0, EINVAL, "reserved");
}

/*
 * The request's number is exact: a filter of system calls that allows it by number allows no other.
 */
static void case_number(const struct call *c)
{
	unsigned long nr = _IOC_NR(c->cmd);
	const unsigned long other[] = {
		_IOC(_IOC_READ, HWPMC_IOC_MAGIC, nr, 4),
		_IOC(_IOC_WRITE, HWPMC_IOC_MAGIC, nr, c->size + 8),
		_IOC(_IOC_READ | _IOC_WRITE, HWPMC_IOC_MAGIC, nr, c->size),
		_IOC(_IOC_READ | _IOC_WRITE, HWPMC_IOC_MAGIC, nr, 0x3fff),
	};
	int err, wrong = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(other); i++) {
		memset(guarded, 0, guarded_page_size);
		call_fill(c, guarded);
		*(uint32_t *)guarded = c->size;
		err = dev_ioctl(call_on, other[i], guarded);
		wrong |= (err != -ENOTTY) << i;
		call_undo(c, guarded, err);
	}
	check(!wrong && c->cmd == (0xe800 | nr),
	      "%s has number 0x%lx, with no direction or size in it; others are accepted: 0x%x",
	      c->name, c->cmd, wrong);
}

static void one_call(const struct call *c)
{
	uint32_t first = c->first ? c->first : c->size;
	uint64_t before = dev_stats(fd).pmcs;

	case_size(c, 0, EINVAL);
	case_size(c, 4, EINVAL);
	case_size(c, first - 1, EINVAL);
	case_size(c, first, 0);
	case_size(c, c->size, 0);
	case_size(c, c->size + 1, 0);
	case_size(c, c->size + 8, 0);
	case_size(c, guarded_page_size - 1, 0);
	case_size(c, guarded_page_size, 0);
	case_size(c, guarded_page_size + 1, E2BIG);
	case_size(c, GUARDED_PAGES * guarded_page_size, E2BIG);
	case_tail(c, c->size + 1, c->size);
	case_tail(c, c->size + 8, c->size + 7);
	case_tail(c, guarded_page_size, guarded_page_size - 1);
	case_edges(c);
	case_nowhere(c);
	case_readonly(c);
	case_flags(c);
	case_reserved(c);
	case_number(c);
	check(dev_stats(fd).pmcs == before, "%s leaks no PMC: %llu, %llu before", c->name,
	      (unsigned long long)dev_stats(fd).pmcs, (unsigned long long)before);
}

/* The table has all calls. */
static void known_numbers(void)
{
	unsigned int nr, times;
	size_t i;

	for (nr = 0; nr <= LAST_NUMBER; nr++) {
		if (nr == UNUSED_NUMBER)
			continue;
		for (times = 0, i = 0; i < calls_count; i++)
			times += _IOC_NR(calls[i].cmd) == nr;
		check(times == 1, "number %u belongs to one call: %u", nr, times);
	}
}

static void unknown_numbers(void)
{
	unsigned int nr, wrong = 0, magic;

	memset(guarded, 0, guarded_page_size);
	*(uint32_t *)guarded = 64;
	for (nr = LAST_NUMBER + 1; nr < 256; nr++)
		wrong += !(ioctl(fd, _IO(HWPMC_IOC_MAGIC, nr), guarded) < 0 &&
			   errno == ENOTTY);
	check(!wrong, "unknown numbers up to 255 fail with ENOTTY; not so: %u", wrong);
	wrong = 0;
	for (magic = 0; magic < 256; magic++) {
		if (magic == HWPMC_IOC_MAGIC)
			continue;
		for (nr = 0; nr <= LAST_NUMBER; nr++) {
			int err = ioctl(fd, _IO(magic, nr), guarded);

			/*
			 * The types 0, 'T', 'f' and 'X' are those of the generic ioctls of every
			 * file, such as FIONBIO.
			 */
			wrong += !(err < 0 && errno == ENOTTY) && magic && magic != 'T' &&
				 magic != 'f' && magic != 'X';
		}
	}
	check(!wrong, "the device's numbers with another magic fail with ENOTTY; not so: %u", wrong);
	check(ioctl(fd, _IO(HWPMC_IOC_MAGIC, UNUSED_NUMBER), guarded) < 0 && errno == ENOTTY,
	      "the unused number fails with ENOTTY");
	check(ioctl(fd, _IO(HWPMC_IOC_MAGIC, 255), NULL) < 0 && errno == ENOTTY,
	      "an unknown number at NULL fails with ENOTTY");
}

int main(void)
{
	struct hwpmc_stats before, after;
	unsigned int free_rows;
	size_t i;

	fd = class_open(60);
	guarded_map();
	before = dev_stats(fd);
	free_rows = class_free_rows(fd, HWPMC_MODE_TC, -1);
	check(free_rows == test_class.rows, "%u rows are free at first, of %u", free_rows, test_class.rows);
	known_numbers();
	calls_open(fd);
	for (i = 0; i < calls_count; i++) {
		if (calls[i].samples && test_class.class_id == HWPMC_CLASS_MOCK)
			skip("%s: no class here samples", calls[i].name);
		else
			one_call(&calls[i]);
	}
	unknown_numbers();
	calls_close();
	after = dev_stats(fd);
	check(after.pmcs == before.pmcs && after.owners == before.owners, "no PMC and no owner is left");
	free_rows = class_free_rows(fd, HWPMC_MODE_TC, -1);
	check(free_rows == test_class.rows, "%u rows are free in the end", free_rows);
	return result();
}
