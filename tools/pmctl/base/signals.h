/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SIGNALS_H
#define PMCTL_SIGNALS_H

/*
 * From now on SIGINT, SIGTERM, SIGHUP and SIGCHLD come through a descriptor, and
 * a closed pipe is an error of write(2). SIGTERM and SIGHUP stay ignored if they were.
 * Returns the descriptor, or -1.
 */
int signals_open(void);

/* In a child, before exec: everything as pmctl found it. */
void signals_restore(void);

/* Ends pmctl the way @number would have without us. */
void signals_die(int number) __attribute__((noreturn));

#endif
