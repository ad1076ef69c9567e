// SPDX-License-Identifier: GPL-2.0-only
#include "symbol/function.h"

/*
 * The kernel's symbols in a log have no ends, and the next symbol may be that of another module,
 * far away. No function is longer, in bytes.
 */
#define KERNEL_MAX	(256 * 1024)

static bool file_range(struct symbols *symbols, uint64_t offset, struct function *function,
		       uint64_t *address)
{
	struct dso *dso = symbols_dso(symbols, function->object);
	const struct dso_symbol *symbol;

	if (!dso || dso_address(dso, offset, address))
		return false;
	symbol = dso_symbol(dso, *address);
	if (!symbol)
		return false;
	function->start = symbol->start;
	function->end = symbol->end;
	return true;
}

static bool kernel_range(struct symbols *symbols, uint64_t address, struct function *function)
{
	const struct kernel_symbol *symbol = processes_kernel_symbol(symbols->processes, address);

	if (!symbol || address - symbol->start >= KERNEL_MAX)
		return false;
	function->start = symbol->start;
	function->end = processes_kernel_symbol_end(symbols->processes, symbol);
	if (function->end - function->start > KERNEL_MAX)
		function->end = function->start + KERNEL_MAX;
	return true;
}

static bool jit_range(struct symbols *symbols, uint64_t address, struct function *function)
{
	const struct jit_symbol *symbol = jit_symbol(&symbols->objects[function->object].jit,
						     address);

	if (!symbol)
		return false;
	function->start = symbol->start;
	function->end = symbol->end;
	return true;
}

bool function_find(struct symbols *symbols, uint32_t object, uint64_t offset,
		   struct function *function, uint64_t *address)
{
	const struct symbol_key *key = intern_at(&symbols->keys, object);
	struct frame frames[DSO_CALLS_MAX];
	uint32_t kind = key->kind;

	symbols_frames(symbols, object, offset, frames);
	if (frames[0].flags & FRAME_NAMELESS)
		return false;
	*function = (struct function){
		.object = object,
		.symbol = frames[0].symbol,
		.dso = frames[0].object,
		.flags = frames[0].flags & FRAME_KERNEL,
	};
	*address = offset;
	if (kind == SYMBOL_FILE)
		return file_range(symbols, offset, function, address);
	if (kind == SYMBOL_KERNEL)
		return kernel_range(symbols, offset, function);
	return jit_range(symbols, offset, function);
}
