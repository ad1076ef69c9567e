// SPDX-License-Identifier: GPL-2.0-only
/* Injected failures; see fail.h. */
#include <fcntl.h>

#include "fail.h"
#include "file.h"
#include "test.h"

static int nth_fd;

bool fail_open(void)
{
	nth_fd = open("/proc/self/fail-nth", O_RDWR);
	if (nth_fd < 0) {
		skip("fault injection: this kernel has none");
		return false;
	}
	fail_set("failslab/ignore-gfp-wait", "N");
	fail_set("failslab/verbose", "0");
	fail_set("fail_page_alloc/ignore-gfp-wait", "N");
	fail_set("fail_page_alloc/verbose", "0");
	fail_set("fail_usercopy/verbose", "0");
	return true;
}

void fail_set(const char *path, const char *value)
{
	char whole[128];

	snprintf(whole, sizeof(whole), "/sys/kernel/debug/%s", path);
	file_set(whole, value);
}

void fail_set_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	/* A failure that is still pending can make the first write fail, and is then used up. */
	if (pwrite(nth_fd, text, len, 0) != len && pwrite(nth_fd, text, len, 0) != len)
		die("fail-nth: %s", strerror(errno));
}

unsigned int fail_left(void)
{
	char text[16] = "";
	/*
	 * A failure that is still pending makes the copy of this read's result fail: then the call
	 * did not reach it.
	 */
	unsigned int left = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 1;

	fail_set_nth(0);
	return left;
}

bool fail_nth_fired(void)
{
	return fail_left() == 0;
}

void fail_wait_idle(int fd)
{
	struct hwpmc_stats s;
	int i;

	for (i = 0; i < 200 * PATIENCE; i++) {
		s = dev_stats(fd);
		if (!s.threads && !s.hooking && !s.switch_probe)
			return;
		usleep(20000);
	}
}
