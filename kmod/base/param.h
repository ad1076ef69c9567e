/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Module parameters that are numbers with bounds. Defined by the files that use them; values
 * are read in any context, NMI included.
 */
#ifndef HWPMC_PARAM_H
#define HWPMC_PARAM_H

#include <linux/moduleparam.h>

/**
 * struct hwpmc_param - a parameter with bounds
 * @value: current value; read with READ_ONCE()
 * @least: smallest value that is accepted
 * @most: largest value that is accepted
 */
struct hwpmc_param {
	unsigned int value;
	unsigned int least;
	unsigned int most;
};

/* kmod/base/param.c */
extern const struct kernel_param_ops hwpmc_param_ops;

#endif /* HWPMC_PARAM_H */
