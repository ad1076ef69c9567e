// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arrays of structures that a call returns: the caller sets the size of an entry, which may be
 * smaller or larger than the module's.
 */
#include "test_class.h"

#define ENTRIES	64
#define ROOM	(ENTRIES * 512)

static int fd;
static uint32_t id;
static uint64_t value;
static _Alignas(8) char exact_size[ROOM], other_size[ROOM];

/**
 * struct array - an array that a call returns
 * @known: size of its entry
 * @call: makes the call with @list, whose entries have @size bytes. Sets the number of entries.
 *	Returns 0 or -errno
 */
struct array {
	const char *name;
	uint32_t known;
	int (*call)(void *list, uint32_t size, uint32_t *count);
};

static int classes(void *list, uint32_t size, uint32_t *count)
{
	struct hwpmc_cpu_info info = {
		.classes = ENTRIES, .class_list = (uintptr_t)list, .class_size = size,
	};
	int err = dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));

	*count = info.classes;
	return err;
}

static int rows(void *list, uint32_t size, uint32_t *count)
{
	struct hwpmc_pmc_info info = {
		.rows = ENTRIES, .row_list = (uintptr_t)list, .row_size = size,
	};
	int err = dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info));

	*count = info.rows;
	return err;
}

static int times(void *list, uint32_t size, uint32_t *count)
{
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD, .count = 1, .ids = (uintptr_t)&id,
		.values = (uintptr_t)&value, .times = (uintptr_t)list, .times_size = size,
	};

	*count = 1;
	return dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));
}

static int targets(void *list, uint32_t size, uint32_t *count)
{
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD, .count = 1, .ids = (uintptr_t)&id,
		.values = (uintptr_t)&value, .targets = (uintptr_t)list, .target_size = size,
		.target_count = ENTRIES,
	};
	int err = dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));

	*count = rw.target_count;
	return err;
}

static const struct array arrays[] = {
	{ "class_list of CPU_INFO", sizeof(struct hwpmc_class_info), classes },
	{ "row_list of PMC_INFO", sizeof(struct hwpmc_row_info), rows },
	{ "times of RW", sizeof(struct hwpmc_times), times },
	{ "targets of RW", sizeof(struct hwpmc_target_value), targets },
};

static void refusals(const struct array *array)
{
	static const uint32_t sizes[] = { 0, 4, 12, 4104, 0x80000000, 0xfffffff8 };
	uint32_t count;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		refused(fd, array->call(other_size, sizes[i], &count), EINVAL, "size of an entry",
			"%s with entries of %u bytes", array->name, sizes[i]);
}

static bool all(const char *at, size_t size, char what)
{
	while (size && *at == what)
		at++, size--;
	return !size;
}

/* The content is that of entries of the exact size: cut, or followed by zeros. */
static void case_size(const struct array *array, uint32_t count, uint32_t size)
{
	uint32_t both = size < array->known ? size : array->known, i, again;
	int err;

	memset(other_size, 0x55, sizeof(other_size));
	err = array->call(other_size, size, &again);
	for (i = 0; !err && i < count; i++)
		if (memcmp(other_size + i * size, exact_size + i * array->known, both) ||
		    !all(other_size + i * size + both, size - both, 0))
			break;
	check(!err && again == count && i == count &&
	      all(other_size + count * size, sizeof(other_size) - count * size, 0x55),
	      "%s with entries of %u bytes (%u known): %u entries, %u right, nothing behind them (%d)",
	      array->name, size, array->known, again, i, err);
}

static void one_array(const struct array *array)
{
	uint32_t count = 0;
	int err = array->call(exact_size, array->known, &count);

	if (!check(!err && count && count <= ENTRIES, "%s has %u entries", array->name, count))
		return;
	refusals(array);
	case_size(array, count, array->known);
	case_size(array, count, 8);
	case_size(array, count, array->known - 8);
	case_size(array, count, array->known + 8);
	case_size(array, count, 256);
	case_size(array, count, 512);
}

int main(void)
{
	size_t i;

	fd = class_open(60);
	id = class_stopped_pmc(fd);
	/*
	 * Two entries for targets: this process, and an entry for earlier counts that were written.
	 */
	dev_write(fd, id, 4711);
	for (i = 0; i < ARRAY_SIZE(arrays); i++)
		one_array(&arrays[i]);
	return result();
}
