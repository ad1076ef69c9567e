// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwinds with libdwfl, which gets the maps, registers and stack of the process through
 * callbacks. What it has read of the files of a process is cached until its maps change.
 */
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "log/log_record.h"
#include "symbol/unwind.h"

#define PROCESSES	32	/* processes whose files are cached */

/* Registers by their DWARF numbers. */
#define X86_SP		7
#define X86_REGS	17	/* the last one is the pc */
#define ARM64_SP	31
#define ARM64_REGS	33	/* the last one is the pc, which has no DWARF number */

struct process {
	Dwfl *dwfl;
	int pid;
	bool attached;
};

struct unwind {
	struct symbols *symbols;
	struct processes *processes;
	struct process cached[PROCESSES];
	unsigned int next;
	/* The current sample */
	struct process *process;
	const struct hwpmc_log_sample *sample;
	const uint64_t *regs;
	uint64_t sp;
	uint64_t *pcs;
	int count;
};

static const struct map *file_map(struct unwind *unwind, uint64_t address)
{
	const struct map *map = processes_map(unwind->processes, unwind->sample->pid, address);

	return map && symbols_is_file(map->file) ? map : NULL;
}

/* Reports the file that is mapped at an address to libdwfl. */
static struct dso *have_module(struct unwind *unwind, uint64_t address)
{
	const struct map *map = file_map(unwind, address);
	uint64_t place;
	uint32_t object;
	struct dso *dso;
	int fd;

	if (!map)
		return NULL;
	object = symbols_file(unwind->symbols, map->file);
	dso = symbols_dso(unwind->symbols, object);
	if (!dso || dwfl_addrmodule(unwind->process->dwfl, address))
		return dso;
	if (dso_address(dso, address - map->start + map->file_offset, &place))
		return NULL;
	fd = symbols_open_file(unwind->symbols, object);
	if (fd < 0)
		return NULL;
	if (dwfl_report_elf(unwind->process->dwfl, map->file->path, map->file->path, fd,
			    address - place, true))
		return dso;
	close(fd);
	return NULL;
}

/* Reads memory that is not in the copy of the stack from its file, if the map is not writable. */
static bool read_file(struct unwind *unwind, uint64_t address, Dwarf_Word *result)
{
	const struct map *map = file_map(unwind, address);
	struct dso *dso = map ? symbols_dso(unwind->symbols,
					    symbols_file(unwind->symbols, map->file)) : NULL;
	uint64_t offset;
	size_t size;
	char *bytes;

	if (!dso || map->prot & PROT_WRITE)
		return false;
	bytes = elf_rawfile(dso->elf, &size);
	offset = address - map->start + map->file_offset;
	if (!bytes || offset > size || size - offset < sizeof(*result))
		return false;
	memcpy(result, bytes + offset, sizeof(*result));
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	struct unwind *unwind = arg;
	const struct hwpmc_log_sample *sample = unwind->sample;
	uint64_t offset = address - unwind->sp;

	(void)dwfl;
	if (address < unwind->sp || offset >= sample->stack_size ||
	    sample->stack_size - offset < sizeof(*result))
		return read_file(unwind, address, result);
	memcpy(result, log_record_text(sample, sample->stack_offset) + offset, sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct unwind *unwind = arg;

	if (unwind->sample->regs == X86_REGS)
		return dwfl_thread_state_registers(thread, 0, X86_REGS, unwind->regs);
	dwfl_thread_state_register_pc(thread, unwind->regs[ARM64_REGS - 1]);
	return dwfl_thread_state_registers(thread, 0, ARM64_REGS - 1, unwind->regs);
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct unwind *unwind = arg;

	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return unwind->sample->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)tid;
	*thread_arg = arg;
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct unwind *unwind = arg;
	bool activation;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(state, &pc, NULL) || !pc || unwind->count == UNWIND_MAX)
		return DWARF_CB_ABORT;
	/* Report the file before activation, which already takes the next step. */
	have_module(unwind, unwind->count ? pc - 1 : pc);
	dwfl_frame_pc(state, &pc, &activation);
	if (unwind->count && !activation)
		pc--;
	unwind->pcs[unwind->count++] = pc;
	return DWARF_CB_OK;
}

static void drop(struct process *process)
{
	if (process->dwfl)
		dwfl_end(process->dwfl);
	*process = (struct process){ 0 };
}

static struct process *process_of(struct unwind *unwind, int pid)
{
	struct process *process;

	for (unsigned int i = 0; i < PROCESSES; i++)
		if (unwind->cached[i].dwfl && unwind->cached[i].pid == pid)
			return &unwind->cached[i];
	process = &unwind->cached[unwind->next++ % PROCESSES];
	drop(process);
	process->pid = pid;
	process->dwfl = dwfl_begin(&unwind->symbols->paths.callbacks);
	return process;
}

/* libdwfl gets the machine type from a file. */
static bool attach(struct unwind *unwind, struct dso *dso)
{
	struct process *process = unwind->process;

	if (!process->attached)
		process->attached = dwfl_attach_state(process->dwfl, dso->elf, process->pid,
						      &thread_callbacks, unwind);
	return process->attached;
}

/* The number of registers determines the architecture. */
static bool take_registers(struct unwind *unwind)
{
	const struct hwpmc_log_sample *sample = unwind->sample;

	unwind->regs = log_record_words(sample, sample->regs_offset);
	if (!unwind->regs || sample->h.flags & HWPMC_SAMPLE_COMPAT ||
	    (sample->regs != X86_REGS && sample->regs != ARM64_REGS))
		return false;
	unwind->sp = unwind->regs[sample->regs == X86_REGS ? X86_SP : ARM64_SP];
	return true;
}

static bool fits(const struct unwind *unwind, const struct dso *dso)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(dso->elf, &header))
		return false;
	return header.e_machine == (unwind->sample->regs == X86_REGS ? EM_X86_64 : EM_AARCH64);
}

int unwind_sample(struct unwind *unwind, const struct hwpmc_log_sample *sample, uint64_t *pcs)
{
	struct dso *dso;

	unwind->sample = sample;
	unwind->pcs = pcs;
	unwind->count = 0;
	if (sample->pid <= 0 || !take_registers(unwind))
		return 0;
	unwind->process = process_of(unwind, sample->pid);
	if (!unwind->process->dwfl)
		return 0;
	dso = have_module(unwind, unwind->regs[sample->regs - 1]);
	/* After an error the frames found so far are returned. */
	if (dso && fits(unwind, dso) && attach(unwind, dso))
		dwfl_getthread_frames(unwind->process->dwfl, sample->pid, take_frame, unwind);
	return unwind->count;
}

static void forget(struct unwind *unwind, int pid)
{
	for (unsigned int i = 0; i < PROCESSES; i++)
		if (unwind->cached[i].dwfl && unwind->cached[i].pid == pid)
			drop(&unwind->cached[i]);
}

void unwind_take(struct unwind *unwind, const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_map *map = (const void *)record;

	switch (record->type) {
	case HWPMC_LOG_MAP_IN:
		/* A map where nothing was mapped changes no file that is cached. */
		if (map->size && processes_any_map(unwind->processes, map->pid, map->start,
						   map->start + map->size - 1))
			forget(unwind, map->pid);
		break;
	case HWPMC_LOG_MAP_OUT:
		forget(unwind, map->pid);
		break;
	case HWPMC_LOG_EXEC:
		forget(unwind, ((const struct hwpmc_log_exec *)record)->pid);
		break;
	case HWPMC_LOG_PROCESS:
	case HWPMC_LOG_FORK:
		if (!(record->flags & HWPMC_TASK_THREAD))
			forget(unwind, ((const struct hwpmc_log_task *)record)->pid);
		break;
	default:
		break;
	}
}

struct unwind *unwind_open(struct symbols *symbols, struct processes *processes)
{
	struct unwind *unwind = xcalloc(1, sizeof(*unwind));

	unwind->symbols = symbols;
	unwind->processes = processes;
	return unwind;
}

void unwind_close(struct unwind *unwind)
{
	if (!unwind)
		return;
	for (unsigned int i = 0; i < PROCESSES; i++)
		drop(&unwind->cached[i]);
	free(unwind);
}
