// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the system calls, by number. The kernel does not export its table, but the headers
 * that it was built with contain it. Called by kmod/probe/, in process context.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/unistd.h>

#include "compat.h"

/* The names of the functions, such as "sys_openat". */
#undef __SYSCALL
#define __SYSCALL(number, function)			[number] = #function,
#define __SYSCALL_WITH_COMPAT(number, function, compat)	__SYSCALL(number, function)
#define __SYSCALL_NORETURN(number, function)		__SYSCALL(number, function)
#define __SYSCALL_COMMON(number, function)		__SYSCALL(number, function)
#define __SYSCALL_64(number, function)			__SYSCALL(number, function)
#define __SYSCALL_X32(number, function)

static const char *const hwpmc_syscall_functions[] = {
/* Of x86, of arm64 since Linux 6.11, and of arm64 before that. */
#if __has_include(<asm/syscalls_64.h>)
#include <asm/syscalls_64.h>
#elif __has_include(<asm/syscall_table_64.h>)
#include <asm/syscall_table_64.h>
#else
#include <asm/unistd.h>
#endif
};

/* Functions whose names differ from those of their system calls. */
static const struct {
	const char *function;
	const char *name;
} hwpmc_syscall_others[] = {
	{ "newstat", "stat" },
	{ "newlstat", "lstat" },
	{ "newfstat", "fstat" },
	{ "newuname", "uname" },
	{ "umount", "umount2" },
	{ "sendfile64", "sendfile" },
	{ "fadvise64_64", "fadvise64" },
};

const char *hwpmc_syscall_names_get(unsigned int number)
{
	const char *name;
	size_t i;

	if (number >= ARRAY_SIZE(hwpmc_syscall_functions) || !hwpmc_syscall_functions[number])
		return NULL;
	name = hwpmc_syscall_functions[number];
	if (strncmp(name, "sys_", 4) || !strcmp(name, "sys_ni_syscall"))
		return NULL;
	name += 4;
	for (i = 0; i < ARRAY_SIZE(hwpmc_syscall_others); i++)
		if (!strcmp(name, hwpmc_syscall_others[i].function))
			return hwpmc_syscall_others[i].name;
	return name;
}
