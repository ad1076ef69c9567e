/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TEST_CHECK_H
#define PMCTL_TEST_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures;

/* One case: prints "ok - name", or "not ok - name" and the place. */
static inline void check_at(int good, const char *name, const char *file, int line)
{
	if (good) {
		printf("ok - %s\n", name);
		return;
	}
	printf("not ok - %s (%s:%d)\n", name, file, line);
	check_failures++;
}

static inline void check_text_at(const char *got, const char *wanted, const char *name,
				 const char *file, int line)
{
	int good = !strcmp(got, wanted);

	check_at(good, name, file, line);
	if (!good)
		printf("# wanted: %s\n# got:    %s\n", wanted, got);
}

#define check(good, name)		check_at(!!(good), name, __FILE__, __LINE__)
#define check_text(got, wanted, name)	check_text_at(got, wanted, name, __FILE__, __LINE__)
#define check_result()			(check_failures ? 1 : 0)

#endif
