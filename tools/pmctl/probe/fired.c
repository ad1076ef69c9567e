// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "log/log_record.h"
#include "probe/fired.h"

unsigned int fired_arguments(const struct fired *fired)
{
	unsigned int count = fired->of->prototype.count;

	return count < fired->record->args ? count : fired->record->args;
}

bool fired_argument(const struct fired *fired, unsigned int index, uint64_t *raw)
{
	if (index >= fired_arguments(fired))
		return false;
	*raw = log_record_words(fired->record, fired->record->args_offset)[index];
	return true;
}

bool fired_result(const struct fired *fired, int64_t *value)
{
	if (!(fired->record->sample.h.flags & HWPMC_PROBE_RETURN) ||
	    !fired->of->prototype.returns)
		return false;
	*value = prototype_value(&fired->of->prototype.result, fired->record->retval);
	return true;
}

const char *fired_error_name(int64_t number)
{
	return number > 0 && number < 4096 ? strerrorname_np((int)number) : NULL;
}

const char *fired_error(const struct fired *fired)
{
	if (!(fired->record->sample.h.flags & HWPMC_PROBE_ERROR))
		return NULL;
	return fired_error_name(-(int64_t)fired->record->retval);
}

const char *fired_string(const struct fired *fired, bool *cut)
{
	*cut = fired->record->sample.h.flags & HWPMC_PROBE_CUT;
	return fired->record->string_offset ?
		       log_record_text(fired->record, fired->record->string_offset) : NULL;
}

const char *fired_comm(const struct fired *fired)
{
	return fired->record->comm_offset ?
		       log_record_text(fired->record, fired->record->comm_offset) : NULL;
}
