// SPDX-License-Identifier: GPL-2.0-only
/* Functions of programs, as events that the module takes. */
#include <fcntl.h>
#include <linux/hwpmc.h>
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "event/event.h"
#include "fixture.h"
#include "run/uprobe.h"

static char why[512];

/* Resolves "uprobe:@FIXTURE:REST". Returns the event's name for the module, or NULL. */
static char *resolve(const char *program, const char *rest)
{
	const struct hardware none = { 0 };
	char *path = fixture(program), *result = NULL;
	struct spec spec = { .kind = SPEC_PROBE };
	struct event event;

	spec.text = xasprintf("uprobe:%s:%s", path, rest);
	why[0] = '\0';
	if (!event_resolve(&none, &spec, &event, why, sizeof(why))) {
		if (!uprobe_resolve(&event, why, sizeof(why)) && fcntl(event.file, F_GETFD) >= 0)
			result = xstrdup(event.codes[0].name);
		event_free(&event);
	}
	free(spec.text);
	free(path);
	return result;
}

static void finds(const char *program, const char *rest, unsigned long offset, const char *end,
		  const char *what)
{
	char *got = resolve(program, rest), *wanted = xasprintf("uprobe:%#lx%s", offset, end);

	check_text(got ? got : why, wanted, what);
	free(got);
	free(wanted);
}

static void refuses(const char *program, const char *rest, const char *message, const char *what)
{
	char *got = resolve(program, rest);

	check(!got && strstr(why, message), what);
	if (!got && !strstr(why, message))
		printf("# got: %s\n", why);
	free(got);
}

static void found(void)
{
	unsigned long leaf = fixture_place("pie", "leaf_function");

	finds("pie", "leaf_function", leaf, ":entry", "a function of a PIE");
	finds("pie", "leaf_function:entry", leaf, ":entry", "its entry");
	finds("pie", "leaf_function:return", leaf, ":return", "its return");
	finds("pie", "leaf_function+8", leaf + 8, "", "an instruction of it");
	finds("pie", "leaf_function+0x10:entry", leaf + 16, "", "in hexadecimal");
	finds("pie", "0x1230", 0x1230, "", "an offset in the file");
	finds("pie", "0x1230:entry", 0x1230, ":entry", "a function at an offset in the file");
	finds("pie", "4660:return", 4660, ":return", "in decimal");
	finds("fixed", "leaf_function", fixture_place("fixed", "leaf_function"), ":entry",
	      "a function of a program at a fixed address");
	finds("link", "leaf_function", fixture_place("link", "leaf_function"), ":entry",
	      "a function of a stripped program, by its debug file");
}

static void others(void)
{
	const struct hardware none = { 0 };
	struct spec spec = { .kind = SPEC_PROBE, .text = "kprobe:uprobe_mmap" };
	struct event event;
	char *shared = resolve("libsample.so", "shared_leaf_function");

	check(shared && !strncmp(shared, "uprobe:0x", 9), "a function of a library");
	free(shared);
	finds("cxx", "outer::plain:return", fixture_place("cxx", "plain"), ":return",
	      "a C++ function without its parameters");
	event_resolve(&none, &spec, &event, why, sizeof(why));
	check(!uprobe_resolve(&event, why, sizeof(why)) && event.file < 0 &&
	      event.codes[0].name == event.name, "other probes are left as they are");
	event_free(&event);
}

static void refused(void)
{
	refuses("nothing", "main", "cannot open", "a file that is not there");
	refuses("id", "main", "not a program or library", "a file that is no program");
	refuses("pie", "no_such_function", "has no function no_such_function",
		"a function that is not there");
	refuses("pie", "puts", "has no function puts", "one that is only called");
	refuses("pie", "leaf_function+4:return", "remove +4", "a return within a function");
	refuses("pie", "leaf_function+x", "'x' is not an offset", "an offset that is no number");
	refuses("pie", "", "write a function of a file as in", "no function");
	refuses("pie", ":return", "write a function of a file as in", "no function with an end");
}

int main(void)
{
	fixtures_begin();
	found();
	others();
	refused();
	return check_result();
}
