/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CONTROL_H
#define PMCTL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum control_command {
	CONTROL_NONE,		/* no complete line was read */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_COMMANDS,	/* number of the above */
};

/**
 * struct control - commands that another process writes to a FIFO: --control
 * @option: its value, NULL without
 * @accepts: which commands are known, BIT(enum control_command)
 * @fd: where they are read from, or -1
 * @ack: descriptor to which "ack" is written after each command, or -1
 * @opened: @fd and @ack were opened by their names
 * @text: the first bytes of the next command
 * @length: bytes of @text
 */
struct control {
	const char *option;
	unsigned int accepts;
	int fd;
	int ack;
	bool opened;
	char text[64];
	size_t length;
};

/*
 * Opens "FIFO[,FIFO]", "fifo:FIFO[,FIFO]" or "fd:NUMBER[,NUMBER]". 0, or -1 after a message on
 * standard error. Without @option nothing is opened.
 */
int control_open(struct control *control);

/* Reads the next command; one that is unknown is reported on standard error, and skipped. */
enum control_command control_next(struct control *control);

/* Writes that the command took effect. */
void control_ack(const struct control *control);

void control_close(struct control *control);

#endif
