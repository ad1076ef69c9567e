// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_rings.h"

#define DATA	(64UL * 1024)	/* the default size */

static int memory = -1;
static unsigned char *all;
static size_t page, size, stride;

int fake_rings_memory(void)
{
	return memory;
}

static struct hwpmc_ring_header *header_of(unsigned int ring)
{
	return (void *)(all + ring * stride + page);
}

int fake_rings_make(struct hwpmc_ring *request)
{
	if (memory >= 0) {
		errno = EBUSY;
		return -1;
	}
	page = (size_t)sysconf(_SC_PAGESIZE);
	size = request->data_size ? request->data_size : DATA;
	stride = 4 * size;
	memory = memfd_create("rings", MFD_CLOEXEC);
	if (memory < 0 || ftruncate(memory, (off_t)(FAKE_RINGS * stride)))
		return -1;
	all = mmap(NULL, FAKE_RINGS * stride, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (all == MAP_FAILED)
		return -1;
	for (unsigned int i = 0; i < FAKE_RINGS; i++) {
		struct hwpmc_ring_header *header = header_of(i);

		header->data_size = size;
		header->version = HWPMC_LOG_VERSION;
		header->cpu = i;
	}
	request->data_size = size;
	request->watermark = size / 2;
	request->rings = FAKE_RINGS;
	request->header_offset = (__u32)page;
	request->data_offset = (__u32)(2 * page);
	request->stride = stride;
	return 0;
}

static void pad(unsigned char *data, size_t place, size_t length)
{
	struct hwpmc_log_header *header = (void *)(data + place);

	header->type = HWPMC_LOG_PAD;
	header->flags = 0;
	header->length = (__u32)length;
}

int fake_rings_put(unsigned int ring, const struct hwpmc_log_header *record)
{
	struct hwpmc_ring_header *header = header_of(ring);
	struct hwpmc_ring_tail *shared = (void *)(all + ring * stride);
	unsigned char *data = all + ring * stride + 2 * page;
	/* (A): the records below this tail have been read. */
	uint64_t tail = __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE);
	uint64_t head = header->head;
	size_t left = size - (head & (size - 1));
	size_t skip = record->length > left ? left : 0;

	if (head + skip + record->length - tail > size) {
		header->lost++;
		return -1;
	}
	if (skip)
		pad(data, head & (size - 1), skip);
	head += skip;
	memcpy(data + (head & (size - 1)), record, record->length);
	header->records++;
	/* (B): the record was stored before this head is seen. */
	__atomic_store_n(&header->head, head + record->length, __ATOMIC_RELEASE);
	return 0;
}
