// SPDX-License-Identifier: GPL-2.0-only
/* PMUv3: the identification of a CPU's PMU. Pure: see pmuv3_id.h. */
#include <linux/minmax.h>

#include "pmuv3_id.h"

bool pmuv3_id_usable(const struct pmuv3_id *id)
{
	return id->version != PMUV3_VER_NONE && id->version != PMUV3_VER_IMPDEF;
}

unsigned int pmuv3_id_width(const struct pmuv3_id *id)
{
	return id->version >= PMUV3_VER_V8_5 ? 64 : 32;
}

/* The same kind of core, of any revision */
static bool pmuv3_id_same_core(const struct pmuv3_id *a, const struct pmuv3_id *b)
{
	return !((a->midr ^ b->midr) & PMUV3_MIDR_MODEL);
}

void pmuv3_id_intersect(struct pmuv3_id *all, const struct pmuv3_id *one)
{
	if (!all->midr) {
		*all = *one;
		return;
	}
	if (pmuv3_id_usable(all))
		all->version = pmuv3_id_usable(one) ? min(all->version, one->version) :
						      PMUV3_VER_NONE;
	all->smt |= one->smt;
	all->mixed |= !pmuv3_id_same_core(all, one);
	all->events = min(all->events, one->events);
	all->ceid[0] &= one->ceid[0];
	all->ceid[1] &= one->ceid[1];
}

bool pmuv3_id_fits(const struct pmuv3_id *all, const struct pmuv3_id *one)
{
	if (!pmuv3_id_usable(all))
		return true;
	return pmuv3_id_usable(one) && one->version >= all->version &&
	       one->events >= all->events && (all->smt || !one->smt) &&
	       (all->mixed || pmuv3_id_same_core(all, one)) &&
	       !(all->ceid[0] & ~one->ceid[0]) && !(all->ceid[1] & ~one->ceid[1]);
}
