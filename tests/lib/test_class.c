// SPDX-License-Identifier: GPL-2.0-only
/* The class on which tests of every class run; see test_class.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>

#include "test_class.h"

struct test_class test_class;

static void class_choose(const struct hwpmc_class_info *class)
{
	if (class->class_id == HWPMC_CLASS_ARMV8) {
		/* Every row can count cycles; the cycle counter can count nothing else. */
		test_class.event = EV_CYCLES;
		test_class.other = EV_SW_INCR;
		test_class.bad = 0xffffffff;
		test_class.caps = HWPMC_CAP_USER;
	} else if (class->class_id == HWPMC_CLASS_MOCK && !test_class.rows) {
		test_class.event = 0;
		test_class.other = 1;
		test_class.bad = 99;
	} else {
		return;
	}
	test_class.class_id = class->class_id;
	test_class.first = class->first_row;
	test_class.rows = class->rows;
}

int class_open(unsigned int seconds)
{
	struct hwpmc_class_info classes[8] = {};
	struct hwpmc_cpu_info info = {
		.classes = 8, .class_list = (uintptr_t)classes, .class_size = sizeof(classes[0]),
	};
	int fd, err;
	uint32_t i;

	time_limit(seconds);
	signal(SIGPIPE, SIG_IGN);
	fd = dev_open();
	err = dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));
	if (err)
		die("cpu info: %s", strerror(-err));
	for (i = 0; i < info.classes; i++)
		class_choose(&classes[i]);
	test_class.all = info.rows;
	test_class.cpus = info.cpus_possible;
	if (!test_class.rows)
		die("this machine has no class whose rows exclude each other; load the module with mock=1");
	return fd;
}

int64_t class_allocate(int fd, uint32_t mode, int cpu, uint32_t flags)
{
	return dev_allocate(fd, test_class.class_id, mode, cpu, test_class.event, test_class.caps,
			    flags);
}

uint32_t class_pmc(int fd, uint32_t flags)
{
	int64_t id = class_allocate(fd, HWPMC_MODE_TC, -1, flags);

	if (id < 0)
		die("allocate: %s: %s", strerror(-id), dev_sentence(fd));
	return id;
}

uint32_t class_stopped_pmc(int fd)
{
	uint32_t id = class_pmc(fd, 0);

	if (dev_start(fd, id) || dev_stop(fd, id))
		die("start and stop: %s", dev_sentence(fd));
	return id;
}

unsigned int class_allocate_all(int fd, uint32_t mode, int cpu, uint32_t *ids, unsigned int room)
{
	unsigned int n = 0;
	int64_t id;

	while (n < room) {
		id = class_allocate(fd, mode, cpu, 0);
		if (id < 0)
			break;
		ids[n++] = id;
	}
	return n;
}

unsigned int class_free_rows(int fd, uint32_t mode, int cpu)
{
	uint32_t ids[64];
	unsigned int n = class_allocate_all(fd, mode, cpu, ids, ARRAY_SIZE(ids));

	if (n)
		dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
	return n;
}

struct hwpmc_row_info dev_row_info(int fd, unsigned int cpu, unsigned int row)
{
	struct hwpmc_row_info rows[64];
	struct hwpmc_pmc_info info = {
		.cpu = cpu, .rows = 64, .row_list = (uintptr_t)rows, .row_size = sizeof(rows[0]),
	};
	int err = dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info));

	if (err || row >= info.rows)
		die("pmc info: %s", strerror(-err));
	return rows[row];
}

int dev_admin(int fd, uint32_t cpu, uint32_t row, uint32_t state)
{
	struct hwpmc_admin args = { .cpu = cpu, .row = row, .state = state };

	return dev_call(fd, HWPMC_IOC_ADMIN, &args, sizeof(args));
}

int dev_caps(int fd, uint32_t id, struct hwpmc_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
	caps->id = id;
	return dev_call(fd, HWPMC_IOC_CAPS, caps, sizeof(*caps));
}

void dev_evict(int fd, uint32_t id)
{
	struct hwpmc_admin admin = { .flags = HWPMC_ADMIN_FORCE, .state = HWPMC_ADMIN_DISABLED };
	struct hwpmc_caps caps;

	if (dev_caps(fd, id, &caps))
		die("caps: %s", dev_sentence(fd));
	admin.row = caps.row;
	if (dev_call(fd, HWPMC_IOC_ADMIN, &admin, sizeof(admin)) ||
	    dev_admin(fd, 0, caps.row, HWPMC_ADMIN_FREE))
		die("admin: %s", dev_sentence(fd));
}

bool dev_hung_up(int fd)
{
	struct pollfd pfd = { .fd = fd };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLHUP);
}

int dev_rw(int fd, uint32_t flags, const uint32_t *ids, unsigned int count, uint64_t *values)
{
	struct hwpmc_rw rw = {
		.flags = flags, .count = count,
		.ids = (uintptr_t)ids, .values = (uintptr_t)values,
	};

	return dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));
}

int dev_set_count(int fd, uint32_t id, uint64_t count)
{
	struct hwpmc_set_count args = { .id = id, .count = count };

	return dev_call(fd, HWPMC_IOC_SET_COUNT, &args, sizeof(args));
}

/* Whether @text is one sentence: several printable words, on one line. */
static bool sentence_is_one(const char *text)
{
	size_t len = strlen(text), i;

	if (len < 10 || !strchr(text, ' ') || !strcmp(text, NO_SENTENCE))
		return false;
	for (i = 0; i < len; i++)
		if (!isprint((unsigned char)text[i]))
			return false;
	return !strstr(text, ". ") && text[len - 1] != ' ';
}

static bool sentence_has(const char *text, const char *words)
{
	char copy[256], *word, *rest = copy;

	if (!words)
		return true;
	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, "|")))
		if (!strstr(text, word))
			return false;
	return true;
}

static char kept[HWPMC_SENTENCE_MAX];
static bool is_kept;

void keep_last_error(int fd)
{
	snprintf(kept, sizeof(kept), "%s", dev_sentence(fd));
	is_kept = true;
}

static bool failed_with(int got, int want, const char *what)
{
	if (got == -want)
		return true;
	is_kept = false;
	return check(false, "%s fails with %s: it %s%s", what, strerrorname_np(want),
		     got ? "fails with " : "succeeds", got ? strerrorname_np(-got) : "");
}

bool refused(int fd, int got, int want, const char *words, const char *fmt, ...)
{
	const char *text = is_kept ? kept : dev_sentence(fd);
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (!failed_with(got, want, what))
		return false;
	is_kept = false;
	if (!sentence_is_one(text) || !sentence_has(text, words))
		return check(false, "%s fails with %s: its text is \"%s\"", what,
			     strerrorname_np(want), text);
	return check(true, "%s fails with %s: %s", what, strerrorname_np(want), text);
}

bool refused_silent(int got, int want, const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return failed_with(got, want, what) &&
	       check(true, "%s fails with %s", what, strerrorname_np(want));
}
