// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second copy of arch/arm64/pmuv3_rows.c, compiled against the fake registers and under other
 * names, which suites hwpmc_pmuv3_* call: Kbuild puts kunit/fake/ into its search path.
 */
#define pmuv3_rows_set_width	fake_rows_set_width
#define pmuv3_rows_width	fake_rows_width
#define pmuv3_rows_up		fake_rows_up
#define pmuv3_rows_down		fake_rows_down
#define pmuv3_rows_program	fake_rows_program
#define pmuv3_rows_set_period		fake_rows_set_period
#define pmuv3_rows_stop		fake_rows_stop
#define pmuv3_rows_clear	fake_rows_clear
#define pmuv3_rows_in		fake_rows_in
#define pmuv3_rows_fold		fake_rows_fold
#define pmuv3_rows_fold_overflowed	fake_rows_fold_overflowed
#define pmuv3_rows_ack		fake_rows_ack
#define pmuv3_rows_mask		fake_rows_mask
#define pmuv3_rows_overflowed	fake_rows_overflowed
#define pmuv3_rows_user_in	fake_rows_user_in
#define pmuv3_rows_user_index	fake_rows_user_index

#include "../arch/arm64/pmuv3_rows.c"
