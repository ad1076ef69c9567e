// SPDX-License-Identifier: GPL-2.0-only
/* Lines of objdump, and the arrows of a function. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "report/arrows.h"
#include "symbol/disassembly.h"

static void line(const char *text, const char *wanted, uint64_t target, bool jumps,
		 const char *label)
{
	struct instruction found = { 0 };

	if (!disassembly_parse(text, &found)) {
		check(0, text);
		return;
	}
	check_text(found.text, wanted, wanted);
	check(found.target == target && found.jumps == jumps, "its target");
	check_text(found.label, label, "what the target is called");
	free(found.text);
	free(found.label);
}

static void lines(void)
{
	struct instruction found;

	line("    1141:\tje     1158 <f+0x28>\n", "je     1158", 0x1158, true, "f+0x28");
	line("    1141:\tbnd jmp 1158 <f+0x28>\n", "bnd jmp 1158", 0x1158, true, "f+0x28");
	line("    114f:\tjmp    *%rax\n", "jmp    *%rax", 0, false, "");
	line("    114f:\tjmp    *0x2e7e(%rip)        # 3fc8 <x>\n",
	     "jmp    *0x2e7e(%rip)        # 3fc8 <x>", 0, false, "");
	line("  40:\tcall   30 <std::less<int>::go(int)>\n", "call   30", 0x30, false,
	     "std::less<int>::go(int)");
	line("ffffffff81000010:\tjne    0xffffffff81000020\n", "jne    0xffffffff81000020",
	     0xffffffff81000020, true, "");
	line("    11a0:\tendbr64 \n", "endbr64", 0, false, "");
	line("  34:\tb.ne\t18 <f+0x18>  // b.any\n", "b.ne   18", 0x18, true, "f+0x18");
	line("  34:\ttbz\tw0, #3, 79c <f+0x20>\n", "tbz    w0, #3, 79c", 0x79c, true, "f+0x20");
	line("  34:\tcbz\tx0, 0x79c\n", "cbz    x0, 0x79c", 0x79c, true, "");
	line("  34:\tbl\t784 <leaf>\n", "bl     784", 0x784, false, "leaf");
	line("  34:\tblr\tx1\n", "blr    x1", 0, false, "");
	line("   c:\tmov\tw2, #0x0                   \t// #0\n",
	     "mov    w2, #0x0                    // #0", 0, false, "");
	line("  10:\tbfi\tw1, w0, #4, #8\n", "bfi    w1, w0, #4, #8", 0, false, "");
	check(!disassembly_parse("0000000000001160 <f>:\n", &found) &&
	      !disassembly_parse("Disassembly of section .text:\n", &found) &&
	      !disassembly_parse("\n", &found), "other lines are no instructions");
}

/* @targets: by instruction: the instruction to which it jumps; -1: none. */
static char *drawing(const int *targets, uint32_t count)
{
	struct disassembly code = { .count = count };
	struct arrows arrows;
	char *all = xstrdup("");

	code.list = xcalloc(count, sizeof(*code.list));
	for (uint32_t i = 0; i < count; i++) {
		code.list[i].address = 0x1000 + 4 * (uint64_t)i;
		code.list[i].jumps = targets[i] >= 0;
		code.list[i].target = 0x1000 + 4 * (uint64_t)targets[i];
	}
	arrows_make(&arrows, &code);
	for (uint32_t i = 0; i < count; i++) {
		char *row = arrows_draw(&arrows, &code, i), *longer;

		longer = xasprintf("%s%s\n", all, row);
		free(all);
		free(row);
		all = longer;
	}
	arrows_free(&arrows);
	free(code.list);
	return all;
}

static void draws(const int *targets, uint32_t count, const char *wanted, const char *name)
{
	char *found = drawing(targets, count);

	check_text(found, wanted, name);
	free(found);
}

static void arrows(void)
{
	int many[64];
	char *found;

	draws((int[]){ -1, -1, 0 }, 3, ",->\n|  \n`--\n", "a jump back");
	draws((int[]){ 2, -1, -1 }, 3, ",--\n|  \n`->\n", "a jump forward");
	draws((int[]){ -1, -1 }, 2, "\n\n", "no jump, no column");
	draws((int[]){ 0, -1 }, 2, "\n\n", "a jump to itself has no arrow");
	draws((int[]){ -1, 0, 0 }, 3, ",->\n+--\n`--\n", "two jumps to one target");
	draws((int[]){ -1, 3, -1, -1, 0 }, 5, ",--->\n| ,--\n| |  \n| `->\n`----\n", "one in another");
	draws((int[]){ 2, 3, -1, -1 }, 4, "  ,--\n,-+--\n| `->\n`--->\n", "two that cross");
	draws((int[]){ 1, -1, 1 }, 3, ",--\n+->\n`--\n", "from above and from below");
	/* Each jump is inside the one before it. */
	for (int i = 0; i < 32; i++) {
		many[i] = 63 - i;
		many[63 - i] = -1;
	}
	found = drawing(many, 64);
	check(strlen(found) == 64 * 22 && strchr(found, '>'), "not more than ten are side by side");
	free(found);
}

int main(void)
{
	lines();
	arrows();
	return check_result();
}
