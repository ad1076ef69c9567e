// SPDX-License-Identifier: GPL-2.0-only
#include "base/suggest.h"
#include "check.h"

static const char *answer(const char *wanted, const char *const *names)
{
	static char buf[256];
	struct suggest suggest;

	suggest_init(&suggest, wanted);
	for (; *names; names++)
		suggest_offer(&suggest, *names);
	suggest_format(&suggest, buf, sizeof(buf));
	suggest_free(&suggest);
	return buf;
}

int main(void)
{
	static const char *const names[] = {
		"branches", "bus-cycles", "cycles", "cycle", "ref-cycles", "CYCLES", NULL,
	};

	check(suggest_distance("cycles", "cycles") == 0, "the same is at 0");
	check(suggest_distance("cycles", "CYCLES") == 0, "case does not matter");
	check(suggest_distance("", "abc") == 3, "three to insert");
	check(suggest_distance("abc", "") == 3, "three to delete");
	check(suggest_distance("kitten", "sitting") == 3, "kitten and sitting");
	check(suggest_distance("cylces", "cycles") == 1, "a swap is one step");
	check_text(answer("cylces", names), "'cycles' or 'cycle'", "the nearest come first");
	check_text(answer("cycels", names), "'cycles' or 'cycle'", "each name once");
	check_text(answer("xyzzy", names), "", "nothing is near");
	check_text(answer("ycles", names), "'cycles' or 'cycle'", "ties in the order of the names");
	return check_result();
}
