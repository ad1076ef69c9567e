// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes may hold the PMU: those with perf events or guests of KVM. The kernel does not
 * report them, but their descriptors in /proc show it. Only root sees the descriptors of other
 * users' processes.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "commands/doctor.h"

enum kind { PERF, GUEST, KINDS };

/* Processes of one kind, as text. */
struct list {
	char text[80];
	bool full;
};

static void list_add(struct list *list, int pid)
{
	size_t length = strlen(list->text);
	char path[32], name[16], entry[48];

	if (list->full)
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	doctor_read_line(path, name, sizeof(name));
	snprintf(entry, sizeof(entry), "%s%s (%d)", length ? ", " : "", name, pid);
	/* With room for the text that replaces further processes. */
	list->full = length + strlen(entry) + sizeof(", ...") > sizeof(list->text);
	strcat(list->text, list->full ? ", ..." : entry);
}

/* Finds which kinds of descriptors a process has. */
static void find_kinds(int pid, bool has[KINDS])
{
	const struct dirent *entry;
	char path[32], target[32];
	ssize_t length;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	while (fds && (entry = readdir(fds))) {
		length = readlinkat(dirfd(fds), entry->d_name, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = '\0';
		has[PERF] |= !strcmp(target, "anon_inode:[perf_event]");
		has[GUEST] |= !strcmp(target, "anon_inode:kvm-vm");
	}
	if (fds)
		closedir(fds);
}

void doctor_list_holders(char *text, size_t size)
{
	struct list lists[KINDS] = { 0 };
	DIR *proc = opendir("/proc");
	const struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		bool has[KINDS] = { false };
		int pid = atoi(entry->d_name);

		if (pid <= 0)
			continue;
		find_kinds(pid, has);
		for (unsigned int kind = 0; kind < KINDS; kind++)
			if (has[kind])
				list_add(&lists[kind], pid);
	}
	if (proc)
		closedir(proc);
	snprintf(text, size, "%s%s%s%s", lists[PERF].text[0] ? "; perf events: " : "",
		 lists[PERF].text, lists[GUEST].text[0] ? "; guests of KVM: " : "",
		 lists[GUEST].text);
}
