// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake machine for pmctl doctor: its /dev, /etc/sysctl.d, /lib, /proc and /sys are below the
 * directory FAKE_ROOT. FAKE_MACHINE is the machine that uname(2) returns. "fake" is a character
 * device.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fake_root.h"

typedef FILE *(*fopen_fn)(const char *path, const char *mode);
typedef int (*access_fn)(const char *path, int mode);
typedef int (*stat_fn)(const char *path, struct stat *status);
typedef int (*nftw_fn)(const char *path, __nftw_func_t visit, int fds, int flags);
typedef int (*uname_fn)(struct utsname *name);

FILE *fopen(const char *path, const char *mode);
int access(const char *path, int mode);
int stat(const char *path, struct stat *status);
int nftw(const char *path, __nftw_func_t visit, int fds, int flags);
DIR *opendir(const char *path);
int uname(struct utsname *name);

static int is_the_machines(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/etc/sysctl.d/", 14) ||
	       !strncmp(path, "/lib/modules/", 13) ||
	       !strncmp(path, "/proc/", 6) || !strcmp(path, "/proc") || !strncmp(path, "/sys/", 5);
}

const char *fake_root(const char *path, char *buf)
{
	const char *root = getenv("FAKE_ROOT");

	if (!root || !is_the_machines(path))
		return path;
	snprintf(buf, PATH_MAX, "%s%s", root, path);
	return buf;
}

void fake_order(const char *what)
{
	fopen_fn real = (fopen_fn)dlsym(RTLD_NEXT, "fopen");
	const char *path = getenv("FAKE_ORDER");
	FILE *file = path ? real(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%s\n", what);
	fclose(file);
}

FILE *fopen(const char *path, const char *mode)
{
	fopen_fn real = (fopen_fn)dlsym(RTLD_NEXT, "fopen");
	char buf[PATH_MAX];

	if (!strcmp(path, "/proc/kallsyms"))
		fake_order("symbols");
	return real(fake_root(path, buf), mode);
}

int access(const char *path, int mode)
{
	access_fn real = (access_fn)dlsym(RTLD_NEXT, "access");
	char buf[PATH_MAX];

	return strcmp(path, "fake") ? real(fake_root(path, buf), mode) : 0;
}

int stat(const char *path, struct stat *status)
{
	stat_fn real = (stat_fn)dlsym(RTLD_NEXT, "stat");
	char buf[PATH_MAX];

	if (strcmp(path, "fake"))
		return real(fake_root(path, buf), status);
	memset(status, 0, sizeof(*status));
	status->st_mode = S_IFCHR | 0660;
	return 0;
}

int nftw(const char *path, __nftw_func_t visit, int fds, int flags)
{
	nftw_fn real = (nftw_fn)dlsym(RTLD_NEXT, "nftw");
	char buf[PATH_MAX];

	return real(fake_root(path, buf), visit, fds, flags);
}

DIR *opendir(const char *path)
{
	__typeof__(opendir) *real = dlsym(RTLD_NEXT, "opendir");
	char buf[PATH_MAX];

	return real(fake_root(path, buf));
}

int uname(struct utsname *name)
{
	uname_fn real = (uname_fn)dlsym(RTLD_NEXT, "uname");
	const char *machine = getenv("FAKE_MACHINE");
	int result = real(name);

	if (!result && machine)
		snprintf(name->machine, sizeof(name->machine), "%s", machine);
	return result;
}
