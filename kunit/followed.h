/* SPDX-License-Identifier: GPL-2.0-only */
/* A record of the task that runs the test, as a PMC that follows it would have one. */
#ifndef HWPMC_KUNIT_FOLLOWED_H
#define HWPMC_KUNIT_FOLLOWED_H

struct hwpmc_link;
struct hwpmc_pmc;
struct hwpmc_thread;
struct kunit;

/**
 * struct followed - a record that nobody arms, so that no switch comes to it
 * @th: it
 * @link: of @pmc, in it; without a target, which a fork would look for: no test forks
 * @pmc: a virtual one
 */
struct followed {
	struct hwpmc_thread *th;
	struct hwpmc_link *link;
	struct hwpmc_pmc *pmc;
};

/* A PMC of class MOCK with these HWPMC_F_ flags, and the memory; the test ends without. */
void followed_allocate(struct kunit *test, struct followed *it, unsigned int flags);
/* As an attach finds the task: @pf are PF_ flags that it has besides. */
void followed_attach(struct followed *it, unsigned int pf);
/* The PMC is stopped, or was never started. */
void followed_release(struct followed *it);

#endif /* HWPMC_KUNIT_FOLLOWED_H */
