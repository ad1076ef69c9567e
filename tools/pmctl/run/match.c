// SPDX-License-Identifier: GPL-2.0-only
/* Finds the processes that -T, -u and -G select. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/match.h"
#include "run/members.h"

static void add_text(struct match *match, char letter, const char *text)
{
	char *longer = xasprintf("%s%s-%c %s", match->text ? match->text : "",
				 match->text ? " " : "", letter, text);

	free(match->text);
	match->text = longer;
}

int match_add_command(struct match *match, const char *regex)
{
	unsigned int count = match->command_count;
	char why[128];
	int result;

	match->commands = xrealloc(match->commands, count + 1, sizeof(*match->commands));
	result = regcomp(&match->commands[count], regex, REG_EXTENDED | REG_NOSUB);
	if (result) {
		regerror(result, &match->commands[count], why, sizeof(why));
		error("-T '%s' is not a regular expression: %s", regex, why);
		return -1;
	}
	match->command_count++;
	add_text(match, 'T', regex);
	return 0;
}

static int add_user(struct match *match, const char *name)
{
	const struct passwd *user = getpwnam(name);
	long number;

	if (!user && number_parse(name, 0, UINT_MAX, &number)) {
		error("there is no user '%s'; give a name, or a number", name);
		return -1;
	}
	match->users = xrealloc(match->users, match->user_count + 1, sizeof(*match->users));
	match->users[match->user_count++] = user ? user->pw_uid : (uid_t)number;
	return 0;
}

static int add_cgroup(struct match *match, const char *name)
{
	char *path = cgroup_find(name);

	if (!path)
		return -1;
	match->cgroups = xrealloc(match->cgroups, match->cgroup_count + 1, sizeof(*match->cgroups));
	match->cgroups[match->cgroup_count++] = path;
	return 0;
}

static int add_list(struct match *match, const char *list, char letter,
		    int (*add)(struct match *match, const char *word))
{
	char *copy = xstrdup(list), *rest = copy, *word;
	int result = 0;

	while (!result && (word = strsep(&rest, ",")))
		result = add(match, word);
	free(copy);
	if (!result)
		add_text(match, letter, list);
	return result;
}

int match_add_users(struct match *match, const char *names)
{
	return add_list(match, names, 'u', add_user);
}

int match_add_cgroups(struct match *match, const char *paths)
{
	return add_list(match, paths, 'G', add_cgroup);
}

/* Also returns false if the process has exited. */
static bool command_matches(const struct match *match, pid_t pid)
{
	char path[64], comm[64];
	bool matches = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(comm, sizeof(comm), file)) {
		comm[strcspn(comm, "\n")] = '\0';
		for (unsigned int i = 0; !matches && i < match->command_count; i++)
			matches = !regexec(&match->commands[i], comm, 0, NULL, 0);
	}
	fclose(file);
	return matches;
}

static bool user_matches(const struct match *match, pid_t pid)
{
	char path[64], line[256];
	bool matches = false;
	unsigned int uid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		/* The real user id, and the effective one. */
		if (sscanf(line, "Uid: %*u %u", &uid) != 1)
			continue;
		for (unsigned int i = 0; i < match->user_count; i++)
			matches |= match->users[i] == uid;
		break;
	}
	fclose(file);
	return matches;
}

static int all_processes(struct pid_set *found)
{
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	long pid;

	if (!proc) {
		error("cannot read /proc: %s", strerror(errno));
		return -1;
	}
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name) &&
		    !number_parse(entry->d_name, 1, INT_MAX, &pid))
			pid_set_append(found, (pid_t)pid);
	closedir(proc);
	return 0;
}

int match_scan(const struct match *match, struct pid_set *found)
{
	unsigned int kept = 0;
	int result = 0;

	found->count = 0;
	for (unsigned int i = 0; !result && i < match->cgroup_count; i++)
		result = members_of_cgroup(match->cgroups[i], found);
	if (!match->cgroup_count)
		result = all_processes(found);
	for (unsigned int i = 0; i < found->count; i++) {
		pid_t pid = found->pid[i];

		if (pid != getpid() && (!match->command_count || command_matches(match, pid)) &&
		    (!match->user_count || user_matches(match, pid)))
			found->pid[kept++] = pid;
	}
	found->count = kept;
	pid_set_sort(found);
	return result;
}

void match_free(struct match *match)
{
	for (unsigned int i = 0; i < match->command_count; i++)
		regfree(&match->commands[i]);
	for (unsigned int i = 0; i < match->cgroup_count; i++)
		free(match->cgroups[i]);
	free(match->commands);
	free(match->users);
	free(match->cgroups);
	free(match->text);
	memset(match, 0, sizeof(*match));
}
