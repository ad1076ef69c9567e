/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters of the module that are numbers with bounds. */
#ifndef HWPMC_PARAM_H
#define HWPMC_PARAM_H

#include <linux/moduleparam.h>

/**
 * struct hwpmc_param - a parameter with bounds
 * @value: now; read with READ_ONCE()
 * @least: that it may be
 * @most: that it may be
 */
struct hwpmc_param {
	unsigned int value;
	unsigned int least;
	unsigned int most;
};

/* kmod/base/param.c */
extern const struct kernel_param_ops hwpmc_param_ops;

#endif /* HWPMC_PARAM_H */
