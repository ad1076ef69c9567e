// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows another thread, and reads its counts from a page, until it exits. That costs the thread
 * only some instructions at its switches, and this program no system call.
 *
 *	cc $(pkg-config --cflags hwpmc) -o attach attach.c
 *	./attach TID
 */
#include <unistd.h>

#include <hwpmc_user.h>

#include "common.h"

int main(int argc, char **argv)
{
	struct hwpmc_attach attach = { .flags = HWPMC_ATTACH_TID };
	struct hwpmc_user_reader reader;
	struct event event;
	__u64 value, ticks;
	__u32 id, state;
	int fd;

	if (argc != 2)
		errx(2, "usage: attach TID");
	fd = open_device();
	event = find_event(fd);
	id = allocate(fd, event, HWPMC_MODE_TC, 0, 0);
	attach.id = id;
	attach.pid = atoi(argv[1]);
	call(fd, HWPMC_IOC_ATTACH, &attach, sizeof(attach));
	if (hwpmc_user_map(&reader, fd, &id, 1))
		err(1, "the page");
	call_ids(fd, HWPMC_IOC_START, &id, 1);
	do {
		usleep(100000);
		/* Read the state first: after GONE the value is final. */
		state = hwpmc_user_state(&reader, 0);
		hwpmc_user_last(&reader, &value, &ticks);
		printf("%llu %s, %llu us ago\n", (unsigned long long)value, event.name,
		       (unsigned long long)hwpmc_user_age(&reader, ticks) / 1000);
		fflush(stdout);
	} while (state == HWPMC_USER_RUNNING);
	puts(state == HWPMC_USER_GONE ? "the thread is gone" : "an administrator ended the PMC");
	hwpmc_user_unmap(&reader);
	return 0;
}
