// SPDX-License-Identifier: GPL-2.0-only
/* Names with terminal escapes: no command writes them to the terminal unchanged. */
#include <jansson.h>

#include "base/memory.h"
#include "check.h"
#include "report_log.h"

#define RUDE	"\x1b[31m\xff\xc2\x9b\xe2\x80\xae"
#define TAMED	"?[31m??????"
/* Characters that are special or invalid in XML. */
#define MARKUP	"<&amp;>\"']]>\x01\xed\xa0\x80\xef\xbf\xbf\xc3"

static void put_rude(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl" RUDE);
	log_write_event(log, 1, "cycles" RUDE);
	log_write_event(log, 2, "instructions");
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + LEAF, "leaf" RUDE);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh" RUDE, 1);
	put_stack(log, 1, 100, 600, 2, (uint64_t[]){ LEAF + 4, LEAF, 0 });
	put_stack(log, 2, 100, 600, 3, (uint64_t[]){ LEAF + 4, 0 });
}

static void put_markup(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl" MARKUP);
	log_write_event(log, 1, "cycles" MARKUP);
	log_write_ksym(log, (uint64_t)clock_now(), KERNEL + LEAF, "leaf" MARKUP " [mod" MARKUP "]");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "<&>\"'\x01\xff", 1);
	put_stack(log, 1, 100, 600, 2, (uint64_t[]){ LEAF + 4, LEAF, 0 });
}

static int loud(const char *text)
{
	return strchr(text, '\x1b') || strstr(text, "\xc2\x9b") || strstr(text, "\xe2\x80\xae");
}

static void quiet(const char *name)
{
	check(!loud(printed) && !loud(complained), name);
}

/* The names as an XML parser reads them. */
static int is_xml(const char *path)
{
	char *command_line = xasprintf("python3 -c 'import sys, xml.dom.minidom as dom; "
				       "print(dom.parse(sys.argv[1]).getElementsByTagName(\"title\")"
				       "[-1].firstChild.data)' %s >%s 2>&1", path, out_path);
	int status = system(command_line);

	free(command_line);
	free(printed);
	printed = contents(out_path);
	return !status;
}

static void picture(void)
{
	char *path = temporary();

	write_log(put_markup);
	report("-i", log_path, "--flamegraph", path, NULL);
	check(is_xml(path), "a flame graph is well-formed XML");
	check(says("leaf<&amp;>\"']]>"), "and has the letters of names that mean something in it");
	discard(path);
}

int main(void)
{
	report_begin();
	write_log(put_rude);
	report("-i", log_path, "-g", NULL);
	quiet("a report");
	check(says("# command: pmctl" TAMED "\n") && says("# event 'cycles" TAMED "': ") &&
	      says("[k] leaf" TAMED "\n"), "shows what there is");
	report("-i", log_path, "-x", ",", NULL);
	quiet("CSV");
	report("-i", log_path, "--folded", NULL);
	quiet("folded stacks, and a note");
	check(says("sh" TAMED ";leaf" TAMED "_[k]") && strstr(complained, "cycles" TAMED), "likewise");
	report("-i", log_path, "-j", NULL);
	quiet("JSON");
	command = script_command.run;
	report("-i", log_path, "-S", NULL);
	quiet("script");
	check(says("event=cycles" TAMED), "with all that is no order");
	report("-i", log_path, "-j", NULL);
	quiet("script -j");
	check(says("\"event\":\"cycles" TAMED "\""), "and with all else of a name");
	command = cmd_report;
	picture();
	report_end();
	return check_result();
}
