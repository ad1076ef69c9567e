/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct reads: a thread that reads its own counters in user mode. Used by the switch (task/), by
 * the rest of pmc/ when such a thread's context changes, and by call/.
 */
#ifndef HWPMC_DIRECT_H
#define HWPMC_DIRECT_H

#include <linux/types.h>

struct hwpmc_context;
struct hwpmc_cpu;
struct hwpmc_link;
struct hwpmc_page;
struct hwpmc_pmc;
struct hwpmc_thread;

/* kmod/pmc/direct.c */
void hwpmc_direct_allow(struct hwpmc_page *page, struct hwpmc_pmc *const *pmcs,
			unsigned int count);
bool hwpmc_direct_forbid(struct hwpmc_page *page);
unsigned int hwpmc_direct_forbid_thread(struct hwpmc_thread *th);
void hwpmc_direct_put(unsigned int pages);
int hwpmc_direct_refuse(const struct hwpmc_pmc *pmc);
bool hwpmc_direct_publish(const struct hwpmc_link *link);
void hwpmc_direct_clear_others(struct hwpmc_cpu *pc, const struct hwpmc_context *ctx);
void hwpmc_direct_begin(struct hwpmc_context *ctx);
void hwpmc_direct_refresh(struct hwpmc_context *ctx);

#endif /* HWPMC_DIRECT_H */
