// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"

const char *device_path(void)
{
	const char *path = getenv("PMCTL_DEVICE");

	return path && *path ? path : "/dev/hwpmc";
}

/* The sentence of this thread's last call; empty if the call returned none. */
static __thread char sentence[HWPMC_SENTENCE_MAX];

int device_call(int fd, unsigned long request, void *argument)
{
	char room[HWPMC_SENTENCE_MAX];
	struct hwpmc_head *head = argument;
	int result, error;

	room[0] = '\0';
	head->error_text = (uintptr_t)room;
	head->error_size = sizeof(room);
	do {
		result = ioctl(fd, request, argument);
	} while (result < 0 && errno == EINTR);
	if (result >= 0)
		return 0;
	error = errno;
	room[sizeof(room) - 1] = '\0';
	snprintf(sentence, sizeof(sentence), "%s", room);
	errno = error;
	return -1;
}

static int same_language(int fd)
{
	struct hwpmc_version version = {
		.size = sizeof(version),
		.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR),
	};

	if (device_call(fd, HWPMC_IOC_VERSION, &version))
		return -1;
	if (version.abi >> 16 == HWPMC_ABI_MAJOR)
		return 0;
	errno = EPROTO;
	return -1;
}

int device_try_open(void)
{
	int fd, error;

	do {
		fd = open(device_path(), O_RDWR | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0 || !same_language(fd))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static const char *advice(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "the module is not loaded; "
		       "try 'modprobe hwpmc', and 'pmctl doctor' if that fails";
	case EACCES:
	case EPERM:
		return "permission denied; join the group hwpmc "
		       "('usermod -aG hwpmc USER', then log in again) or run as root";
	case EMFILE:
		return "this user has too many files open: "
		       "the module's parameter max_files, or ulimit -n";
	case EPROTO:
		return "the module and pmctl have different versions; "
		       "install both from one release and reload the module";
	case ENOTTY:
	case EINVAL:
		return "this is not the device of hwpmc; check PMCTL_DEVICE and the udev rules";
	default:
		return NULL;
	}
}

void device_explain(int error, char *buf, size_t size)
{
	const char *what = advice(error);

	snprintf(buf, size, "cannot open %s: %s", device_path(), what ? what : strerror(error));
}

int device_open(void)
{
	int fd = device_try_open();
	char why[512];

	if (fd < 0) {
		device_explain(errno, why, sizeof(why));
		error("%s", why);
	}
	return fd;
}

void device_sentence(int error, char *buf, size_t size)
{
	snprintf(buf, size, "%s", sentence[0] ? sentence : strerror(error));
}
