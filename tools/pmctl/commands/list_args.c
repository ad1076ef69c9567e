// SPDX-License-Identifier: GPL-2.0-only
/* list --args: the names and types with which pmctl probe shows and groups arguments. */
#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/exit.h"
#include "base/utf8.h"
#include "commands/list_args.h"
#include "event/prototype_find.h"
#include "event/spec.h"

static void show_text(const char *event, const struct prototype *prototype)
{
	utf8_put(stdout, event);
	fputs(":\n", stdout);
	for (unsigned int i = 0; i < prototype->count; i++) {
		char number[16];
		int width;

		snprintf(number, sizeof(number), "arg%u", i + 1);
		printf("  %-6s ", number);
		width = utf8_put(stdout, prototype->arguments[i].name);
		printf("%*s ", width < 16 ? 16 - width : 0, "");
		utf8_put(stdout, prototype->arguments[i].type ? prototype->arguments[i].type : "?");
		putchar('\n');
	}
	if (prototype->returns) {
		printf("  retval %-16s ", "");
		utf8_put(stdout, prototype->result.type ? prototype->result.type : "?");
		putchar('\n');
	}
	if (prototype->known && !prototype->count && !prototype->returns)
		puts("  none");
}

static json_t *type_json(const struct argument *argument)
{
	return argument->type ? escape_json(argument->type) : json_null();
}

static void show_json(const char *event, const struct prototype *prototype)
{
	json_t *object = json_object(), *list = json_array();

	for (unsigned int i = 0; i < prototype->count; i++) {
		json_t *argument = json_object();

		json_object_set_new(argument, "name",
				    escape_json(prototype->arguments[i].name));
		json_object_set_new(argument, "type", type_json(&prototype->arguments[i]));
		json_array_append_new(list, argument);
	}
	json_object_set_new(object, "event", escape_json(event));
	json_object_set_new(object, "known", json_boolean(prototype->known));
	json_object_set_new(object, "args", list);
	if (prototype->returns)
		json_object_set_new(object, "retval", type_json(&prototype->result));
	json_dumpf(object, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(object);
}

int list_args(const char *event, bool json)
{
	struct prototype prototype;
	struct btf *btf;

	if (!spec_is_probe(event)) {
		error("--args needs one probe, such as syscall:openat:entry, not '%s'", event);
		return EXIT_OWN;
	}
	btf = btf_open();
	prototype_find(btf, event, &prototype);
	if (json)
		show_json(event, &prototype);
	else
		show_text(event, &prototype);
	fflush(stdout);
	if (!prototype.known && prototype.count)
		note("the number and types of the arguments of '%s' are unknown",
		     event);
	prototype_free(&prototype);
	btf_close(btf);
	return 0;
}
