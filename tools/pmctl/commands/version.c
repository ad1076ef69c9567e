// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/exit.h"
#include "commands/command.h"

/* The Makefile defines it; this is for a build without the Makefile. */
#ifndef PMCTL_VERSION
#define PMCTL_VERSION	"0.1"
#endif

static const char help[] =
	"usage: pmctl version\n"
	"\n"
	"Shows the version of pmctl and, if it is loaded, of the module.\n";

static void show_module(int fd)
{
	struct hwpmc_version version = {
		.size = sizeof(version),
		.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR),
	};

	if (device_call(fd, HWPMC_IOC_VERSION, &version))
		return;
	version.release[sizeof(version.release) - 1] = '\0';
	printf("hwpmc %s (ABI %u.%u)\n", version.release, version.abi >> 16, version.abi & 0xffff);
}

static int cmd_version(int argc, char **argv)
{
	int fd;

	if (argc > 1) {
		error("version takes no arguments, not '%s'", argv[1]);
		return EXIT_OWN;
	}
	printf("pmctl %s (ABI %d.%d)\n", PMCTL_VERSION, HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR);
	/* If the module is not loaded, printing pmctl's version is a success. */
	fd = device_try_open();
	if (fd < 0)
		return 0;
	show_module(fd);
	close(fd);
	return 0;
}

const struct command version_command = {
	.name = "version",
	.run = cmd_version,
	.brief = "show the versions of pmctl and of the module",
	.help = help,
	.grammar = &command_no_options,
};
