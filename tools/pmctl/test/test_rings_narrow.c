// SPDX-License-Identifier: GPL-2.0-only
/* A reader with a 32-bit off_t: it maps the right ring or none. */
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
	/* The truncated offset would be that of the first ring. */
	made.stride = 1ULL << 32;
	check(hwpmc_ring_map(&ring, fake_rings_memory(), &made, 1) && errno == EOVERFLOW &&
	      !ring.shared, "a ring beyond 4 GiB is refused");
	return check_result();
}
