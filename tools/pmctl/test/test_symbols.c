// SPDX-License-Identifier: GPL-2.0-only
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"
#include "check.h"
#include "fixture.h"
#include "fixtures/prog.h"
#include "symbol/demangle.h"
#include "symbol/symbols.h"

static struct build_id built_id(void)
{
	struct build_id id = { 0 };
	char *path = fixture("id");
	FILE *file = fopen(path, "r");
	unsigned int byte;

	while (file && id.size < BUILD_ID_MAX && fscanf(file, "%2x", &byte) == 1)
		id.bytes[id.size++] = (uint8_t)byte;
	if (file)
		fclose(file);
	free(path);
	return id;
}

struct seen {
	struct intern names;
	struct symbols symbols;
	struct frame frames[DSO_CALLS_MAX];
	int count;
};

static void see(struct seen *seen, const char *root, const char *path, const struct build_id *id,
		unsigned long offset)
{
	uint32_t object;

	intern_init_texts(&seen->names);
	symbols_init(&seen->symbols, &seen->names, root);
	seen->symbols.sources = true;
	object = symbols_object(&seen->symbols, SYMBOL_FILE, path, 0);
	if (id)
		symbols_build_id(&seen->symbols, object, id->bytes, id->size);
	seen->count = symbols_frames(&seen->symbols, object, offset, seen->frames);
}

static void forget(struct seen *seen)
{
	symbols_free(&seen->symbols);
	intern_free(&seen->names);
}

static const char *symbol(const struct seen *seen, int frame)
{
	return intern_text(&seen->names, seen->frames[frame].symbol);
}

static void one(const char *program, const char *name, const char *what)
{
	char *path = fixture(program);
	struct seen seen;

	see(&seen, "", path, NULL, fixture_place(program, name));
	check_text(symbol(&seen, seen.count - 1), name, what);
	forget(&seen);
	free(path);
}

static void programs(void)
{
	one("pie", "leaf_function", "a function of a PIE");
	one("pie", "outer_function", "another");
	one("fixed", "leaf_function", "a function of a program that is not one");
	one("link", "leaf_function", "a stripped program, by .gnu_debuglink");
}

/* The offset of a section in a fixture. */
static unsigned long section_place(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	unsigned long found = 0;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	elf_getshdrstrndx(elf, &names);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    !strcmp(elf_strptr(elf, names, header.sh_name), name))
			found = header.sh_offset;
	elf_end(elf);
	close(fd);
	return found;
}

/* The symbol _init has no length: it must end with its section, and not extend into .plt. */
static void sections(void)
{
	char *path = fixture("pie"), wanted[64];
	unsigned long offset = section_place(path, ".plt");
	struct seen seen;

	see(&seen, "", path, NULL, section_place(path, ".init"));
	check_text(symbol(&seen, 0), "_init", "a function without a size");
	forget(&seen);
	see(&seen, "", path, NULL, offset);
	snprintf(wanted, sizeof(wanted), "pie+0x%lx", offset);
	check_text(symbol(&seen, 0), wanted, "ends where its section does");
	forget(&seen);
	free(path);
}

static void inlined(void)
{
	unsigned long offset = fixture_place("pie", "inlined_function");
	char *path = fixture("pie");
	struct seen seen;

	see(&seen, "", path, NULL, offset);
	check(seen.count == 2, "an inlined function and the one around it");
	check_text(symbol(&seen, 0), "inlined_function", "the inlined one");
	check(seen.frames[0].flags & FRAME_INLINED, "is marked");
	check_text(symbol(&seen, seen.count - 1), "outer_function", "the one around it");
	check(!strncmp(intern_text(&seen.names, seen.frames[0].source), "prog.c:", 7),
	      "the source line");
	check(seen.count < 2 || (seen.frames[1].source &&
				 seen.frames[0].source != seen.frames[1].source),
	      "and where it was called");
	seen.symbols.inlines = false;
	seen.count = symbols_frames(&seen.symbols, 0, offset, seen.frames);
	check(seen.count == 1 && !strcmp(symbol(&seen, 0), "outer_function"),
	      "without inlined functions only that one");
	forget(&seen);
	free(path);
}

static void library(void)
{
	char *path = fixture("libsample.so");
	void *handle = dlopen(path, RTLD_NOW);
	const void *address = handle ? dlsym(handle, "shared_leaf_function") : NULL;
	struct seen seen;

	see(&seen, "", path, NULL, file_offset(address));
	check_text(symbol(&seen, 0), "shared_leaf_function", "a function of a library that was opened");
	check_text(path_last(intern_text(&seen.names, seen.frames[0].object)), "libsample.so",
		   "its library");
	forget(&seen);
	free(path);
	if (handle)
		dlclose(handle);
}

static void build_ids(void)
{
	unsigned long offset = fixture_place("pie", "leaf_function");
	char *root = fixture("root"), *other = fixture("other"), *nowhere = fixture("nowhere");
	struct build_id id = built_id(), wrong = id;
	char wanted[64];
	struct seen seen;

	see(&seen, root, "/bin/by-id", &id, offset);
	check_text(symbol(&seen, 0), "leaf_function", "a stripped program, by its build-id");
	forget(&seen);
	see(&seen, root, "/bin/by-id (deleted)", &id, offset);
	check_text(symbol(&seen, 0), "leaf_function", "a deleted file that is still there");
	forget(&seen);
	see(&seen, root, "/gone/by-id", &id, offset);
	check_text(symbol(&seen, 0), "leaf_function", "a file that is only in the build-ids' directory");
	forget(&seen);
	snprintf(wanted, sizeof(wanted), "by-id+0x%lx", offset);
	wrong.bytes[0] ^= 1;
	see(&seen, root, "/bin/by-id", &wrong, offset);
	check_text(symbol(&seen, 0), wanted, "a file of another build is not used");
	check(seen.symbols.objects[0].state == DSO_MISMATCH, "and that is known");
	forget(&seen);
	see(&seen, other, "/bin/by-id", &id, offset);
	check_text(symbol(&seen, 0), wanted, "nor another file of its name");
	forget(&seen);
	see(&seen, nowhere, "/bin/by-id", &id, offset);
	check_text(symbol(&seen, 0), wanted, "no file at all");
	check(seen.symbols.objects[0].state == DSO_MISSING, "is another matter");
	forget(&seen);
	see(&seen, root, "/bin/by-id (deleted)", NULL, offset);
	snprintf(wanted, sizeof(wanted), "by-id (deleted)+0x%lx", offset);
	check_text(symbol(&seen, 0), wanted, "a deleted file without a build-id may be any");
	forget(&seen);
	free(root);
	free(other);
	free(nowhere);
}

static bool is_file(const char *path)
{
	return symbols_is_file(&(struct mapped_file){ .path = (char *)path });
}

static void odd_files(void)
{
	struct seen seen;

	check(is_file("/bin/true") && is_file("/bin/true (deleted)") && is_file("[vdso]"),
	      "what is a file");
	check(!is_file("//anon") && !is_file("/dev/zero (deleted)") && !is_file("/SYSV00000000"),
	      "what is none, for all its path");
	check(!is_file("/anon_hugepage (deleted)"), "nor are large pages of nobody's");

	see(&seen, "", "/dev/null", NULL, 16);
	check_text(symbol(&seen, 0), "null+0x10", "a device is not opened");
	forget(&seen);
	see(&seen, "", "/etc/passwd", NULL, 16);
	check_text(symbol(&seen, 0), "passwd+0x10", "no ELF file");
	forget(&seen);
	see(&seen, "", "relative", NULL, 16);
	check_text(symbol(&seen, 0), "relative+0x10", "no path");
	forget(&seen);
	see(&seen, "", "/usr/bin/env", NULL, 0xffffffffffff);
	check_text(symbol(&seen, 0), "env+0xffffffffffff", "behind the file's end");
	forget(&seen);
}

static void plain(const char *name, const char *wanted)
{
	char *got = demangle(name);

	check_text(got, wanted, name);
	free(got);
}

static void demangled(void)
{
	char *path = fixture("cxx");
	struct seen seen;

	plain("main", "main");
	plain("_start", "_start");
	plain("_ZN5outer5plainEi", "outer::plain");
	plain("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	plain("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	plain("_Z", "_Z");
	see(&seen, "", path, NULL, fixture_place("cxx", "method"));
	check_text(symbol(&seen, 0), "outer::box<int>::get", "a method of a template");
	forget(&seen);
	see(&seen, "", path, NULL, fixture_place("cxx", "plain"));
	check_text(symbol(&seen, 0), "outer::plain", "a function in a namespace");
	forget(&seen);
	free(path);
}

/* The offset of a function in our vdso; 0 without a vdso, as in some sandboxes. */
static unsigned long in_vdso(const char *name)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	void *handle = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	const char *address = handle ? dlsym(handle, name) : NULL;

	if (handle)
		dlclose(handle);
	return image && address > image ? (unsigned long)(address - image) : 0;
}

/* The symbol at @offset of the vdso, in a log of kernel @release. */
static void see_vdso(struct seen *seen, const char *release, const struct build_id *id,
		     unsigned long offset)
{
	uint32_t object;

	intern_init_texts(&seen->names);
	symbols_init(&seen->symbols, &seen->names, "");
	seen->symbols.paths.release = release;
	object = symbols_object(&seen->symbols, SYMBOL_FILE, "[vdso]", 0);
	if (id)
		symbols_build_id(&seen->symbols, object, id->bytes, id->size);
	seen->count = symbols_frames(&seen->symbols, object, offset, seen->frames);
}

/* Our vdso is used if the log has its kernel release or its build-id. */
static void vdso(void)
{
#ifdef __aarch64__
	static const char name[] = "__kernel_clock_gettime";
#else
	static const char name[] = "__vdso_clock_gettime";
#endif
	unsigned long offset = in_vdso(name);
	struct build_id wrong = { .size = 20 };
	struct utsname us;
	struct seen seen;

	see_vdso(&seen, NULL, NULL, 0x10);
	check_text(symbol(&seen, 0), "[vdso]+0x10", "the vdso of who knows which kernel is not ours");
	forget(&seen);
	if (!offset || uname(&us)) {
		printf("ok - # SKIP this machine has no vdso\n");
		return;
	}
	see_vdso(&seen, us.release, NULL, offset);
	check(strstr(symbol(&seen, 0), "clock_gettime") && !strchr(symbol(&seen, 0), '+'),
	      "that of the kernel that runs is");
	forget(&seen);
	see_vdso(&seen, us.release, &wrong, offset);
	check(strchr(symbol(&seen, 0), '+'), "unless its build-id is another");
	forget(&seen);
	see_vdso(&seen, "0.1.2", NULL, offset);
	check(strchr(symbol(&seen, 0), '+'), "another kernel's is not");
	forget(&seen);
}

static void just_in_time(void)
{
	char root[] = "/tmp/pmctl-jit-XXXXXX", *path, *tmp;
	struct frame frames[DSO_CALLS_MAX];
	struct intern names;
	struct symbols symbols;
	uint32_t object;
	FILE *file;

	if (!mkdtemp(root))
		return;
	tmp = xasprintf("%s/tmp", root);
	path = xasprintf("%s/tmp/perf-42.map", root);
	mkdir(tmp, 0700);
	file = fopen(path, "w");
	if (file) {
		fputs("7f0000001000 100 first\n7f0000002000 80 LazyCompile:~second a.js:1\n"
		      "not a line\n7f0000001000 40 moved here\n", file);
		fclose(file);
	}
	intern_init_texts(&names);
	symbols_init(&symbols, &names, root);
	object = symbols_object(&symbols, SYMBOL_JIT, "", 42);
	symbols_frames(&symbols, object, 0x7f0000002010, frames);
	check_text(intern_text(&names, frames[0].symbol), "LazyCompile:~second a.js:1",
		   "code that was compiled as it ran");
	check_text(intern_text(&names, frames[0].object), "perf-42.map", "its map");
	symbols_frames(&symbols, object, 0x7f0000001010, frames);
	check_text(intern_text(&names, frames[0].symbol), "moved here", "what was said last holds");
	symbols_frames(&symbols, object, 0x7f0000001050, frames);
	check_text(intern_text(&names, frames[0].symbol), "//anon+0x7f0000001050", "behind it is nothing");
	symbols_frames(&symbols, symbols_object(&symbols, SYMBOL_JIT, "", 43), 0x10, frames);
	check_text(intern_text(&names, frames[0].symbol), "//anon+0x10", "a process without a map");
	symbols_free(&symbols);
	intern_free(&names);
	unlink(path);
	rmdir(tmp);
	rmdir(root);
	free(path);
	free(tmp);
}

int main(void)
{
	fixtures_begin();
	programs();
	sections();
	inlined();
	library();
	build_ids();
	odd_files();
	demangled();
	vdso();
	just_in_time();
	return check_result();
}
