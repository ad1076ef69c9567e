// SPDX-License-Identifier: GPL-2.0-only
/* Whether counters are available, and if not, what holds them. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands/doctor.h"

static bool is_arm64(void)
{
	struct utsname name;

	return !uname(&name) && !strcmp(name.machine, "aarch64");
}

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define DROP_IN		"/etc/sysctl.d/60-hwpmc.conf"

/* Returns 0 or an errno. */
static int write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");
	int error = 0;

	if (!file)
		return errno;
	if (fputs(text, file) < 0)
		error = errno;
	/* The kernel may refuse the value only when it is written. */
	if (fclose(file))
		error = errno;
	return error;
}

static enum doctor_result disable_watchdog(struct doctor *doctor)
{
	const char *path = DROP_IN;
	int error = write_text(path, "# Frees a counter of each CPU for hwpmc: pmctl doctor --fix\n"
			       "kernel.nmi_watchdog = 0\n");

	if (!error) {
		path = WATCHDOG;
		error = write_text(path, "0\n");
	}
	if (error)
		return doctor_report(doctor, DOCTOR_PROBLEM,
				     "the NMI watchdog holds a counter of each CPU, and cannot be disabled: "
				     "%s: %s%s", path, strerror(error),
				     error == EACCES || error == EPERM ? "; run it as root" : "");
	return doctor_report(doctor, DOCTOR_OK,
			     "the NMI watchdog is disabled, and will be at the next boots (" DROP_IN ")");
}

/* On x86 the NMI watchdog is a perf event that holds a counter of each CPU. */
static enum doctor_result check_watchdog(struct doctor *doctor)
{
	char line[8];

	if (is_arm64())
		return DOCTOR_UNKNOWN;
	doctor_read_line(WATCHDOG, line, sizeof(line));
	if (line[0] != '1')
		return doctor_report(doctor, DOCTOR_OK, "the NMI watchdog holds no counter");
	if (doctor->fix)
		return disable_watchdog(doctor);
	return doctor_report(doctor, DOCTOR_PROBLEM,
			     "the NMI watchdog holds a counter of each CPU: run 'pmctl doctor --fix' as "
			     "root, or 'sysctl kernel.nmi_watchdog=0' until the next boot");
}

static bool is_virtual(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool found = !access("/sys/hypervisor/type", F_OK) ||
		     !access("/proc/device-tree/hypervisor", F_OK);

	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
	if (file)
		fclose(file);
	if (found)
		return true;
	doctor_read_line("/sys/class/dmi/id/sys_vendor", line, sizeof(line));
	return strstr(line, "QEMU") || strstr(line, "VMware") || strstr(line, "Amazon EC2");
}

static enum doctor_result check_counters(struct doctor *doctor)
{
	if (doctor->fd < 0)
		return DOCTOR_UNKNOWN;
	if (hardware_read(doctor->fd, &doctor->hardware))
		return doctor_report(doctor, DOCTOR_PROBLEM, "cannot read the CPU's counters from the "
				     "module: load the module of the same release as pmctl");
	if (doctor->hardware.core)
		return doctor_report(doctor, DOCTOR_OK, "this CPU has a PMU (%s), with %u rows",
				     doctor->hardware.cpu.pmu,
				     hardware_cpu_rows(&doctor->hardware));
	if (doctor->hardware.cpu.problem[0])
		return doctor_report(doctor, DOCTOR_PROBLEM,
				     "hardware counters are not available: %s",
				     doctor->hardware.cpu.problem);
	if (is_virtual())
		return doctor_report(doctor, DOCTOR_PROBLEM,
				     "this virtual machine has no PMU: enable it on the host (QEMU: -cpu "
				     "host,pmu=on; VMware: virtual CPU performance counters; EC2: a "
				     "larger or metal instance)");
	return doctor_report(doctor, DOCTOR_PROBLEM,
			     "hwpmc does not support the PMU of this CPU (%s): 'pmctl info' shows what it has",
			     doctor->hardware.cpu.pmu);
}

/* The module reports the holder of the PMU. */
static enum doctor_result check_problem(struct doctor *doctor)
{
	char holders[200];

	if (doctor->fd < 0 || !doctor->hardware.core)
		return DOCTOR_UNKNOWN;
	if (doctor->hardware.cpu.problem[0]) {
		doctor_list_holders(holders, sizeof(holders));
		return doctor_report(doctor, DOCTOR_PROBLEM, "the counters are not available: %s%s",
				     doctor->hardware.cpu.problem, holders);
	}
	return doctor_report(doctor, DOCTOR_OK, "the counters are available");
}

/* perf's driver of arm64 names its PMUs "armv8_pmuv3_0", "armv8_cortex_a57", ... */
static bool perf_has_pmu(void)
{
	DIR *devices = opendir("/sys/bus/event_source/devices");
	const struct dirent *entry;
	bool found = false;

	while (devices && !found && (entry = readdir(devices)))
		found = !strncmp(entry->d_name, "armv8", 5) || !strncmp(entry->d_name, "armv9", 5);
	if (devices)
		closedir(devices);
	return found;
}

/* The value of initcall_blacklist is a list. */
static bool has_boot_option(void)
{
	char line[4096], *option, *end;
	bool there = false;

	doctor_read_line("/proc/cmdline", line, sizeof(line));
	for (option = line; !there; option = end) {
		option = strstr(option, "initcall_blacklist=");
		if (!option)
			break;
		end = option + strcspn(option, " ");
		there = memmem(option, (size_t)(end - option), "armv8_pmu_driver_init", 21);
	}
	return there;
}

static enum doctor_result check_boot_option(struct doctor *doctor)
{
	/* Without a PMU nothing can have claimed it. */
	if (!is_arm64() || (doctor->fd >= 0 && !doctor->hardware.core))
		return DOCTOR_UNKNOWN;
	if (has_boot_option())
		return doctor_report(doctor, DOCTOR_OK,
				     "the boot option keeps perf's driver from claiming the PMU");
	/* check_problem() reports a holder that counts now. */
	if (!perf_has_pmu() || doctor->hardware.cpu.problem[0])
		return DOCTOR_UNKNOWN;
	return doctor_report(doctor, DOCTOR_OK,
			     "the module claims the PMU from perf's driver while it counts, and perf is "
			     "refused meanwhile: no boot option is needed");
}

const doctor_check doctor_pmu_checks[] = {
	check_watchdog, check_counters, check_problem, check_boot_option, NULL,
};
