/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of pmctl ps. */
#ifndef PMCTL_PS_H
#define PMCTL_PS_H

#include <stdio.h>

#include "watch/pmc.h"

enum ps_sort { PS_PID, PS_USER, PS_COMMAND, PS_EVENT, PS_AGE, PS_SAMPLES, PS_LOST };

/* Returns the key of a name; -1 if there is none. */
int ps_sort_find(const char *name);
/* Sorts @list: names and pids ascending, numbers descending, so that the largest is first. */
void ps_sort(struct pmc_list *list, enum ps_sort key);

/*
 * A table, whose lines are at most @width letters long unless it is 0. PMCs of one file that differ
 * in nothing but their CPU are one line. @targets, here and below: with each target of each PMC.
 */
void ps_print(const struct pmc_list *list, enum ps_sort key, bool targets, FILE *out, int width);
/* A line for each PMC or target, after one with the names of the fields. */
void ps_print_csv(const struct pmc_list *list, bool targets, FILE *out, const char *separator);
/* One object. */
void ps_print_json(const struct pmc_list *list, bool targets, FILE *out);

/* Returns why the list is not complete, in one sentence; NULL if it is complete. To be freed. */
char *ps_hidden(const struct pmc_list *list);

#endif
