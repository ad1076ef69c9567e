/* SPDX-License-Identifier: GPL-2.0-only */
/* --filter of stat and record. */
#ifndef PMCTL_FILTER_SESSION_H
#define PMCTL_FILTER_SESSION_H

#include "probe/filter.h"
#include "run/session.h"

/* Makes @session set the conditions of its events once they are resolved. @filter may be empty. */
void filter_session_use(struct session *session, const struct filter *filter);

#endif
