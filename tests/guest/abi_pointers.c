// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each pointer in a call's structure is set to NULL, across the end of mapped memory, to kernel
 * memory and to read-only memory: the call fails and changes nothing.
 */
#include <sys/mman.h>

#include "test_class.h"
#include "guarded.h"
#include "ring.h"
#include "stress.h"

static int fd;
static uint32_t pmc;			/* stopped, attached to this process */
static uint32_t spare;			/* another PMC, for RELEASE */
static uint32_t list[1];
static uint64_t values[1];
static struct hwpmc_times times[1];
static struct hwpmc_target_value targets[8];
static struct hwpmc_class_info classes[8];
static struct hwpmc_row_info rows[64];
static char text[16];

/* A pointer, and a function that fills in the structure so that the call succeeds. */
struct inner {
	const char *what;
	unsigned long cmd;
	size_t size;
	size_t pointer;		/* offset */
	bool out;		/* the call writes to it */
	bool optional;		/* NULL means none */
	void (*fill)(void *args);
};

static void cpu_info_fill(void *args)
{
	struct hwpmc_cpu_info *a = args;

	a->classes = ARRAY_SIZE(classes);
	a->class_list = (uintptr_t)classes;
	a->class_size = sizeof(classes[0]);
}

static void pmc_info_fill(void *args)
{
	struct hwpmc_pmc_info *a = args;

	a->rows = ARRAY_SIZE(rows);
	a->row_list = (uintptr_t)rows;
	a->row_size = sizeof(rows[0]);
}

static void ids_fill(void *args)
{
	struct hwpmc_ids *a = args;

	list[0] = pmc;
	a->count = 1;
	a->ids = (uintptr_t)list;
}

static void release_fill(void *args)
{
	ids_fill(args);
	spare = class_pmc(fd, 0);
	list[0] = spare;
}

static void rw_new_fill(void *args)
{
	struct hwpmc_rw *a = args;

	list[0] = pmc;
	a->flags = HWPMC_RW_NEW;
	a->count = 1;
	a->ids = (uintptr_t)list;
	a->values = (uintptr_t)values;
}

static void rw_swap_fill(void *args)
{
	rw_new_fill(args);
	((struct hwpmc_rw *)args)->flags = HWPMC_RW_OLD | HWPMC_RW_NEW;
}

static void rw_fill(void *args)
{
	struct hwpmc_rw *a = args;

	rw_new_fill(args);
	a->flags = HWPMC_RW_OLD;
	a->times = (uintptr_t)times;
	a->times_size = sizeof(times[0]);
	a->targets = (uintptr_t)targets;
	a->target_size = sizeof(targets[0]);
	a->target_count = ARRAY_SIZE(targets);
}

static void log_write_fill(void *args)
{
	struct hwpmc_log_write *a = args;

	a->length = sizeof(text);
	a->text = (uintptr_t)text;
}

#define INNER(what, nr, type, field, out, optional, fill) \
	{ what, HWPMC_IOC_##nr, sizeof(struct type), offsetof(struct type, field), out, optional, \
	  fill }

static const struct inner inners[] = {
	INNER("class_list of CPU_INFO", CPU_INFO, hwpmc_cpu_info, class_list, true, true,
	      cpu_info_fill),
	INNER("row_list of PMC_INFO", PMC_INFO, hwpmc_pmc_info, row_list, true, false,
	      pmc_info_fill),
	INNER("ids of STOP", STOP, hwpmc_ids, ids, false, false, ids_fill),
	INNER("ids of START", START, hwpmc_ids, ids, false, false, ids_fill),
	INNER("ids of RELEASE", RELEASE, hwpmc_ids, ids, false, false, release_fill),
	INNER("ids of RW", RW, hwpmc_rw, ids, false, false, rw_fill),
	INNER("values of RW, OLD", RW, hwpmc_rw, values, true, false, rw_fill),
	INNER("values of RW, NEW", RW, hwpmc_rw, values, false, false, rw_new_fill),
	INNER("values of RW, OLD and NEW", RW, hwpmc_rw, values, true, false, rw_swap_fill),
	INNER("times of RW", RW, hwpmc_rw, times, true, true, rw_fill),
	INNER("targets of RW", RW, hwpmc_rw, targets, true, true, rw_fill),
	INNER("text of LOG_WRITE", LOG_WRITE, hwpmc_log_write, text, false, false, log_write_fill),
};

static int inner_call(const struct inner *in, uint64_t pointer)
{
	uint64_t args[128] = {};
	int err;

	in->fill(args);
	memcpy((char *)args + in->pointer, &pointer, sizeof(pointer));
	err = dev_call(fd, in->cmd, args, in->size);
	if (in->cmd == HWPMC_IOC_RELEASE && (err ? dev_release(fd, spare) : 0))
		die("release: %s", dev_sentence(fd));
	return err;
}

static void one_inner(const struct inner *in)
{
	uint64_t before = dev_stats(fd).pmcs, value = dev_value(fd, pmc);

	if (!in->optional)
		refused(fd, inner_call(in, 0), EFAULT, NULL, "%s: NULL", in->what);
	else
		check(!inner_call(in, 0), "%s: NULL is accepted and requests none", in->what);
	refused(fd, inner_call(in, (uintptr_t)guarded_end), EFAULT, NULL, "%s: an unmapped page",
		in->what);
	refused(fd, inner_call(in, (uintptr_t)guarded_end - 2), EFAULT, NULL,
		"%s: across an unmapped page", in->what);
	refused(fd, inner_call(in, 0xffff800008000000UL), EFAULT, NULL, "%s: the kernel's memory",
		in->what);
	refused(fd, inner_call(in, -1UL), EFAULT, NULL, "%s: the last byte", in->what);
	if (in->out) {
		memset(guarded, 0, guarded_page_size);
		mprotect(guarded, guarded_page_size, PROT_READ);
		refused(fd, inner_call(in, (uintptr_t)guarded), EFAULT, NULL, "%s: a read-only page",
			in->what);
		mprotect(guarded, guarded_page_size, PROT_READ | PROT_WRITE);
	}
	check(dev_value(fd, pmc) == value && dev_stats(fd).pmcs == before,
	      "%s: failed calls change nothing", in->what);
}

int main(void)
{
	size_t i;

	fd = class_open(60);
	guarded_map();
	if (dev_rings(fd, 4096))
		die("rings: %s", dev_sentence(fd));
	pmc = class_stopped_pmc(fd);
	for (i = 0; i < ARRAY_SIZE(inners); i++)
		one_inner(&inners[i]);
	dev_release(fd, pmc);
	check_nothing_left(fd, "in the end");
	check(class_free_rows(fd, HWPMC_MODE_TC, -1) == test_class.rows, "every row is free");
	return result();
}
