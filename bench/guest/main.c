// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of counting and sampling in the guest: "bench hwpmc|perf|none PART...", and the
 * cost of probes: "bench hwpmc|perf|bpf|lean|none probes". Prints lines "KEY VALUE".
 */
#include <sys/wait.h>

#include "../../tests/lib/cpu.h"
#include "bench.h"

uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void print(const char *key, double value)
{
	printf("%s %.2f\n", key, value);
	fflush(stdout);
}

static const struct backend *const backends[] = {
	&backend_hwpmc, &backend_perf, &backend_bpf, &backend_lean,
};

static const struct part {
	const char *name;
	void (*run)(const struct backend *b);
} parts[] = {
	{ "switch", bench_switch },
	{ "read", bench_read },
	{ "thousand", bench_thousand },
	{ "session", bench_session },
	{ "sample", bench_sample },
	{ "ring", bench_ring },
	{ "shown", bench_shown },
	{ "switched", bench_switched },
	{ "probes", bench_probes },
	{ "fired", bench_fired },
	{ "slopes", bench_slopes },
};

/* Each part runs in its own process, because it changes its priority, for example. */
static bool run(const struct part *part, const struct backend *b)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		part->run(b);
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		printf("not ok - %s failed\n", part->name);
	return !status;
}

int main(int argc, char **argv)
{
	const struct backend *b = NULL;
	bool done = true;

	pin(0, 0);
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(backends); i++)
		if (!strcmp(argv[1], backends[i]->name))
			b = backends[i];
	for (int arg = 2; arg < argc; arg++) {
		size_t i = 0;

		while (i < ARRAY_SIZE(parts) && strcmp(argv[arg], parts[i].name))
			i++;
		if (i == ARRAY_SIZE(parts))
			die("there is no benchmark '%s'", argv[arg]);
		done &= run(&parts[i], b);
	}
	return !done;
}
