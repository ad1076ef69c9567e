// SPDX-License-Identifier: GPL-2.0-only
/* The shortest path through all layers: one PMC counts the caller's instructions. */
#include "test.h"

int main(void)
{
	int fd = dev_open();
	uint32_t id = dev_instructions(fd, 0);
	uint64_t value;

	if (!check(!dev_start(fd, id), "START attaches the caller"))
		die("start: %s", dev_sentence(fd));
	spin(2);
	value = dev_value(fd, id);
	check(exact(value, 2 * SPIN_UNIT), "READ after 20 M instructions in user mode returns %llu",
	      (unsigned long long)value);
	check(!dev_stop(fd, id), "stop");
	value = dev_value(fd, id);
	spin(1);
	check(dev_value(fd, id) == value, "nothing is counted after STOP");
	check(!dev_release(fd, id), "release");
	return result();
}
