// SPDX-License-Identifier: GPL-2.0-only
/* The module; see param.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"
#include "param.h"
#include "test.h"

#define MODULE_NAME	"hwpmc.ko"
#define MODULE		"/hwpmc/modules/" MODULE_NAME

static int param_open(const char *name, int flags)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/sys/module/hwpmc/parameters/%s", name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

int param_write(const char *name, const char *value)
{
	int fd = param_open(name, O_WRONLY), err = 0;

	if (write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		err = -errno;
	close(fd);
	return err;
}

void param_set(const char *name, uint64_t value)
{
	char text[32];
	int err;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	err = param_write(name, text);
	if (err)
		die("parameter %s=%s: %s", name, text, strerror(-err));
}

uint64_t param_get(const char *name)
{
	int fd = param_open(name, O_RDONLY);
	char text[32] = "";

	if (read(fd, text, sizeof(text) - 1) <= 0)
		die("parameter %s: %s", name, strerror(errno));
	close(fd);
	return strtoull(text, NULL, 10);
}

int module_open(void)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(MODULE ": %s", strerror(errno));
	return fd;
}

int module_try_load(int fd, const char *params)
{
	return syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
}

/* The parameters with which the machine loaded the module at boot. */
static const char *machine_params(void)
{
	static char line[256];
	FILE *f = fopen("/hwpmc/test-modules", "r");
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, MODULE_NAME, strlen(MODULE_NAME));
	if (!found)
		die("/hwpmc/test-modules has no line of " MODULE_NAME);
	fclose(f);
	return line + strlen(MODULE_NAME);
}

void module_load(void)
{
	int fd = module_open();
	int err = module_try_load(fd, machine_params());

	if (err)
		die("load: %s", strerror(-err));
	close(fd);
	/* As the machine does it after its load (tests/vm/guest/lib.sh). */
	if (chown("/dev/hwpmc", -1, GROUP_HWPMC) || chmod("/dev/hwpmc", 0660))
		die("/dev/hwpmc: %s", strerror(errno));
}

bool module_unload(void)
{
	if (!syscall(SYS_delete_module, "hwpmc", O_NONBLOCK))
		return true;
	if (errno != EAGAIN && errno != EBUSY && errno != EWOULDBLOCK)
		die("unload: %s", strerror(errno));
	return false;
}

int module_references(void)
{
	FILE *f = fopen("/sys/module/hwpmc/refcnt", "r");
	int n;

	if (!f || fscanf(f, "%d", &n) != 1)
		die("/sys/module/hwpmc/refcnt: %s", strerror(errno));
	fclose(f);
	return n;
}
