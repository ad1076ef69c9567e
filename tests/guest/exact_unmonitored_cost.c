// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exact_unmonitored_cost [RUNS]": a context switch of two unmonitored tasks costs the
 * same instructions without the module, with it, and while another task is counted; it costs
 * few more while the sched_switch probe is registered. Needs -icount and one CPU.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "cpu.h"
#include "param.h"
#include "pingpong.h"
#include "test.h"

/* The most instructions of the tracepoint and the probe. The mean cost of a switch varies by 12. */
#define PROBE_COST	90U

static unsigned int runs = 12;	/* the result is their mean */

static pid_t other;
static bool probe_off = true, probe_on = true;

/* Counts a sleeping task. The measurement begins when no hook is pending any more. */
static double beside_another(struct ping_pong *pp)
{
	int dev = dev_open();
	uint32_t id = dev_instructions(dev, 0);
	double cost;

	if (dev_attach(dev, id, other, 0) || dev_start(dev, id))
		die("attach and start: %s", dev_sentence(dev));
	warm_up();
	probe_off &= !dev_stats(dev).switch_probe && !dev_stats(dev).hooking;
	cost = ping_pong_measure(pp);
	close(dev);
	return cost;
}

/*
 * Lets ATTACH find a task that waits for this CPU, so that it registers the probe, which lingers
 * after the task has exited.
 */
static double with_probe(struct ping_pong *pp)
{
	const struct sched_param param = {};
	int dev = dev_open();
	uint32_t id = dev_instructions(dev, 0);
	pid_t waits = fork();
	double cost;

	if (!waits) {
		sched_setscheduler(0, SCHED_IDLE, &param);
		for (;;)
			;
	}
	usleep(10000);
	if (dev_attach(dev, id, waits, 0))
		die("attach: %s", dev_sentence(dev));
	kill(waits, SIGKILL);
	waitpid(waits, NULL, 0);
	cost = ping_pong_measure(pp);
	probe_on &= dev_stats(dev).switch_probe;
	close(dev);
	return cost;
}

static bool within(double got, double want)
{
	return got < want * 1.005;
}

int main(int argc, char **argv)
{
	double without = 0, with = 0, beside = 0, probed = 0;

	if (argc > 1)
		runs = strtoul(argv[1], NULL, 0);
	alarm(100 * PATIENCE);
	pin(0, 0);
	other = fork();
	if (!other)
		for (;;)
			pause();
	if (!module_unload())
		die("unload: the module is in use");
	for (int i = 0; i < (int)runs; i++) {
		struct ping_pong pp;

		ping_pong_open(&pp);
		warm_up();
		without += ping_pong_measure(&pp) / runs;
		module_load();
		warm_up();
		with += ping_pong_measure(&pp) / runs;
		beside += beside_another(&pp) / runs;
		probed += with_probe(&pp) / runs;
		if (!module_unload())
			die("unload: the module is in use");
		ping_pong_close(&pp);
	}
	module_load();
	check(within(with, without), "a switch costs the same without the module (%.1f) and with it (%.1f)",
	      without, with);
	check(within(beside, without), "a switch costs the same while another task is counted (%.1f)", beside);
	check(probe_off, "the sched_switch probe is off when the target sleeps");
	check(probe_on && probed < with + PROBE_COST,
	      "a switch costs at most %u more while the probe is on (%.1f)", PROBE_COST, probed);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return result();
}
