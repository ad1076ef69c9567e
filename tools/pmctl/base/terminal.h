/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TERMINAL_H
#define PMCTL_TERMINAL_H

/* The width of the terminal on standard output, and a pager for it. */

/* The number of letters in a line of the terminal; 0 if standard output is no terminal. */
int terminal_width(void);

/*
 * Sends standard output to a pager if it is a terminal, and standard error too if that is one. The
 * pager is $PMCTL_PAGER, else $PAGER, else less; none is used if it is "cat" or empty, or if less
 * is not installed. From then on the pager handles ^C.
 */
void terminal_page(void);

/* Makes terminal_page() do nothing: --no-pager. */
void terminal_no_pager(void);

/* Writes buffered output, and waits until the user quits the pager. */
void terminal_end(void);

#endif
