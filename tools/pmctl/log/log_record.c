// SPDX-License-Identifier: GPL-2.0-only
/* The types of records, and checks that keep a reader from accessing memory outside of a record. */
#include <stdint.h>
#include <string.h>

#include "log/log_record.h"

/*
 * The size of a type's structure in the first version of the format: up to and including
 * its last member then. A record without later members is shorter.
 */
#define LEAST(type, last)	(offsetof(struct type, last) + sizeof(((struct type *)0)->last))

struct kind {
	const char *name;
	size_t least;
	const char *(*problem)(const struct hwpmc_log_header *record);
};

static const struct kind *kind_of(unsigned int type);

static const char bad_text[] = "a text is outside of the record or has no end";

/* Offset 0: there is no such part. */
static bool good_part(const struct hwpmc_log_header *record, size_t offset, size_t size)
{
	if (!offset)
		return !size;
	return !(offset % 8) && offset >= kind_of(record->type)->least &&
	       offset <= record->length && size <= record->length - offset;
}

static bool good_text(const struct hwpmc_log_header *record, size_t offset)
{
	const char *bytes = (const char *)record;

	if (!offset)
		return true;
	return offset >= kind_of(record->type)->least && offset < record->length &&
	       memchr(bytes + offset, '\0', record->length - offset);
}

static const char *text_problem(const struct hwpmc_log_header *record, size_t offset)
{
	return good_text(record, offset) ? NULL : bad_text;
}

static const char *comm_problem(const char comm[16])
{
	return memchr(comm, '\0', 16) ? NULL : "a name has no end";
}

static const char *sample_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	size_t chain;

	if (record->length <= offsetof(struct hwpmc_log_sample, chain_offset))
		return NULL;
	if (record->length < sizeof(*sample))
		return "it ends among the fields of its call chain";
	chain = (size_t)sample->chain_kernel + sample->chain_user;
	if (!good_part(record, sample->chain_offset, chain * sizeof(uint64_t)))
		return "its call chain is outside of the record";
	if (!good_part(record, sample->regs_offset, sample->regs * sizeof(uint64_t)))
		return "its registers are outside of the record";
	if (!good_part(record, sample->stack_offset, sample->stack_size))
		return "its stack is outside of the record";
	return NULL;
}

static const char *probe_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_probe *probe = (const void *)record;

	if (!good_part(record, probe->args_offset, probe->args * sizeof(uint64_t)))
		return "its arguments are outside of the record";
	if (!good_text(record, probe->comm_offset) || !good_text(record, probe->string_offset))
		return bad_text;
	return sample_problem(record);
}

static const char *process_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_process *process = (const void *)record;
	const char *problem = comm_problem(process->task.comm);

	if (problem || record->length < sizeof(*process))
		return problem;
	return text_problem(record, process->path_offset);
}

static const char *task_problem(const struct hwpmc_log_header *record)
{
	return comm_problem(((const struct hwpmc_log_task *)record)->comm);
}

static const char *exec_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_exec *exec = (const void *)record;
	const char *problem = comm_problem(exec->comm);

	return problem ? problem : text_problem(record, exec->path_offset);
}

static const char *map_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_map *map = (const void *)record;

	/* The range may end at the last address: then start + size is 0. */
	if (map->size && map->start + (map->size - 1) < map->start)
		return "its address range wraps around";
	/* Early logs end before build_id, and have a size of 0. */
	if (map->build_id_size > sizeof(map->build_id) ||
	    (map->build_id_size && record->length < sizeof(*map)))
		return "its build-id is too long";
	return text_problem(record, map->path_offset);
}

static const char *user_problem(const struct hwpmc_log_header *record)
{
	return text_problem(record, ((const struct hwpmc_log_user *)record)->text_offset);
}

static const char *build_id_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_build_id *id = (const void *)record;

	if (id->size > sizeof(id->build_id))
		return "its build-id is too long";
	return text_problem(record, id->path_offset);
}

static const char *system_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_system *system = (const void *)record;

	return good_text(record, system->release_offset) &&
	       good_text(record, system->machine_offset) &&
	       good_text(record, system->host_offset) &&
	       good_text(record, system->command_offset) ? NULL : bad_text;
}

static const char *event_problem(const struct hwpmc_log_header *record)
{
	return text_problem(record, ((const struct hwpmc_log_event *)record)->name_offset);
}

static const char *ksym_problem(const struct hwpmc_log_header *record)
{
	return text_problem(record, ((const struct hwpmc_log_ksym *)record)->name_offset);
}

static const char *compressed_problem(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_compressed *compressed = (const void *)record;

	if (!compressed->frame_offset ||
	    !good_part(record, compressed->frame_offset, compressed->frame_size))
		return "its frame is outside of the record";
	return NULL;
}

static const struct kind kinds[] = {
	[HWPMC_LOG_PAD] = { "PAD", LOG_RECORD_LEAST, NULL },
	[HWPMC_LOG_INITIALIZE] = { "INITIALIZE", LEAST(hwpmc_log_initialize, reserved), NULL },
	[HWPMC_LOG_CLOSE] = { "CLOSE", LEAST(hwpmc_log_header, id), NULL },
	[HWPMC_LOG_ALLOCATE] = { "ALLOCATE", LEAST(hwpmc_log_allocate, row), NULL },
	[HWPMC_LOG_ATTACH] = { "ATTACH", LEAST(hwpmc_log_attach, tid), NULL },
	[HWPMC_LOG_DETACH] = { "DETACH", LEAST(hwpmc_log_attach, tid), NULL },
	[HWPMC_LOG_SAMPLE] = { "SAMPLE", LEAST(hwpmc_log_sample, pc), sample_problem },
	[HWPMC_LOG_DROP] = { "DROP", LEAST(hwpmc_log_drop, events), NULL },
	[HWPMC_LOG_THROTTLE] = { "THROTTLE", LEAST(hwpmc_log_throttle, period), NULL },
	[HWPMC_LOG_SWITCH] = { "SWITCH", LEAST(hwpmc_log_value, value), NULL },
	[HWPMC_LOG_VALUE] = { "VALUE", LEAST(hwpmc_log_value, value), NULL },
	[HWPMC_LOG_PROCESS] = { "PROCESS", LEAST(hwpmc_log_task, comm), process_problem },
	[HWPMC_LOG_FORK] = { "FORK", LEAST(hwpmc_log_task, comm), task_problem },
	[HWPMC_LOG_EXIT] = { "EXIT", LEAST(hwpmc_log_task, comm), task_problem },
	[HWPMC_LOG_EXEC] = { "EXEC", LEAST(hwpmc_log_exec, reserved), exec_problem },
	[HWPMC_LOG_COMM] = { "COMM", LEAST(hwpmc_log_task, comm), task_problem },
	[HWPMC_LOG_MAP_IN] = { "MAP_IN", LEAST(hwpmc_log_map, build_id_size), map_problem },
	[HWPMC_LOG_MAP_OUT] = { "MAP_OUT", LEAST(hwpmc_log_map, build_id_size), map_problem },
	[HWPMC_LOG_USER] = { "USER", LEAST(hwpmc_log_user, text_offset), user_problem },
	[HWPMC_LOG_PROBE] = { "PROBE", LEAST(hwpmc_log_probe, string_offset), probe_problem },
};

#define OURS	HWPMC_LOG_BUILD_ID

static const struct kind our_kinds[] = {
	[HWPMC_LOG_BUILD_ID - OURS] = { "BUILD_ID", LEAST(hwpmc_log_build_id, build_id),
					build_id_problem },
	[HWPMC_LOG_SYSTEM - OURS] = { "SYSTEM", LEAST(hwpmc_log_system, command_offset),
				      system_problem },
	[HWPMC_LOG_EVENT - OURS] = { "EVENT", LEAST(hwpmc_log_event, reserved), event_problem },
	[HWPMC_LOG_KSYM - OURS] = { "KSYM", LEAST(hwpmc_log_ksym, reserved), ksym_problem },
	[HWPMC_LOG_COMPRESSED - OURS] = { "COMPRESSED", LEAST(hwpmc_log_compressed, frame_size),
					  compressed_problem },
};

static const struct kind *kind_of(unsigned int type)
{
	if (type < sizeof(kinds) / sizeof(kinds[0]))
		return &kinds[type];
	if (type >= OURS && type - OURS < sizeof(our_kinds) / sizeof(our_kinds[0]))
		return &our_kinds[type - OURS];
	return NULL;
}

bool log_record_type_known(unsigned int type)
{
	return kind_of(type);
}

const char *log_record_type_name(unsigned int type)
{
	const struct kind *kind = kind_of(type);

	return kind ? kind->name : NULL;
}

uint64_t log_record_unwritten(const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_close *close = (const void *)record;

	return record->length >= sizeof(*close) ? close->lost : 0;
}

uint64_t log_record_throttled(const struct hwpmc_log_drop *drop)
{
	return drop->h.length >= sizeof(*drop) ? drop->throttled : 0;
}

const char *log_record_length_problem(const struct hwpmc_log_header *record)
{
	if (record->length % 8)
		return "its length is not a multiple of 8";
	if (record->length < LOG_RECORD_LEAST)
		return "its length is 0";
	if (record->length > HWPMC_LOG_RECORD_MAX)
		return "it is longer than the longest record";
	return NULL;
}

const char *log_record_body_problem(const struct hwpmc_log_header *record)
{
	const struct kind *kind = kind_of(record->type);

	/* Only PAD may have an incomplete header. */
	if (record->length < sizeof(*record) && record->type != HWPMC_LOG_PAD)
		return "it is too short";
	if (!kind)
		return NULL;
	if (record->length < kind->least)
		return "it is too short";
	return kind->problem ? kind->problem(record) : NULL;
}
