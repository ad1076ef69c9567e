/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread record of the task that runs the test, as a PMC that is attached to it has one.
 * Called by suites in KUnit's thread; may sleep.
 */
#ifndef HWPMC_KUNIT_FOLLOWED_H
#define HWPMC_KUNIT_FOLLOWED_H

struct hwpmc_link;
struct hwpmc_pmc;
struct hwpmc_thread;
struct kunit;

/**
 * struct followed - a thread record that is not hooked, so that no context switch runs it
 * @th: the thread record
 * @link: link of @pmc in @th; it has no target, which only a fork would need: no test forks
 * @pmc: a virtual PMC
 */
struct followed {
	struct hwpmc_thread *th;
	struct hwpmc_link *link;
	struct hwpmc_pmc *pmc;
};

/* Allocates a PMC of class MOCK with HWPMC_F_* @flags, and the rest; aborts the test on failure. */
void followed_allocate(struct kunit *test, struct followed *it, unsigned int flags);
/* Inserts the record as an attach does, with PF_* flags @pf set in the task meanwhile. */
void followed_attach(struct followed *it, unsigned int pf);
/* Marks the link dead, as a detach and an exec do. */
void followed_kill(struct followed *it);
/* Removes and frees all; the PMC must not be running. */
void followed_release(struct followed *it);

#endif /* HWPMC_KUNIT_FOLLOWED_H */
