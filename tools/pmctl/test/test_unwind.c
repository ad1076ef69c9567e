// SPDX-License-Identifier: GPL-2.0-only
/* Unwinds a stack of this process, with its real registers, stack and maps; by script, too. */
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "report_log.h"
#include "symbol/unwind.h"

#define STACK	4096

static struct log_build build;
static const struct hwpmc_log_sample *taken;
static volatile int depth;

#if defined(__x86_64__)
static unsigned int registers(const ucontext_t *context, uint64_t *regs, uint64_t *sp)
{
	static const int order[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	for (int i = 0; i < 17; i++)
		regs[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	*sp = regs[7];
	return 17;
}
#elif defined(__aarch64__)
static unsigned int registers(const ucontext_t *context, uint64_t *regs, uint64_t *sp)
{
	memcpy(regs, context->uc_mcontext.regs, 31 * sizeof(*regs));
	*sp = context->uc_mcontext.sp;
	regs[31] = *sp;
	regs[32] = context->uc_mcontext.pc;
	return 33;
}
#else
#error "a machine without hwpmc"
#endif

/* Copies frames of other functions, which a sanitizer would report. */
__attribute__((no_sanitize("address"))) static void copy_stack(uint64_t sp, uint64_t *copy)
{
	const volatile uint64_t *from = (const volatile uint64_t *)sp;

	for (size_t i = 0; i < STACK / sizeof(*copy); i++)
		copy[i] = from[i];
}

/* Makes a sample of the interrupted code, like those that the kernel takes. */
static void take(int number, siginfo_t *info, void *context)
{
	struct hwpmc_log_sample *sample;
	static uint64_t copy[STACK / sizeof(uint64_t)];
	uint64_t regs[33], sp;
	unsigned int count = registers(context, regs, &sp);

	(void)number;
	(void)info;
	copy_stack(sp, copy);
	sample = log_build(&build, HWPMC_LOG_SAMPLE, sizeof(*sample), 1);
	sample->h.flags = HWPMC_SAMPLE_USER;
	sample->pid = getpid();
	sample->tid = sample->pid;
	sample->period = 1;
	sample->pc = regs[count - 1];
	sample->regs = (__u16)count;
	sample->regs_offset = (__u16)log_build_bytes(&build, regs, count * sizeof(*regs));
	sample->stack_size = STACK;
	sample->stack_offset = (__u16)log_build_bytes(&build, copy, STACK);
	taken = sample;
}

/* Not static, so that they have symbols; without tail calls, so that they have frames. */
void unwind_inner(void);
void unwind_middle(void);
void unwind_outer(void);

__attribute__((noinline)) void unwind_inner(void)
{
	raise(SIGUSR1);
	depth++;
}

__attribute__((noinline)) void unwind_middle(void)
{
	char room[200];

	memset(room, depth, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	unwind_inner();
	depth++;
}

__attribute__((noinline)) void unwind_outer(void)
{
	unwind_middle();
	depth++;
}

/* The record of an executable map, or NULL. */
static const struct hwpmc_log_map *build_map(const char *line)
{
	unsigned long start, end, offset, inode;
	struct hwpmc_log_map *map;
	char prot[8], path[256] = "//anon";

	if (sscanf(line, "%lx-%lx %7s %lx %*s %lu %255s", &start, &end, prot, &offset, &inode,
		   path) < 5 || prot[2] != 'x')
		return NULL;
	map = log_build(&sample_build, HWPMC_LOG_MAP_IN, sizeof(*map), 1);
	map->pid = getpid();
	map->prot = PROT_READ | PROT_EXEC;
	map->start = start;
	map->size = end - start;
	map->file_offset = offset;
	map->inode = inode;
	map->path_offset = log_build_text(&sample_build, path);
	return map;
}

/* The records of this process's maps: for @processes, or for a log. */
static void take_maps(struct processes *processes, struct log_writer *log)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	const struct hwpmc_log_map *map;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		map = build_map(line);
		if (map && processes)
			processes_take(processes, &map->h);
		else if (map)
			log_write_records(log, map, sample_build.length);
	}
	if (maps)
		fclose(maps);
}

static const char *name_at(struct symbols *symbols, struct processes *processes, uint64_t pc)
{
	const struct map *map = processes_map(processes, getpid(), pc);
	struct frame frames[DSO_CALLS_MAX];
	int count;

	if (!map || !symbols_is_file(map->file))
		return "nothing";
	count = symbols_frames(symbols, symbols_file(symbols, map->file),
			       pc - map->start + map->file_offset,
			       frames);
	return intern_text(symbols->names, frames[count - 1].symbol);
}

static int find(char **names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static void unwound(struct symbols *symbols, struct processes *processes)
{
	struct unwind *unwind = unwind_open(symbols, processes);
	uint64_t pcs[UNWIND_MAX], again[UNWIND_MAX];
	int count = unwind_sample(unwind, taken, pcs), inner;
	char *names[UNWIND_MAX];

	for (int i = 0; i < count; i++)
		names[i] = strdup(name_at(symbols, processes, pcs[i]));
	check(count > 4, "a stack");
	check(count && pcs[0] == taken->pc, "begins where it was");
	inner = find(names, count, "unwind_inner");
	check(inner > 0, "through the C library to the function that raised the signal");
	check(inner > 0 && find(names, count, "unwind_middle") == inner + 1, "its caller");
	check(inner > 0 && find(names, count, "unwind_outer") == inner + 2, "the caller's caller");
	check(inner > 0 && find(names, count, "main") == inner + 3, "main");
	check(unwind_sample(unwind, taken, again) == count &&
	      !memcmp(pcs, again, (size_t)count * sizeof(*pcs)), "the same once more");
	unwind_take(unwind, log_build(&sample_build, HWPMC_LOG_MAP_OUT,
				      sizeof(struct hwpmc_log_map), 1));
	((struct hwpmc_log_map *)sample_build.words)->pid = getpid();
	unwind_take(unwind, (const void *)sample_build.words);
	check(unwind_sample(unwind, taken, again) == count, "and when its maps have changed");
	for (int i = 0; i < count; i++)
		free(names[i]);
	unwind_close(unwind);
}

static void put_unwound(struct log_writer *log)
{
	log_write_initialize(log, 1, 0);
	log_write_event(log, 0, "cycles");
	take_maps(NULL, log);
	log_write_records(log, taken, build.length);
	/* The process executes another program: its files are no longer mapped. */
	put_sample_exec(log, getpid(), "/nowhere", 2);
	((struct hwpmc_log_sample *)taken)->h.time = 3;
	log_write_records(log, taken, build.length);
}

static int cmd_script(int argc, char **argv)
{
	return script_command.run(argc, argv);
}

/* pmctl script -F prints stacks as perf script does: a line for each frame. */
static void script(void)
{
	char *first;

	command = cmd_script;
	write_log(put_unwound);
	report("-i", log_path, "-F", "ip,sym", NULL);
	first = xasprintf("\n\t%16lx ", (unsigned long)taken->pc);
	check(!strncmp(printed, first, strlen(first)) &&
	      says(" unwind_inner\n\t") && says(" unwind_middle\n\t") && says(" main\n"),
	      "script -F unwinds a stack that was copied");
	check(strstr(printed, " unwind_middle\n") > strstr(printed, " unwind_inner\n") &&
	      strstr(printed, " main\n") > strstr(printed, " unwind_outer\n"),
	      "its frames are innermost first");
	check(count(printed, " unwind_inner\n") == 1 && says(" [unknown]\n"),
	      "after exec the old files do not unwind");
	free(first);
}

/* A sample in the kernel, whose stack of the user was not in memory. */
static void put_without_stack(struct log_writer *log)
{
	const uint64_t chain[] = { taken->pc, (uintptr_t)unwind_outer + 4 };
	struct hwpmc_log_sample *sample;
	uint64_t regs[33] = { 0 };

	/* Unwinding finds only this address: arm64's link register is 0. */
	regs[taken->regs - 1] = taken->pc;
	log_write_initialize(log, 1, 0);
	log_write_event(log, 0, "cycles");
	take_maps(NULL, log);
	sample = log_build(&sample_build, HWPMC_LOG_SAMPLE, sizeof(*sample), 2);
	sample->pid = getpid();
	sample->tid = sample->pid;
	sample->period = 1;
	sample->chain_user = 2;
	sample->chain_offset = (__u16)log_build_bytes(&sample_build, chain, sizeof(chain));
	sample->regs = taken->regs;
	sample->regs_offset = (__u16)log_build_bytes(&sample_build, regs,
						     sample->regs * sizeof(*regs));
	log_write_records(log, sample, sample_build.length);
}

static void without_stack(void)
{
	command = cmd_script;
	write_log(put_without_stack);
	report("-i", log_path, "-F", "ip,sym", NULL);
	check(says(" unwind_outer\n"), "script -F shows the call chain if there is no stack");
	command = cmd_report;
	report("-i", log_path, "--folded", NULL);
	check(says("unwind_outer;"), "so does report");
}

/* Truncated stacks and wrong registers: unwinding stops early. */
static void hostile(struct symbols *symbols, struct processes *processes)
{
	struct unwind *unwind = unwind_open(symbols, processes);
	struct hwpmc_log_sample *sample = (void *)taken;
	uint64_t pcs[UNWIND_MAX], *regs = (uint64_t *)((char *)sample + sample->regs_offset);
	int whole = unwind_sample(unwind, taken, pcs), cut;

	sample->stack_size = 16;
	cut = unwind_sample(unwind, taken, pcs);
	check(cut > 0 && cut < whole, "a stack that was cut is unwound as far as it goes");
	sample->stack_size = STACK;
	for (unsigned int i = 0; i + 1 < sample->regs; i++)
		regs[i] = UINT64_MAX - i;
	cut = unwind_sample(unwind, taken, pcs);
	check(cut >= 0 && cut <= UNWIND_MAX, "wild registers lead nowhere");
	regs[sample->regs - 1] = 0x10;
	check(unwind_sample(unwind, taken, pcs) == 0, "nor does a wild pc");
	sample->regs = 5;
	check(unwind_sample(unwind, taken, pcs) == 0, "too few registers are none");
	unwind_close(unwind);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = take, .sa_flags = SA_SIGINFO };
	struct intern names;
	struct processes processes;
	struct symbols symbols;

	sigaction(SIGUSR1, &action, NULL);
	unwind_outer();
	intern_init_texts(&names);
	symbols_init(&symbols, &names, "");
	processes_init(&processes);
	take_maps(&processes, NULL);
	unwound(&symbols, &processes);
	report_begin();
	script();
	without_stack();
	report_end();
	hostile(&symbols, &processes);
	symbols_free(&symbols);
	processes_free(&processes);
	intern_free(&names);
	return check_result();
}
