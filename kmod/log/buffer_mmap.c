// SPDX-License-Identifier: GPL-2.0-only
/* mmap(2) of rings. Called for the device's file, in process context with the mmap lock held. */
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/vmalloc.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "log.h"

static int hwpmc_buffer_mmap_pages(struct vm_area_struct *vma, void *from)
{
	unsigned long at;
	int err = 0;

	for (at = vma->vm_start; !err && at < vma->vm_end; at += PAGE_SIZE, from += PAGE_SIZE)
		err = vm_insert_page(vma, at, vmalloc_to_page(from));
	return err;
}

/*
 * The process that maps is the reader. If the first mapping fails, the reader is reset. That is
 * safe: the tail's page, the only one that may be writable, is a mapping of its own. So the pages
 * that were inserted before the failure are read-only.
 */
static int hwpmc_buffer_mmap_claim(struct hwpmc_rings *rings, struct vm_area_struct *vma,
				   void *from)
{
	enum hwpmc_reader before;
	int err;

	mutex_lock(&rings->mapping);
	before = READ_ONCE(rings->reader);
	err = hwpmc_reader_claim(rings, HWPMC_READER_MAPPED);
	if (!err) {
		err = hwpmc_buffer_mmap_pages(vma, from);
		if (err && before == HWPMC_READER_NONE)
			WRITE_ONCE(rings->reader, before);
	}
	mutex_unlock(&rings->mapping);
	return err;
}

/**
 * hwpmc_buffer_mmap - mmap(2) of a ring
 * @owner: whose rings
 * @vma: the new mapping
 *
 * Only the tail page may be writable. The mapping holds the file, so the memory is not
 * freed before it. Takes no owner->lock: calls access user memory with that held, and may
 * fault.
 *
 * Context: may sleep; mmap lock held. Return: 0, -ENXIO without rings, -EINVAL, -EPERM for
 * a writable or executable mapping, -EBUSY if the kernel reads the rings.
 */
int hwpmc_buffer_mmap(struct hwpmc_owner *owner, struct vm_area_struct *vma)
{
	/* The rings are complete: pairs with the release in hwpmc_buffer_create(). */
	struct hwpmc_rings *rings = smp_load_acquire(&owner->rings);
	u64 size = vma->vm_end - vma->vm_start, offset = (u64)vma->vm_pgoff << PAGE_SHIFT, cpu;

	if (!rings)
		return -ENXIO;
	cpu = div64_u64_rem(offset, rings->stride, &offset);
	if (cpu >= rings->count)
		return -EINVAL;
	cpu = array_index_nospec(cpu, rings->count);
	if (!rings->buffers[cpu] || size > rings->stride - offset || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	if (offset || size > PAGE_SIZE) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		hwpmc_vma_flags(vma, 0, VM_MAYWRITE);
	}
	hwpmc_vma_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY, VM_MAYEXEC);
	return hwpmc_buffer_mmap_claim(rings, vma, rings->buffers[cpu]->area + offset);
}
