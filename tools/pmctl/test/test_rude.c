// SPDX-License-Identifier: GPL-2.0-only
/* Names that speak to the terminal: whatever shows them, they are only seen. */
#include <jansson.h>

#include "check.h"
#include "report_log.h"

#define RUDE	"\x1b[31m\xff\xc2\x9b\xe2\x80\xae"
#define TAMED	"?[31m??????"

static void put_rude(struct log_writer *log)
{
	log_put_initialize(log, 4, 0);
	log_put_system(log, "pmctl" RUDE);
	log_put_event(log, 1, "cycles" RUDE);
	log_put_event(log, 2, "instructions");
	log_put_ksym(log, (uint64_t)clock_now(), KERNEL + LEAF, "leaf" RUDE);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh" RUDE, 1);
	put_stack(log, 1, 100, 600, 2, (uint64_t[]){ LEAF + 4, LEAF, 0 });
	put_stack(log, 2, 100, 600, 3, (uint64_t[]){ LEAF + 4, 0 });
}

static int loud(const char *text)
{
	return strchr(text, '\x1b') || strstr(text, "\xc2\x9b") || strstr(text, "\xe2\x80\xae");
}

static void quiet(const char *name)
{
	check(!loud(printed) && !loud(complained), name);
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
	command = cmd_script;
	report("-i", log_path, "-S", NULL);
	quiet("script");
	check(says("event=cycles" TAMED), "with all that is no order");
	report("-i", log_path, "-j", NULL);
	quiet("script -j");
	check(says("\"event\":\"cycles" TAMED "\""), "and with all else of a name");
	report_end();
	return check_result();
}
