/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_HOOK_H
#define PMCTL_HOOK_H

/*
 * Runs the shell command of option --pre or --post, and waits until it exits. 0, also without a
 * command (NULL); or -1 after a message if it failed.
 */
int hook_run(const char *option, const char *command);

#endif
