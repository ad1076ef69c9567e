/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_VERSION_H
#define PMCTL_VERSION_H

/* The Makefile says which; this is for who compiles by hand. */
#ifndef PMCTL_VERSION
#define PMCTL_VERSION	"0.1"
#endif

#endif
