// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the GNU build-id of a mapped program or library, if the file's first page has the
 * note and is in the page cache. Called by maps.c for each mapping, in any context but NMI.
 */
#include <linux/elf.h>
#include <linux/highmem.h>
#include <linux/overflow.h>
#include <linux/pagemap.h>
#include <linux/string.h>

#include "../log/log.h"
#include "process.h"

#define HWPMC_NT_GNU_BUILD_ID	3

/* The file may be written concurrently, so each structure is copied before it is checked. */
static bool hwpmc_build_id_copy(void *to, size_t size, const void *page, u64 offset)
{
	if (offset > PAGE_SIZE || size > PAGE_SIZE - offset)
		return false;
	memcpy(to, page + offset, size);
	return true;
}

static u32 hwpmc_build_id_take(const void *page, u64 offset, u32 size, u8 *id)
{
	if (size > HWPMC_BUILD_ID_MAX || !hwpmc_build_id_copy(id, size, page, offset))
		return 0;
	return size;
}

/* Searches the notes from @offset to @end. Returns the size of @id, or 0. */
static u32 hwpmc_build_id_notes(const void *page, u64 offset, u64 end, u8 *id)
{
	struct elf64_note note;

	while (offset < end && hwpmc_build_id_copy(&note, sizeof(note), page, offset)) {
		u64 name = offset + sizeof(note);
		u64 desc = name + ALIGN((u64)note.n_namesz, 4);
		char owner[4];

		if (note.n_type == HWPMC_NT_GNU_BUILD_ID && note.n_namesz == sizeof(owner) &&
		    hwpmc_build_id_copy(owner, sizeof(owner), page, name) &&
		    !memcmp(owner, "GNU", sizeof(owner)))
			return hwpmc_build_id_take(page, desc, note.n_descsz, id);
		offset = desc + ALIGN((u64)note.n_descsz, 4);
	}
	return 0;
}

/**
 * hwpmc_build_id_parse() - find the build-id in the first page of an ELF file
 * @page: PAGE_SIZE bytes; may change concurrently
 * @id: filled in; HWPMC_BUILD_ID_MAX bytes
 *
 * Only files of the machine's own word size and byte order are read. Context: any.
 *
 * Return: the size of the build-id in bytes, or 0 if there is none.
 */
u32 hwpmc_build_id_parse(const void *page, u8 *id)
{
	struct elf64_hdr file;
	struct elf64_phdr part;
	u32 size = 0;

	hwpmc_build_id_copy(&file, sizeof(file), page, 0);
	if (memcmp(file.e_ident, ELFMAG, SELFMAG) || file.e_ident[EI_CLASS] != ELFCLASS64 ||
	    file.e_ident[EI_DATA] != ELF_DATA || file.e_phentsize != sizeof(part))
		return 0;
	for (unsigned int i = 0; !size && i < file.e_phnum; i++) {
		u64 end;

		if (!hwpmc_build_id_copy(&part, sizeof(part), page,
					 file.e_phoff + (u64)i * sizeof(part)))
			return 0;
		if (part.p_type == PT_NOTE &&
		    !check_add_overflow(part.p_offset, part.p_filesz, &end))
			size = hwpmc_build_id_notes(page, part.p_offset, end, id);
	}
	return size;
}

/**
 * hwpmc_build_id_find() - find the build-id of a mapped file
 * @vma: a mapping of a file; mmap lock held
 * @id: filled in; HWPMC_BUILD_ID_MAX bytes
 *
 * Reads nothing from the disk. Context: any but NMI.
 *
 * Return: the size of the build-id in bytes, or 0 if it is not known.
 */
u32 hwpmc_build_id_find(const struct vm_area_struct *vma, u8 *id)
{
	struct page *page = find_get_page(vma->vm_file->f_mapping, 0);
	void *at;
	u32 size;

	if (!page)
		return 0;
	size = 0;
	if (PageUptodate(page)) {
		at = kmap_local_page(page);
		size = hwpmc_build_id_parse(at, id);
		kunmap_local(at);
	}
	put_page(page);
	return size;
}
