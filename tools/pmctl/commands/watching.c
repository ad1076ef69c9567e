// SPDX-License-Identifier: GPL-2.0-only
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "commands/watching.h"

static void add(uint32_t **list, size_t *count, uint32_t value)
{
	*list = xrealloc(*list, *count + 1, sizeof(**list));
	(*list)[(*count)++] = value;
}

static int take_pid(struct watching *who, const char *word)
{
	long pid;

	if (number_parse(word, 1, INT32_MAX, &pid)) {
		error("--pid needs process ids, not '%s'", word);
		return -1;
	}
	add(&who->pids, &who->pid_count, (uint32_t)pid);
	return 0;
}

static int take_user(struct watching *who, const char *word)
{
	const struct passwd *user = getpwnam(word);
	long uid;

	if (user) {
		uid = user->pw_uid;
	} else if (number_parse(word, 0, UINT32_MAX, &uid)) {
		error("there is no user '%s'", word);
		return -1;
	}
	add(&who->uids, &who->uid_count, (uint32_t)uid);
	return 0;
}

int watching_take(struct watching *who, int letter, const char *text)
{
	char *words = xstrdup(text), *rest = words, *word;
	int result = 0;

	if (letter == 'c')
		patterns_add_list(&who->comms, text);
	while (letter != 'c' && !result && (word = strsep(&rest, ",")))
		result = letter == 'p' ? take_pid(who, word) : take_user(who, word);
	free(words);
	return result;
}

static bool has(const uint32_t *list, size_t count, uint32_t value)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

bool watching_any(const struct watching *who)
{
	return who->pid_count || who->uid_count || who->comms.count;
}

bool watching_wants(const struct watching *who, uint32_t pid, uint32_t target, uint32_t uid,
		    const char *comm)
{
	if (who->pid_count && !has(who->pids, who->pid_count, pid) &&
	    !has(who->pids, who->pid_count, target))
		return false;
	if (who->uid_count && !has(who->uids, who->uid_count, uid))
		return false;
	return patterns_match(&who->comms, comm);
}

void watching_free(struct watching *who)
{
	free(who->pids);
	free(who->uids);
	patterns_free(&who->comms);
}

void watching_hardware(struct hardware *hardware)
{
	int fd = device_try_open();

	memset(hardware, 0, sizeof(*hardware));
	if (fd < 0)
		return;
	hardware_read(fd, hardware);
	close(fd);
}
