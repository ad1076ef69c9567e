// SPDX-License-Identifier: GPL-2.0-only
/*
 * "sample_residual [SWITCHES]": the rest of a period is kept over many switches of one thread:
 * its samples represent all its events but less than one period, and in user mode they match a
 * counting PMC.
 */
#include "exact.h"
#include "param.h"
#include "pingpong.h"
#include "ring.h"

#define PERIOD		10007
#define USER_PERIOD	101	/* in user mode a switch has few instructions */
#define ROUNDS		20	/* a ring has room for their samples and those of START and STOP on the debug kernel */

/* Two sampling PMCs, and a PMC that counts the event of the second one. */
struct pmcs {
	uint32_t ids[3];
	struct ring_tally tally[2];
};

static void see(const struct hwpmc_log_header *record, void *arg)
{
	struct pmcs *pmcs = arg;

	ring_count(record, &pmcs->tally[0]);
	ring_count(record, &pmcs->tally[1]);
}

static uint64_t represented(const struct ring_tally *tally)
{
	return tally->events + tally->lost_events;
}

static void open_pmcs(int fd, struct pmcs *pmcs)
{
	pmcs->ids[0] = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD,
				   HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);
	pmcs->ids[1] = dev_sampler(fd, -1, EV_INSTRUCTIONS, USER_PERIOD, HWPMC_CAP_USER, 0);
	pmcs->ids[2] = counter(fd, -1, 0);
	pmcs->tally[0].id = pmcs->ids[0];
	pmcs->tally[1].id = pmcs->ids[1];
}

static void compare(const struct pmcs *pmcs, unsigned int i, uint64_t value, uint64_t period,
		    unsigned long switches)
{
	uint64_t samples = represented(&pmcs->tally[i]);

	check(samples <= value && value - samples < period && pmcs->tally[i].samples > 100,
	      "%lu switches: %lu samples, and %llu lost, represent %llu of %llu events", switches,
	      pmcs->tally[i].samples, (unsigned long long)pmcs->tally[i].lost,
	      (unsigned long long)samples, (unsigned long long)value);
}

static void start_or_stop(int fd, const struct pmcs *pmcs, unsigned long cmd)
{
	if (dev_ids(fd, cmd, pmcs->ids, 3))
		die("start or stop: %s", dev_sentence(fd));
}

static void residual(unsigned long switches)
{
	struct pmcs pmcs = { 0 };
	struct ping_pong pp;
	struct ring_map map;
	uint64_t values[3];
	int fd = dev_open();

	pin(0, 0);
	ring_open(&map, fd, 4 * 1024 * 1024);
	open_pmcs(fd, &pmcs);
	ping_pong_open(&pp);
	for (unsigned long done = 0; done < switches; done += ROUNDS) {
		start_or_stop(fd, &pmcs, HWPMC_IOC_START);
		ping_pong_rounds(&pp, ROUNDS);
		/* Without samples of the reader, which fill the ring faster than it is read. */
		start_or_stop(fd, &pmcs, HWPMC_IOC_STOP);
		ring_drain(&map, see, &pmcs);
	}
	if (dev_read(fd, pmcs.ids, 3, values))
		die("read: %s", dev_sentence(fd));
	dev_flush(fd);
	ring_drain(&map, see, &pmcs);
	compare(&pmcs, 0, values[0], PERIOD, switches);
	compare(&pmcs, 1, values[1], USER_PERIOD, switches);
	check(represented(&pmcs.tally[1]) * 1000 / values[2] >= 995 &&
	      represented(&pmcs.tally[1]) * 1000 / values[2] <= 1005,
	      "samples in user mode match a counting PMC: %llu", (unsigned long long)values[2]);
	ping_pong_close(&pp);
	ring_close(&map);
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t least = param_get("mincount");

	time_limit(200);
	param_set("mincount", USER_PERIOD);
	residual(argc > 1 ? strtoul(argv[1], NULL, 0) : 100000);
	param_set("mincount", least);
	return result();
}
