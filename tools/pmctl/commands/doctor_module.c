// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the kernel accepts the module and has loaded it, and whether this user may open the
 * device.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/device.h"
#include "commands/doctor.h"

static enum doctor_result check_loaded(struct doctor *doctor)
{
	doctor->loaded = !access("/sys/module/hwpmc", F_OK);
	if (doctor->loaded)
		return doctor_report(doctor, DOCTOR_OK, "the module hwpmc is loaded");
	return doctor_report(doctor, DOCTOR_PROBLEM,
			     "the module hwpmc is not loaded: run 'modprobe hwpmc' as root");
}

static int is_our_file(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	return type == FTW_F && !strncmp(path + where->base, "hwpmc.ko", 8);
}

static enum doctor_result check_installed(struct doctor *doctor)
{
	struct utsname name;
	char path[256];

	if (doctor->loaded || uname(&name))
		return DOCTOR_UNKNOWN;
	snprintf(path, sizeof(path), "/lib/modules/%s", name.release);
	if (nftw(path, is_our_file, 16, FTW_PHYS) == 1)
		return doctor_report(doctor, DOCTOR_OK, "the module is installed for this kernel, %s",
				     name.release);
	return doctor_report(doctor, DOCTOR_PROBLEM,
			     "the module is not installed for this kernel, %s: install linux-headers-%s, then run "
			     "'dkms autoinstall' as root, or 'make dkms-install' in hwpmc's sources",
			     name.release, name.release);
}

static int symbol_exists(const char *symbol)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], found[256];
	int exists = 0;

	if (!file)
		return -1;
	while (!exists && fgets(line, sizeof(line), file))
		exists = sscanf(line, "%*s %*s %255s", found) == 1 && !strcmp(found, symbol);
	fclose(file);
	return exists;
}

static enum doctor_result check_preempt_notifiers(struct doctor *doctor)
{
	int exists = doctor->loaded ? 1 : symbol_exists("preempt_notifier_register");

	if (exists < 0)
		return doctor_report(doctor, DOCTOR_UNKNOWN,
				     "cannot check whether the kernel has CONFIG_PREEMPT_NOTIFIERS");
	if (exists)
		return doctor_report(doctor, DOCTOR_OK, "the kernel has CONFIG_PREEMPT_NOTIFIERS");
	return doctor_report(doctor, DOCTOR_PROBLEM,
			     "the kernel lacks CONFIG_PREEMPT_NOTIFIERS: use one that is built with KVM, "
			     "such as the distribution's");
}

/* "none [integrity] confidentiality": the active mode is in brackets. */
static enum doctor_result check_lockdown(struct doctor *doctor)
{
	char line[128], mode[64];
	const char *open;

	doctor_read_line("/sys/kernel/security/lockdown", line, sizeof(line));
	open = strchr(line, '[');
	if (!open || sscanf(open, "[%63[a-z]]", mode) != 1)
		return doctor_report(doctor, DOCTOR_OK, "the kernel has no lockdown");
	if (!strcmp(mode, "none"))
		return doctor_report(doctor, DOCTOR_OK, "kernel lockdown is off");
	if (doctor->loaded && !strcmp(mode, "integrity"))
		return doctor_report(doctor, DOCTOR_OK,
				     "kernel lockdown is in mode integrity, and the module is loaded");
	return doctor_report(doctor, DOCTOR_PROBLEM,
			     "kernel lockdown is in mode %s: %s", mode,
			     doctor->loaded ? "only user mode can be sampled (:u); counts are not restricted" :
					    "only a signed module loads (see the line on Secure Boot)");
}

static int secure_boot(void)
{
	static const char path[] = "/sys/firmware/efi/efivars/"
				   "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	unsigned char variable[5] = { 0 };	/* four bytes of attributes, then the value */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return 0;
	got = read(fd, variable, sizeof(variable));
	close(fd);
	return got == sizeof(variable) && variable[4] == 1;
}

static int signatures_enforced(void)
{
	char line[8];

	doctor_read_line("/sys/module/module/parameters/sig_enforce", line, sizeof(line));
	return line[0] == 'Y';
}

/* "Loading of module with unavailable key is rejected": a message of the kernel. */
static int rejected_in_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192];
	ssize_t got;
	int found = 0;

	if (fd < 0)
		return 0;
	while (!found && (got = read(fd, record, sizeof(record) - 1)) > 0) {
		record[got] = '\0';
		found = strstr(record, "Loading of ") && strstr(record, " is rejected");
	}
	close(fd);
	return found;
}

static enum doctor_result check_signature(struct doctor *doctor)
{
	int rejected = !doctor->loaded && rejected_in_log();

	if (!rejected && (doctor->loaded || (!secure_boot() && !signatures_enforced())))
		return doctor_report(doctor, DOCTOR_OK, "%s",
				     doctor->loaded ?
					  "the kernel accepted the module's signature" :
					  "the kernel does not require signed modules");
	return doctor_report(doctor, DOCTOR_PROBLEM,
			     "%s: sign the module with a key that the firmware trusts ('mokutil --import "
			     "/var/lib/dkms/mok.pub', then reboot and enrol it)",
			     rejected ? "the kernel rejected the key of a module" :
				     "Secure Boot or sig_enforce requires signed modules");
}

const doctor_check doctor_module_checks[] = {
	check_loaded,	check_installed, check_preempt_notifiers,
	check_lockdown, check_signature, NULL,
};

static enum doctor_result check_node(struct doctor *doctor)
{
	struct stat status;

	if (stat(device_path(), &status))
		return doctor_report(doctor, DOCTOR_PROBLEM, "%s does not exist%s", device_path(),
				     doctor->loaded ?
					  ": check that udev runs and that devtmpfs is mounted on /dev" :
					  ": the module is not loaded");
	if (!S_ISCHR(status.st_mode))
		return doctor_report(doctor, DOCTOR_PROBLEM,
				     "%s is not a device: remove it and load the module again",
				     device_path());
	return doctor_report(doctor, DOCTOR_OK, "%s exists", device_path());
}

static enum doctor_result check_open(struct doctor *doctor)
{
	char why[512];

	if (access(device_path(), F_OK))
		return DOCTOR_UNKNOWN;
	doctor->fd = device_try_open();
	if (doctor->fd >= 0)
		return doctor_report(doctor, DOCTOR_OK, "you may open the device");
	device_explain(errno, why, sizeof(why));
	return doctor_report(doctor, DOCTOR_PROBLEM, "%s", why);
}

const doctor_check doctor_device_checks[] = { check_node, check_open, NULL };
