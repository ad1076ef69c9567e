// SPDX-License-Identifier: GPL-2.0-only
/* Does the kernel take the module, and has it. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands/doctor.h"

static enum health check_loaded(struct patient *patient)
{
	patient->loaded = !access("/sys/module/hwpmc", F_OK);
	if (patient->loaded)
		return health_say(patient, HEALTH_OK, "the module hwpmc is loaded");
	return health_say(patient, HEALTH_BAD,
			  "the module hwpmc is not loaded: run 'modprobe hwpmc' as root");
}

static int is_our_file(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	return type == FTW_F && !strncmp(path + where->base, "hwpmc.ko", 8);
}

static enum health check_installed(struct patient *patient)
{
	struct utsname name;
	char path[256];

	if (patient->loaded || uname(&name))
		return HEALTH_UNKNOWN;
	snprintf(path, sizeof(path), "/lib/modules/%s", name.release);
	if (nftw(path, is_our_file, 16, FTW_PHYS) == 1)
		return health_say(patient, HEALTH_OK, "it is installed for this kernel, %s",
				  name.release);
	return health_say(patient, HEALTH_BAD,
			  "it is not installed for this kernel, %s: install linux-headers-%s, then run "
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

static enum health check_preempt_notifiers(struct patient *patient)
{
	int exists = patient->loaded ? 1 : symbol_exists("preempt_notifier_register");

	if (exists < 0)
		return health_say(patient, HEALTH_UNKNOWN,
				  "cannot tell whether the kernel has CONFIG_PREEMPT_NOTIFIERS");
	if (exists)
		return health_say(patient, HEALTH_OK, "the kernel has CONFIG_PREEMPT_NOTIFIERS");
	return health_say(patient, HEALTH_BAD,
			  "the kernel lacks CONFIG_PREEMPT_NOTIFIERS: use one that is built with KVM, "
			  "such as the distribution's");
}

/* "none [integrity] confidentiality": the mode in force is in brackets. */
static enum health check_lockdown(struct patient *patient)
{
	char line[128], mode[64];
	const char *open;

	first_line("/sys/kernel/security/lockdown", line, sizeof(line));
	open = strchr(line, '[');
	if (!open || sscanf(open, "[%63[a-z]]", mode) != 1)
		return health_say(patient, HEALTH_OK, "the kernel has no lockdown");
	if (!strcmp(mode, "none"))
		return health_say(patient, HEALTH_OK, "kernel lockdown is off");
	if (patient->loaded && !strcmp(mode, "integrity"))
		return health_say(patient, HEALTH_OK,
				  "kernel lockdown is in mode integrity, and the module is loaded");
	return health_say(patient, HEALTH_BAD,
			  "kernel lockdown is in mode %s: %s", mode,
			  patient->loaded ? "only user mode can be sampled (:u); counts are not restricted" :
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

	first_line("/sys/module/module/parameters/sig_enforce", line, sizeof(line));
	return line[0] == 'Y';
}

/* "Loading of module with unavailable key is rejected": the kernel's own words. */
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

static enum health check_signature(struct patient *patient)
{
	int rejected = !patient->loaded && rejected_in_log();

	if (!rejected && (patient->loaded || (!secure_boot() && !signatures_enforced())))
		return health_say(patient, HEALTH_OK, "%s",
				  patient->loaded ?
					  "the kernel does not object to the module's signature" :
					  "the kernel does not ask modules for a signature");
	return health_say(patient, HEALTH_BAD,
			  "%s: sign it with a key the firmware knows ('mokutil --import "
			  "/var/lib/dkms/mok.pub', then reboot and enrol it)",
			  rejected ? "the kernel rejected the key of a module" :
				     "Secure Boot or sig_enforce lets only signed modules be loaded");
}

const check_fn module_checks[] = {
	check_loaded,	check_installed, check_preempt_notifiers,
	check_lockdown, check_signature, NULL,
};
