// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"
#include "event/spec.h"

static struct spec_list list;
static char why[256];

static int parse(const char *text)
{
	spec_list_free(&list);
	return spec_parse(text, &list, why, sizeof(why));
}

static void names(void)
{
	check(!parse("cycles"), "one name");
	check(list.count == 1 && list.specs[0].kind == SPEC_NAME, "one name is one event");
	check_text(list.specs[0].text, "cycles", "its text");
	check(list.specs[0].modifiers == 0 && list.specs[0].group == 0,
	      "neither modifier nor group");
	check(!parse("cycles,instructions"), "two names");
	check(list.count == 2, "are two events");
	check(!spec_parse("branches", &list, why, sizeof(why)) && list.count == 3,
	      "a second -e adds to the first");
}

static void modifiers(void)
{
	check(!parse("cycles:u") && list.specs[0].modifiers == MODIFIER_USER, ":u");
	check_text(list.specs[0].text, "cycles", ":u is not in the name");
	check(!parse("cycles:k") && list.specs[0].modifiers == MODIFIER_KERNEL, ":k");
	check(!parse("a:uk") && list.specs[0].modifiers == (MODIFIER_USER | MODIFIER_KERNEL),
	      ":uk");
	check(!parse("L2_RQSTS:MISS:u") && list.specs[0].modifiers == MODIFIER_USER,
	      "a umask and a modifier");
	check_text(list.specs[0].text, "L2_RQSTS:MISS", "the umask stays in the name");
	check(!parse("pmu::EVENT") && !list.specs[0].modifiers, "a PMU name is no modifier");
	check_text(list.specs[0].text, "pmu::EVENT", "it stays in the name");
	check(!parse("L2_LINES_IN:S") && !list.specs[0].modifiers, "a letter of perf's may be a umask");
	check_text(list.specs[0].text, "L2_LINES_IN:S", "it stays in the name");
	check_text(spec_foreign("L2_LINES_IN:uS"), "uS", "where it is found");
	check(!spec_foreign("L2_RQSTS:MISS") && !spec_foreign("S") && !spec_foreign("pmu::S"),
	      "other names have none");
	check(parse("cycles:"), "a colon with nothing behind it is refused");
}

/* A probe's name is not taken apart: it may end as a modifier does, or have slashes. */
static void probes(void)
{
	check(!parse("syscall:read:entry,kprobe:f/g:k, tracepoint:a:b"), "three probes");
	check(list.count == 3 && list.specs[0].kind == SPEC_PROBE &&
	      list.specs[1].kind == SPEC_PROBE && list.specs[2].kind == SPEC_PROBE,
	      "are three probes");
	check_text(list.specs[0].text, "syscall:read:entry", "a system call");
	check_text(list.specs[1].text, "kprobe:f/g:k", "slashes and a letter are of the name");
	check(!list.specs[1].modifiers, "and no modifier");
	check(!parse("{kprobe:f,cycles}:u") && list.count == 2 && list.specs[0].group == 1 &&
	      list.specs[1].group == 1, "a group with a probe");
	check(!parse("kprobes") && list.specs[0].kind == SPEC_NAME, "another name is none");
}

static void raw(void)
{
	check(!parse("r1b") && list.specs[0].kind == SPEC_RAW && list.specs[0].raw == 0x1b, "r1b");
	check(!parse("rFF:u") && list.specs[0].raw == 0xff && list.specs[0].modifiers, "rFF:u");
	check(!parse("ref-cycles") && list.specs[0].kind == SPEC_NAME, "ref-cycles is a name");
	check(!parse("r") && list.specs[0].kind == SPEC_NAME, "r alone is a name");
	check(!parse("r0x11") && list.specs[0].kind == SPEC_NAME, "r0x11 is a name");
	check(!parse("r10000000000000000") && list.specs[0].kind == SPEC_NAME,
	      "65 bits are not a raw event");
}

static void terms(void)
{
	check(!parse("cpu/event=0x2e,umask=0x41/"), "terms");
	check(list.count == 1 && list.specs[0].kind == SPEC_TERMS, "their comma parts no events");
	check_text(list.specs[0].pmu, "cpu", "the PMU");
	check(list.specs[0].term_count == 2, "two terms");
	check_text(list.specs[0].terms[1].key, "umask", "a key");
	check_text(list.specs[0].terms[1].value, "0x41", "a value");
	check(!parse("cpu/cycles/u,b") && list.count == 2, "terms, then another event");
	check(list.specs[0].modifiers == MODIFIER_USER && !list.specs[0].terms[0].value,
	      "a modifier behind the slash; a term without value");
	check(!parse("cpu/cycles/:k") && list.specs[0].modifiers == MODIFIER_KERNEL,
	      "a colon behind the slash");
	check(parse("cpu/cycles") && strstr(why, "second '/'"), "one slash is refused");
	check(parse("cpu//"), "no terms are refused");
	check(parse("cpu/cycles/x"), "a wrong modifier behind the slash is refused");
}

static void groups(void)
{
	check(!parse("{a,b},c,{d,e}:u"), "groups");
	check(list.count == 5 && list.groups == 2, "five events in two groups");
	check(list.specs[0].group == 1 && list.specs[1].group == 1 && list.specs[2].group == 0 &&
	      list.specs[3].group == 2 && list.specs[4].group == 2, "who is in which");
	check(list.specs[0].modifiers == 0 && list.specs[3].modifiers == MODIFIER_USER &&
	      list.specs[4].modifiers == MODIFIER_USER, "a group's modifier is its members'");
	check(!parse("{cpu/event=1,umask=2/,b:k}") && list.count == 2, "terms inside a group");
	check(parse("{a,b") && strstr(why, "'}'"), "an open group is refused");
	check(parse("{a,{b}}"), "a group in a group is refused");
	check(parse("{}"), "an empty group is refused");
	check(parse("{a}b"), "no comma behind a group is refused");
	check(parse("a}"), "a brace too many is refused");
}

static void nothing(void)
{
	check(parse(""), "nothing is refused");
	check(parse("a,,b"), "an empty event is refused");
	check(parse("a,"), "a comma at the end is refused");
	check(parse(" "), "a blank is refused");
	check(!parse(" a , b ") && list.count == 2, "blanks around names");
	check_text(list.specs[0].text, "a", "are not part of them");
}

int main(void)
{
	names();
	modifiers();
	raw();
	probes();
	terms();
	groups();
	nothing();
	spec_list_free(&list);
	return check_result();
}
