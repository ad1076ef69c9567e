// SPDX-License-Identifier: GPL-2.0-only
/* Prints a record as one line, with the fields of its type. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/fields.h"
#include "commands/script.h"
#include "log/log_record.h"

struct location script_location(struct script *script, int pid, uint64_t address, bool user)
{
	return location_find(&script->processes, &script->symbols, pid, address, user);
}

const char *script_show_location(struct script *script, int pid, uint64_t address, bool user)
{
	static char text[LOCATION_TEXT_MAX];
	struct location location = script_location(script, pid, address, user);

	return location_text(&location, text);
}

static void show_comm(struct script *script, struct fields *fields, int pid, int tid)
{
	const char *comm = processes_comm(&script->processes, pid, tid);

	fields_number(fields, "pid", pid);
	fields_number(fields, "tid", tid);
	if (comm)
		fields_text(fields, "comm", comm);
}

const char *script_event(const struct script *script, uint32_t id)
{
	for (size_t i = 0; i < script->name_count; i++)
		if (script->names[i].id == id)
			return script->names[i].name;
	return NULL;
}

static void show_event(const struct script *script, struct fields *fields, uint32_t id)
{
	const char *name = script_event(script, id);

	if (!id)
		return;
	fields_number(fields, "id", id);
	if (name)
		fields_text(fields, "event", name);
}

static void show_chain(struct script *script, struct fields *fields,
		       const struct hwpmc_log_sample *sample)
{
	size_t count = (size_t)sample->chain_kernel + sample->chain_user;
	const uint64_t *chain = log_record_words(sample, sample->chain_offset);
	char **frames;

	if (!count)
		return;
	frames = xcalloc(count, sizeof(*frames));
	for (size_t i = 0; i < count; i++)
		frames[i] = xasprintf("0x%" PRIx64 " %s", chain[i],
				      script_show_location(script, sample->pid, chain[i],
							   i >= sample->chain_kernel));
	fields_number(fields, "chain-kernel", sample->chain_kernel);
	fields_list(fields, "chain", (const char *const *)frames, count);
	for (size_t i = 0; i < count; i++)
		free(frames[i]);
	free(frames);
}

static void show_sample(struct script *script, struct fields *fields,
			const struct hwpmc_log_sample *sample)
{
	bool user = sample->h.flags & HWPMC_SAMPLE_USER;

	show_comm(script, fields, sample->pid, sample->tid);
	fields_u64(fields, "period", sample->period);
	fields_text(fields, "mode", user ? "user" : "kernel");
	fields_hex(fields, "pc", sample->pc);
	fields_text(fields, "at", script->throttled ? SCRIPT_THROTTLED :
		    script_show_location(script, sample->pid, sample->pc, user));
	if (sample->h.flags & HWPMC_SAMPLE_LATE)
		fields_text(fields, "late", "yes");
	if (sample->h.flags & HWPMC_SAMPLE_CUT)
		fields_text(fields, "cut", "yes");
	if (sample->h.flags & HWPMC_SAMPLE_COMPAT)
		fields_text(fields, "compat", "yes");
	if (sample->regs)
		fields_number(fields, "regs", sample->regs);
	if (sample->stack_size)
		fields_number(fields, "stack-size", sample->stack_size);
	show_chain(script, fields, sample);
}

/* "name" is the thread's name in the record; "comm" is its name by the log's COMM records. */
static void show_probe(struct script *script, struct fields *fields,
		       const struct hwpmc_log_probe *probe)
{
	const char *bytes = (const char *)probe;
	char name[16];

	if (probe->comm_offset)
		fields_text(fields, "name", bytes + probe->comm_offset);
	for (unsigned int i = 0; i < probe->args; i++) {
		uint64_t arg;

		memcpy(&arg, bytes + probe->args_offset + i * sizeof(arg), sizeof(arg));
		snprintf(name, sizeof(name), "arg%u", i);
		fields_hex(fields, name, arg);
	}
	if (probe->string_offset)
		fields_text(fields, "string", bytes + probe->string_offset);
	if (probe->sample.h.flags & HWPMC_PROBE_CUT)
		fields_number(fields, "cut", 1);
	if (probe->sample.h.flags & HWPMC_PROBE_RETURN)
		fields_hex(fields, "retval", probe->retval);
	if (probe->sample.h.flags & HWPMC_PROBE_ERROR)
		fields_number(fields, "error", -(int64_t)probe->retval);
	show_sample(script, fields, &probe->sample);
}

static void show_initialize(struct fields *fields, const struct hwpmc_log_initialize *start)
{
	char version[32];

	snprintf(version, sizeof(version), "%u.%u", start->version >> 16, start->version & 0xffff);
	fields_text(fields, "version", version);
	fields_number(fields, "cpus", start->cpus);
	fields_hex(fields, "cpuid", start->cpuid);
	fields_u64(fields, "realtime", start->realtime);
	fields_hex(fields, "machine", start->machine);
}

static void show_allocate(struct fields *fields, const struct hwpmc_log_allocate *allocate)
{
	static const char *const modes[] = { "?", "SS", "SC", "TS", "TC" };

	fields_number(fields, "class", allocate->class_id);
	fields_text(fields, "mode", modes[allocate->mode <= 4 ? allocate->mode : 0]);
	fields_hex(fields, "flags", allocate->flags);
	fields_hex(fields, "caps", allocate->caps);
	fields_hex(fields, "code", allocate->event);
	fields_u64(fields, "count", allocate->count);
	fields_number(fields, "target-cpu", allocate->target_cpu);
	fields_number(fields, "row", allocate->row);
}

/* Only the CLOSE of an incomplete log counts missing records. */
static void show_close(struct fields *fields, const struct hwpmc_log_header *close)
{
	uint64_t lost = log_record_unwritten(close);

	if (lost)
		fields_u64(fields, "lost", lost);
}

static void show_drop(struct fields *fields, const struct hwpmc_log_drop *drop)
{
	fields_u64(fields, "lost", drop->lost);
	fields_u64(fields, "first", drop->first);
	fields_u64(fields, "last", drop->last);
	fields_u64(fields, "events", drop->events);
	if (log_record_throttled(drop))
		fields_u64(fields, "throttled", log_record_throttled(drop));
}

static void show_task(struct fields *fields, const struct hwpmc_log_task *task)
{
	const struct hwpmc_log_process *process = (const void *)task;

	fields_number(fields, "pid", task->pid);
	fields_number(fields, "tid", task->tid);
	if (task->h.type == HWPMC_LOG_FORK) {
		fields_number(fields, "parent-pid", task->parent_pid);
		fields_number(fields, "parent-tid", task->parent_tid);
	}
	if (task->h.flags & HWPMC_TASK_THREAD)
		fields_text(fields, "thread", "yes");
	fields_text(fields, "comm", task->comm);
	if (task->h.type == HWPMC_LOG_PROCESS && task->h.length >= sizeof(*process))
		fields_text(fields, "path", log_record_text(process, process->path_offset));
}

static void show_exec(struct fields *fields, const struct hwpmc_log_exec *exec)
{
	fields_number(fields, "pid", exec->pid);
	fields_number(fields, "tid", exec->tid);
	fields_text(fields, "comm", exec->comm);
	fields_text(fields, "path", log_record_text(exec, exec->path_offset));
	/* In the first version of the format the record had the path where @entry is now. */
	if (exec->path_offset >= sizeof(*exec) && exec->entry)
		fields_hex(fields, "entry", exec->entry);
}

static void show_id_bytes(struct fields *fields, const uint8_t *id, uint32_t size)
{
	char text[2 * HWPMC_BUILD_ID_MAX + 1] = "";

	for (uint32_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	fields_text(fields, "build-id", text);
}

static void show_map(struct fields *fields, const struct hwpmc_log_map *map)
{
	char text[32];

	fields_number(fields, "pid", map->pid);
	fields_hex(fields, "start", map->start);
	fields_hex(fields, "size", map->size);
	if (map->h.type == HWPMC_LOG_MAP_OUT)
		return;
	fields_hex(fields, "offset", map->file_offset);
	snprintf(text, sizeof(text), "%c%c%c", map->prot & 1 ? 'r' : '-', map->prot & 2 ? 'w' : '-',
		 map->prot & 4 ? 'x' : '-');
	fields_text(fields, "prot", text);
	fields_u64(fields, "inode", map->inode);
	snprintf(text, sizeof(text), "%u:%u", map->dev_major, map->dev_minor);
	fields_text(fields, "device", text);
	if (map->build_id_size)
		show_id_bytes(fields, map->build_id, map->build_id_size);
	fields_text(fields, "path", log_record_text(map, map->path_offset));
}

static void show_value(struct script *script, struct fields *fields,
		       const struct hwpmc_log_value *value)
{
	show_comm(script, fields, value->pid, value->tid);
	fields_u64(fields, "value", value->value);
}

static void show_build_id(struct fields *fields, const struct hwpmc_log_build_id *id)
{
	show_id_bytes(fields, id->build_id, id->size);
	fields_text(fields, "path", log_record_text(id, id->path_offset));
}

static void show_system(struct fields *fields, const struct hwpmc_log_system *system)
{
	fields_text(fields, "release", log_record_text(system, system->release_offset));
	fields_text(fields, "machine", log_record_text(system, system->machine_offset));
	fields_text(fields, "host", log_record_text(system, system->host_offset));
	fields_text(fields, "command", log_record_text(system, system->command_offset));
}

static void show_attach(struct fields *fields, const struct hwpmc_log_attach *attach)
{
	fields_number(fields, "pid", attach->pid);
	fields_number(fields, "tid", attach->tid);
	if (attach->h.type == HWPMC_LOG_DETACH && attach->h.flags & HWPMC_DETACH_LOST)
		fields_text(fields, "lost", "yes");
}

static void show_user(struct fields *fields, const struct hwpmc_log_user *user)
{
	fields_number(fields, "cookie", user->cookie);
	fields_text(fields, "text", log_record_text(user, user->text_offset));
}

static void show_ksym(struct fields *fields, const struct hwpmc_log_ksym *symbol)
{
	fields_hex(fields, "start", symbol->start);
	fields_text(fields, "name", log_record_text(symbol, symbol->name_offset));
}

static void show_throttle(struct fields *fields, const struct hwpmc_log_throttle *throttle)
{
	fields_text(fields, "state", throttle->h.flags & HWPMC_THROTTLE_ON ? "on" : "off");
	fields_u64(fields, "period", throttle->period);
}

static void show_body(struct script *script, struct fields *fields,
		      const struct hwpmc_log_header *record)
{
	switch (record->type) {
	case HWPMC_LOG_INITIALIZE:
		return show_initialize(fields, (const void *)record);
	case HWPMC_LOG_CLOSE:
		return show_close(fields, record);
	case HWPMC_LOG_ALLOCATE:
		return show_allocate(fields, (const void *)record);
	case HWPMC_LOG_ATTACH:
	case HWPMC_LOG_DETACH:
		return show_attach(fields, (const void *)record);
	case HWPMC_LOG_SAMPLE:
		return show_sample(script, fields, (const void *)record);
	case HWPMC_LOG_PROBE:
		return show_probe(script, fields, (const void *)record);
	case HWPMC_LOG_DROP:
		return show_drop(fields, (const void *)record);
	case HWPMC_LOG_THROTTLE:
		return show_throttle(fields, (const void *)record);
	case HWPMC_LOG_SWITCH:
	case HWPMC_LOG_VALUE:
		return show_value(script, fields, (const void *)record);
	case HWPMC_LOG_PROCESS:
	case HWPMC_LOG_FORK:
	case HWPMC_LOG_EXIT:
	case HWPMC_LOG_COMM:
		return show_task(fields, (const void *)record);
	case HWPMC_LOG_EXEC:
		return show_exec(fields, (const void *)record);
	case HWPMC_LOG_MAP_IN:
	case HWPMC_LOG_MAP_OUT:
		return show_map(fields, (const void *)record);
	case HWPMC_LOG_USER:
		return show_user(fields, (const void *)record);
	case HWPMC_LOG_BUILD_ID:
		return show_build_id(fields, (const void *)record);
	case HWPMC_LOG_SYSTEM:
		return show_system(fields, (const void *)record);
	case HWPMC_LOG_KSYM:
		return show_ksym(fields, (const void *)record);
	default:
		break;
	}
}

static void note_name(struct script *script, const struct hwpmc_log_event *event)
{
	size_t count = script->name_count;

	script->names = xrealloc(script->names, count + 1, sizeof(*script->names));
	script->names[count] = (struct script_name){
		.id = event->h.id,
		.name = xstrdup(log_record_text(event, event->name_offset)),
	};
	script->name_count = count + 1;
}

static void show_head(struct script *script, struct fields *fields,
		      const struct hwpmc_log_header *record)
{
	const char *type = log_record_type_name(record->type);
	char time[40];

	snprintf(time, sizeof(time), "%" PRIu64 ".%09" PRIu64, (uint64_t)record->time / 1000000000,
		 (uint64_t)record->time % 1000000000);
	if (script->json) {
		fields_text(fields, "time", time);
		fields_number(fields, "cpu", record->cpu);
		fields_text(fields, "type", type);
	} else {
		fprintf(fields->out, "%s [%03u] %s", time, record->cpu, type);
	}
}

void script_take(struct script *script, const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_system *system = (const void *)record;
	uint32_t id;

	script->throttled = log_record_is_sample(record) &&
			    log_throttle_spans(&script->throttle, (const void *)record);
	if (record->type == HWPMC_LOG_THROTTLE)
		log_throttle_take(&script->throttle, record);
	if (record->type == HWPMC_LOG_EVENT)
		note_name(script, (const void *)record);
	/* The release shows whether the [vdso] of this machine is the same. */
	if (record->type == HWPMC_LOG_SYSTEM) {
		id = intern_id(&script->texts, log_record_text(system, system->release_offset));
		script->symbols.paths.release = intern_text(&script->texts, id);
	}
	unwind_take(script->unwind, record);
	processes_take(&script->processes, record);
}

void script_show(struct script *script, const struct hwpmc_log_header *record)
{
	struct fields fields;

	fields_begin(&fields, script->out, script->json);
	show_head(script, &fields, record);
	show_event(script, &fields, record->id);
	show_body(script, &fields, record);
	fields_end(&fields);
}
