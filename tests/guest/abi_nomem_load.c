// SPDX-License-Identifier: GPL-2.0-only
/*
 * "abi_nomem_load [STEP LATER]": loads the module while one allocation of its init function fails:
 * the last one first, each STEP'th of the last LAST, each LATER'th of the others. A load that fails
 * leaves nothing behind: the next one registers the same device, netlink family and hotplug callbacks.
 * Runs where kmemleak is off: the kernel leaks a name when an allocation of kmem_cache_create() fails
 * (sysfs_slab_add()).
 */
#include <fcntl.h>

#include "child.h"
#include "fail.h"
#include "file.h"
#include "param.h"
#include "test.h"

/* More allocations than a load has; most are the kernel's, before it calls the init function. */
#define LOAD_MAX	100000
/* The last allocations are those of the device. How many there are differs by two or three. */
#define LAST		40
#define TRACEFS		"/sys/kernel/tracing/"

struct loads {
	unsigned int tried, refused, present;
	int strange;
};

static void unload(void)
{
	/* Real time: another program's file may be closing. */
	for (int i = 0; !module_unload(); i++) {
		if (i == 1000)
			die("the module remains in use");
		usleep(1000);
	}
}

/* Whether an init function was called after the last call of this function. */
static bool init_was_called(void)
{
	FILE *trace = fopen(TRACEFS "trace", "r");
	char line[256];
	bool called = false;
	int fd;

	if (!trace)
		die(TRACEFS "trace: %s", strerror(errno));
	while (fgets(line, sizeof(line), trace))
		called |= !!strstr(line, "initcall_start:");
	fclose(trace);
	fd = open(TRACEFS "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		die(TRACEFS "trace: %s", strerror(errno));
	close(fd);
	return called;
}

static unsigned int count_allocations(int file)
{
	unsigned int left;
	int err;

	fail_set_nth(LOAD_MAX);
	err = module_try_load(file, "");
	left = fail_left();
	if (err)
		die("load: %s", strerror(-err));
	unload();
	check(init_was_called(), "a load makes %u allocations, some of them in the init function", LOAD_MAX - left);
	return LOAD_MAX - left;
}

/* Returns whether the module's init function was called. */
static bool one_load(int file, unsigned int nth, struct loads *loads)
{
	bool fired;
	int err;

	fail_set_nth(nth);
	err = module_try_load(file, "");
	fired = fail_nth_fired();
	loads->tried += fired;
	if (!err) {
		unload();
		return init_was_called();
	}
	loads->refused++;
	if (err != -ENOMEM || !fired)
		loads->strange = err;
	loads->present += !access("/dev/hwpmc", F_OK) || !access("/sys/module/hwpmc", F_OK);
	return init_was_called();
}

int main(int argc, char **argv)
{
	unsigned int step = argc > 2 ? strtoul(argv[1], NULL, 0) : 1;
	unsigned int later = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	unsigned int count, nth;
	struct loads loads = { 0 };
	int file = module_open();

	time_limit(600);
	if (!fail_open())
		return result();
	file_set(TRACEFS "events/initcall/enable", "1");
	unload();
	count = count_allocations(file);
	nth = count;
	while (nth > later && one_load(file, nth, &loads))
		nth -= count - nth < LAST ? step : later;
	check(loads.tried && loads.refused, "%u allocations of the init function fail, and with them %u loads",
	      loads.tried, loads.refused);
	check(!loads.strange, "a load fails with ENOMEM only: %s", strerror(-loads.strange));
	check(!loads.present, "a load that fails leaves no device and no module; not %u times", loads.present);
	module_load();
	check(!access("/dev/hwpmc", F_OK), "the module loads afterwards");
	file_set(TRACEFS "events/initcall/enable", "0");
	return result();
}
