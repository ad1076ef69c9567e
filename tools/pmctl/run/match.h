/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_MATCH_H
#define PMCTL_MATCH_H

#include <regex.h>
#include <stdbool.h>
#include <sys/types.h>

#include "run/pid_set.h"

/**
 * struct match - the processes that -T, -u and -G select
 * @commands: -T: regular expressions of the command's name
 * @command_count: number of @commands
 * @users: -u: effective user ids
 * @user_count: number of @users
 * @cgroups: -G: directories of cgroups
 * @cgroup_count: number of @cgroups
 * @text: the options as typed, for messages: "-T nginx -u www-data"; NULL without
 *
 * A process must match one entry of each kind that was given.
 */
struct match {
	regex_t *commands;
	unsigned int command_count;
	uid_t *users;
	unsigned int user_count;
	char **cgroups;
	unsigned int cgroup_count;
	char *text;
};

/* These three handle an option. 0, or -1 after a message on standard error. */
int match_add_command(struct match *match, const char *regex);
int match_add_users(struct match *match, const char *names);
int match_add_cgroups(struct match *match, const char *paths);

/* Whether there is any of the options. */
static inline bool match_any(const struct match *match)
{
	return match->text;
}

/*
 * Returns the selected processes at this moment, sorted, without pmctl itself. 0, or -1 after a
 * message if /proc or a cgroup cannot be read.
 */
int match_scan(const struct match *match, struct pid_set *found);
void match_free(struct match *match);

#endif
