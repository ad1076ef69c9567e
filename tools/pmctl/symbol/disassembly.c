// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instructions of a function, by objdump of binutils, which is run once for each function.
 *
 * Why the program and not its library, libopcodes: the library promises no stable interface (2.39
 * changed what every caller passes), is built only for the machine's own architecture, and is GPL-3
 * or later, which pmctl (GPL-2.0-only) cannot be linked with. The program's options and the form of
 * its lines have not changed in decades, it reads the symbols of procedure linkage tables itself,
 * and Debian has one for each foreign architecture.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/search.h"
#include "symbol/disassembly.h"

/*
 * The architectures of logs, and the program and package for each on a machine of another
 * architecture.
 */
static const struct arch {
	unsigned int machine;
	const char *objdump;
	const char *package;
} archs[] = {
	{ EM_AARCH64, "aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu" },
	{ EM_X86_64, "x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu" },
};

#if defined(__aarch64__)
#define NATIVE	EM_AARCH64
#elif defined(__x86_64__)
#define NATIVE	EM_X86_64
#else
#define NATIVE	EM_NONE
#endif

static const struct arch *arch_of(int fd)
{
	static const struct arch native = { NATIVE, "objdump", "binutils" };
	Elf64_Half machine = EM_NONE;

	/* In 32-bit files the field has the same offset. */
	if (pread(fd, &machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)) !=
	    sizeof(machine))
		return &native;
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (archs[i].machine == machine && machine != NATIVE)
			return &archs[i];
	return &native;
}

/* --- Lines */

/* "bnd", "notrack" and "data16" precede the mnemonic. */
static const char *mnemonic(const char *text)
{
	static const char *const prefixes[] = { "bnd ", "notrack ", "data16 ", "rex.W ", NULL };

	for (unsigned int i = 0; prefixes[i]; i++)
		if (!strncmp(text, prefixes[i], strlen(prefixes[i]))) {
			text += strlen(prefixes[i]);
			text += strspn(text, " ");
		}
	return text;
}

/* Of x86: jmp, jne, loop, ...; of arm64: b, b.ne, cbz, tbnz, ... */
static bool is_jump(const char *name)
{
	size_t length = strcspn(name, " \t,");

	if (name[0] == 'j' || !strncmp(name, "loop", 4))
		return true;
	return (length == 1 && name[0] == 'b') || !strncmp(name, "b.", 2) ||
	       !strncmp(name, "bc.", 3) || !strncmp(name, "cbz", 3) || !strncmp(name, "cbnz", 4) ||
	       !strncmp(name, "tbz", 3) || !strncmp(name, "tbnz", 4);
}

static bool is_call(const char *name)
{
	size_t length = strcspn(name, " \t");

	return !strncmp(name, "call", 4) || (length == 2 && !strncmp(name, "bl", 2));
}

/* The last operand, if it is an address: "jne 1158 <f+0x28>", "tbz w0, #3, 0x79c // comment". */
static char *target_of(char *text, uint64_t *target)
{
	char *comment = strstr(text, "//"), *hash = strchr(text, '#'), *end, *at;
	char *bracket = strchr(text, '<');

	end = bracket ? bracket : comment ? comment : text + strlen(text);
	/*
	 * "call *0x2e(%rip) # 4038 <f>": the text after # is not the operand; on arm64 "#3," is
	 * one.
	 */
	if (hash && hash[1] == ' ' && hash < end)
		return NULL;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	for (at = end; at > text && isxdigit((unsigned char)at[-1]); at--)
		;
	if (at - text > 2 && at[-1] == 'x' && at[-2] == '0')
		at -= 2;
	if (at == end || at == text || !isspace((unsigned char)at[-1]))
		return NULL;
	*target = strtoull(at, NULL, 16);
	return end;
}

/* Removes "<f+0x28>" from the end of a jump or call. */
static void take_target(struct instruction *instruction)
{
	const char *name = mnemonic(instruction->text);
	bool jumps = is_jump(name);
	char *end, *open, *close;

	if (!jumps && !is_call(name))
		return;
	end = target_of(instruction->text, &instruction->target);
	if (!end)
		return;
	instruction->jumps = jumps;
	open = strchr(end, '<');
	close = open ? strrchr(open, '>') : NULL;
	if (close) {
		free(instruction->label);
		instruction->label = xstrndup(open + 1, (size_t)(close - open - 1));
	}
	*end = '\0';
}

/* Converts tabs between mnemonic and operands to columns, and removes trailing text. */
static char *tidied(const char *text)
{
	char *tidy = xcalloc(1, strlen(text) + 9), *out = tidy;

	for (; *text && *text != '\n'; text++) {
		if (*text != '\t') {
			*out++ = *text;
			continue;
		}
		do {
			*out++ = ' ';
		} while (out - tidy < 7);
	}
	while (out > tidy && out[-1] == ' ')
		*--out = '\0';
	return tidy;
}

bool disassembly_parse(const char *line, struct instruction *instruction)
{
	uint64_t address;
	char *end;

	address = strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return false;
	*instruction = (struct instruction){
		.address = address,
		.text = tidied(end + 2),
		.label = xstrdup(""),
	};
	take_target(instruction);
	return true;
}

/* --- Running objdump */

/* The environment with LC_ALL=C. The array and its first string are the caller's to free. */
static char **environment_in_c(void)
{
	size_t count = 0, kept = 0;
	char **variables;

	while (environ[count])
		count++;
	variables = xcalloc(count + 2, sizeof(*variables));
	variables[kept++] = xasprintf("LC_ALL=C");
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "LC_ALL=", strlen("LC_ALL=")))
			variables[kept++] = environ[i];
	return variables;
}

/* Executes PROGRAM with these words, and with OUT as its output. Returns 0 or an error number. */
static int spawn(const char *program, char **words, int out, pid_t *child)
{
	char **variables = environment_in_c();
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(child, program, &actions, NULL, words, variables);
	posix_spawn_file_actions_destroy(&actions);
	free(variables[0]);
	free(variables);
	return error;
}

/*
 * Starts objdump, with OUT as its output and FD open in it. Returns 0 or an error number. fork()
 * would copy the page tables of a pmctl that has many samples.
 */
static int start(const struct disassembly_request *request, const char *program, int fd, int out,
		 pid_t *child)
{
	char *first = xasprintf("--start-address=0x%" PRIx64, request->start);
	char *end = xasprintf("--stop-address=0x%" PRIx64, request->end);
	char *file = xasprintf("/proc/self/fd/%d", fd);
	char *words[12] = { (char *)program };
	int count = 1, error;

	words[count++] = (char *)"-dwz";
	words[count++] = (char *)"--no-show-raw-insn";
	words[count++] = first;
	words[count++] = end;
	if (request->style) {
		words[count++] = (char *)"-M";
		words[count++] = (char *)request->style;
	}
	words[count++] = file;
	error = spawn(program, words, out, child);
	free(file);
	free(end);
	free(first);
	return error;
}

static void take_line(struct disassembly *disassembly, const char *line, uint32_t *room)
{
	struct instruction instruction;

	if (!disassembly_parse(line, &instruction))
		return;
	if (disassembly->count == *room) {
		*room = *room ? *room * 2 : 64;
		disassembly->list = xrealloc(disassembly->list, *room,
					     sizeof(*disassembly->list));
	}
	disassembly->list[disassembly->count++] = instruction;
}

static void take_lines(struct disassembly *disassembly, int fd)
{
	FILE *file = fdopen(fd, "r");
	uint32_t room = 0;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		close(fd);
		return;
	}
	while (getline(&line, &size, file) > 0)
		take_line(disassembly, line, &room);
	free(line);
	fclose(file);
}

/* Returns 0 or an error number: objdump was not started. */
static int run(struct disassembly *disassembly, const struct disassembly_request *request,
	       const char *program)
{
	int ends[2], fd, error;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	/* Unlike request->fd, the copy stays open in objdump. */
	fd = dup(request->fd);
	if (fd < 0) {
		error = errno;
		close(ends[0]);
		close(ends[1]);
		return error;
	}
	error = start(request, program, fd, ends[1], &child);
	close(ends[1]);
	close(fd);
	if (error) {
		close(ends[0]);
		return error;
	}
	take_lines(disassembly, ends[0]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int disassembly_read(struct disassembly *disassembly, const struct disassembly_request *request,
		     char *why, size_t size)
{
	const struct arch *arch = arch_of(request->fd);
	const char *program = request->objdump ? request->objdump : arch->objdump;
	int error;

	memset(disassembly, 0, sizeof(*disassembly));
	error = run(disassembly, request, program);
	if (disassembly->count)
		return 0;
	if (!error)
		snprintf(why, size, "'%s' printed no instruction of it", program);
	else if (request->objdump)
		snprintf(why, size, "cannot run '%s' of --objdump: %s", program, strerror(error));
	else if (error == ENOENT)
		snprintf(why, size,
			 "'%s' is not installed; install the package %s, or name another with --objdump",
			 program, arch->package);
	else
		snprintf(why, size, "cannot run '%s': %s", program, strerror(error));
	return -1;
}

void disassembly_free(struct disassembly *disassembly)
{
	for (uint32_t i = 0; i < disassembly->count; i++) {
		free(disassembly->list[i].text);
		free(disassembly->list[i].label);
	}
	free(disassembly->list);
	memset(disassembly, 0, sizeof(*disassembly));
}

const struct instruction *disassembly_find(const struct disassembly *disassembly, uint64_t address)
{
	size_t low = search_up_to(disassembly->list, disassembly->count, address, address);

	return low ? &disassembly->list[low - 1] : NULL;
}
