// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every call with structures that are too short, exact, longer with and without
 * zeros, at the edge of memory, and nowhere; with every flag it does not know
 * and every reserved field. After each case the module holds what it held.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "any.h"
#include "arena.h"

#define MAX_ROWS	64

static int fd;
static int on;				/* the call's: @fd, or one of its own */
static int file;
static uint32_t pmc;			/* stopped, attached to this process */
static uint32_t spare;			/* another, for RELEASE and START */
static uint32_t list[2];
static uint64_t values[2];
static struct hwpmc_row_info rows[MAX_ROWS];

/*
 * One call: how to fill its structure so that it succeeds, and how to go back
 * after it (@err as the call ended).
 */
struct call {
	const char *name;
	unsigned long cmd;
	size_t size;
	size_t first;			/* size when it was first published */
	uint32_t flags;			/* known; ~0: the field is none */
	bool reply;
	size_t reserved[2];		/* offsets */
	void (*fill)(void *args);
	void (*back)(void *args, int err);
	bool fresh;			/* works once for an open file */
};

static void none_back(void *args, int err)
{
	(void)args;
	(void)err;
}

static void version_fill(void *args)
{
	struct hwpmc_version *a = args;

	a->abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR);
}

static void pmc_info_fill(void *args)
{
	struct hwpmc_pmc_info *a = args;

	a->rows = MAX_ROWS;
	a->row_list = (uintptr_t)rows;
}

static void caps_fill(void *args)
{
	((struct hwpmc_caps *)args)->id = pmc;
}

static void admin_fill(void *args)
{
	((struct hwpmc_admin *)args)->row = any.first + any.rows - 1;
}

static void allocate_fill(void *args)
{
	struct hwpmc_allocate *a = args;

	a->class_id = any.class_id;
	a->mode = HWPMC_MODE_TC;
	a->cpu = -1;
	a->caps = any.caps;
	a->event = any.event;
}

static void allocate_back(void *args, int err)
{
	if (!err && dev_release(fd, ((struct hwpmc_allocate *)args)->id))
		die("an allocated PMC is not to be released: %s", dev_sentence(fd));
}

static void ids_fill(struct hwpmc_ids *a)
{
	list[0] = spare;
	a->count = 1;
	a->ids = (uintptr_t)list;
}

static void release_fill(void *args)
{
	spare = any_pmc(fd, 0);
	ids_fill(args);
}

static void release_back(void *args, int err)
{
	(void)args;
	if (err && dev_release(fd, spare))
		die("release after a failed release: %s", dev_sentence(fd));
}

static void start_fill(void *args)
{
	spare = any_pmc(fd, 0);
	ids_fill(args);
}

static void start_back(void *args, int err)
{
	(void)args;
	/* It runs exactly if the call succeeded. */
	if (!dev_stop(fd, spare) != !err)
		check(false, "START ended with %d, but the PMC %s", err, err ? "runs" : "stands");
	dev_release(fd, spare);
}

static void stop_fill(void *args)
{
	spare = any_pmc(fd, 0);
	if (dev_start(fd, spare))
		die("start: %s", dev_sentence(fd));
	ids_fill(args);
}

static void stop_back(void *args, int err)
{
	(void)args;
	if (!dev_write(fd, spare, 0) != !err)
		check(false, "STOP ended with %d, but the PMC %s", err, err ? "stands" : "runs");
	dev_release(fd, spare);
}

static void attach_fill(void *args)
{
	spare = any_pmc(fd, 0);
	((struct hwpmc_attach *)args)->id = spare;
}

static void attach_back(void *args, int err)
{
	(void)args;
	if (!dev_detach(fd, spare, 0, 0) != !err)
		check(false, "ATTACH ended with %d, but the PMC is %sattached", err,
		      err ? "" : "not ");
	dev_release(fd, spare);
}

static void detach_fill(void *args)
{
	attach_fill(args);
	if (dev_attach(fd, spare, 0, 0))
		die("attach: %s", dev_sentence(fd));
}

static void detach_back(void *args, int err)
{
	(void)args;
	if (!dev_detach(fd, spare, 0, 0) == !err)
		check(false, "DETACH ended with %d, but the PMC is %sattached", err,
		      err ? "not " : "");
	dev_release(fd, spare);
}

static void rw_fill(void *args)
{
	struct hwpmc_rw *a = args;

	list[0] = pmc;
	a->flags = HWPMC_RW_OLD;
	a->count = 1;
	a->ids = (uintptr_t)list;
	a->values = (uintptr_t)values;
}

static void set_count_fill(void *args)
{
	struct hwpmc_set_count *a = args;

	a->id = pmc;
	a->count = 5;
}

static void ring_fill(void *args)
{
	((struct hwpmc_ring *)args)->data_size = arena_page;
}

static void log_open_fill(void *args)
{
	((struct hwpmc_log *)args)->fd = file;
}

static void ring_made(void)
{
	struct hwpmc_ring ring = { .data_size = arena_page };

	if (dev_call(on, HWPMC_IOC_RING, &ring, sizeof(ring)))
		die("rings: %s", dev_sentence(on));
}

static void log_flush_fill(void *args)
{
	(void)args;
	ring_made();
}

static void log_close_fill(void *args)
{
	struct hwpmc_log log = { .fd = file };

	(void)args;
	if (dev_call(on, HWPMC_IOC_LOG_OPEN, &log, sizeof(log)))
		die("log: %s", dev_sentence(on));
}

static void sampled_fill(void *args)
{
	struct hwpmc_allocate a = {
		.class_id = any.class_id, .mode = HWPMC_MODE_TS, .cpu = -1, .caps = any.caps,
		.event = any.event, .count = 100000,
	};
	struct hwpmc_sampled *sampled = args;

	if (dev_call(on, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate a sampler: %s", dev_sentence(on));
	sampled->id = a.id;
	sampled->cpu = -1;
}

static void no_fill(void *args)
{
	(void)args;
}

#define FIELD(type, field)	offsetof(struct type, field)
#define ATTACH_FLAGS		(HWPMC_ATTACH_TID | HWPMC_ATTACH_PIDFD)
#define ALLOCATE_FLAGS		(2 * HWPMC_F_FREQUENCY - 1)
#define RW_FLAGS		(HWPMC_RW_OLD | HWPMC_RW_NEW | HWPMC_RW_STALE)

#define CALL(name_, type, flags_, reply_, fill_, back_, ...)			\
	{ .name = #name_, .cmd = HWPMC_IOC_##name_, .size = sizeof(struct hwpmc_##type), \
	  .flags = (flags_), .reply = (reply_), .fill = (fill_), .back = (back_), ##__VA_ARGS__ }

static const struct call calls[] = {
	CALL(VERSION, version, 0, true, version_fill, none_back,
	     .reserved = { FIELD(hwpmc_version, reserved) }),
	CALL(CPU_INFO, cpu_info, 0, true, no_fill, none_back),
	CALL(PMC_INFO, pmc_info, 0, true, pmc_info_fill, none_back),
	CALL(STATS, stats, 0, true, no_fill, none_back),
	CALL(CAPS, caps, 0, true, caps_fill, none_back),
	CALL(ADMIN, admin, 0, false, admin_fill, none_back,
	     .reserved = { FIELD(hwpmc_admin, reserved) }),
	CALL(ALLOCATE, allocate, ALLOCATE_FLAGS, true, allocate_fill, allocate_back,
	     .first = offsetof(struct hwpmc_allocate, user_stack),
	     .reserved = { FIELD(hwpmc_allocate, reserved) }),
	CALL(RELEASE, ids, 0, false, release_fill, release_back),
	CALL(ATTACH, attach, ATTACH_FLAGS, false, attach_fill, attach_back),
	CALL(DETACH, attach, ATTACH_FLAGS, false, detach_fill, detach_back),
	CALL(START, ids, 0, false, start_fill, start_back),
	CALL(STOP, ids, 0, false, stop_fill, stop_back),
	/* An answer only with targets: see abi_values. */
	CALL(RW, rw, RW_FLAGS, false, rw_fill, none_back,
	     .reserved = { FIELD(hwpmc_rw, reserved) }),
	CALL(SET_COUNT, set_count, 0, false, set_count_fill, none_back,
	     .reserved = { FIELD(hwpmc_set_count, reserved) }),
	CALL(LAST_ERROR, last_error, ~0U, true, no_fill, none_back),
	CALL(RING, ring, 0, true, ring_fill, none_back,
	     .reserved = { FIELD(hwpmc_ring, reserved) }, .fresh = true),
	CALL(LOG_OPEN, log, 0, false, log_open_fill, none_back,
	     .reserved = { FIELD(hwpmc_log, reserved) }, .fresh = true),
	CALL(LOG_FLUSH, log, 0, false, log_flush_fill, none_back,
	     .reserved = { FIELD(hwpmc_log, fd), FIELD(hwpmc_log, reserved) }, .fresh = true),
	CALL(LOG_CLOSE, log, 0, false, log_close_fill, none_back,
	     .reserved = { FIELD(hwpmc_log, fd), FIELD(hwpmc_log, reserved) }, .fresh = true),
	CALL(LOG_WRITE, log_write, 0, false, log_flush_fill, none_back, .fresh = true),
	/* Last: not where the class cannot sample. */
	CALL(SAMPLED, sampled, 0, true, sampled_fill, none_back, .fresh = true),
};

#undef CALL

static void *filled(const struct call *c, void *at)
{
	on = c->fresh ? dev_open() : fd;
	memset(at, 0, c->size);
	c->fill(at);
	return at;
}

static void unfilled(const struct call *c, void *at, int err)
{
	c->back(at, err);
	if (on != fd)
		close(on);
	on = fd;
}

/* As @at is, with @cmd and @size. What was filled in by fill() is taken back. */
static int call_as(const struct call *c, unsigned long cmd, void *at, uint32_t size)
{
	int err;

	memcpy(at, &size, sizeof(size));
	err = ioctl(on, cmd, at) ? -errno : 0;
	if (err)
		any_keep(on);
	unfilled(c, at, err);
	return err;
}

static void case_size(const struct call *c, uint32_t size, int want)
{
	int err;

	memset(arena, 0, ARENA_PAGES * arena_page);
	err = call_as(c, c->cmd, filled(c, arena), size);
	if (want)
		refused(fd, err, want, "bytes", "%s of %u bytes", c->name,
			size);
	else
		check(!err, "%s of %u bytes, the rest of them 0: %d", c->name, size, err);
}

static void case_tail(const struct call *c, uint32_t size, uint32_t at)
{
	memset(arena, 0, ARENA_PAGES * arena_page);
	filled(c, arena);
	arena[at] = 1;
	refused(fd, call_as(c, c->cmd, arena, size), E2BIG, "tail",
		"%s of %u bytes, byte %u is 1", c->name, size, at);
}

static void case_edges(const struct call *c)
{
	char *at = arena_edge - c->size;
	int err = call_as(c, c->cmd, filled(c, at), c->size);

	check(!err, "%s that ends where memory ends: %d", c->name, err);
	refused(fd, call_as(c, c->cmd, filled(c, at), c->size + 8), EFAULT, NULL,
		"%s that would end 8 bytes after memory", c->name);
	refused(fd, call_as(c, c->cmd, filled(c, at), 0xffffffff), E2BIG, "bytes",
		"%s of 4 GiB", c->name);
	at = arena + 1;
	err = call_as(c, c->cmd, filled(c, at), c->size);
	check(!err, "%s at an odd address: %d", c->name, err);

	/* The size can be read, the rest is not there. */
	memset(arena_edge - 4, 0, 4);
	memcpy(arena_edge - 4, &(uint32_t){ c->size }, 4);
	err = ioctl(fd, c->cmd, arena_edge - 4) ? -errno : 0;
	refused(fd, err, EFAULT, NULL, "%s with its first 4 bytes in memory", c->name);
}

static void case_nowhere(const struct call *c)
{
	static const struct { const char *what; uintptr_t at; } places[] = {
		{ "NULL", 0 },
		{ "the first page", 8 },
		{ "the kernel's memory", 0xffff800008000000UL },
		{ "the last page", -4096UL },
		{ "the last byte", -1UL },
		{ "no canonical address", 0x7fff000000000000UL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		refused(fd, ioctl(fd, c->cmd, places[i].at) ? -errno : 0, EFAULT, NULL,
			"%s at %s", c->name, places[i].what);
	refused(fd, ioctl(fd, c->cmd, arena_edge) ? -errno : 0, EFAULT, NULL,
		"%s at an unmapped page", c->name);
}

static void case_readonly(const struct call *c)
{
	uint32_t size = c->size;
	int err;

	memset(arena, 0, arena_page);
	filled(c, arena);
	memcpy(arena, &size, sizeof(size));
	mprotect(arena, arena_page, PROT_READ);
	err = ioctl(on, c->cmd, arena) ? -errno : 0;
	if (err)
		any_keep(on);
	mprotect(arena, arena_page, PROT_READ | PROT_WRITE);
	if (c->reply)
		refused(fd, err, EFAULT, NULL, "%s whose answer cannot be written", c->name);
	else
		check(!err, "%s, which has no answer, in a read-only page: %d", c->name, err);
	/* ALLOCATE told no id: it has to have taken the PMC back itself. */
	unfilled(c, arena, err);
}

/* Filled in once, since nothing comes of it. */
static void case_bits(const struct call *c, size_t field, uint32_t known, int want,
		      const char *words)
{
	uint32_t *at = (uint32_t *)(arena + field), size = c->size, was, wrong = 0;
	unsigned int bit;
	int err = 0;

	memset(arena, 0, arena_page);
	filled(c, arena);
	memcpy(arena, &size, sizeof(size));
	was = *at;
	for (bit = 0; bit < 32; bit++) {
		if (known & 1U << bit)
			continue;
		*at = was | 1U << bit;
		err = ioctl(on, c->cmd, arena) ? -errno : 0;
		if (err != -want)
			wrong |= 1U << bit;
	}
	any_keep(on);
	unfilled(c, arena, err);
	refused(fd, wrong ? 0 : err, want, words,
		"%s with any bit of 0x%x at %zu (not so: 0x%x)", c->name, ~known, field, wrong);
}

static void case_flags(const struct call *c)
{
	if (c->flags != ~0U)
		case_bits(c, sizeof(uint32_t), c->flags, EOPNOTSUPP, "flags");
}

static void case_reserved(const struct call *c)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(c->reserved) && c->reserved[i]; i++)
		case_bits(c, c->reserved[i], 0, EINVAL, "reserved");
}

/* The number decides; what else is in the command is for other people. */
static void case_number(const struct call *c)
{
	unsigned long nr = _IOC_NR(c->cmd);
	const unsigned long same[] = {
		_IO(HWPMC_IOC_MAGIC, nr),
		_IOC(_IOC_READ, HWPMC_IOC_MAGIC, nr, 4),
		_IOC(_IOC_WRITE, HWPMC_IOC_MAGIC, nr, c->size + 8),
		_IOC(_IOC_READ | _IOC_WRITE, HWPMC_IOC_MAGIC, nr, 0x3fff),
	};
	int err, wrong = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		memset(arena, 0, arena_page);
		err = call_as(c, same[i], filled(c, arena), c->size);
		wrong |= !!err << i;
	}
	check(!wrong, "%s goes by its number: other directions and sizes do the same (0x%x)",
	      c->name, wrong);
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
	case_size(c, arena_page - 1, 0);
	case_size(c, arena_page, 0);
	case_size(c, arena_page + 1, E2BIG);
	case_size(c, ARENA_PAGES * arena_page, E2BIG);
	case_tail(c, c->size + 1, c->size);
	case_tail(c, c->size + 8, c->size + 7);
	case_tail(c, arena_page, arena_page - 1);
	case_edges(c);
	case_nowhere(c);
	case_readonly(c);
	case_flags(c);
	case_reserved(c);
	case_number(c);
	check(dev_stats(fd).pmcs == before, "%s left no PMC behind: %llu, %llu before", c->name,
	      (unsigned long long)dev_stats(fd).pmcs, (unsigned long long)before);
}

static void unknown_numbers(void)
{
	unsigned int nr, wrong = 0, magic;

	memset(arena, 0, arena_page);
	*(uint32_t *)arena = 64;
	for (nr = _IOC_NR(HWPMC_IOC_LOG_WRITE) + 1; nr < 256; nr++)
		wrong += !(ioctl(fd, _IOWR(HWPMC_IOC_MAGIC, nr, uint64_t), arena) < 0 &&
			   errno == ENOTTY);
	check(!wrong, "unknown numbers up to 255 are ENOTTY; not so: %u", wrong);
	wrong = 0;
	for (magic = 0; magic < 256; magic++) {
		if (magic == HWPMC_IOC_MAGIC)
			continue;
		for (nr = 0; nr <= _IOC_NR(HWPMC_IOC_LAST_ERROR); nr++) {
			int err =
				ioctl(fd, _IOC(3, magic, nr, sizeof(struct hwpmc_version)), arena);

			/* The generic ones of every file (FIONBIO and so on) are 'T' and 'f'. */
			wrong += !(err < 0 && errno == ENOTTY) && magic != 'T' && magic != 'f' &&
				 magic != 'X';
		}
	}
	check(!wrong, "our numbers with foreign magic are ENOTTY; not so: %u", wrong);
	check(ioctl(fd, _IO(HWPMC_IOC_MAGIC, 255), NULL) < 0 && errno == ENOTTY,
	      "an unknown number at NULL is ENOTTY");
}

int main(void)
{
	struct hwpmc_stats before, after;
	unsigned int free_rows;
	size_t i;

	fd = any_open(60);
	arena_make();
	before = dev_stats(fd);
	free_rows = any_free_rows(fd, HWPMC_MODE_TC, -1);
	check(free_rows == any.rows, "%u rows are free at first, of %u", free_rows, any.rows);
	pmc = any_stopped(fd);
	file = open("/tmp/abi.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].fill == sampled_fill && any.class_id == HWPMC_CLASS_MOCK)
			skip("%s: no class here samples", calls[i].name);
		else
			one_call(&calls[i]);
	}
	unknown_numbers();
	dev_release(fd, pmc);
	after = dev_stats(fd);
	check(after.pmcs == before.pmcs && after.owners == before.owners, "nothing is left behind");
	free_rows = any_free_rows(fd, HWPMC_MODE_TC, -1);
	check(free_rows == any.rows, "%u rows are free in the end", free_rows);
	return result();
}
