// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the kernel's code. The addresses in vmlinux differ from those in the log, since the kernel
 * is loaded at a random address: the symbol _stext gives the difference.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "symbol/kallsyms.h"
#include "symbol/kernel_code.h"

#define FIRST_SYMBOL	"_stext"

/* The address of _stext in the log. */
static bool logged_start(struct symbols *symbols, uint64_t *start)
{
	const struct processes *processes = symbols->processes;

	for (size_t i = 0; i < processes->symbol_count; i++)
		if (!strcmp(processes->symbols[i].name, FIRST_SYMBOL)) {
			*start = processes->symbols[i].start;
			return true;
		}
	return false;
}

/* --- vmlinux */

static bool linked_start(Dwfl_Module *module, uint64_t *start)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL,
							   NULL);

		if (name && !strcmp(name, FIRST_SYMBOL)) {
			*start = address;
			return true;
		}
	}
	return false;
}

static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat stat;

	if (fd >= 0 && (fstat(fd, &stat) || !S_ISREG(stat.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool is_recorded(const struct symbols *symbols, Elf *elf)
{
	struct build_id found = build_id_of(elf);

	return !symbols->kernel.size || build_id_equal(&found, &symbols->kernel);
}

/* Returns NULL, or why the file is not vmlinux of the recorded kernel. */
static const char *open_vmlinux(struct kernel_code *code, struct symbols *symbols,
				const char *path)
{
	uint64_t logged, linked;
	int fd = open_regular(path);

	if (fd < 0)
		return "cannot be read";
	code->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (code->fd < 0 || dso_open(&code->dso, &symbols->paths, path, fd))
		return "is not an ELF file";
	if (!is_recorded(symbols, code->dso.elf))
		return "is of another build of the kernel";
	if (!linked_start(code->dso.module, &linked))
		return "has no symbol " FIRST_SYMBOL;
	if (!logged_start(symbols, &logged))
		return "cannot be used, since the log has no symbol " FIRST_SYMBOL;
	code->slide = logged - linked;
	return NULL;
}

static bool try_vmlinux(struct kernel_code *code, struct symbols *symbols, const char *path)
{
	const char *why = open_vmlinux(code, symbols, path);

	if (!why)
		return true;
	snprintf(code->why, sizeof(code->why), "'%s' %s", path, why);
	kernel_code_close(code);
	return false;
}

static bool find_vmlinux(struct kernel_code *code, struct symbols *symbols)
{
	static const char *const places[] = {
		"%s/usr/lib/debug/boot/vmlinux-%s", "%s/usr/lib/debug/lib/modules/%s/vmlinux",
		"%s/boot/vmlinux-%s", "%s/lib/modules/%s/vmlinux", "%s/lib/modules/%s/build/vmlinux",
	};
	const char *release = symbols->paths.release;
	bool found = false;

	/* The log may come from anywhere: its release must not lead out of these directories. */
	if (!release || !*release || strchr(release, '/'))
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !found; i++) {
		const char *format = places[i], *after = strstr(format + 2, "%s");
		char *path = xasprintf("%s%.*s%s%s", symbols->paths.root,
				       (int)(after - format - 2), format + 2, release, after + 2);

		found = try_vmlinux(code, symbols, path);
		free(path);
	}
	return found;
}

/* --- /proc/kcore */

struct start {
	uint64_t address;
};

static void take_start(uint64_t address, const char *name, void *context)
{
	if (!strcmp(name, FIRST_SYMBOL))
		((struct start *)context)->address = address;
}

/*
 * Whether this machine has not been booted since the recording. After a boot the kernel has another
 * address.
 */
static bool still_runs(struct symbols *symbols)
{
	const char *release = symbols->paths.release;
	FILE *file = fopen("/proc/kallsyms", "re");
	struct start start = { 0 };
	struct utsname us;
	uint64_t logged;

	if (file) {
		kallsyms_visit(file, take_start, &start);
		fclose(file);
	}
	return release && !uname(&us) && !strcmp(us.release, release) &&
	       logged_start(symbols, &logged) && logged == start.address;
}

static bool try_kcore(struct kernel_code *code, struct symbols *symbols)
{
	if (*symbols->paths.root || !still_runs(symbols))
		return false;
	code->fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	code->modules = true;
	return code->fd >= 0;
}

void kernel_code_open(struct kernel_code *code, struct symbols *symbols, const char *vmlinux)
{
	const char *release = symbols->paths.release;

	memset(code, 0, sizeof(*code));
	code->fd = -1;
	if (vmlinux ? try_vmlinux(code, symbols, vmlinux) :
		      find_vmlinux(code, symbols) || try_kcore(code, symbols))
		return;
	if (vmlinux)
		return;
	snprintf(code->why, sizeof(code->why),
		 "there is no vmlinux of Linux %.64s here; install the package of its debugging information "
		 "(Debian: linux-image-%.64s-dbg), name the file with --vmlinux, or annotate as root on the "
		 "recorded machine before it is booted again (/proc/kcore)",
		 release ? release : "", release ? release : "RELEASE");
}

void kernel_code_close(struct kernel_code *code)
{
	if (code->fd >= 0)
		close(code->fd);
	dso_close(&code->dso);
	code->fd = -1;
}
