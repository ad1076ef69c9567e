/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's KUnit suites, if it was built with KUNIT=y; called by kmod/main.c. */
#ifndef HWPMC_KUNIT_RUN_H
#define HWPMC_KUNIT_RUN_H

#ifdef HWPMC_KUNIT
/** hwpmc_kunit_init - run the suites if kunit.enable=1 is on the kernel command line. May sleep */
void hwpmc_kunit_init(void);
/** hwpmc_kunit_exit - remove their results from debugfs. May sleep */
void hwpmc_kunit_exit(void);
#else
static inline void hwpmc_kunit_init(void) {}
static inline void hwpmc_kunit_exit(void) {}
#endif

#endif /* HWPMC_KUNIT_RUN_H */
