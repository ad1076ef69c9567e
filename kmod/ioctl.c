// SPDX-License-Identifier: GPL-2.0-only
/* The calls: a table by number, and what each does with its structure. */
#include <linux/cpu.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "hwpmc.h"

union hwpmc_args {
	struct {
		u32 size;
		u32 flags;
	};
	struct hwpmc_version version;
	struct hwpmc_cpu_info cpu_info;
	struct hwpmc_pmc_info pmc_info;
	struct hwpmc_stats stats;
	struct hwpmc_caps caps;
	struct hwpmc_admin admin;
	struct hwpmc_allocate allocate;
	struct hwpmc_ids ids;
	struct hwpmc_attach attach;
	struct hwpmc_rw rw;
	struct hwpmc_set_count set_count;
	struct hwpmc_last_error last_error;
	struct hwpmc_ring ring;
	struct hwpmc_sampled sampled;
	struct hwpmc_log log;
	struct hwpmc_log_write log_write;
};

/* What a call returns when it is done and its structure goes back to the caller. */
#define HWPMC_REPLY	1

int hwpmc_fail(struct hwpmc_owner *owner, int error, const char *fmt, ...)
{
	va_list args;

	lockdep_assert_held(&owner->lock);
	owner->error = -error;
	va_start(args, fmt);
	vscnprintf(owner->sentence, sizeof(owner->sentence), fmt, args);
	va_end(args);
	return error;
}

static int hwpmc_fail_copy(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -EFAULT, "a pointer does not point to the caller's memory");
}

static int hwpmc_fail_reserved(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -EINVAL, "a reserved field is not 0");
}

/* The PMCs that a list of ids names. Few of them fit without an allocation. */
struct hwpmc_named {
	struct hwpmc_pmc *few[8];
	struct hwpmc_pmc **pmcs;
	unsigned int count;
};

static void hwpmc_named_free(struct hwpmc_named *named)
{
	if (named->pmcs != named->few)
		kvfree(named->pmcs);
}

static int hwpmc_named_room(struct hwpmc_owner *owner, struct hwpmc_named *named, u32 count)
{
	named->pmcs = named->few;
	named->count = count;
	if (!count)
		return hwpmc_fail(owner, -EINVAL, "the list of ids is empty");
	if (count <= ARRAY_SIZE(named->few))
		return 0;
	/* There cannot be more different ids than PMCs. */
	if (count > owner->used)
		return hwpmc_fail(owner, -ENOENT, "more ids than this file has PMCs (%u)",
				  owner->used);
	named->pmcs = kvmalloc_array(count, sizeof(*named->pmcs), GFP_KERNEL_ACCOUNT);
	if (named->pmcs)
		return 0;
	return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
}

static struct hwpmc_pmc *hwpmc_named_one(struct hwpmc_owner *owner, u32 id, int *err)
{
	struct hwpmc_pmc *pmc = hwpmc_owner_find(owner, id);

	if (!pmc)
		*err = hwpmc_fail(owner, -ENOENT, "id 0x%x is no PMC of this file", id);
	return pmc;
}

/* Checked with access_ok(). One by one: cheaper than a copy for the usual few. */
static int hwpmc_named_resolve(struct hwpmc_owner *owner, struct hwpmc_named *named,
			       const u32 __user *ids, u32 *failed)
{
	unsigned int i;
	int err = 0;
	u32 id;

	owner->call++;
	for (i = 0; i < named->count; i++) {
		struct hwpmc_pmc *pmc;

		*failed = i;
		if (__get_user(id, &ids[i]))
			return hwpmc_fail_copy(owner);
		pmc = hwpmc_named_one(owner, id, &err);
		if (!pmc)
			return err;
		if (pmc->call == owner->call)
			return hwpmc_fail(owner, -EINVAL, "id 0x%x stands in the list twice", id);
		pmc->call = owner->call;
		pmc->index = i;
		named->pmcs[i] = pmc;
	}
	*failed = 0;
	return 0;
}

/* On success the caller frees @named. */
static int hwpmc_named_get(struct hwpmc_owner *owner, struct hwpmc_named *named, u64 ids,
			   u32 count, u32 *failed)
{
	const u32 __user *user = u64_to_user_ptr(ids);
	int err;

	*failed = 0;
	err = hwpmc_named_room(owner, named, count);
	if (err)
		return err;
	if (access_ok(user, count * sizeof(*user)))
		err = hwpmc_named_resolve(owner, named, user, failed);
	else
		err = hwpmc_fail_copy(owner);
	if (err)
		hwpmc_named_free(named);
	return err;
}

static int hwpmc_do_version(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	u32 client = args->version.abi;

	if (args->version.reserved)
		return hwpmc_fail_reserved(owner);
	args->version.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR);
	memset(args->version.release, 0, sizeof(args->version.release));
	strscpy(args->version.release, HWPMC_RELEASE, sizeof(args->version.release));
	if (client >> 16 > HWPMC_ABI_MAJOR)
		return hwpmc_fail(owner, -EPROTO,
				  "the client speaks ABI %u, the module %u: load a newer module",
				  client >> 16, HWPMC_ABI_MAJOR);
	return HWPMC_REPLY;
}

static int hwpmc_copy_classes(struct hwpmc_owner *owner, const struct hwpmc_cpu_info *info)
{
	struct hwpmc_class_info __user *list = u64_to_user_ptr(info->class_list);
	unsigned int i;

	for (i = 0; i < hwpmc_class_count; i++) {
		const struct hwpmc_class *class = hwpmc_classes[i];
		struct hwpmc_class_info it = {
			.class_id = class->id,
			.rows = class->rows,
			.first_row = hwpmc_class_first[i],
			.width = class->width,
			.caps = class->caps,
		};

		strscpy(it.name, class->name, sizeof(it.name));
		if (copy_to_user(&list[i], &it, sizeof(it)))
			return hwpmc_fail_copy(owner);
	}
	return HWPMC_REPLY;
}

static int hwpmc_do_cpu_info(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_cpu_info *info = &args->cpu_info;
	u32 room = info->classes;
	const char *problem;

	info->cpuid = hwpmc_machine->cpuid;
	info->cpus_possible = nr_cpu_ids;
	info->cpus_online = num_online_cpus();
	info->rows = hwpmc_row_count;
	info->classes = hwpmc_class_count;
	memset(info->vendor, 0, sizeof(info->vendor));
	memset(info->pmu, 0, sizeof(info->pmu));
	memset(info->problem, 0, sizeof(info->problem));
	strscpy(info->vendor, hwpmc_machine->vendor, sizeof(info->vendor));
	strscpy(info->pmu, hwpmc_machine->pmu, sizeof(info->pmu));
	mutex_lock(&hwpmc_rows_lock);
	problem = hwpmc_pmu_problem();
	if (problem)
		strscpy(info->problem, problem, sizeof(info->problem));
	mutex_unlock(&hwpmc_rows_lock);
	if (!info->class_list)
		return HWPMC_REPLY;
	if (room < hwpmc_class_count)
		return hwpmc_fail(owner, -ENOSPC, "there are %u classes: make room for them",
				  hwpmc_class_count);
	return hwpmc_copy_classes(owner, info);
}

static int hwpmc_check_cpu(struct hwpmc_owner *owner, u32 cpu)
{
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return hwpmc_fail(owner, -EINVAL, "there is no cpu %u", cpu);
	if (!cpu_online(cpu))
		return hwpmc_fail(owner, -ENXIO, "cpu %u is offline", cpu);
	return 0;
}

static int hwpmc_do_pmc_info(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_pmc_info *info = &args->pmc_info;
	struct hwpmc_row_info __user *list = u64_to_user_ptr(info->row_list);
	u32 room = info->rows, row;
	int err = hwpmc_check_cpu(owner, info->cpu);

	if (err)
		return err;
	info->rows = hwpmc_row_count;
	if (room < hwpmc_row_count)
		return hwpmc_fail(owner, -ENOSPC, "there are %u rows: make room for them",
				  hwpmc_row_count);
	for (row = 0; row < hwpmc_row_count; row++) {
		struct hwpmc_row_info it;

		mutex_lock(&hwpmc_rows_lock);
		hwpmc_row_info(info->cpu, row, &it);
		mutex_unlock(&hwpmc_rows_lock);
		if (copy_to_user(&list[row], &it, sizeof(it)))
			return hwpmc_fail_copy(owner);
	}
	return HWPMC_REPLY;
}

static int hwpmc_do_stats(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_stats out = { .size = args->size };

	hwpmc_stats_fill(owner, &out);
	args->stats = out;
	return HWPMC_REPLY;
}

static int hwpmc_do_caps(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	unsigned int class_row;
	int err = 0;
	struct hwpmc_pmc *pmc = hwpmc_named_one(owner, args->caps.id, &err);

	if (!pmc)
		return err;
	args->caps.class_id = pmc->class->id;
	args->caps.row = pmc->row;
	args->caps.width = hwpmc_row_to_class(pmc->row, &class_row)->row_width(class_row);
	args->caps.caps = pmc->caps;
	return HWPMC_REPLY;
}

static int hwpmc_do_admin(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err;

	if (args->admin.reserved)
		return hwpmc_fail_reserved(owner);
	if (!hwpmc_privileged())
		return hwpmc_fail(owner, -EPERM, "taking rows out of use needs CAP_PERFMON");
	err = hwpmc_check_cpu(owner, args->admin.cpu);
	if (err)
		return err;
	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_admin(owner, &args->admin);
	mutex_unlock(&hwpmc_rows_lock);
	return err;
}

static int hwpmc_do_allocate(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_pmc *pmc;
	int err;

	args->allocate.id = 0;
	args->allocate.row = 0;
	err = hwpmc_pmc_allocate(owner, &args->allocate, &pmc);
	return err ? err : HWPMC_REPLY;
}

/* The id could not be told, so nobody could ever release it. */
static void hwpmc_undo_allocate(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_pmc *pmc = hwpmc_owner_find(owner, args->allocate.id);

	if (pmc)
		hwpmc_pmc_release(&pmc, 1);
}

static int hwpmc_release_named(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	hwpmc_pmc_release(pmcs, count);
	return 0;
}

static int hwpmc_do_ids(struct hwpmc_owner *owner, struct hwpmc_ids *ids,
			int (*fn)(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed))
{
	struct hwpmc_named named;
	int err = hwpmc_named_get(owner, &named, ids->ids, ids->count, &ids->failed);

	if (err)
		return err;
	err = fn(named.pmcs, named.count, &ids->failed);
	hwpmc_named_free(&named);
	return err;
}

static int hwpmc_do_release(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_ids(owner, &args->ids, hwpmc_release_named);
}

static int hwpmc_do_start(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_ids(owner, &args->ids, hwpmc_pmc_start);
}

static int hwpmc_do_stop(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_ids(owner, &args->ids, hwpmc_pmc_stop);
}

static struct pid *hwpmc_pid_of_fd(struct hwpmc_owner *owner, int fd)
{
	struct file *file = fget(fd);
	struct pid *pid = file ? hwpmc_pidfd_pid(file) : NULL;

	if (pid)
		get_pid(pid);
	else
		hwpmc_fail(owner, -EBADF, "file descriptor %d is no pidfd", fd);
	if (file)
		fput(file);
	return pid;
}

static struct pid *hwpmc_pid_of_number(struct hwpmc_owner *owner, int nr, bool single)
{
	struct pid *pid;

	if (!nr)
		return get_pid(single ? task_pid(current) : task_tgid(current));
	pid = nr > 0 ? find_get_pid(nr) : NULL;
	if (!pid)
		hwpmc_fail(owner, -ESRCH, "there is no process %d", nr);
	return pid;
}

/* A tid names its process, unless it is asked for alone. */
static struct pid *hwpmc_pid_of_process(struct hwpmc_owner *owner, struct pid *pid)
{
	struct task_struct *task;
	struct pid *leader = NULL;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		leader = get_pid(task_tgid(task));
	rcu_read_unlock();
	if (!leader)
		return pid;
	put_pid(pid);
	return leader;
}

static int hwpmc_do_target(struct hwpmc_owner *owner, const struct hwpmc_attach *args,
			   int (*fn)(struct hwpmc_pmc *pmc, struct pid *pid, bool single))
{
	bool single = args->flags & HWPMC_ATTACH_TID;
	struct hwpmc_pmc *pmc;
	struct pid *pid;
	int err = 0;

	pmc = hwpmc_named_one(owner, args->id, &err);
	if (!pmc)
		return err;
	if (!hwpmc_mode_virtual(pmc->mode))
		return hwpmc_fail(owner, -EINVAL, "a system-wide PMC has no targets");
	if (single && (pmc->flags & HWPMC_F_DESCENDANTS))
		return hwpmc_fail(owner, -EINVAL, "a PMC with DESCENDANTS follows whole processes, not one thread");
	single |= !!(pmc->flags & HWPMC_F_THREAD);
	pid = args->flags & HWPMC_ATTACH_PIDFD ? hwpmc_pid_of_fd(owner, args->pid) :
						 hwpmc_pid_of_number(owner, args->pid, single);
	if (!pid)
		return -owner->error;
	if (!single)
		pid = hwpmc_pid_of_process(owner, pid);
	err = fn(pmc, pid, single);
	put_pid(pid);
	return err;
}

static int hwpmc_attach_idle(struct hwpmc_pmc *pmc, struct pid *pid, bool single)
{
	if (pmc->state == HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -EBUSY, "the PMC runs: stop it before attaching");
	return hwpmc_target_attach(pmc, pid, single);
}

static int hwpmc_do_attach(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_target(owner, &args->attach, hwpmc_attach_idle);
}

static int hwpmc_do_detach(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_target(owner, &args->attach, hwpmc_target_detach);
}

static int hwpmc_rw_check(struct hwpmc_owner *owner, struct hwpmc_rw *rw,
			  const struct hwpmc_named *named)
{
	unsigned int i;

	if (!(rw->flags & (HWPMC_RW_OLD | HWPMC_RW_NEW)))
		return hwpmc_fail(owner, -EINVAL, "neither OLD nor NEW is asked for");
	for (i = 0; (rw->flags & HWPMC_RW_NEW) && i < named->count; i++) {
		rw->failed = i;
		if (named->pmcs[i]->state == HWPMC_RUNNING)
			return hwpmc_fail(owner, -EBUSY, "the PMC runs: stop it before writing");
	}
	rw->failed = 0;
	return 0;
}

/* Targets that may come while a reading's room is made. */
#define HWPMC_RW_SLACK	64

static int hwpmc_rw_targets(struct hwpmc_owner *owner, struct hwpmc_rw *rw,
			    struct hwpmc_reading *rd)
{
	struct hwpmc_rw __user *reply = owner->args;
	bool fresh = !(rw->flags & HWPMC_RW_STALE);

	/* More may come by inheritance before they are read. */
	do {
		kvfree(rd->targets);
		rd->room = min(rw->target_count,
			       hwpmc_count_room(rd->pmcs, rd->count) + HWPMC_RW_SLACK);
		rd->targets = kvcalloc(rd->room + 1, sizeof(*rd->targets), GFP_KERNEL_ACCOUNT);
		if (!rd->targets)
			return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		hwpmc_count_read(rd, fresh);
	} while (rd->target_count > rd->room && rd->room < rw->target_count);

	if (rd->target_count > rw->target_count) {
		rw->target_count = rd->target_count;
		return hwpmc_fail(owner, -ENOSPC, "there are %u target values: make room for them",
				  rd->target_count);
	}
	rw->target_count = rd->target_count;
	/* The whole reply, now: new values are written only when it arrived. */
	if (copy_to_user(u64_to_user_ptr(rw->targets), rd->targets,
			 rd->target_count * sizeof(*rd->targets)) ||
	    put_user(rw->target_count, &reply->target_count))
		return hwpmc_fail_copy(owner);
	return 0;
}

static int hwpmc_rw_times(struct hwpmc_owner *owner, const struct hwpmc_rw *rw,
			  const struct hwpmc_reading *rd)
{
	struct hwpmc_times __user *out = u64_to_user_ptr(rw->times);
	struct hwpmc_times times;
	unsigned int i;

	for (i = 0; i < rd->count; i++) {
		hwpmc_count_times(rd->pmcs[i], &times);
		if (copy_to_user(&out[i], &times, sizeof(times)))
			return hwpmc_fail_copy(owner);
	}
	return 0;
}

static int hwpmc_rw_put(struct hwpmc_owner *owner, u64 __user *to, const u64 *values,
			unsigned int count)
{
	unsigned int i;

	if (!access_ok(to, count * sizeof(*to)))
		return hwpmc_fail_copy(owner);
	for (i = 0; i < count; i++)
		if (__put_user(values[i], &to[i]))
			return hwpmc_fail_copy(owner);
	return 0;
}

static int hwpmc_rw_old(struct hwpmc_owner *owner, struct hwpmc_rw *rw, struct hwpmc_reading *rd)
{
	int err = 0;

	if (rw->targets)
		err = hwpmc_rw_targets(owner, rw, rd);
	else
		hwpmc_count_read(rd, !(rw->flags & HWPMC_RW_STALE));
	if (!err && rw->times)
		err = hwpmc_rw_times(owner, rw, rd);
	if (!err)
		err = hwpmc_rw_put(owner, u64_to_user_ptr(rw->values), rd->values, rd->count);
	if (rd->targets)
		kvfree(rd->targets);
	return err;
}

static int hwpmc_rw_values(struct hwpmc_owner *owner, struct hwpmc_rw *rw,
			   const struct hwpmc_named *named, u64 *old, u64 *new)
{
	struct hwpmc_reading rd = {
		.owner = owner, .pmcs = named->pmcs, .count = named->count, .values = old,
	};
	unsigned int i;
	int err = 0;

	/* The new ones come from where the old ones go. */
	if ((rw->flags & HWPMC_RW_NEW) &&
	    copy_from_user(new, u64_to_user_ptr(rw->values), named->count * sizeof(u64)))
		return hwpmc_fail_copy(owner);
	if (rw->flags & HWPMC_RW_OLD)
		err = hwpmc_rw_old(owner, rw, &rd);
	for (i = 0; !err && (rw->flags & HWPMC_RW_NEW) && i < named->count; i++)
		hwpmc_count_write(named->pmcs[i], new[i]);
	return err;
}

static int hwpmc_rw_named(struct hwpmc_owner *owner, struct hwpmc_rw *rw,
			  const struct hwpmc_named *named)
{
	u64 few[2 * ARRAY_SIZE(named->few)], *values = few;
	int err = hwpmc_rw_check(owner, rw, named);

	if (err)
		return err;
	if (named->count > ARRAY_SIZE(named->few))
		values = kvmalloc_array(named->count, 2 * sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!values)
		return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
	err = hwpmc_rw_values(owner, rw, named, values, values + named->count);
	if (values != few)
		kvfree(values);
	return err;
}

static int hwpmc_do_rw(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_rw *rw = &args->rw;
	struct hwpmc_named named;
	int err;

	if (rw->reserved)
		return hwpmc_fail_reserved(owner);
	err = hwpmc_named_get(owner, &named, rw->ids, rw->count, &rw->failed);
	if (err)
		return err;
	err = hwpmc_rw_named(owner, rw, &named);
	hwpmc_named_free(&named);
	return err;
}

static int hwpmc_do_set_count(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_pmc *pmc;
	int err = 0;

	if (args->set_count.reserved)
		return hwpmc_fail_reserved(owner);
	pmc = hwpmc_named_one(owner, args->set_count.id, &err);
	if (!pmc)
		return err;
	if (pmc->state == HWPMC_RUNNING)
		return hwpmc_fail(owner, -EBUSY, "the PMC runs: stop it before setting its count");
	return hwpmc_pmc_set_count(pmc, args->set_count.count);
}

static int hwpmc_do_last_error(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	args->last_error.error = owner->error;
	memset(args->last_error.text, 0, sizeof(args->last_error.text));
	strscpy(args->last_error.text, owner->sentence, sizeof(args->last_error.text));
	return HWPMC_REPLY;
}

static int hwpmc_do_ring(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_ring *ring = &args->ring;
	int err;

	if (ring->reserved)
		return hwpmc_fail_reserved(owner);
	/* Rings that nobody could be told of would be in the way for ever. */
	if (copy_to_user(owner->args, ring, min_t(u32, ring->size, sizeof(*ring))))
		return hwpmc_fail_copy(owner);
	err = hwpmc_buffer_create(owner, ring->data_size, ring->watermark);
	if (err)
		return err;
	ring->data_size = owner->rings->size;
	ring->watermark = owner->rings->watermark;
	ring->rings = owner->rings->count;
	ring->header_offset = PAGE_SIZE;
	ring->data_offset = 2 * PAGE_SIZE;
	ring->stride = owner->rings->stride;
	return HWPMC_REPLY;
}

static int hwpmc_do_sampled(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_sampled *out = &args->sampled;
	struct hwpmc_sampler_cpu sum;
	struct hwpmc_pmc *pmc;
	int err = 0;

	pmc = hwpmc_named_one(owner, out->id, &err);
	if (!pmc)
		return err;
	if (!pmc->sampled)
		return hwpmc_fail(owner, -EINVAL, "the PMC counts, and takes no samples");
	if (out->cpu < -1 || (out->cpu >= 0 && (out->cpu >= nr_cpu_ids || !cpu_possible(out->cpu))))
		return hwpmc_fail(owner, -EINVAL, "there is no cpu %d; -1 sums over all", out->cpu);
	hwpmc_sample_sum(pmc, out->cpu, &sum);
	out->taken = sum.recorded + sum.lost;
	out->recorded = sum.recorded;
	out->lost = sum.lost;
	out->reported = sum.reported;
	out->throttles = sum.throttles;
	out->events = sum.events;
	return HWPMC_REPLY;
}

static int hwpmc_log_check(struct hwpmc_owner *owner, const struct hwpmc_log *log, bool opens)
{
	if (log->reserved || (!opens && log->fd))
		return hwpmc_fail_reserved(owner);
	return 0;
}

static int hwpmc_do_log_open(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err = hwpmc_log_check(owner, &args->log, true);

	return err ? err : hwpmc_writer_open(owner, args->log.fd);
}

static int hwpmc_do_log_flush(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err = hwpmc_log_check(owner, &args->log, false);

	if (err)
		return err;
	if (!owner->rings)
		return hwpmc_fail(owner, -EINVAL, "there is nothing to flush: no rings, no log");
	hwpmc_record_flush(owner);
	return owner->writer ? hwpmc_writer_flush(owner) : 0;
}

static void hwpmc_stop_loggers(struct hwpmc_owner *owner)
{
	unsigned int i;
	u32 failed;

	for (i = 0; i < owner->room; i++) {
		struct hwpmc_pmc *pmc = owner->pmcs[i];

		if (pmc && pmc->state == HWPMC_RUNNING &&
		    (pmc->sampled || (pmc->flags & (HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT))))
			hwpmc_pmc_stop(&pmc, 1, &failed);
	}
}

static int hwpmc_do_log_close(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err = hwpmc_log_check(owner, &args->log, false);

	if (err)
		return err;
	if (!owner->writer)
		return hwpmc_fail(owner, -EINVAL, "no log is open");
	hwpmc_stop_loggers(owner);
	return hwpmc_writer_close(owner);
}

#define HWPMC_TEXT_MAX	4096U

static int hwpmc_do_log_write(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	const struct hwpmc_log_write *write = &args->log_write;
	void *text = NULL;
	int err;

	if (!owner->rings)
		return hwpmc_fail(owner, -EINVAL, "there are no rings to write to; HWPMC_IOC_RING makes them");
	if (write->length > HWPMC_TEXT_MAX || (write->length && !write->text))
		return hwpmc_fail(owner, -EINVAL, "a text is at most %u bytes", HWPMC_TEXT_MAX);
	if (write->length) {
		text = memdup_user(u64_to_user_ptr(write->text), write->length);
		if (IS_ERR(text))
			return PTR_ERR(text) == -ENOMEM ?
			       hwpmc_fail(owner, -ENOMEM, "out of memory; try again") :
			       hwpmc_fail_copy(owner);
	}
	err = hwpmc_record_user(owner, write->cookie, text, write->length);
	kfree(text);
	return err ? hwpmc_fail(owner, err, err == -ENOSPC ? "the ring is full: read it" :
							     "out of memory; try again") : 0;
}

/**
 * struct hwpmc_call - one ioctl
 * @min: size of the first published structure
 * @size: of today's
 * @flags: that are known; ALL: the call looks itself, or has none
 * @fn: does it, with owner->lock held. A failure's structure goes back too, for
 *	its hints
 * @undo: what to undo when the reply cannot be copied out
 */
struct hwpmc_call {
	u32 min;
	u32 size;
	u32 flags;
	int (*fn)(struct hwpmc_owner *owner, union hwpmc_args *args);
	void (*undo)(struct hwpmc_owner *owner, union hwpmc_args *args);
};

#define HWPMC_FLAGS_ALL		(~0U)
#define HWPMC_CALL(cmd, member, flags_, fn_, ...)				\
	HWPMC_CALL_FROM(sizeof(((union hwpmc_args *)0)->member), cmd, member, flags_, fn_, \
			##__VA_ARGS__)
#define HWPMC_CALL_FROM(min_, cmd, member, flags_, fn_, ...)			\
	[_IOC_NR(cmd)] = {							\
		.min = (min_),							\
		.size = sizeof(((union hwpmc_args *)0)->member),		\
		.flags = (flags_), .fn = (fn_), ##__VA_ARGS__			\
	}

static const struct hwpmc_call hwpmc_calls[] = {
	HWPMC_CALL(HWPMC_IOC_VERSION, version, 0, hwpmc_do_version),
	HWPMC_CALL(HWPMC_IOC_CPU_INFO, cpu_info, 0, hwpmc_do_cpu_info),
	HWPMC_CALL(HWPMC_IOC_PMC_INFO, pmc_info, 0, hwpmc_do_pmc_info),
	HWPMC_CALL(HWPMC_IOC_STATS, stats, 0, hwpmc_do_stats),
	HWPMC_CALL(HWPMC_IOC_CAPS, caps, 0, hwpmc_do_caps),
	HWPMC_CALL(HWPMC_IOC_ADMIN, admin, 0, hwpmc_do_admin),
	HWPMC_CALL_FROM(offsetof(struct hwpmc_allocate, user_stack), HWPMC_IOC_ALLOCATE, allocate,
			HWPMC_FLAGS_ALL, hwpmc_do_allocate, .undo = hwpmc_undo_allocate),
	HWPMC_CALL(HWPMC_IOC_RELEASE, ids, 0, hwpmc_do_release),
	HWPMC_CALL(HWPMC_IOC_ATTACH, attach, HWPMC_ATTACH_TID | HWPMC_ATTACH_PIDFD,
		   hwpmc_do_attach),
	HWPMC_CALL(HWPMC_IOC_DETACH, attach, HWPMC_ATTACH_TID | HWPMC_ATTACH_PIDFD,
		   hwpmc_do_detach),
	HWPMC_CALL(HWPMC_IOC_START, ids, 0, hwpmc_do_start),
	HWPMC_CALL(HWPMC_IOC_STOP, ids, 0, hwpmc_do_stop),
	HWPMC_CALL(HWPMC_IOC_RW, rw, HWPMC_RW_OLD | HWPMC_RW_NEW | HWPMC_RW_STALE,
		   hwpmc_do_rw),
	HWPMC_CALL(HWPMC_IOC_SET_COUNT, set_count, 0, hwpmc_do_set_count),
	HWPMC_CALL(HWPMC_IOC_LAST_ERROR, last_error, HWPMC_FLAGS_ALL, hwpmc_do_last_error),
	HWPMC_CALL(HWPMC_IOC_RING, ring, 0, hwpmc_do_ring),
	HWPMC_CALL(HWPMC_IOC_SAMPLED, sampled, 0, hwpmc_do_sampled),
	HWPMC_CALL(HWPMC_IOC_LOG_OPEN, log, 0, hwpmc_do_log_open),
	HWPMC_CALL(HWPMC_IOC_LOG_FLUSH, log, 0, hwpmc_do_log_flush),
	HWPMC_CALL(HWPMC_IOC_LOG_CLOSE, log, 0, hwpmc_do_log_close),
	HWPMC_CALL(HWPMC_IOC_LOG_WRITE, log_write, 0, hwpmc_do_log_write),
};

static int hwpmc_call_copy_in(struct hwpmc_owner *owner, const struct hwpmc_call *call,
			      union hwpmc_args *args, void __user *user)
{
	u32 size;
	int err;

	if (get_user(size, (u32 __user *)user))
		return hwpmc_fail_copy(owner);
	if (size < call->min)
		return hwpmc_fail(owner, -EINVAL, "the structure is %u bytes, at least %u are needed",
				  size, call->min);
	err = copy_struct_from_user(args, call->size, user, size);
	if (err == -E2BIG)
		return hwpmc_fail(owner, err,
				  "the structure's tail is not 0: the client is newer than the module");
	if (err)
		return hwpmc_fail_copy(owner);
	/* It may have been changed meanwhile. */
	args->size = size;
	if (args->flags & ~call->flags)
		return hwpmc_fail(owner, -EOPNOTSUPP, "unknown flags 0x%x",
				  args->flags & ~call->flags);
	return 0;
}

static int hwpmc_call_run(struct hwpmc_owner *owner, const struct hwpmc_call *call,
			  void __user *user)
{
	union hwpmc_args args;
	int err = hwpmc_call_copy_in(owner, call, &args, user);

	if (err)
		return err;
	owner->args = user;
	err = call->fn(owner, &args);
	if (!err)
		return 0;
	if (!copy_to_user(user, &args, min(args.size, call->size)) || err < 0)
		return min(err, 0);
	if (call->undo)
		call->undo(owner, &args);
	return hwpmc_fail_copy(owner);
}

long hwpmc_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct hwpmc_owner *owner = file->private_data;
	unsigned int nr = _IOC_NR(cmd);
	int err;

	if (_IOC_TYPE(cmd) != HWPMC_IOC_MAGIC || nr >= ARRAY_SIZE(hwpmc_calls))
		return -ENOTTY;
	mutex_lock(&owner->lock);
	err = hwpmc_call_run(owner, &hwpmc_calls[nr], (void __user *)arg);
	mutex_unlock(&owner->lock);
	hwpmc_stat_inc(HWPMC_STAT_CALLS);
	if (err)
		hwpmc_stat_inc(HWPMC_STAT_CALLS_FAILED);
	return err;
}
