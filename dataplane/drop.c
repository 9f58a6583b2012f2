/* SPDX-License-Identifier: BSD-3-Clause */
#include "drop.h"

static const char *const names[DROP_REASON_COUNT] = {
#define X(name, text, help) text,
	DROP_REASONS(X)
#undef X
};

static const char *const helps[DROP_REASON_COUNT] = {
#define X(name, text, help) help,
	DROP_REASONS(X)
#undef X
};

const char *
drop_reason_name(enum drop_reason reason)
{
	return names[reason];
}

const char *
drop_reason_help(enum drop_reason reason)
{
	return helps[reason];
}
