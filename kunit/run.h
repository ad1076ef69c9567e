/* SPDX-License-Identifier: GPL-2.0-only */
/* The suites, where the module was built with them (HWPMC_KUNIT=y). */
#ifndef HWPMC_KUNIT_RUN_H
#define HWPMC_KUNIT_RUN_H

#ifdef HWPMC_KUNIT
/** hwpmc_kunit_init - run them, with kunit.enable=1 on the kernel's command line. May sleep */
void hwpmc_kunit_init(void);
/** hwpmc_kunit_exit - take their results out of debugfs */
void hwpmc_kunit_exit(void);
#else
static inline void hwpmc_kunit_init(void) {}
static inline void hwpmc_kunit_exit(void) {}
#endif

#endif /* HWPMC_KUNIT_RUN_H */
