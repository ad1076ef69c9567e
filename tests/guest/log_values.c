// SPDX-License-Identifier: GPL-2.0-only
/*
 * SWITCH and VALUE records together have each part of a PMC's count once, also at STOP. When a
 * parent's wait for a child returns, the child's VALUE is logged.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "exact.h"
#include "ring.h"

#define CHILDREN	100

struct values {
	uint32_t id;
	int32_t child;
	unsigned long exits;		/* number of VALUE records of @child */
	uint64_t at_exits;		/* sum of their values */
	uint64_t at_switches;		/* sum of the values in SWITCH records of all tasks */
};

static void value(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_value *v = (const void *)record;
	struct values *values = arg;

	if (record->id != values->id)
		return;
	if (record->type == HWPMC_LOG_SWITCH)
		values->at_switches += v->value;
	if (record->type == HWPMC_LOG_VALUE && v->pid == values->child) {
		values->exits++;
		values->at_exits += v->value;
	}
}

static uint32_t logging(int fd)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TC, .cpu = -1,
		.flags = HWPMC_F_DESCENDANTS | HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT,
		.caps = HWPMC_CAP_USER, .event = EV_INSTRUCTIONS,
	};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	return a.id;
}

/* A child that sleeps in between: the parts of its SWITCH records add up to its VALUE. */
static void parts(int fd, struct ring_map *map)
{
	struct values values = { .id = logging(fd) };
	uint64_t whole;

	values.child = fork();
	if (!values.child) {
		raise(SIGSTOP);
		for (int i = 0; i < 5; i++) {
			spin(1);
			usleep(1000);
		}
		_exit(0);
	}
	waitpid(values.child, NULL, WUNTRACED);
	if (dev_attach(fd, values.id, values.child, 0) || dev_start(fd, values.id))
		die("parts: %s", dev_sentence(fd));
	kill(values.child, SIGCONT);
	waitpid(values.child, NULL, 0);
	dev_stop(fd, values.id);
	whole = dev_value(fd, values.id);
	ring_drain(map, value, &values);
	check(whole && values.at_switches == whole, "switches: SWITCH records (%llu) sum up to the value (%llu)",
	      (unsigned long long)values.at_switches, (unsigned long long)whole);
	check(values.exits == 1 && values.at_exits == whole, "switches: one VALUE record at exit has the value: %llu",
	      (unsigned long long)values.at_exits);
	dev_release(fd, values.id);
}

/* A child's VALUE is logged before its parent's wait returns, however soon the PMC is stopped. */
static void ends(int fd, struct ring_map *map)
{
	struct values values = { .id = logging(fd) };
	unsigned long once = 0;
	uint64_t whole;

	if (dev_attach(fd, values.id, 0, 0))
		die("ends: %s", dev_sentence(fd));
	for (int i = 0; i < CHILDREN; i++) {
		if (dev_start(fd, values.id))
			die("ends: %s", dev_sentence(fd));
		values.child = fork();
		if (!values.child)
			_exit(0);
		waitpid(values.child, NULL, 0);
		dev_stop(fd, values.id);
		values.exits = 0;
		ring_drain(map, value, &values);
		once += values.exits == 1;
	}
	whole = dev_value(fd, values.id);
	check(once == CHILDREN, "ends: %lu of %u children have a VALUE record", once, CHILDREN);
	check(values.at_switches == whole, "ends: SWITCH records (%llu) sum up to the value (%llu)",
	      (unsigned long long)values.at_switches, (unsigned long long)whole);
	dev_release(fd, values.id);
}

/* The same for a child that is detached before its parent waits for it. */
static void detached(int fd, struct ring_map *map)
{
	struct values values = { .id = logging(fd) };
	unsigned long once = 0;
	siginfo_t info;
	int go[2];
	char any;

	for (int i = 0; i < CHILDREN; i++) {
		if (pipe(go))
			die("pipe: %s", strerror(errno));
		values.child = fork();
		if (!values.child) {
			close(go[1]);
			_exit(read(go[0], &any, 1));
		}
		if (dev_attach(fd, values.id, values.child, 0) || dev_start(fd, values.id))
			die("detached: %s", dev_sentence(fd));
		close(go[1]);
		waitid(P_PID, values.child, &info, WEXITED | WNOWAIT);
		dev_detach(fd, values.id, values.child, 0);
		dev_stop(fd, values.id);
		values.exits = 0;
		ring_drain(map, value, &values);
		once += values.exits == 1;
		waitpid(values.child, NULL, 0);
		close(go[0]);
	}
	check(once == CHILDREN, "detached: %lu of %u children have a VALUE record", once, CHILDREN);
	dev_release(fd, values.id);
}

int main(void)
{
	struct ring_map map;
	int fd = dev_open();

	time_limit(200);
	ring_open(&map, fd, 1 << 18);
	parts(fd, &map);
	ends(fd, &map);
	detached(fd, &map);
	ring_close(&map);
	close(fd);
	return result();
}
