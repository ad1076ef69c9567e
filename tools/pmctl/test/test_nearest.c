// SPDX-License-Identifier: GPL-2.0-only
#include "base/suggest.h"
#include "check.h"

static const char *answer(const char *wanted, const char *const *names)
{
	static char buf[256];
	struct nearest near;

	nearest_init(&near, wanted);
	for (; *names; names++)
		nearest_offer(&near, *names);
	nearest_format(&near, buf, sizeof(buf));
	nearest_free(&near);
	return buf;
}

int main(void)
{
	static const char *const names[] = {
		"branches", "bus-cycles", "cycles", "cycle", "ref-cycles", "CYCLES", NULL,
	};

	check(edit_distance("cycles", "cycles") == 0, "the same is at 0");
	check(edit_distance("cycles", "CYCLES") == 0, "case does not matter");
	check(edit_distance("", "abc") == 3, "three to insert");
	check(edit_distance("abc", "") == 3, "three to delete");
	check(edit_distance("kitten", "sitting") == 3, "kitten and sitting");
	check(edit_distance("cylces", "cycles") == 1, "a swap is one step");
	check_text(answer("cylces", names), "'cycles' or 'cycle'", "the nearest come first");
	check_text(answer("cycels", names), "'cycles' or 'cycle'", "each name once");
	check_text(answer("xyzzy", names), "", "nothing is near");
	check_text(answer("ycles", names), "'cycles' or 'cycle'", "ties in the order of the names");
	return check_result();
}
