// SPDX-License-Identifier: GPL-2.0-only
#include <pwd.h>
#include <stdlib.h>
#include <linux/hwpmc.h>
#include <linux/hwpmc_netlink.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "event/name.h"
#include "watch/family.h"
#include "watch/pmc.h"

/* If the list changes during each of so many dumps, it is shown with gaps. */
#define TRIES	8

struct reading {
	struct pmc_list *list;
	const struct hardware *hardware;
};

static char *user_name(uint32_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? utf8_clean(user->pw_name) : xasprintf("%u", uid);
}

static void read_owner(struct pmc *pmc, struct nlattr **attrs)
{
	pmc->owner = family_u64(attrs, HWPMC_NL_PMC_OWNER);
	pmc->id = family_u32(attrs, HWPMC_NL_PMC_ID);
	pmc->pid = family_u32(attrs, HWPMC_NL_PMC_PID);
	pmc->exited = family_u32(attrs, HWPMC_NL_PMC_EXITED);
	pmc->uid = family_u32(attrs, HWPMC_NL_PMC_UID);
	pmc->comm = utf8_clean(family_text(attrs, HWPMC_NL_PMC_COMM));
	pmc->user = user_name(pmc->uid);
}

static void read_targets(struct pmc *pmc, struct nlattr **attrs)
{
	pmc->targets = family_u32(attrs, HWPMC_NL_PMC_TARGETS);
	pmc->target = family_u32(attrs, HWPMC_NL_PMC_TARGET);
	pmc->target_comm = utf8_clean(family_text(attrs, HWPMC_NL_PMC_TARGET_COMM));
	pmc->threads = family_u32(attrs, HWPMC_NL_PMC_THREADS);
}

/*
 * A look-up by number compares thousands of names. PMCs of one event often follow each other, one
 * for each CPU.
 */
static char *event_name(const struct hardware *hardware, const struct pmc *pmc,
			const struct pmc *before)
{
	if (!pmc->class_id)
		return xstrdup("");
	if (before && before->class_id == pmc->class_id && before->event == pmc->event &&
	    before->caps == pmc->caps)
		return xstrdup(before->event_name);
	return name_event(hardware, pmc->class_id, pmc->event, pmc->caps);
}

void pmc_read(struct pmc *pmc, struct nlattr **attrs, const struct hardware *hardware,
	      const struct pmc *before)
{
	*pmc = (struct pmc){
		.serial = family_u64(attrs, HWPMC_NL_PMC_SERIAL),
		.class_id = family_u32(attrs, HWPMC_NL_PMC_CLASS),
		.event = family_u64(attrs, HWPMC_NL_PMC_EVENT),
		.caps = family_u64(attrs, HWPMC_NL_PMC_CAPS),
		.row = family_u32(attrs, HWPMC_NL_PMC_ROW),
		.mode = family_u32(attrs, HWPMC_NL_PMC_MODE),
		.cpu = (int32_t)family_u32(attrs, HWPMC_NL_PMC_CPU),
		.flags = family_u32(attrs, HWPMC_NL_PMC_FLAGS),
		.state = family_u32(attrs, HWPMC_NL_PMC_STATE),
		.age = family_u64(attrs, HWPMC_NL_PMC_AGE),
		.recorded = family_u64(attrs, HWPMC_NL_PMC_RECORDED),
		.lost = family_u64(attrs, HWPMC_NL_PMC_LOST),
	};
	read_owner(pmc, attrs);
	read_targets(pmc, attrs);
	pmc->event_name = event_name(hardware, pmc, before);
}

static void take(unsigned int command, struct nlattr **attrs, void *context)
{
	const struct reading *reading = context;
	struct pmc_list *list = reading->list;
	struct pmc *pmc;

	if (command != HWPMC_NL_CMD_PMCS)
		return;
	if (attrs[HWPMC_NL_PMC_HIDDEN]) {
		list->hidden = family_u32(attrs, HWPMC_NL_PMC_HIDDEN);
		return;
	}
	if (!(list->count & (list->count - 1)))
		list->pmcs = xrealloc(list->pmcs, list->count ? 2 * list->count : 1,
				      sizeof(*list->pmcs));
	pmc = &list->pmcs[list->count++];
	pmc_read(pmc, attrs, reading->hardware, list->count > 1 ? pmc - 1 : NULL);
}

static int compare_serial(const void *key, const void *member)
{
	uint64_t serial = *(const uint64_t *)key;
	const struct pmc *pmc = member;

	return serial < pmc->serial ? -1 : serial > pmc->serial;
}

/*
 * Leaves out a target of a PMC that is not in the list: it was allocated after the list was read.
 */
static void take_target(unsigned int command, struct nlattr **attrs, void *context)
{
	struct pmc_list *list = context;
	uint64_t serial = family_u64(attrs, HWPMC_NL_PMC_SERIAL);
	struct pmc *pmc;

	if (command != HWPMC_NL_CMD_TARGETS || !list->count)
		return;
	pmc = bsearch(&serial, list->pmcs, list->count, sizeof(*list->pmcs), compare_serial);
	if (!pmc)
		return;
	if (!(pmc->all_count & (pmc->all_count - 1)))
		pmc->all = xrealloc(pmc->all, pmc->all_count ? 2 * pmc->all_count : 1,
				    sizeof(*pmc->all));
	pmc->all[pmc->all_count++] = (struct pmc_target){
		.pid = family_u32(attrs, HWPMC_NL_PMC_TARGET),
		.comm = utf8_clean(family_text(attrs, HWPMC_NL_PMC_TARGET_COMM)),
		.handle = family_u64(attrs, HWPMC_NL_PMC_HANDLE),
		.single = family_u32(attrs, HWPMC_NL_PMC_SINGLE),
	};
}

int pmc_list_read(struct pmc_list *list, struct family *family, const struct hardware *hardware,
		  bool targets)
{
	struct reading reading = { .list = list, .hardware = hardware };
	int result = 1;

	*list = (struct pmc_list){ 0 };
	for (unsigned int i = 0; result == 1 && i < TRIES; i++) {
		pmc_list_free(list);
		result = family_dump(family, HWPMC_NL_CMD_PMCS, take, &reading);
		if (!result && targets)
			result = family_dump(family, HWPMC_NL_CMD_TARGETS, take_target, list);
	}
	return result;
}

void pmc_free(struct pmc *pmc)
{
	free(pmc->comm);
	free(pmc->user);
	free(pmc->event_name);
	free(pmc->target_comm);
	for (size_t i = 0; i < pmc->all_count; i++)
		free(pmc->all[i].comm);
	free(pmc->all);
}

void pmc_list_free(struct pmc_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		pmc_free(&list->pmcs[i]);
	free(list->pmcs);
	*list = (struct pmc_list){ 0 };
}

bool pmc_is_sampling(const struct pmc *pmc)
{
	return pmc->mode == HWPMC_MODE_SS || pmc->mode == HWPMC_MODE_TS;
}

bool pmc_is_system(const struct pmc *pmc)
{
	return pmc->mode == HWPMC_MODE_SS || pmc->mode == HWPMC_MODE_SC;
}

const char *pmc_state(const struct pmc *pmc)
{
	switch (pmc->state) {
	case HWPMC_NL_STATE_ALLOCATED:
		return "new";
	case HWPMC_NL_STATE_RUNNING:
		return "running";
	case HWPMC_NL_STATE_STOPPED:
		return "stopped";
	case HWPMC_NL_STATE_EVICTED:
		return "evicted";
	default:
		return "?";
	}
}

const char *pmc_mode(const struct pmc *pmc)
{
	static const char *const names[] = { "?", "SS", "SC", "TS", "TC" };

	return pmc->mode < sizeof(names) / sizeof(names[0]) ? names[pmc->mode] : "?";
}
