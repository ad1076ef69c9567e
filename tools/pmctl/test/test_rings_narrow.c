// SPDX-License-Identifier: GPL-2.0-only
/* A reader whose off_t has 32 bits: it maps the ring that is meant, or none. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define off_t int32_t
#include <hwpmc_ring.h>
#undef off_t

#include "check.h"
#include "fake_rings.h"

int main(void)
{
	struct hwpmc_ring made = { .size = sizeof(made) };
	struct hwpmc_ring_reader ring;

	check(!fake_rings_make(&made), "rings are made");
	check(!hwpmc_ring_map(&ring, fake_rings_memory(), &made, 1) && ring.header->cpu == 1,
	      "the second ring is mapped");
	hwpmc_ring_unmap(&ring);
	/* Without its upper half the place is that of the first ring. */
	made.stride = 1ULL << 32;
	check(hwpmc_ring_map(&ring, fake_rings_memory(), &made, 1) && errno == EOVERFLOW &&
	      !ring.shared, "a ring beyond 4 GiB is refused");
	return check_result();
}
