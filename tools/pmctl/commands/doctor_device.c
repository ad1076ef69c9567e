// SPDX-License-Identifier: GPL-2.0-only
/* Is the device there, and may this user open it. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/device.h"
#include "commands/doctor.h"

static enum health check_node(struct patient *patient)
{
	struct stat status;

	if (stat(device_path(), &status))
		return health_say(patient, HEALTH_BAD, "%s is not there%s", device_path(),
				  patient->loaded ?
					  ": is udev running, and devtmpfs mounted on /dev?" :
					  ", since the module is not loaded");
	if (!S_ISCHR(status.st_mode))
		return health_say(patient, HEALTH_BAD,
				  "%s is not a device: remove it and load the module again",
				  device_path());
	return health_say(patient, HEALTH_OK, "%s is there", device_path());
}

static enum health check_open(struct patient *patient)
{
	char why[512];

	if (access(device_path(), F_OK))
		return HEALTH_UNKNOWN;
	patient->fd = device_try_open();
	if (patient->fd >= 0)
		return health_say(patient, HEALTH_OK, "you may open it");
	device_explain(errno, why, sizeof(why));
	return health_say(patient, HEALTH_BAD, "%s", why);
}

const check_fn device_checks[] = { check_node, check_open, NULL };
