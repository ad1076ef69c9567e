// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts this program itself: instructions and time on a CPU, read together by one call.
 *
 *	cc $(pkg-config --cflags hwpmc) -o count count.c
 *	./count
 */
#include "common.h"

int main(void)
{
	static const struct event clock = { HWPMC_CLASS_SOFT, HWPMC_SOFT_CLOCK, 0, "nanoseconds" };
	int fd = open_device();
	struct event event = find_event(fd);
	__u64 values[2];
	__u32 ids[2] = {
		allocate(fd, event, HWPMC_MODE_TC, 0, 0),
		allocate(fd, clock, HWPMC_MODE_TC, 0, 0),
	};
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD, .count = 2, .ids = POINTER(ids), .values = POINTER(values),
	};

	/* A PMC that was never attached is attached to the caller's process. */
	call_ids(fd, HWPMC_IOC_START, ids, 2);
	work(1000000);
	call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));
	printf("%llu %s in %llu ns\n", (unsigned long long)values[0], event.name,
	       (unsigned long long)values[1]);
	/* When the program exits the device is closed, which releases the PMCs. */
	return 0;
}
