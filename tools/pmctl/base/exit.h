/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_EXIT_H
#define PMCTL_EXIT_H

/* Exit codes: what the shell, timeout(1) and env(1) use. */
#define EXIT_OWN	125	/* pmctl itself failed */
#define EXIT_NOEXEC	126	/* the program was found but could not be run */
#define EXIT_NOPROG	127	/* the program was not found */

#endif
