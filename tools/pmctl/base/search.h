/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SEARCH_H
#define PMCTL_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the number of elements of @list whose @member is at most @key. @member is a uint64_t, and
 * @list is sorted by it.
 */
#define search_up_to(list, count, member, key)					\
	(search_members((list), (count), sizeof(*(list)),			\
			offsetof(__typeof__(*(list)), member), (key)))

static inline size_t search_members(const void *list, size_t count, size_t size, size_t offset,
				    uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *element = (const char *)list + middle * size;

		if (*(const uint64_t *)(const void *)(element + offset) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif /* PMCTL_SEARCH_H */
