/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_UPROBE_H
#define PMCTL_UPROBE_H

#include <stddef.h>

#include "event/event.h"

/*
 * Opens the file of a probe "uprobe:FILE:FUNCTION[+OFFSET][:entry|:return]" or "uprobe:FILE:OFFSET",
 * and sets the event's code to its name for the module. Other events are unchanged. Return: 0, or
 * -1 with a message in @why.
 */
int uprobe_resolve(struct event *event, char *why, size_t size);

#endif
