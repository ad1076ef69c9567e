// SPDX-License-Identifier: GPL-2.0-only
/* The one file in which trace.h defines its tracepoints. */
#define CREATE_TRACE_POINTS
#include "trace.h"
