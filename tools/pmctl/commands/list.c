// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/options.h"
#include "commands/command.h"
#include "commands/list_args.h"
#include "event/event.h"
#include "event/hardware.h"
#include "event/pfm.h"
#include "event/pmuv3.h"
#include "event/spec.h"

static const char help[] =
	"usage: pmctl list [-j] [GLOB]\n"
	"       pmctl list [-j] --args EVENT\n"
	"\n"
	"Tries each event and shows those that this machine can count. With GLOB only those\n"
	"whose name matches, such as 'L1*' or '*miss*'; upper and lower case are equal.\n"
	"Probes are listed by a GLOB that begins with syscall: or tracepoint:, such as\n"
	"'tracepoint:sched_*'. Any function of /proc/kallsyms is a kprobe:FUNCTION,\n"
	"and any of a program, such as those of nm(1), is a uprobe:FILE:FUNCTION.\n"
	"\n"
	"  -j, --json        as JSON\n"
	"      --args EVENT  show the arguments of a probe, such as syscall:openat:entry\n";

/* Prints one event; @source is the source of its name. */
struct entry {
	const char *source;
	const char *name;
	const char *other_name;
	const char *brief;
	bool verified;
};

/* The state of the listing. */
struct listing {
	int fd;
	struct hardware hardware;
	const char *glob;
	const char *args;	/* --args */
	json_t *json;		/* NULL: text */
	const char *source;	/* the source whose heading was printed last */
	bool doubts;		/* an event was shown that could not be verified */
	unsigned int shown;
	json_t *seen;		/* names that were listed before */
};

static int try_code(const struct listing *listing, const struct event_code *code, uint64_t caps)
{
	struct hwpmc_allocate allocate = {
		.size = sizeof(allocate),
		.flags = HWPMC_F_TRY,
		.class_id = code->class_id,
		.mode = HWPMC_MODE_TC,
		.cpu = -1,
		.caps = caps,
		.event = code->event,
		.config = { code->config[0], code->config[1] },
	};

	return device_call(listing->fd, HWPMC_IOC_ALLOCATE, &allocate) ? errno : 0;
}

/* An event for which no row is free now can still be counted. */
static bool countable(const struct listing *listing, const struct event *event)
{
	for (unsigned int i = 0; i < event->code_count; i++) {
		int error = try_code(listing, &event->codes[i], 0);

		if (error == EPERM)
			error = try_code(listing, &event->codes[i], HWPMC_CAP_USER);
		if (!error || error == EBUSY)
			return true;
	}
	return false;
}

/*
 * A PMUv3 CPU reports which of the common events it implements. Other events cannot be verified:
 * they are listed because libpfm4 lists them for this core.
 */
static bool verified(const struct event *event)
{
	const struct event_code *code = &event->codes[0];

	return code->class_id != HWPMC_CLASS_ARMV8 || code->event < 0x40 ||
	       (code->event >= 0x4000 && code->event < 0x4040);
}

static bool matches(const struct listing *listing, const char *name)
{
	return name && (!listing->glob || !fnmatch(listing->glob, name, FNM_CASEFOLD));
}

static void show_json(struct listing *listing, const struct entry *entry)
{
	json_t *object = json_object();

	json_object_set_new(object, "event", json_string(entry->name));
	if (entry->other_name)
		json_object_set_new(object, "alias", json_string(entry->other_name));
	json_object_set_new(object, "source", json_string(entry->source));
	json_object_set_new(object, "verified", json_boolean(entry->verified));
	json_object_set_new(object, "description", json_string(entry->brief));
	json_array_append_new(listing->json, object);
}

static void show_text(struct listing *listing, const struct entry *entry)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s%s%s", entry->name, entry->other_name ? " or " : "",
		 entry->other_name ? entry->other_name : "", entry->verified ? "" : " (?)");
	if (!listing->source || strcmp(listing->source, entry->source))
		printf("%s%s events:\n", listing->source ? "\n" : "", entry->source);
	listing->source = entry->source;
	listing->doubts |= !entry->verified;
	printf("  %-40s  %s\n", name, entry->brief);
}

/* Resolves and tries an event like stat, and lists it if it can be counted. */
static void offer(struct listing *listing, struct entry *entry)
{
	struct spec spec = { .kind = SPEC_NAME, .text = (char *)entry->name };
	struct event event;
	char why[512];

	if (!matches(listing, entry->name) && !matches(listing, entry->other_name))
		return;
	if (json_object_get(listing->seen, entry->name))
		return;
	json_object_set_new(listing->seen, entry->name, json_true());
	if (event_resolve(&listing->hardware, &spec, &event, why, sizeof(why)))
		return;
	if (countable(listing, &event)) {
		entry->verified = verified(&event);
		listing->shown++;
		if (listing->json)
			show_json(listing, entry);
		else
			show_text(listing, entry);
	}
	event_free(&event);
}

static void offer_pfm(const struct pfm_event *event, void *context)
{
	struct entry entry = { .source = event->pmu, .name = event->name, .brief = event->brief };

	offer(context, &entry);
}

static void offer_generic(struct listing *listing, const struct generic *generic)
{
	struct entry entry = {
		.source = "generic",
		.name = generic->name,
		.other_name = generic->other_name,
		.brief = generic->brief,
	};

	offer(listing, &entry);
}

static void offer_pmuv3(struct listing *listing, const struct pmuv3_event *event)
{
	struct entry entry = { .source = "PMUv3", .name = event->name, .brief = event->brief };

	offer(listing, &entry);
}

static void offer_all(struct listing *listing)
{
	for (unsigned int i = 0; i < generic_count; i++)
		offer_generic(listing, &generic_events[i]);
	pfm_visit(&listing->hardware, offer_pfm, listing);
	if (listing->hardware.core != HWPMC_CLASS_ARMV8)
		return;
	for (unsigned int i = 0; i < pmuv3_count; i++)
		offer_pmuv3(listing, &pmuv3_events[i]);
}

static void show_probe(struct listing *listing, const char *name)
{
	json_t *object;

	listing->shown++;
	if (!listing->json) {
		puts(name);
		return;
	}
	object = json_object();
	json_object_set_new(object, "event", json_string(name));
	json_object_set_new(object, "source", json_string("probe"));
	json_array_append_new(listing->json, object);
}

/* The module has the names: the first call returns their size. */
static int show_probes(struct listing *listing)
{
	struct hwpmc_events events = {
		.size = sizeof(events),
		.pattern = (uintptr_t)listing->glob,
		.pattern_length = (uint32_t)strlen(listing->glob),
	};
	char *names = NULL, why[HWPMC_SENTENCE_MAX];
	int result = device_call(listing->fd, HWPMC_IOC_EVENTS, &events);

	if (!result && events.names_size) {
		names = xcalloc(events.names_size, 1);
		events.names = (uintptr_t)names;
		result = device_call(listing->fd, HWPMC_IOC_EVENTS, &events);
	}
	if (result) {
		device_sentence(errno, why, sizeof(why));
		error("cannot list probes: %s", why);
	}
	for (const char *name = result ? NULL : names; name && events.count--;
	     name += strlen(name) + 1)
		show_probe(listing, name);
	free(names);
	return result ? EXIT_OWN : 0;
}

static void show_rest(const struct listing *listing)
{
	if (listing->json) {
		json_dumpf(listing->json, stdout, JSON_INDENT(2));
		putchar('\n');
		return;
	}
	if (listing->doubts)
		puts("\n(?) The CPU does not report whether it has this event; if it has not, the count is 0.");
	if (listing->hardware.core && !listing->glob)
		puts("\nAny other event by its number: rHEX, or cpu/event=NUMBER/");
}

static int show_all(struct listing *listing)
{
	bool probes = listing->glob && spec_is_probe(listing->glob);
	int result = 0;

	if (hardware_read(listing->fd, &listing->hardware))
		return EXIT_OWN;
	listing->seen = json_object();
	if (probes)
		result = show_probes(listing);
	else
		offer_all(listing);
	show_rest(listing);
	json_decref(listing->seen);
	fflush(stdout);
	/* Prints why counters are not available, or why the list is empty. */
	if (!probes && listing->hardware.cpu.problem[0])
		note("%s", listing->hardware.cpu.problem);
	else if (!result && !listing->shown && listing->glob)
		note("no event that this machine can count matches '%s'; 'pmctl list' shows all",
		     listing->glob);
	hardware_free(&listing->hardware);
	if (result)
		return result;
	return listing->shown ? 0 : 1;
}

enum { OPT_ARGS = 256 };

static const struct option long_options[] = {
	{ "args", required_argument, NULL, OPT_ARGS },
	{ "json", no_argument, NULL, 'j' },
	{ NULL, 0, NULL, 0 },
};

static const struct options_grammar grammar = {
	.command = "list",
	.letters = "j",
	.own = long_options,
};

static int parse(int argc, char **argv, struct listing *listing)
{
	int letter;

	opterr = 0;
	optind = 1;
	while ((letter = getopt_long(argc, argv, grammar.letters, long_options, NULL)) != -1) {
		if (letter == OPT_ARGS)
			listing->args = optarg;
		else if (letter != 'j')
			return -1;
		else if (!listing->json)
			listing->json = json_array();
	}
	if (optind < argc)
		listing->glob = argv[optind++];
	return optind == argc && !(listing->glob && listing->args) ? 0 : -1;
}

static int cmd_list(int argc, char **argv)
{
	struct listing listing = { .fd = -1 };
	int result = EXIT_OWN;

	if (parse(argc, argv, &listing)) {
		error("list takes -j, and one GLOB or --args EVENT; 'pmctl list --help' explains them");
	} else if (listing.args) {
		result = list_args(listing.args, listing.json);
	} else {
		listing.fd = device_open();
		if (listing.fd >= 0) {
			result = show_all(&listing);
			close(listing.fd);
		}
	}
	json_decref(listing.json);
	return result;
}

const struct command list_command = {
	.name = "list",
	.run = cmd_list,
	.brief = "show the events that this machine can count",
	.help = help,
	.grammar = &grammar,
};
