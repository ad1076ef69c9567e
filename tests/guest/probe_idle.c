// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unused probes are removed from the kernel: each after its own time, whatever else is allocated
 * and released; and those that only TRY registered as soon as possible. Few unused probes are kept.
 * The removal of many does not delay other calls.
 */
#include "exact.h"
#include "param.h"
#include "probe.h"

#define MANY		300U	/* probes that are removed together */
#define LINGER_MS	1000
#define REMAIN_MOST	130U	/* 2 * HWPMC_PLACES_IDLE of kmod/probe/provider.c, and a few */
#define WAIT_MOST_MS	2000	/* of an ALLOCATE meanwhile: it waits for grace periods */

static int64_t try(int fd, const char *name)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TC, .cpu = -1,
		.flags = HWPMC_F_TRY, .name = (uintptr_t)name, .name_length = strlen(name),
	};

	return dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));
}

/* Whether the function is one of those that the test's own calls rarely execute. */
static bool is_one(const char *symbol)
{
	static const char *const begins[] = { "vfs_", "sock_", "inet_", "tcp_" };

	for (unsigned int i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(symbol, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Finds the next function of @symbols that can be probed: @get gets its name. */
static bool next(FILE *symbols, int fd, int64_t (*get)(int fd, const char *name))
{
	char line[256], symbol[128], name[160], kind;

	while (fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%*x %c %127s", &kind, symbol) != 2 || kind != 'T' ||
		    strchr(symbol, '.') || !is_one(symbol))
			continue;
		snprintf(name, sizeof(name), "kprobe:%s", symbol);
		if (get(fd, name) >= 0)
			return true;
	}
	return false;
}

static FILE *open_symbols(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");

	if (!symbols)
		die("/proc/kallsyms: %s", strerror(errno));
	return symbols;
}

static void tried(int fd)
{
	FILE *symbols = open_symbols();
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < 2 * REMAIN_MOST && next(symbols, fd, try); i++)
		if (dev_stats(fd).probes > most)
			most = dev_stats(fd).probes;
	check(i > REMAIN_MOST && most <= REMAIN_MOST, "of %u probes of ALLOCATE with TRY at most %llu remain",
	      i, (unsigned long long)most);
	check(SOON(!dev_stats(fd).probes), "none of them remains after a while");
	fclose(symbols);
}

static int64_t once(int fd, const char *name)
{
	int64_t id = probe_allocate(fd, name, HWPMC_MODE_TC, -1, 0);

	return id < 0 ? id : dev_release(fd, (uint32_t)id);
}

/* A probe is released every 100 ms, and each is removed after its own time. */
static void released_in_turn(int fd)
{
	FILE *symbols = open_symbols();
	uint64_t most = 0;

	for (int i = 0; i < 4 * LINGER_MS / 100 && next(symbols, fd, once); i++) {
		if (dev_stats(fd).probes > most)
			most = dev_stats(fd).probes;
		nap(100);
	}
	check(most < 2 * LINGER_MS / 100 + 5U, "of probes that are released one by one at most %llu remain",
	      (unsigned long long)most);
	check(SOON(!dev_stats(fd).probes), "none remains after the last one is released");
	fclose(symbols);
}

static int64_t keep(int fd, const char *name)
{
	return probe_allocate(fd, name, HWPMC_MODE_TC, -1, 0);
}

static void many(int fd)
{
	FILE *symbols = open_symbols();
	int other = dev_open();
	unsigned int count = 0;
	double longest = 0, begun;

	while (count < MANY && next(symbols, other, keep))
		count++;
	close(other);
	while (dev_stats(fd).probes) {
		begun = seconds();
		if (once(fd, "profile:hz:1"))
			die("profile:hz:1: %s", dev_sentence(fd));
		if (seconds() - begun > longest)
			longest = seconds() - begun;
		nap(20);
		if (dev_stats(fd).probes == 1)
			break;
	}
	check(count >= MANY / 2 && longest * 1000 < WAIT_MOST_MS * PATIENCE,
	      "while %u probes are removed, another ALLOCATE takes %.0f ms", count, longest * 1000);
	check(SOON(!dev_stats(fd).probes), "all probes are removed");
	fclose(symbols);
}

int main(void)
{
	int fd = dev_open();

	time_limit(200);
	param_set("probes_linger", LINGER_MS);
	tried(fd);
	released_in_turn(fd);
	many(fd);
	close(fd);
	return result();
}
