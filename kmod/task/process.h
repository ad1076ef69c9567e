/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of processes, of mapped code and of kernel modules. Used by the probes in
 * kmod/task/ and by the ioctls in kmod/call/.
 */
#ifndef HWPMC_PROCESS_H
#define HWPMC_PROCESS_H

#include <linux/types.h>

struct hwpmc_owner;
struct mm_struct;
struct task_struct;
struct vm_area_struct;

/* kmod/task/process.c */
typedef void (*hwpmc_process_fn)(struct hwpmc_owner *owner, struct task_struct *task, void *arg);
void hwpmc_process_log(struct task_struct *task, hwpmc_process_fn write, void *arg);
void hwpmc_process_log_kernel(void (*write)(struct hwpmc_owner *owner, void *arg), void *arg);
void hwpmc_process_fork(struct task_struct *child);
void hwpmc_process_comm(struct task_struct *task, const char *comm);
void hwpmc_process_exec(struct task_struct *task, const char *path);
void hwpmc_process_exit(struct task_struct *task);
int hwpmc_process_snapshot(struct hwpmc_owner *owner, bool all, bool maps);

/* kmod/task/build_id.c */
u32 hwpmc_build_id_parse(const void *page, u8 *id);
u32 hwpmc_build_id_find(const struct vm_area_struct *vma, u8 *id);

/* kmod/task/maps.c */
int hwpmc_maps_get(void);
void hwpmc_maps_put(void);
void hwpmc_maps_exit(void);
void hwpmc_maps_exec(void);
void hwpmc_maps_log_out(u64 start, u64 size);
struct hwpmc_map_draft;
struct hwpmc_map_draft *hwpmc_maps_draft(void);
const char *hwpmc_maps_program(struct mm_struct *mm, struct hwpmc_map_draft *draft);
void hwpmc_maps_put_in(struct hwpmc_owner *owner, s32 pid, const struct vm_area_struct *vma,
		       struct hwpmc_map_draft *draft);

/* kmod/task/modules.c */
int hwpmc_modules_register(void);
void hwpmc_modules_unregister(void);
void hwpmc_modules_snapshot(struct hwpmc_owner *owner);

#endif /* HWPMC_PROCESS_H */
