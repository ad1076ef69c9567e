// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_build_id: the build-id is read from the first page of an ELF file, whose content
 * is untrusted (kmod/task/build_id.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/elf.h>
#include <linux/prandom.h>

#include "../kmod/log/log.h"
#include "../kmod/task/process.h"
#include "fixture.h"

#define NOTE_AT		0x200
#define ID_SIZE		20

/* A file with one PT_NOTE segment, at NOTE_AT: two other notes, then the build-id. */
struct build_id_file {
	struct elf64_hdr file;
	struct elf64_phdr segments[2];
};

static void build_id_put_note(void *page, u64 at, u32 type, const char *name, u32 size)
{
	struct elf64_note *note = page + at;

	note->n_namesz = strlen(name) + 1;
	note->n_descsz = size;
	note->n_type = type;
	strcpy((char *)(note + 1), name);
	for (u32 i = 0; i < size; i++)
		((u8 *)(note + 1))[ALIGN(note->n_namesz, 4) + i] = i + 1;
}

static struct build_id_file *build_id_make(struct kunit *test)
{
	struct build_id_file *it = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, it);
	memcpy(it->file.e_ident, ELFMAG, SELFMAG);
	it->file.e_ident[EI_CLASS] = ELFCLASS64;
	it->file.e_ident[EI_DATA] = ELF_DATA;
	it->file.e_phoff = offsetof(struct build_id_file, segments);
	it->file.e_phentsize = sizeof(struct elf64_phdr);
	it->file.e_phnum = 2;
	it->segments[0].p_type = PT_LOAD;
	it->segments[1].p_type = PT_NOTE;
	it->segments[1].p_offset = NOTE_AT;
	it->segments[1].p_filesz = 0x100;
	build_id_put_note(it, NOTE_AT, 1, "GNU", 16);		/* NT_GNU_ABI_TAG */
	build_id_put_note(it, NOTE_AT + 32, 3, "other", ID_SIZE);	/* 12 + 8 + 20 bytes */
	build_id_put_note(it, NOTE_AT + 72, 3, "GNU", ID_SIZE);
	return it;
}

static void build_id_found(struct kunit *test)
{
	struct build_id_file *it = build_id_make(test);
	u8 id[HWPMC_BUILD_ID_MAX] = {};

	KUNIT_EXPECT_EQ(test, 20U, hwpmc_build_id_parse(it, id));
	KUNIT_EXPECT_EQ(test, 1, id[0]);
	KUNIT_EXPECT_EQ(test, 20, id[19]);
	KUNIT_EXPECT_EQ(test, 0, id[20]);
}

static void build_id_malformed_refused(struct kunit *test)
{
	struct build_id_file *it = build_id_make(test);
	struct elf64_note *note = (void *)it + NOTE_AT + 72;
	u8 id[HWPMC_BUILD_ID_MAX];

	note->n_descsz = HWPMC_BUILD_ID_MAX;
	KUNIT_EXPECT_EQ(test, 32U, hwpmc_build_id_parse(it, id));
	note->n_descsz = HWPMC_BUILD_ID_MAX + 1;
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
	note->n_descsz = ID_SIZE;

	it->segments[1].p_filesz = 72;
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
	it->segments[1].p_offset = U64_MAX - 8;
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
	it->segments[1].p_filesz = 4;
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
	it->segments[1].p_offset = NOTE_AT;
	it->segments[1].p_filesz = 0x100;

	it->file.e_phoff = PAGE_SIZE - sizeof(struct elf64_phdr) + 1;
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
	it->file.e_phoff = U64_MAX;
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
	it->file.e_phoff = offsetof(struct build_id_file, segments);

	it->file.e_ident[EI_CLASS] = ELFCLASS32;
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
	it->file.e_ident[EI_CLASS] = ELFCLASS64;
	KUNIT_EXPECT_EQ(test, 20U, hwpmc_build_id_parse(it, id));
	it->file.e_ident[0] = 'X';
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_build_id_parse(it, id));
}

/* Headers and notes with random bytes: KASAN reports any read beyond the page. */
static void build_id_random_in_bounds(struct kunit *test)
{
	struct build_id_file *corrupt = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct build_id_file *it = build_id_make(test);
	u8 id[HWPMC_BUILD_ID_MAX];
	struct rnd_state random;

	KUNIT_ASSERT_NOT_NULL(test, corrupt);
	prandom_seed_state(&random, 20070608);
	for (unsigned int n = 0; n < 20000; n++) {
		memcpy(corrupt, it, PAGE_SIZE);
		for (unsigned int i = 0; i <= n % 4; i++) {
			u32 dice = prandom_u32_state(&random);

			((u8 *)corrupt)[(dice >> 8) % (NOTE_AT + 0x100)] = i & 1 ? 0xff : dice;
		}
		KUNIT_ASSERT_LE(test, hwpmc_build_id_parse(corrupt, id), (u32)HWPMC_BUILD_ID_MAX);
	}
}

static struct kunit_case build_id_cases[] = {
	KUNIT_CASE(build_id_found),
	KUNIT_CASE(build_id_malformed_refused),
	KUNIT_CASE(build_id_random_in_bounds),
	{}
};

struct kunit_suite hwpmc_build_id_suite = {
	.name		= "hwpmc_build_id",
	.test_cases	= build_id_cases,
};
