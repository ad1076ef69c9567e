// SPDX-License-Identifier: GPL-2.0-only
/* Conditions of --filter, as the module takes them. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "probe/filter.h"

/* read(fd, buf, count), entry and return, and getpid(). */
static struct probe_event list[3] = {
	{ .name = "syscall:read:entry" }, { .name = "syscall:read:return" },
	{ .name = "syscall:getpid:entry" },
};

static const struct operand_events events = { .list = list, .count = 3 };

static void set_up(void)
{
	for (int i = 0; i < 2; i++) {
		prototype_add(&list[i].prototype, "fd", "unsigned int");
		prototype_add(&list[i].prototype, "buf", "char *");
		prototype_add(&list[i].prototype, "count", "long");
	}
	list[1].prototype.returns = true;
	prototype_type(&list[1].prototype.result, "long");
}

/* Discards the messages about refused conditions. */
static int quietly(const struct filter *filter, unsigned int index, struct event *event)
{
	int error = dup(2), result;

	if (!freopen("/dev/null", "w", stderr))
		return 0;
	result = filter_resolve(filter, &events, index, event);
	fflush(stderr);
	dup2(error, 2);
	close(error);
	return result;
}

static void is(const char *text, unsigned int index, struct hwpmc_filter wanted)
{
	struct event event = { .name = (char *)list[index].name };
	struct filter filter = { 0 };

	check(!filter_parse(&filter, text) && !filter_resolve(&filter, &events, index, &event) &&
	      event.filter_count == 1 && !memcmp(event.filters, &wanted, sizeof(wanted)), text);
	filter_free(&filter);
	free(event.filters);
}

static void refused(const char *text, unsigned int index)
{
	struct event event = { .name = (char *)list[index].name };
	struct filter filter = { 0 };
	int error = dup(2);
	bool parses;

	if (!freopen("/dev/null", "w", stderr))
		return;
	parses = !filter_parse(&filter, text);
	fflush(stderr);
	dup2(error, 2);
	close(error);
	check(!parses || quietly(&filter, index, &event), text);
	filter_free(&filter);
	free(event.filters);
}

#define ARG(n, size, op_, value_) \
	((struct hwpmc_filter){ .field = HWPMC_FILTER_ARG, .arg = (n), .bytes = (size), \
				.op = HWPMC_FILTER_##op_, .value = (value_) })
#define TASK(kind, op_, value_) \
	((struct hwpmc_filter){ .field = HWPMC_FILTER_##kind, .bytes = 4, \
				.op = HWPMC_FILTER_##op_, .value = (value_) })

int main(void)
{
	const struct hwpmc_filter result = {
		.field = HWPMC_FILTER_RETVAL, .bytes = 8, .op = HWPMC_FILTER_LT,
	};
	const struct hwpmc_filter comm = { .field = HWPMC_FILTER_COMM, .comm = "a b" };
	struct filter several = { 0 };
	struct event event = { .name = (char *)list[0].name };

	set_up();
	is("fd == 3", 0, ARG(0, 4, EQ, 3));
	is("arg1!=0x10", 0, ARG(0, 4, NE, 16));
	is("fd > 2", 0, ARG(0, 4, ABOVE, 2));
	is("buf < 0xffffffffffffffff", 0, ARG(1, 8, BELOW, UINT64_MAX));
	is("count > -5", 0, ARG(2, 8, GT, (uint64_t)-5));
	is("count & 0x40", 1, ARG(2, 8, BITS, 0x40));
	is("retval < 0", 1, result);
	is("pid == 12", 2, TASK(PID, EQ, 12));
	is(" tid  !=  1 ", 2, TASK(TID, NE, 1));
	is("comm == a b", 0, comm);
	refused("fd", 0);
	refused("fd = 3", 0);
	refused("== 3", 0);
	refused("fd ==", 0);
	refused("fd == three", 0);
	refused("fd == 3 &&", 0);
	refused("fd == 3", 2);
	refused("retval == 3", 0);
	refused("comm < a", 0);
	refused("comm == 0123456789abcdef", 0);
	refused("kstack == 3", 0);
	refused("fd == 1 && fd == 2 && fd == 3 && fd == 4 && fd == 5 && fd == 6 && fd == 7 && "
		"fd == 8 && fd == 9", 0);
	check(!filter_parse(&several, "fd == 3&&comm==x") && !filter_parse(&several, "count & 1") &&
	      !filter_resolve(&several, &events, 0, &event) && event.filter_count == 3 &&
	      event.filters[1].field == HWPMC_FILTER_COMM &&
	      event.filters[2].op == HWPMC_FILTER_BITS, "several conditions, of several options");
	filter_free(&several);
	free(event.filters);
	for (unsigned int i = 0; i < 3; i++)
		prototype_free(&list[i].prototype);
	return check_result();
}
