// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the counts of this thread from a page, without a system call, with hwpmc_user.h.
 *
 *	cc $(pkg-config --cflags hwpmc) -o page page.c
 *	./page
 */
#include <hwpmc_user.h>

#include "common.h"

int main(void)
{
	int fd = open_device();
	struct event event = find_event(fd);
	__u32 id = allocate(fd, event, HWPMC_MODE_TC,
			    HWPMC_F_THREAD | HWPMC_F_DIRECT, 0);
	struct hwpmc_attach attach = { .id = id };
	struct hwpmc_user_reader reader;
	__u64 now, last, ticks;

	/* The page is for one thread: here the calling one, 0. */
	call(fd, HWPMC_IOC_ATTACH, &attach, sizeof(attach));
	if (hwpmc_user_map(&reader, fd, &id, 1))
		err(1, "the page");
	call_ids(fd, HWPMC_IOC_START, &id, 1);
	for (int i = 0; i < 3; i++) {
		work(1000000);
		/* The counts up to the last switch or reading, and how long ago that was. */
		hwpmc_user_last(&reader, &last, &ticks);
		printf("page: %llu %s, %llu ns ago\n", (unsigned long long)last, event.name,
		       (unsigned long long)hwpmc_user_age(&reader, ticks));
		/*
		 * The counts up to now: from the counter if the kernel permits that, else by a
		 * call.
		 */
		if (hwpmc_user_self(&reader, &now))
			err(1, "a reading");
		printf("%s: %llu\n", reader.page->counts[0].index ? "counter" : "call",
		       (unsigned long long)now);
	}
	call_ids(fd, HWPMC_IOC_RELEASE, &id, 1);
	/* The page remains mapped, and has the new state. */
	hwpmc_user_last(&reader, &last, &ticks);
	if (hwpmc_user_state(&reader, 0) == HWPMC_USER_RELEASED)
		printf("released: %llu\n", (unsigned long long)last);
	hwpmc_user_unmap(&reader);
	return 0;
}
