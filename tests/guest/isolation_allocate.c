// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first and the last PMC of the module cost little more than others: the module's hooks in the
 * kernel stay registered for a while (parameter probes_linger). So a user who allocates and
 * releases a lone PMC in a loop does not make the kernel patch its text, or others wait for grace
 * periods.
 */
#include "exact.h"
#include "param.h"

#define TURNS	20

/*
 * Returns the microseconds of an ALLOCATE and a RELEASE, of the fastest turn: a wait for the kernel
 * would be in every turn, while other delays depend on the load of the machine.
 */
static double turn(int fd, uint32_t class_id, uint64_t event)
{
	double fastest = 1e9;

	for (int i = 0; i < TURNS; i++) {
		double begun = seconds();
		int64_t id = dev_allocate(fd, class_id, HWPMC_MODE_TC, -1, event, HWPMC_CAP_USER, 0);

		if (id < 0)
			id = dev_allocate(fd, class_id, HWPMC_MODE_TC, -1, event, 0, 0);
		if (id < 0 || dev_release(fd, id))
			die("ALLOCATE or RELEASE: %s", dev_sentence(fd));
		if ((seconds() - begun) * 1e6 < fastest)
			fastest = (seconds() - begun) * 1e6;
	}
	return fastest;
}

static void lone(int fd, int keeper_fd, uint32_t class_id, uint64_t event, const char *what)
{
	double alone, beside;
	uint32_t keeper;

	turn(fd, class_id, event);
	alone = turn(fd, class_id, event);
	keeper = dev_instructions(keeper_fd, 0);
	beside = turn(fd, class_id, event);
	dev_release(keeper_fd, keeper);
	check(alone < 10 * beside + 500, "ALLOCATE and RELEASE of a lone PMC of %s take %.0f us, of another %.0f",
	      what, alone, beside);
}

int main(void)
{
	int fd, keeper_fd;

	time_limit(60);
	fd = dev_open();
	keeper_fd = dev_open();
	lone(fd, keeper_fd, HWPMC_CLASS_SOFT, HWPMC_SOFT_SWITCHES, "class SOFT");
	lone(fd, keeper_fd, dev_class(), EV_INSTRUCTIONS, "the PMU");
	return result();
}
