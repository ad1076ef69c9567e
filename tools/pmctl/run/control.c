// SPDX-License-Identifier: GPL-2.0-only
/* Commands that another process writes to a FIFO, a line each. Called by a run while it waits. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/control.h"

static const char *const words[CONTROL_COMMANDS] = {
	[CONTROL_ENABLE] = "enable",
	[CONTROL_DISABLE] = "disable",
	[CONTROL_SNAPSHOT] = "snapshot",
	[CONTROL_PING] = "ping",
	[CONTROL_STOP] = "stop",
};

/* Opens it for writing, too: else poll(2) returns POLLHUP while no other process has it open. */
static int open_fifo(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status) && S_ISFIFO(status.st_mode))
		return fd;
	if (fd >= 0) {
		error("--control: '%s' is not a FIFO; make one with: mkfifo", path);
		close(fd);
	} else {
		error("--control: cannot open '%s': %s; make it with: mkfifo %s", path,
		      strerror(errno), path);
	}
	return -1;
}

static int given_fd(const char *text)
{
	long number;

	if (!number_parse(text, 0, INT_MAX, &number) && fcntl((int)number, F_GETFD) >= 0) {
		fcntl((int)number, F_SETFD, FD_CLOEXEC);
		return (int)number;
	}
	error("--control: '%s' is not an open file descriptor", text);
	return -1;
}

static const char *without_prefix(struct control *control)
{
	const char *text = control->option;

	control->opened = strncmp(text, "fd:", 3) != 0;
	if (!control->opened)
		return text + 3;
	return strncmp(text, "fifo:", 5) ? text : text + 5;
}

int control_open(struct control *control)
{
	char *text, *rest, *word;

	control->fd = -1;
	control->ack = -1;
	if (!control->option)
		return 0;
	text = xstrdup(without_prefix(control));
	rest = text;
	word = strsep(&rest, ",");
	control->fd = control->opened ? open_fifo(word) : given_fd(word);
	if (control->fd >= 0 && rest)
		control->ack = control->opened ? open_fifo(rest) : given_fd(rest);
	word = rest;
	free(text);
	return control->fd < 0 || (word && control->ack < 0) ? -1 : 0;
}

/* Takes a line from @text. */
static enum control_command take_line(struct control *control, size_t length)
{
	enum control_command found = CONTROL_NONE;
	char line[sizeof(control->text)];

	memcpy(line, control->text, length);
	line[length] = '\0';
	control->length -= length + 1;
	memmove(control->text, control->text + length + 1, control->length);
	for (unsigned int i = CONTROL_NONE + 1; i < CONTROL_COMMANDS; i++)
		if ((control->accepts & 1U << i) && !strcmp(line, words[i]))
			found = i;
	if (!found)
		note("--control: '%s' is not a command of this pmctl: it is ignored", line);
	return found;
}

/* Returns the bytes of the first line in @text without its end, or -1 if it is not complete. */
static ssize_t line_length(struct control *control)
{
	const char *end = memchr(control->text, '\n', control->length);

	if (end)
		return end - control->text;
	if (control->length < sizeof(control->text) - 1)
		return -1;
	note("--control: a line is too long: it is ignored");
	control->length = 0;
	return -1;
}

enum control_command control_next(struct control *control)
{
	enum control_command command = CONTROL_NONE;
	ssize_t length, got;

	while (control->fd >= 0 && !command) {
		length = line_length(control);
		if (length >= 0) {
			command = take_line(control, (size_t)length);
			continue;
		}
		got = read(control->fd, control->text + control->length,
			   sizeof(control->text) - 1 - control->length);
		if (got > 0)
			control->length += (size_t)got;
		else if (!got || (errno != EAGAIN && errno != EINTR))
			control->fd = -1;
		if (got < 0)
			break;
		/* A descriptor that was passed may block: read it once for each poll(2). */
		if (!control->opened && line_length(control) < 0)
			break;
	}
	return command;
}

void control_ack(const struct control *control)
{
	static const char text[] = "ack\n";

	if (control->ack >= 0 && write(control->ack, text, sizeof(text) - 1) < 0)
		note("--control: cannot write 'ack': %s", strerror(errno));
}

void control_close(struct control *control)
{
	if (control->opened && control->fd >= 0)
		close(control->fd);
	if (control->opened && control->ack >= 0)
		close(control->ack);
	control->fd = -1;
	control->ack = -1;
}
