// SPDX-License-Identifier: GPL-2.0-only
/* Module parameters with bounds: a value beyond them changes nothing and is logged. */
#include <fcntl.h>

#include "test_class.h"
#include "param.h"

static const struct bounds {
	const char *name;
	uint64_t least, most;
} all[] = {
	{ "callchaindepth", 1, 512 },
	{ "mincount", 1, 1000000000 },
	{ "max_samples", 100, 10000000 },
	{ "max_cpu_percent", 1, 100 },
	{ "ring_kb", 0, 1048576 },	/* at least one page */
	{ "drain_ms", 1, 60000 },
	{ "mlock_kb", 0, 1048576 },
	{ "max_shared", 1, 65536 },
	{ "max_followers", 1, 65536 },
	{ "max_recorders", 1, 65536 },
	{ "probes_linger", 1, 3600000 },
	{ "max_files", 1, 1048576 },
	{ "max_pmcs", 1, 1048576 },
	{ "max_rows", 1, 1048576 },
	{ "max_links", 1, 16777216 },
	{ "max_listeners", 1, 1048576 },
};

static int kmsg;

/* Whether the kernel has logged @words since the last call. */
static bool warned(const char *words)
{
	char record[1024];
	bool found = false;
	ssize_t n;

	while ((n = read(kmsg, record, sizeof(record) - 1)) > 0) {
		record[n] = '\0';
		found |= strstr(record, "hwpmc: ") && strstr(record, words);
	}
	return found;
}

static void beyond(const struct bounds *it, const char *value)
{
	uint64_t before = param_get(it->name);
	char words[96];
	int err = param_write(it->name, value);

	snprintf(words, sizeof(words), "%s=%s is outside %llu..%llu; keeping %llu", it->name, value,
		 (unsigned long long)it->least, (unsigned long long)it->most,
		 (unsigned long long)before);
	check(!err && param_get(it->name) == before && warned(words),
	      "%s=%s is ignored with a warning (%d)", it->name, value, err);
}

static void bounds(const struct bounds *it)
{
	uint64_t usual = param_get(it->name);
	char value[32];

	check(usual > it->least && usual <= it->most, "%s is %llu once loaded", it->name,
	      (unsigned long long)usual);
	snprintf(value, sizeof(value), "%llu", (unsigned long long)it->least - 1);
	beyond(it, value);
	snprintf(value, sizeof(value), "%llu", (unsigned long long)it->most + 1);
	beyond(it, value);
	/* The value is not truncated to 32 bits. */
	snprintf(value, sizeof(value), "%llu", (1ULL << 32) + it->least);
	beyond(it, value);
	check(param_write(it->name, "many") == -EINVAL && param_write(it->name, "-1") == -EINVAL &&
	      param_get(it->name) == usual, "%s refuses words and negative values", it->name);
	param_set(it->name, it->least);
	check(param_get(it->name) == it->least, "%s=%llu", it->name, (unsigned long long)it->least);
	param_set(it->name, it->most);
	check(param_get(it->name) == it->most && !warned(it->name), "%s=%llu is accepted without a warning",
	      it->name, (unsigned long long)it->most);
	param_set(it->name, usual);
}

int main(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		die("/dev/kmsg: %s", strerror(errno));
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		struct bounds it = all[i];

		if (!strcmp(it.name, "ring_kb"))
			it.least = sysconf(_SC_PAGESIZE) / 1024;
		bounds(&it);
	}
	return result();
}
