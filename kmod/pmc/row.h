/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine's classes and rows, and its PMU as a whole. Used by call/, by hotplug.c and by the
 * rest of pmc/; the holders of rows and the users of the PMU are guarded by hwpmc_rows_lock.
 */
#ifndef HWPMC_ROW_H
#define HWPMC_ROW_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "../hwpmc.h"

struct hwpmc_admin;
struct hwpmc_class;
struct hwpmc_cpu;
struct hwpmc_encoding;
struct hwpmc_owner;
struct hwpmc_pmc;
struct hwpmc_row_info;
struct hwpmc_thread;

extern struct mutex hwpmc_rows_lock;

/*
 * Classes, by index; the number of each class's first row; the numbers of classes and of rows.
 * Set by hwpmc_row_init(), constant afterwards (kmod/pmc/row.c).
 */
extern const struct hwpmc_class *hwpmc_classes[HWPMC_MAX_CLASSES];
extern unsigned int hwpmc_class_first[HWPMC_MAX_CLASSES];
extern unsigned int hwpmc_class_count;
extern unsigned int hwpmc_row_count;

/* kmod/pmc/row.c */
int hwpmc_row_init(bool mock);
void hwpmc_row_exit(void);
int hwpmc_row_class(u32 class_id);
bool hwpmc_row_counts_cpu(unsigned int index);
int hwpmc_row_claim(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try);
void hwpmc_row_release(struct hwpmc_pmc *pmc);
int hwpmc_row_admin(struct hwpmc_owner *owner, const struct hwpmc_admin *args,
		    void (*each_thread)(void (*fn)(struct hwpmc_thread *th)));
void hwpmc_row_evict_pmu(void (*each_thread)(void (*fn)(struct hwpmc_thread *th)));
const struct hwpmc_class *hwpmc_row_to_class(unsigned int row, unsigned int *class_row);

/* kmod/pmc/row_info.c */
void hwpmc_row_info(int cpu, unsigned int row, struct hwpmc_row_info *info);

/* kmod/pmc/pmu.c */
int hwpmc_pmu_get(struct hwpmc_owner *owner, const struct hwpmc_class *class, bool try);
void hwpmc_pmu_put(const struct hwpmc_class *class);
void hwpmc_pmu_report(void);
void hwpmc_pmu_report_last(struct hwpmc_owner *owner);
const char *hwpmc_pmu_problem(void);
const char *hwpmc_pmu_missing(void);
bool hwpmc_pmu_is_up(void);
void hwpmc_pmu_shutdown(void);
void hwpmc_pmu_cpu_online(void);
void hwpmc_pmu_cpu_offline(void);
void hwpmc_pmu_lose(struct hwpmc_cpu *pc);
void hwpmc_pmu_resume(struct hwpmc_cpu *pc);

#endif /* HWPMC_ROW_H */
