/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of the top of kmod/: hotplug, other drivers that claim the PMU, the dispatch of
 * ioctls, the device. Used by main.c, which initialises them, and by cdev.c.
 */
#ifndef HWPMC_MAIN_H
#define HWPMC_MAIN_H

struct file;
struct notifier_block;

/* kmod/hotplug.c */
int hwpmc_hotplug_init(void);
void hwpmc_hotplug_exit(void);
int hwpmc_hotplug_cpu_pm(struct notifier_block *nb, unsigned long action, void *data);

/* kmod/yield.c */
int hwpmc_yield_init(void);
void hwpmc_yield_exit(void);

/* kmod/ioctl.c */
long hwpmc_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* kmod/cdev.c */
int hwpmc_cdev_init(void);
void hwpmc_cdev_exit(void);

#endif /* HWPMC_MAIN_H */
