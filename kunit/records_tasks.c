// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_records_tasks: the bytes of the records of processes and of their mappings
 * (kmod/task/process.c, maps.c). Run by kunit/run.c in KUnit's thread, whose task is logged.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../kmod/base/owner.h"
#include "../kmod/log/log.h"
#include "../kmod/task/process.h"
#include "fixture.h"
#include "records.h"

static void records_process_event_bytes(struct kunit *test)
{
	u32 pid = task_tgid_nr(current), tid = task_pid_nr(current);
	char name[TASK_COMM_LEN];

	get_task_comm(name, current);
	/* A system-wide sampler gets the records of every process. */
	hwpmc_owner_count_sampler(records_of(test)->owner, 1);
	hwpmc_process_fork(current);
	RECORDS_EXPECT(test, 56, 12, 0, 0, { 24, 4, pid }, { 28, 4, tid }, { 32, 4, pid },
		       { 36, 4, tid }, { 40, 0, 0, name });
	hwpmc_process_exit(current);
	RECORDS_EXPECT(test, 56, 13, 0, 0, { 24, 4, pid }, { 28, 4, tid }, { 40, 0, 0, name });
	hwpmc_process_comm(current, "a name of 15 ch");
	RECORDS_EXPECT(test, 56, 15, 0, 0, { 24, 4, pid }, { 28, 4, tid },
		       { 40, 0, 0, "a name of 15 ch" });
	/* 64 + 15 and the NUL */
	hwpmc_process_exec(current, "/bin/a-program!");
	RECORDS_EXPECT(test, 80, 14, 0, 0, { 24, 4, pid }, { 28, 4, tid }, { 32, 0, 0, name },
		       { 48, 4, 64 }, { 56, 8, 0 }, { 64, 0, 0, "/bin/a-program!" });
	hwpmc_process_exec(current, "/bin/a-program!?");
	RECORDS_EXPECT(test, 88, 14, 0, 0, { 24, 4, pid }, { 28, 4, tid }, { 32, 0, 0, name },
		       { 48, 4, 64 }, { 56, 8, 0 }, { 64, 0, 0, "/bin/a-program!?" });
}

/* The snapshot of all processes has one record for the current task. */
static void records_snapshot_has_task_once(struct kunit *test)
{
	struct hwpmc_owner *owner = records_of(test)->owner;
	struct hwpmc_log_task *got = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	struct hwpmc_log_task *own = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	const struct records_field fields[] = {
		{ 24, 4, task_tgid_nr(current) }, { 28, 4, task_pid_nr(current) },
		{ 40, 0, 0, current->comm },
	};
	unsigned int count = 0;
	u32 length;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, got);
	KUNIT_ASSERT_NOT_NULL(test, own);
	mutex_lock(&owner->lock);
	err = hwpmc_process_snapshot(owner, true, true);
	mutex_unlock(&owner->lock);
	KUNIT_EXPECT_EQ(test, 0, err);
	while ((length = records_next(test, (void *)got))) {
		if (got->h.type != HWPMC_LOG_PROCESS || got->tid != task_pid_nr(current))
			continue;
		KUNIT_ASSERT_EQ(test, 56U, length);
		memcpy(own, got, length);
		count++;
	}
	KUNIT_ASSERT_EQ(test, 1U, count);
	records_check(test, (void *)own, 56, 11, 0, 0, fields, ARRAY_SIZE(fields));
}

static void records_map_bytes(struct kunit *test)
{
	struct hwpmc_owner *owner = records_of(test)->owner;
	struct hwpmc_map_draft *draft = hwpmc_maps_draft();
	struct file *root = filp_open("/", O_RDONLY, 0);
	const struct vm_area_struct none = {
		.vm_start = 0x12000, .vm_end = 0x15000, .vm_flags = VM_EXEC | VM_WRITE,
	};
	const struct vm_area_struct file = {
		.vm_start = 0x7f0000012000, .vm_end = 0x7f0000013000, .vm_flags = VM_EXEC | VM_READ,
		.vm_file = root, .vm_pgoff = 5,
	};
	const struct inode *inode;

	KUNIT_ASSERT_NOT_NULL(test, draft);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, root);
	inode = file_inode(root);
	hwpmc_maps_put_in(owner, 77, &none, draft);
	RECORDS_EXPECT(test, 120, 16, 0, 0, { 24, 4, 77 }, { 28, 4, PROT_EXEC | PROT_WRITE },
		       { 32, 8, 0x12000 }, { 40, 8, 0x3000 }, { 72, 4, 112 },
		       { 112, 0, 0, "//anon" });
	hwpmc_maps_put_in(owner, 77, &file, draft);
	RECORDS_EXPECT(test, 120, 16, 0, 0, { 24, 4, 77 }, { 28, 4, PROT_EXEC | PROT_READ },
		       { 32, 8, 0x7f0000012000 }, { 40, 8, 0x1000 }, { 48, 8, 5 * PAGE_SIZE },
		       { 56, 8, inode->i_ino }, { 64, 4, MAJOR(inode->i_sb->s_dev) },
		       { 68, 4, MINOR(inode->i_sb->s_dev) }, { 72, 4, 112 }, { 112, 0, 0, "/" });
	fput(root);
	kfree(draft);
}

static void records_unmap_bytes(struct kunit *test)
{
	hwpmc_owner_count_sampler(records_of(test)->owner, 1);
	hwpmc_maps_log_out(0x7f0000012000, 0x3000);
	RECORDS_EXPECT(test, 112, 17, 0, 0, { 24, 4, task_tgid_nr(current) },
		       { 32, 8, 0x7f0000012000 }, { 40, 8, 0x3000 });
}

static struct kunit_case records_tasks_cases[] = {
	KUNIT_CASE(records_process_event_bytes),
	KUNIT_CASE(records_snapshot_has_task_once),
	KUNIT_CASE(records_map_bytes),
	KUNIT_CASE(records_unmap_bytes),
	{}
};

struct kunit_suite hwpmc_records_tasks_suite = {
	.name		= "hwpmc_records_tasks",
	.init		= records_init,
	.exit		= records_exit,
	.test_cases	= records_tasks_cases,
};
