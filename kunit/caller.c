// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory and ioctls for the suites of calls: see caller.h.
 * caller_suite_*() run in the process that loads the module, the others in KUnit's thread.
 */
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "../kmod/base/owner.h"
#include "../kmod/hwpmc.h"
#include "../kmod/main.h"
#include "caller.h"
#include "fixture.h"

static struct mm_struct *caller_mm;
static unsigned long caller_memory;

const struct hwpmc_allocate caller_request = {
	.size = sizeof(caller_request), .class_id = HWPMC_CLASS_MOCK, .mode = HWPMC_MODE_TC,
	.cpu = -1,
};

int caller_suite_init(struct kunit_suite *suite)
{
	const unsigned long flags = MAP_PRIVATE | MAP_ANONYMOUS;
	unsigned long at;

	caller_mm = current->mm ? get_task_mm(current) : NULL;
	if (!caller_mm)
		return -ESRCH;
	at = vm_mmap(NULL, 0, 3 * PAGE_SIZE, PROT_READ | PROT_WRITE, flags, 0);
	if (IS_ERR_VALUE(at))
		return at;
	caller_memory = at;
	at += CALLER_READONLY;
	if (vm_mmap(NULL, at, PAGE_SIZE, PROT_READ, flags | MAP_FIXED, 0) != at)
		return -ENOMEM;
	if (access_process_vm(current, at, (void *)&caller_request, sizeof(caller_request),
			      FOLL_WRITE | FOLL_FORCE) != sizeof(caller_request))
		return -EFAULT;
	return vm_munmap(caller_memory + CALLER_UNMAPPED, PAGE_SIZE);
}

void caller_suite_exit(struct kunit_suite *suite)
{
	if (caller_memory)
		vm_munmap(caller_memory, 2 * PAGE_SIZE);
	if (caller_mm)
		mmput(caller_mm);
	caller_memory = 0;
	caller_mm = NULL;
}

unsigned long caller_addr(unsigned long offset)
{
	return caller_memory + offset;
}

void caller_write(struct kunit *test, unsigned long offset, const void *data, size_t size)
{
	unsigned long left;

	kthread_use_mm(caller_mm);
	left = copy_to_user((void __user *)caller_addr(offset), data, size);
	kthread_unuse_mm(caller_mm);
	KUNIT_EXPECT_EQ(test, 0, left);
}

void caller_read(struct kunit *test, unsigned long offset, void *data, size_t size)
{
	unsigned long left;

	kthread_use_mm(caller_mm);
	left = copy_from_user(data, (void __user *)caller_addr(offset), size);
	kthread_unuse_mm(caller_mm);
	KUNIT_EXPECT_EQ(test, 0, left);
}

long caller_ioctl_at(struct kunit *test, unsigned int cmd, unsigned long address)
{
	struct fixture *fx = test->priv;
	long ret;

	fx->file.private_data = fx->owners[0];
	fx->owners[0]->error = 0;
	fx->owners[0]->sentence[0] = '\0';
	kthread_use_mm(caller_mm);
	ret = hwpmc_ioctl(&fx->file, cmd, address);
	kthread_unuse_mm(caller_mm);
	/* ENOTTY is returned before the owner is known, so it records no error. */
	if (ret && ret != -ENOTTY) {
		KUNIT_EXPECT_EQ(test, -ret, fx->owners[0]->error);
		KUNIT_EXPECT_GT(test, strlen(fx->owners[0]->sentence), 10);
	}
	return ret;
}

long caller_ioctl(struct kunit *test, unsigned int cmd, void *data, size_t size)
{
	long ret;

	caller_write(test, CALLER_WRITABLE, data, size);
	ret = caller_ioctl_at(test, cmd, caller_addr(CALLER_WRITABLE));
	caller_read(test, CALLER_WRITABLE, data, size);
	return ret;
}

bool caller_error_contains(struct kunit *test, const char *text)
{
	struct fixture *fx = test->priv;

	return strstr(fx->owners[0]->sentence, text);
}
