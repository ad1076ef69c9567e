// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "userfault.h"
#include "test.h"

struct userfault userfault_open(void)
{
	struct userfault it = { .size = sysconf(_SC_PAGESIZE) };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register it_all = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	/*
	 * Without O_NONBLOCK, poll() of the userfaultfd returns POLLERR at once, whether or not the
	 * page is missing.
	 */
	it.fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	it.page = mmap(NULL, it.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	it_all.range = (struct uffdio_range){ .start = (uintptr_t)it.page, .len = it.size };
	if (it.fd < 0 || it.page == MAP_FAILED || ioctl(it.fd, UFFDIO_API, &api) ||
	    ioctl(it.fd, UFFDIO_REGISTER, &it_all))
		die("userfaultfd: %s", strerror(errno));
	return it;
}

bool userfault_pending(const struct userfault *userfault, int ms)
{
	struct pollfd p = { .fd = userfault->fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1 && p.revents == POLLIN;
}

void userfault_resolve(const struct userfault *userfault)
{
	struct uffdio_zeropage give = {
		.range = { .start = (uintptr_t)userfault->page, .len = userfault->size },
	};

	if (ioctl(userfault->fd, UFFDIO_ZEROPAGE, &give))
		die("UFFDIO_ZEROPAGE: %s", strerror(errno));
}
