/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SIGNALS_H
#define PMCTL_SIGNALS_H

#include <stdbool.h>

/*
 * Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD, with @snapshots also SIGUSR2, and returns a signalfd
 * for them, or -1. SIGPIPE is ignored: write(2) returns EPIPE. SIGTERM and SIGHUP stay ignored if
 * they were.
 */
int signals_open(bool snapshots);

/* In a child, before exec: restores what signals_open() changed. */
void signals_restore(void);

/* Terminates pmctl by signal @number. */
void signals_die(int number) __attribute__((noreturn));

#endif
