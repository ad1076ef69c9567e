/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the module, events/hwpmc/ of tracefs, for ftrace, perf and BPF. Called by pmc/,
 * task/ and call/ in any context: overflow, throttle and drop maybe in an NMI, where the kernel's
 * trace buffer may be written. A tracepoint that is off costs a no-op. trace.c defines them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hwpmc

#if !defined(HWPMC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HWPMC_TRACE_H

#include <linux/pid.h>
#include <linux/tracepoint.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "pmc.h"

TRACE_DEFINE_ENUM(HWPMC_MODE_SS);
TRACE_DEFINE_ENUM(HWPMC_MODE_SC);
TRACE_DEFINE_ENUM(HWPMC_MODE_TS);
TRACE_DEFINE_ENUM(HWPMC_MODE_TC);

#define HWPMC_TRACE_MODE(mode)						\
	__print_symbolic(mode,						\
			 { HWPMC_MODE_SS, "SS" }, { HWPMC_MODE_SC, "SC" },	\
			 { HWPMC_MODE_TS, "TS" }, { HWPMC_MODE_TC, "TC" })

/* Events of a PMC: @owner is the process that opened the device, @id the PMC's id there. */
DECLARE_EVENT_CLASS(hwpmc_pmc_class,
		    TP_PROTO(const struct hwpmc_pmc *pmc),
		    TP_ARGS(pmc),
		    TP_STRUCT__entry(__field(u64, event)
				     __field(pid_t, owner)
				     __field(u32, id)
				     __field(u32, class)
				     __field(u32, row)
				     __field(u32, mode)
				     __field(int, cpu)),
		    TP_fast_assign(__entry->event = pmc->event;
				   __entry->owner = pid_nr(pmc->owner->pid);
				   __entry->id = pmc->id;
				   __entry->class = pmc->class->id;
				   __entry->row = pmc->row;
				   __entry->mode = pmc->mode;
				   __entry->cpu = pmc->cpu;),
		    TP_printk("owner=%d id=0x%x mode=%s class=%u event=0x%llx row=%d cpu=%d",
			      __entry->owner, __entry->id, HWPMC_TRACE_MODE(__entry->mode),
			      __entry->class, __entry->event, (int)__entry->row, __entry->cpu)
);

/* After ALLOCATE, START and STOP: of START and STOP one for each PMC whose state changed. */
DEFINE_EVENT(hwpmc_pmc_class, hwpmc_allocate, TP_PROTO(const struct hwpmc_pmc *pmc), TP_ARGS(pmc));
DEFINE_EVENT(hwpmc_pmc_class, hwpmc_start, TP_PROTO(const struct hwpmc_pmc *pmc), TP_ARGS(pmc));
DEFINE_EVENT(hwpmc_pmc_class, hwpmc_stop, TP_PROTO(const struct hwpmc_pmc *pmc), TP_ARGS(pmc));

/* After ATTACH, or a START that attached to the caller. */
TRACE_EVENT(hwpmc_attach,
	    TP_PROTO(const struct hwpmc_pmc *pmc, struct pid *target, bool single),
	    TP_ARGS(pmc, target, single),
	    TP_STRUCT__entry(__field(pid_t, owner)
			     __field(u32, id)
			     __field(pid_t, target)
			     __field(bool, single)),
	    TP_fast_assign(__entry->owner = pid_nr(pmc->owner->pid);
			   __entry->id = pmc->id;
			   __entry->target = pid_nr(target);
			   __entry->single = single;),
	    TP_printk("owner=%d id=0x%x %s=%d", __entry->owner, __entry->id,
		      __entry->single ? "thread" : "process", __entry->target)
);

/*
 * An overflow interrupt that found rows of a class. @deferred: it interrupted a change of this
 * CPU's contexts, and is handled after the change. The event's task is the interrupted one, which
 * need not be the one that is counted.
 */
TRACE_EVENT(hwpmc_overflow,
	    TP_PROTO(const struct hwpmc_class *class, u64 rows, bool deferred),
	    TP_ARGS(class, rows, deferred),
	    TP_STRUCT__entry(__field(u64, rows)
			     __field(u32, class)
			     __field(bool, deferred)),
	    TP_fast_assign(__entry->rows = rows;
			   __entry->class = class->id;
			   __entry->deferred = deferred;),
	    TP_printk("class=%u rows=0x%llx%s", __entry->class, __entry->rows,
		      __entry->deferred ? " deferred" : "")
);

/* A PMC is throttled on this CPU (@on), or no longer. */
TRACE_EVENT(hwpmc_throttle,
	    TP_PROTO(const struct hwpmc_pmc *pmc, bool on),
	    TP_ARGS(pmc, on),
	    TP_STRUCT__entry(__field(pid_t, owner)
			     __field(u32, id)
			     __field(bool, on)),
	    TP_fast_assign(__entry->owner = pid_nr(pmc->owner->pid);
			   __entry->id = pmc->id;
			   __entry->on = on;),
	    TP_printk("owner=%d id=0x%x %s", __entry->owner, __entry->id,
		      __entry->on ? "on" : "off")
);

/* A sample found no room in the ring of this CPU. @events: the events that it represented. */
TRACE_EVENT(hwpmc_drop,
	    TP_PROTO(const struct hwpmc_pmc *pmc, u64 events),
	    TP_ARGS(pmc, events),
	    TP_STRUCT__entry(__field(u64, events)
			     __field(pid_t, owner)
			     __field(u32, id)),
	    TP_fast_assign(__entry->events = events;
			   __entry->owner = pid_nr(pmc->owner->pid);
			   __entry->id = pmc->id;),
	    TP_printk("owner=%d id=0x%x events=%llu", __entry->owner, __entry->id, __entry->events)
);

#endif /* HWPMC_TRACE_H */

/* Kbuild has a -I for trace.c. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
