/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CALL_GRAPH_H
#define PMCTL_CALL_GRAPH_H

#include "report/table.h"

/* The largest number of branches of all graphs of callees. */
#define CALL_GRAPH_MAX	(1U << 20)

/*
 * Fills @table->graph and the roots of its rows, as -g requests: below each row its callers or its
 * callees. A graph of callees repeats the callees of a function below each of its callers, so only
 * branches that will be shown are made. At CALL_GRAPH_MAX a message reports the limit, and further
 * branches are left out, those of small rows first.
 */
void call_graph_make(struct table *table);

#endif
