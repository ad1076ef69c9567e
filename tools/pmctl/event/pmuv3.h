/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PMUV3_H
#define PMCTL_PMUV3_H

/**
 * struct pmuv3_event - an event of the PMUv3 architecture
 * @number: its number
 * @name: its name in the Arm Architecture Reference Manual
 * @brief: one line of description
 */
struct pmuv3_event {
	unsigned int number;
	const char *name;
	const char *brief;
};

/*
 * libpfm4 lists the arm64 events of each core that it supports. These events have the same number
 * on every core that implements them, and are used for all other cores.
 */
extern const struct pmuv3_event pmuv3_events[];
extern const unsigned int pmuv3_count;

const struct pmuv3_event *pmuv3_find(const char *name);

#endif
