/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TERMINAL_H
#define PMCTL_TERMINAL_H

/* Standard output where it is a terminal: its width, and a pager before it. */

/* Letters in a line of the terminal; 0 if standard output is none. */
int terminal_width(void);

/*
 * Sends standard output to a pager if it is a terminal, and standard error if it is one, too. The
 * pager is $PMCTL_PAGER, else $PAGER, else less; there is none if that is "cat" or empty, or if
 * there is no less. From then on ^C is the pager's.
 */
void terminal_page(void);

/* Makes terminal_page() do nothing: --no-pager. */
void terminal_no_pager(void);

/* Writes what is left, and waits until the user leaves the pager. */
void terminal_end(void);

#endif
