// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of code that is mapped and unmapped, by kprobes.
 *
 * The kprobe handlers run in the context of the task that maps or unmaps (preemption off,
 * may not sleep). The kprobes are registered while a PMC samples, and linger as the probes of
 * probes.c do. The kernel calls the probed functions for every mapping, whether or not perf or
 * uprobes are in use.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "process.h"
#include "task.h"

#define HWPMC_MAP_PATH		512

struct hwpmc_map_record {
	struct hwpmc_log_map head;
	char path[HWPMC_MAP_PATH];
};

/* Scratch memory in which a record is built, since it is too large for a stack. */
struct hwpmc_map_draft {
	struct hwpmc_map_record record;
	char path[PATH_MAX];
};

/*
 * For the kprobe handlers: used with preemption off, and never in an interrupt. Allocated when a
 * PMC samples for the first time, and kept until unload. Not defined by DEFINE_PER_CPU(): per-CPU
 * variables of modules are taken from a small reserve that all modules share.
 */
static struct hwpmc_map_draft __percpu *hwpmc_map_drafts;

static DEFINE_MUTEX(hwpmc_maps_lock);
static unsigned int hwpmc_maps_users;
static bool hwpmc_maps_on;

static void hwpmc_maps_check(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_maps_work, hwpmc_maps_check);

static const char *hwpmc_map_path(struct hwpmc_map_draft *draft, const struct file *file)
{
	const char *path = d_path(hwpmc_file_path(file), draft->path, sizeof(draft->path));

	return IS_ERR(path) ? "//toolong" : path;
}

static const char *hwpmc_map_name(struct hwpmc_map_draft *draft, const struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_file)
		return hwpmc_map_path(draft, vma->vm_file);
	if (mm && mm->context.vdso && vma->vm_start == (unsigned long)mm->context.vdso)
		return "[vdso]";
	return "//anon";
}

static void hwpmc_map_fill(struct hwpmc_map_draft *draft, const struct vm_area_struct *vma)
{
	struct hwpmc_map_record *record = &draft->record;

	memset(record, 0, sizeof(*record));
	record->head.prot = (vma->vm_flags & VM_READ ? PROT_READ : 0) |
			    (vma->vm_flags & VM_WRITE ? PROT_WRITE : 0) |
			    (vma->vm_flags & VM_EXEC ? PROT_EXEC : 0);
	record->head.start = vma->vm_start;
	record->head.size = vma->vm_end - vma->vm_start;
	record->head.path_offset = sizeof(record->head);
	strscpy(record->path, hwpmc_map_name(draft, vma), sizeof(record->path));
	if (vma->vm_file) {
		const struct inode *inode = file_inode(vma->vm_file);

		record->head.file_offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		record->head.inode = inode->i_ino;
		record->head.dev_major = MAJOR(inode->i_sb->s_dev);
		record->head.dev_minor = MINOR(inode->i_sb->s_dev);
		record->head.build_id_size = hwpmc_build_id_find(vma, record->head.build_id);
	}
}

static void hwpmc_map_put(struct hwpmc_owner *owner, struct hwpmc_log_map *map, u16 type)
{
	size_t size = sizeof(*map);

	if (map->path_offset)
		size = ALIGN(size + strlen((char *)map + map->path_offset) + 1, 8);
	hwpmc_record_put(owner, map, size, type, 0);
}

/**
 * hwpmc_maps_draft - allocate the scratch memory of hwpmc_maps_put_in()
 *
 * Context: may sleep. Return: memory for any number of calls, which the caller frees by
 * kfree(), or NULL.
 */
struct hwpmc_map_draft *hwpmc_maps_draft(void)
{
	return kmalloc(sizeof(struct hwpmc_map_draft), GFP_KERNEL_ACCOUNT);
}

/**
 * hwpmc_maps_put_in - record a mapping that exists already
 * @owner: which has rings
 * @pid: of the process, in the owner's pid namespace
 * @vma: the mapping; mmap lock held
 * @draft: scratch memory
 *
 * Context: may sleep.
 */
void hwpmc_maps_put_in(struct hwpmc_owner *owner, s32 pid, const struct vm_area_struct *vma,
		       struct hwpmc_map_draft *draft)
{
	hwpmc_map_fill(draft, vma);
	draft->record.head.pid = pid;
	hwpmc_map_put(owner, &draft->record.head, HWPMC_LOG_MAP_IN);
}

/**
 * hwpmc_maps_program - find the path of the program that a process executes
 * @mm: its memory
 * @draft: scratch memory
 *
 * Context: may sleep; takes the mmap lock, unless current is killed meanwhile. Return: the path,
 * in @draft, or NULL.
 */
const char *hwpmc_maps_program(struct mm_struct *mm, struct hwpmc_map_draft *draft)
{
	const struct vm_area_struct *vma;
	const char *path = NULL;

	if (mmap_read_lock_killable(mm))
		return NULL;
	/* mm->exe_file is not accessible to modules. */
	vma = hwpmc_vma_at(mm, mm->start_code);
	if (vma && vma->vm_file)
		path = hwpmc_map_path(draft, vma->vm_file);
	mmap_read_unlock(mm);
	return path;
}

struct hwpmc_map_change {
	struct hwpmc_log_map *map;
	u16 type;
};

static void hwpmc_map_log(struct hwpmc_owner *owner, struct task_struct *task, void *arg)
{
	const struct hwpmc_map_change *change = arg;
	pid_t pid = task_tgid_nr_ns(task, owner->pid_ns);

	/*
	 * The process has no pid in the owner's namespace; a negative pid would stand for
	 * the kernel.
	 */
	if (!pid)
		return;
	change->map->pid = pid;
	hwpmc_map_put(owner, change->map, change->type);
}

static void hwpmc_map_log_in(const struct vm_area_struct *vma)
{
	struct hwpmc_map_change change = { .type = HWPMC_LOG_MAP_IN };
	struct hwpmc_map_draft *draft;

	if (!(vma->vm_flags & VM_EXEC))
		return;
	draft = get_cpu_ptr(hwpmc_map_drafts);
	change.map = &draft->record.head;
	hwpmc_map_fill(draft, vma);
	hwpmc_process_log(current, hwpmc_map_log, &change);
	put_cpu_ptr(hwpmc_map_drafts);
}

/*
 * Not while current executes a program: only the probe of exec determines whether an owner
 * may see the new program, and hwpmc_maps_exec() records its maps then. Nor for memory that
 * is not current's, for example when it grows the stack of another process.
 */
static int hwpmc_map_in(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (!current->in_execve && vma->vm_mm == current->mm)
		hwpmc_map_log_in(vma);
	return 0;
}

static void hwpmc_map_lose(struct hwpmc_owner *owner, struct task_struct *task, void *arg)
{
	if (task_tgid_nr_ns(task, owner->pid_ns))
		hwpmc_record_lose(owner);
}

/**
 * hwpmc_maps_exec - record the maps of current's new program
 *
 * The program was mapped before the probe of exec ran. Called after the EXEC record is written,
 * which ends all earlier maps. Current is the only user of its new memory, so the mmap lock is
 * nearly always free; if not, a record is counted as lost.
 *
 * Context: may not sleep.
 */
void hwpmc_maps_exec(void)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long at = 0;

	/* Acquire: the scratch memory exists. */
	if (!smp_load_acquire(&hwpmc_maps_users) || !mm)
		return;
	/* khugepaged may hold the lock, or a reader of /proc/PID/pagemap. */
	if (!mmap_read_trylock(mm)) {
		hwpmc_process_log(current, hwpmc_map_lose, NULL);
		return;
	}
	while ((vma = find_vma(mm, at))) {
		hwpmc_map_log_in(vma);
		at = vma->vm_end;
	}
	mmap_read_unlock(mm);
}

/*
 * Whether the mapping at @start remains: only its pages are unmapped (MADV_DONTNEED, a file that is
 * truncated), or the mapping is split or merged, and is recorded again afterwards. The caller holds
 * the lock of @vma or the mmap lock.
 */
static bool hwpmc_map_unchanged(const struct vm_area_struct *vma, u64 start, u64 end)
{
	const struct vm_area_struct *now = hwpmc_vma_at(vma->vm_mm, start);

	return now && (now->vm_flags & VM_EXEC) && now->vm_file == vma->vm_file &&
	       now->vm_start <= start && now->vm_end >= end &&
	       now->vm_pgoff - (now->vm_start >> PAGE_SHIFT) ==
	       vma->vm_pgoff - (vma->vm_start >> PAGE_SHIFT);
}

/**
 * hwpmc_maps_log_out - record that code of current is unmapped
 * @start: its first address
 * @size: in bytes
 *
 * Context: any but NMI and interrupts.
 */
void hwpmc_maps_log_out(u64 start, u64 size)
{
	struct hwpmc_log_map map = { .start = start, .size = size };
	struct hwpmc_map_change change = { .map = &map, .type = HWPMC_LOG_MAP_OUT };

	hwpmc_process_log(current, hwpmc_map_log, &change);
}

static int hwpmc_map_out(struct kprobe *probe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);
	u64 start = regs_get_kernel_argument(regs, 1), end = regs_get_kernel_argument(regs, 2);

	/* exit and exec, which unmap everything, have records of their own. */
	if ((vma->vm_flags & VM_EXEC) && vma->vm_mm == current->mm &&
	    !hwpmc_map_unchanged(vma, start, end))
		hwpmc_maps_log_out(start, end - start);
	return 0;
}

static struct kprobe hwpmc_map_probes[] = {
	{ .symbol_name = "perf_event_mmap", .pre_handler = hwpmc_map_in },
	/* Called for what is left of a mapping that is split, shrunk or merged. */
	{ .symbol_name = "uprobe_mmap", .pre_handler = hwpmc_map_in },
	{ .symbol_name = "uprobe_munmap", .pre_handler = hwpmc_map_out },
};

static void hwpmc_maps_unregister(size_t count)
{
	while (count--)
		unregister_kprobe(&hwpmc_map_probes[count]);
}

static int hwpmc_maps_register(void)
{
	size_t i;
	int err;

	if (!hwpmc_map_drafts)
		hwpmc_map_drafts = alloc_percpu(struct hwpmc_map_draft);
	if (!hwpmc_map_drafts)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(hwpmc_map_probes); i++) {
		/* Reset the fields that an earlier registration has set. */
		hwpmc_map_probes[i].addr = NULL;
		hwpmc_map_probes[i].flags = 0;
		err = register_kprobe(&hwpmc_map_probes[i]);
		if (err)
			break;
	}
	if (!err)
		err = hwpmc_modules_register();
	if (err)
		hwpmc_maps_unregister(i);
	return err;
}

/**
 * hwpmc_maps_get - begin to record mappings, or take a reference
 *
 * Context: may sleep. Return: 0, -ENOMEM, or the error of a registration.
 */
int hwpmc_maps_get(void)
{
	int err = 0;

	mutex_lock(&hwpmc_maps_lock);
	if (!hwpmc_maps_on)
		err = hwpmc_maps_register();
	if (!err) {
		hwpmc_maps_on = true;
		/* Release: see hwpmc_maps_exec(). */
		smp_store_release(&hwpmc_maps_users, hwpmc_maps_users + 1);
	}
	mutex_unlock(&hwpmc_maps_lock);
	return err;
}

static void hwpmc_maps_remove(void)
{
	lockdep_assert_held(&hwpmc_maps_lock);
	if (!hwpmc_maps_on || hwpmc_maps_users)
		return;
	hwpmc_modules_unregister();
	hwpmc_maps_unregister(ARRAY_SIZE(hwpmc_map_probes));
	hwpmc_maps_on = false;
}

static void hwpmc_maps_check(struct work_struct *work)
{
	mutex_lock(&hwpmc_maps_lock);
	hwpmc_maps_remove();
	mutex_unlock(&hwpmc_maps_lock);
}

/**
 * hwpmc_maps_put - drop a reference
 *
 * The recording stops probes_linger after the last reference was dropped. Context: may sleep.
 */
void hwpmc_maps_put(void)
{
	mutex_lock(&hwpmc_maps_lock);
	WRITE_ONCE(hwpmc_maps_users, hwpmc_maps_users - 1);
	if (!hwpmc_maps_users)
		mod_delayed_work(system_wq, &hwpmc_maps_work, hwpmc_probes_linger());
	mutex_unlock(&hwpmc_maps_lock);
}

/** hwpmc_maps_exit - unregister the kprobes and free their memory; at module exit; may sleep */
void hwpmc_maps_exit(void)
{
	cancel_delayed_work_sync(&hwpmc_maps_work);
	mutex_lock(&hwpmc_maps_lock);
	hwpmc_maps_remove();
	mutex_unlock(&hwpmc_maps_lock);
	free_percpu(hwpmc_map_drafts);
}
