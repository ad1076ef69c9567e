// SPDX-License-Identifier: GPL-2.0-only
/* Memory that ends at an unmapped page; see guarded.h. */
#include <sys/mman.h>

#include "guarded.h"
#include "test.h"

char *guarded, *guarded_end;
unsigned long guarded_page_size;

void guarded_map(void)
{
	guarded_page_size = sysconf(_SC_PAGESIZE);
	guarded = mmap(NULL, (GUARDED_PAGES + 2) * guarded_page_size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	guarded_end = guarded + GUARDED_PAGES * guarded_page_size;
	munmap(guarded_end, 2 * guarded_page_size);
}
