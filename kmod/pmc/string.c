// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies the string that an argument of a probe's event points to, up to the first page that is not
 * present. Called by sample.c with interrupts off and overflows deferred, maybe in an NMI, so
 * copies on a CPU do not nest. It never faults.
 */
#include <linux/align.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/hwpmc.h>

#include <hwpmc_arch_inline.h>

#include "context.h"
#include "fire.h"
#include "link.h"
#include "pmc.h"
#include "string.h"

/* Bytes that are copied at once: most strings are shorter. */
#define HWPMC_STRING_STEP	64U

static DEFINE_PER_CPU_ALIGNED(char [HWPMC_PROBE_STRING_MAX], hwpmc_strings);

/* Returns the address of the string, or 0. */
static unsigned long hwpmc_string_address(const struct hwpmc_pmc *pmc,
					  const struct hwpmc_fired *fired)
{
	u64 args[HWPMC_PROBE_ARGS_MAX];

	if (pmc->string == HWPMC_PROBE_STRING_RETVAL)
		return fired->flags & HWPMC_PROBE_RETURN ? fired->retval : 0;
	if (!fired->get_args)
		return 0;
	fired->get_args(fired, args, pmc->string);
	return args[pmc->string - 1];
}

/* Whether the owner may see the user memory of this task. */
static bool hwpmc_string_sees_user(const struct hwpmc_link *link)
{
	return current->mm && !(current->flags & PF_KTHREAD) &&
	       !hwpmc_context_hides_user(link->thread);
}

static bool hwpmc_string_read(char *to, unsigned long from, u32 size, bool is_user)
{
	if (is_user)
		return hwpmc_arch_copy_user(to, from, size);
	return !copy_from_kernel_nofault(to, (const void *)from, size);
}

/*
 * Copy a string up to its NUL, to the end of what can be read, or to the end of @to. Returns the
 * bytes without NUL; sets *@whole if the NUL was found.
 *
 * Bytes behind the NUL are read, too, but not recorded. They may be of another object: if memory
 * has tags, such a read fails, and the string is read again by granules, which have one tag each.
 * KASAN without hardware tags does not check these functions.
 */
static u32 hwpmc_string_fill(char *to, unsigned long from, bool is_user, bool *whole)
{
	u32 done = 0, unit = PAGE_SIZE;

	while (done < HWPMC_PROBE_STRING_MAX) {
		u32 step = min3(HWPMC_PROBE_STRING_MAX - done, HWPMC_STRING_STEP,
				(u32)(unit - ((from + done) & (unit - 1))));
		const char *end;

		if (!hwpmc_string_read(to + done, from + done, step, is_user)) {
			if (unit == HWPMC_ARCH_GRANULE)
				break;
			unit = HWPMC_ARCH_GRANULE;
			continue;
		}
		end = memchr(to + done, 0, step);
		if (end) {
			*whole = true;
			return end - to;
		}
		done += step;
	}
	return done;
}

/**
 * hwpmc_string_copy - copy the string of an event
 * @link: whose PMC has a string argument
 * @fired: the event
 *
 * If the event's addresses are of user mode, an address of the kernel is not read: a program may
 * pass any address.
 * Context: as hwpmc_sample_probe(). Return: the copy.
 */
struct hwpmc_string hwpmc_string_copy(const struct hwpmc_link *link,
				      const struct hwpmc_fired *fired)
{
	unsigned long from = hwpmc_string_address(link->pmc, fired);
	struct hwpmc_string string = {};
	char *to = *this_cpu_ptr(&hwpmc_strings);
	bool is_user, whole = false;
	u32 length;

	/* Programs may pass addresses with tags. */
	is_user = untagged_addr(from) < TASK_SIZE_MAX;
	if (!from || (is_user ? !hwpmc_string_sees_user(link) : fired->of_user))
		return string;
	length = hwpmc_string_fill(to, from, is_user, &whole);
	if (!length && !whole)
		return string;
	string.cut = !whole;
	length = min(length, HWPMC_PROBE_STRING_MAX - 1);
	string.text = to;
	string.size = ALIGN(length + 1, 8);
	memset(to + length, 0, string.size - length);
	return string;
}
