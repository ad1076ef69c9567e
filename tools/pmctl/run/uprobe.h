/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_UPROBE_H
#define PMCTL_UPROBE_H

#include <stddef.h>

#include "event/event.h"

/*
 * Opens the file of a probe "uprobe:FILE:FUNCTION[+OFFSET][:entry|:return]" or "uprobe:FILE:OFFSET",
 * and sets the event's code to the name that the module takes. Other events are left as they are.
 * Return: 0, or -1 with a message in @why.
 */
int uprobe_resolve(struct event *event, char *why, size_t size);

#endif
