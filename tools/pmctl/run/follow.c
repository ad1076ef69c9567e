// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/follow.h"

/* Attaches to each of @set. Returns the number of refusals; @why: the reason of the first one. */
static unsigned int attach_all(struct session *session, struct pid_set *set, char *why, size_t size)
{
	unsigned int refused = 0, kept = 0;
	char text[HWPMC_SENTENCE_MAX];

	for (unsigned int i = 0; i < set->count; i++) {
		int result = session_try_attach(session, set->pid[i], false, text, sizeof(text));

		/* The process has exited, or is a zombie. */
		if (result == ESRCH)
			continue;
		set->pid[kept++] = set->pid[i];
		/* EEXIST: an ancestor was attached before, and is counted with its descendants. */
		if (!result || result == EEXIST)
			continue;
		if (!refused++)
			snprintf(why, size, "%s", text);
	}
	set->count = kept;
	return refused;
}

int follow_begin(struct follow *follow, struct session *session, const struct match *match)
{
	char why[HWPMC_SENTENCE_MAX] = "";
	unsigned int refused;

	follow->match = match;
	if (match_scan(match, &follow->last))
		return -1;
	if (session->counter_count)
		refused = attach_all(session, &follow->last, why, sizeof(why));
	else
		refused = 0;
	if (!follow->last.count) {
		error("no process matches %s; list processes with: ps -e -o pid,user,comm,cgroup",
		      match->text);
		return -1;
	}
	if (refused == follow->last.count) {
		error("none of %u processes that match %s can be counted: %s", refused, match->text,
		      why);
		return -1;
	}
	if (refused)
		note("%u of %u processes that match %s are not counted: %s", refused,
		     follow->last.count, match->text, why);
	return 0;
}

/* The processes that PMCs follow, including those that targets have forked. */
static int read_counted(struct session *session, struct pid_set *counted)
{
	struct hwpmc_target_value *targets;
	unsigned int count;

	if (session_read_targets(session, &targets, &count))
		return -1;
	for (unsigned int i = 0; i < count; i++)
		if (!(targets[i].flags & (HWPMC_TARGET_GONE | HWPMC_TARGET_BASE)) &&
		    targets[i].pid > 0)
			pid_set_append(counted, targets[i].pid);
	free(targets);
	pid_set_sort(counted);
	return 0;
}

/* Removes from @set the processes in the sorted @others. */
static void remove_all(struct pid_set *set, const struct pid_set *others)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < set->count; i++)
		if (!pid_set_has(others, set->pid[i]))
			set->pid[kept++] = set->pid[i];
	set->count = kept;
}

static int attach_new(struct follow *follow, struct session *session, struct pid_set *new,
		      bool running)
{
	char why[HWPMC_SENTENCE_MAX];
	unsigned int refused;

	if (running && session_stop(session))
		return -1;
	refused = attach_all(session, new, why, sizeof(why));
	if (refused && !follow->refused)
		memcpy(follow->why, why, sizeof(why));
	follow->refused += refused;
	return running ? session_start(session) : 0;
}

int follow_more(struct follow *follow, struct session *session, bool running)
{
	struct pid_set found = { 0 }, new = { 0 }, counted = { 0 };
	int result = match_scan(follow->match, &found);

	for (unsigned int i = 0; !result && i < found.count; i++)
		if (!pid_set_has(&follow->last, found.pid[i]))
			pid_set_append(&new, found.pid[i]);
	if (!result && new.count && session->counter_count) {
		/*
		 * Read after the scan, so that it includes each descendant that the scan has found.
		 */
		result = read_counted(session, &counted);
		remove_all(&new, &counted);
		if (!result && new.count)
			result = attach_new(follow, session, &new, running);
	}
	pid_set_free(&follow->last);
	pid_set_free(&new);
	pid_set_free(&counted);
	follow->last = found;
	return result;
}

void follow_end(struct follow *follow)
{
	if (follow->refused)
		note("%u processes that match %s later are not counted: %s", follow->refused,
		     follow->match->text, follow->why);
	pid_set_free(&follow->last);
	memset(follow, 0, sizeof(*follow));
}
