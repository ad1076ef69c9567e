// SPDX-License-Identifier: GPL-2.0-only
/*
 * The component hwpmc of PAPI: its vector, and the options of event sets. It takes the place of the
 * component perf_event: events have the same names, by libpfm4, and the module's PMCs count them.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "component.h"

static int init_component(int cidx)
{
	PAPI_component_info_t *info = &_hwpmc_vector.cmp_info;
	unsigned int counters;
	uint32_t core;
	int result;

	info->CmpIdx = cidx;
	info->hardware_intr_sig = SIGRTMIN + 2;
	result = hwpmc_device_probe(&core, &counters);
	if (result == PAPI_OK)
		result = hwpmc_events_init(cidx, core);
	else
		snprintf(info->disabled_reason, PAPI_MAX_STR_LEN, "%s", hwpmc_device_sentence());
	/* libpfm4's number is that of the model that it detected, not of this machine. */
	if (result == PAPI_OK)
		info->num_cntrs = counters < EVENTS_MAX ? (int)counters : EVENTS_MAX;
	info->disabled = result;
	return result;
}

static int shutdown_component(void)
{
	hwpmc_events_exit();
	return PAPI_OK;
}

static int init_thread(hwd_context_t *context)
{
	(void)context;
	return PAPI_OK;
}

static int shutdown_thread(hwd_context_t *context)
{
	(void)context;
	return PAPI_OK;
}

static int init_control_state(hwd_control_state_t *control)
{
	struct hwpmc_control *set = control;

	memset(set, 0, sizeof(*set));
	set->domain = _hwpmc_vector.cmp_info.default_domain;
	set->options.cpu =
		_hwpmc_vector.cmp_info.default_granularity == PAPI_GRN_SYS ? sched_getcpu() : -1;
	set->fd = -1;
	return PAPI_OK;
}

/* PAPI calls it when events were added or removed, and with a @count of 0 when it ends a set. */
static int update_control_state(hwd_control_state_t *control, NativeInfo_t *native, int count,
				hwd_context_t *context)
{
	struct hwpmc_control *set = control;
	int result;

	(void)context;
	hwpmc_device_close(set);
	set->count = 0;
	if (!count)
		return PAPI_OK;
	result = hwpmc_events_fill(set, native, count);
	return result == PAPI_OK ? hwpmc_device_open(set) : result;
}

static int set_domain(hwd_control_state_t *control, int domain)
{
	struct hwpmc_control *set = control;

	set->domain = domain;
	return PAPI_OK;
}

/*
 * Change the options of a set, and allocate its counters again if it has some. If that fails the
 * set is what it was before.
 */
static int change(struct hwpmc_control *set, struct hwpmc_options options)
{
	struct hwpmc_options before = set->options;
	int result;

	hwpmc_device_close(set);
	set->options = options;
	if (!set->count)
		return PAPI_OK;
	result = hwpmc_device_open(set);
	if (result != PAPI_OK) {
		set->options = before;
		hwpmc_device_open(set);
	}
	return result;
}

static int count_cpu(struct hwpmc_control *set, int cpu)
{
	struct hwpmc_options options = set->options;

	options.cpu = cpu;
	return change(set, options);
}

/* @tid: 0 is the thread that starts the set. */
static int count_thread(struct hwpmc_control *set, pid_t tid)
{
	struct hwpmc_options options = set->options;

	options.attached = tid;
	options.tid = tid;
	return change(set, options);
}

static int count_children(struct hwpmc_control *set, bool inherit)
{
	struct hwpmc_options options = set->options;

	options.inherit = inherit;
	return change(set, options);
}

static int set_granularity(struct hwpmc_control *set, int granularity)
{
	switch (granularity) {
	case PAPI_GRN_THR:
		return count_cpu(set, -1);
	case PAPI_GRN_SYS:
		return count_cpu(set, sched_getcpu());
	case PAPI_GRN_PROC:
	case PAPI_GRN_PROCG:
	case PAPI_GRN_SYS_CPU:
		return PAPI_ECMP;
	default:
		return PAPI_EINVAL;
	}
}

static int set_option(hwd_context_t *context, int code, _papi_int_option_t *option)
{
	(void)context;
	switch (code) {
	case PAPI_ATTACH:
		return count_thread(option->attach.ESI->ctl_state, (pid_t)option->attach.tid);
	case PAPI_DETACH:
		return count_thread(option->attach.ESI->ctl_state, 0);
	case PAPI_CPU_ATTACH:
		return count_cpu(option->cpu.ESI->ctl_state, (int)option->cpu.cpu_num);
	case PAPI_DOMAIN:
		return set_domain(option->domain.ESI->ctl_state, option->domain.domain);
	case PAPI_GRANUL:
		return set_granularity(option->granularity.ESI->ctl_state,
				       option->granularity.granularity);
	case PAPI_INHERIT:
		return count_children(option->inherit.ESI->ctl_state, option->inherit.inherit);
	case PAPI_DEF_ITIMER:
	case PAPI_DEF_ITIMER_NS:
		return PAPI_OK;
	default:
		return PAPI_ENOSUPP;
	}
}

papi_vector_t _hwpmc_vector = {
	.cmp_info = {
		.name = "hwpmc",
		.short_name = "hwpmc",
		.version = "1.0",
		.description = "CPU counters of the module hwpmc",
		.default_domain = PAPI_DOM_USER,
		.available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL,
		.default_granularity = PAPI_GRN_THR,
		.available_granularities = PAPI_GRN_THR | PAPI_GRN_SYS,
		/* PAPI multiplexes, by a timer: the module grants a counter or refuses it. */
		.num_mpx_cntrs = EVENTS_MAX,
		.hardware_intr = 1,
		.kernel_profile = 1,
		.attach = 1,
		/* The module does not need it. PAPI's tests wait for their targets by it. */
		.attach_must_ptrace = 1,
		.cpu = 1,
		.inherit = 1,
		.cntr_umasks = 1,
	},
	.size = {
		.context = sizeof(struct hwpmc_context),
		.control_state = sizeof(struct hwpmc_control),
		.reg_value = sizeof(int),
		.reg_alloc = sizeof(int),
	},
	.init_component = init_component,
	.shutdown_component = shutdown_component,
	.init_thread = init_thread,
	.shutdown_thread = shutdown_thread,
	.init_control_state = init_control_state,
	.update_control_state = update_control_state,
	.ctl = set_option,
	.set_domain = set_domain,
	.start = hwpmc_count_start,
	.stop = hwpmc_count_stop,
	.read = hwpmc_count_read,
	.reset = hwpmc_count_reset,
	.write = hwpmc_count_write,
	.set_overflow = hwpmc_overflow_set,
	.set_profile = hwpmc_overflow_profile,
	.stop_profiling = hwpmc_overflow_end_profile,
	.dispatch_timer = hwpmc_overflow_signal,
	.ntv_enum_events = hwpmc_events_enumerate,
	.ntv_name_to_code = hwpmc_events_code,
	.ntv_code_to_name = hwpmc_events_name,
	.ntv_code_to_descr = hwpmc_events_description,
	.ntv_code_to_info = hwpmc_events_info,
};
