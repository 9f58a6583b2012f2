/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config_units.h"

/* Smaller sizes are printed in bytes: frames and cells are known by those. */
#define SIZE_IN_BYTES 16384

struct suffix {
	const char *text;
	uint64_t scale;
	bool for_output; /* config_unit_format() may use it; largest first */
};

static const struct suffix time_suffixes[] = {
	{"s", 1000000000000, true}, {"ms", 1000000000, true}, {"us", 1000000, true},
	{"ns", 1000, true},         {"ps", 1, true},          {"\xc2\xb5s", 1000000, false},
	{NULL, 0, false},
};

static const struct suffix rate_suffixes[] = {
	{"Tbps", 1000000000000, true},
	{"Gbps", 1000000000, true},
	{"Mbps", 1000000, true},
	{"kbps", 1000, true},
	{"bps", 1, true},
	{"Kbps", 1000, false},
	{"Tb/s", 1000000000000, false},
	{"Gb/s", 1000000000, false},
	{"Mb/s", 1000000, false},
	{"kb/s", 1000, false},
	{"b/s", 1, false},
	{NULL, 0, false},
};

static const struct suffix size_suffixes[] = {
	{"GiB", 1ULL << 30, true},
	{"MiB", 1ULL << 20, true},
	{"KiB", 1ULL << 10, true},
	{"GB", 1000000000, true},
	{"MB", 1000000, true},
	{"KB", 1000, true},
	{"B", 1, true},
	{"kB", 1000, false},
	{"TB", 1000000000000, false},
	{"TiB", 1ULL << 40, false},
	{NULL, 0, false},
};

static const struct suffix length_suffixes[] = {
	{"km", 1000000, true},
	{"m", 1000, true},
	{"mm", 1, true},
	{NULL, 0, false},
};

struct unit {
	const struct suffix *suffixes;
	const char *bare; /* what a number without a unit misses; NULL = it is right */
	const char *whole;
	const char *example;
};

static const struct unit units[] = {
	[CONFIG_UNIT_COUNT] = {NULL, NULL, "number", "a whole number"},
	[CONFIG_UNIT_TIME] = {time_suffixes, "ps, ns, us, ms or s", "number of picoseconds",
			      "a time such as 5ms, 2us, 800ns or 10ps"},
	[CONFIG_UNIT_RATE] = {rate_suffixes, "bps, kbps, Mbps, Gbps or Tbps",
			      "number of bits a second",
			      "a rate such as 100Gbps, 1.5Gbps or 10Mbps"},
	[CONFIG_UNIT_SIZE] = {size_suffixes, NULL, "number of bytes",
			      "a size such as 400KB (1000), 9MiB (1024) or 208 (bytes)"},
	[CONFIG_UNIT_LENGTH] = {length_suffixes, "m or km", "number of millimetres",
				"a length such as 5m or 2km"},
	[CONFIG_UNIT_PERCENT] = {NULL, "%", NULL, "a percentage such as 20%"},
	[CONFIG_UNIT_SHARE] = {NULL, NULL, NULL, "a share such as 0.5, 50% or 1/256"},
};

const char *
config_unit_example(enum config_unit unit)
{
	return units[unit].example;
}

uint64_t
config_unit_max(enum config_unit unit)
{
	switch (unit) {
	case CONFIG_UNIT_TIME:
		return 86400000000000000; /* a day */
	case CONFIG_UNIT_RATE:
		return 10000000000000; /* 10 Tb/s */
	case CONFIG_UNIT_SIZE:
		return 1ULL << 40;
	case CONFIG_UNIT_LENGTH:
		return 100000000; /* 100 km */
	default:
		return UINT64_MAX - 1; /* the last value stands for "auto" and "never" */
	}
}

struct decimal {
	uint64_t digits;
	uint64_t divisor; /* power of ten */
};

/* Digits with at most one point; the rest of the text in *rest. -ERANGE when too many. */
static int
parse_decimal(const char *text, struct decimal *d, const char **rest)
{
	const char *p = text;
	bool point = false, any = false;

	*d = (struct decimal){.digits = 0, .divisor = 1};
	for (;; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			break;
		any = true;
		if (__builtin_mul_overflow(d->digits, 10, &d->digits) ||
		    __builtin_add_overflow(d->digits, (uint64_t)(*p - '0'), &d->digits) ||
		    (point && d->divisor >= 1000000000000000000ULL))
			return -ERANGE;
		if (point)
			d->divisor *= 10;
	}
	*rest = p;
	return any && p[-1] != '.' ? 0 : -EINVAL;
}

/* d x scale as an integer. -ERANGE, or -EDOM when it is not whole and may not be rounded. */
static int
scale_decimal(const struct decimal *d, uint64_t scale, bool round, uint64_t *value)
{
	unsigned __int128 v = (unsigned __int128)d->digits * scale;

	if (!round && v % d->divisor != 0)
		return -EDOM;
	if (round)
		v += d->divisor / 2;
	v /= d->divisor;
	if (v >= UINT64_MAX) /* the last value stands for "auto" and "never" */
		return -ERANGE;
	*value = (uint64_t)v;
	return 0;
}

static int
parse_share(bool percent_only, const struct decimal *d, const char *rest, uint64_t *value)
{
	struct decimal over;

	if (strcmp(rest, "%") == 0) {
		struct decimal share = *d;

		if (share.divisor > UINT64_MAX / 100)
			return -ERANGE;
		share.divisor *= 100;
		return scale_decimal(&share, CONFIG_ONE_Q32, true, value);
	}
	if (*rest == '\0' && (!percent_only || d->digits == 0))
		return scale_decimal(d, CONFIG_ONE_Q32, true, value);
	if (percent_only || *rest != '/' || d->divisor != 1)
		return -EINVAL;
	if (parse_decimal(rest + 1, &over, &rest) != 0 || *rest != '\0' || over.divisor != 1 ||
	    over.digits == 0)
		return -EINVAL;
	return scale_decimal(&(struct decimal){.digits = d->digits, .divisor = over.digits},
			     CONFIG_ONE_Q32, true, value);
}

static int
parse_suffix(const struct unit *u, const struct decimal *d, const char *rest, uint64_t *value)
{
	const struct suffix *s = u->suffixes;

	if (*rest == '\0' && (u->bare == NULL || d->digits == 0))
		return scale_decimal(d, 1, false, value);
	while (s != NULL && s->text != NULL && strcmp(s->text, rest) != 0)
		s++;
	if (s == NULL || s->text == NULL)
		return -EINVAL;
	return scale_decimal(d, s->scale, false, value);
}

int
config_unit_parse(enum config_unit unit, const char *text, uint64_t *value, char *why,
		  size_t why_bytes)
{
	const struct unit *u = &units[unit];
	const char *rest = text;
	struct decimal d;
	int rc;

	if (*text == '-' && text[1] >= '0' && text[1] <= '9') {
		snprintf(why, why_bytes, "%.40s is negative; write %s", text, u->example);
		return -EINVAL;
	}
	rc = parse_decimal(text, &d, &rest);
	while (rc == 0 && *rest == ' ')
		rest++;
	if (rc == 0 && (unit == CONFIG_UNIT_PERCENT || unit == CONFIG_UNIT_SHARE))
		rc = parse_share(unit == CONFIG_UNIT_PERCENT, &d, rest, value);
	else if (rc == 0)
		rc = parse_suffix(u, &d, rest, value);
	if (rc == 0)
		return 0;
	if (rc == -ERANGE)
		snprintf(why, why_bytes, "%.40s is too large or has too many digits", text);
	else if (rc == -EDOM)
		snprintf(why, why_bytes, "%.40s is not a whole %s", text, u->whole);
	else if (*text != '\0' && *rest == '\0' && u->bare != NULL)
		snprintf(why, why_bytes, "%.40s needs a unit (%s); write %s", text, u->bare,
			 u->example);
	else
		snprintf(why, why_bytes, "\"%.40s\" is not %s", text, u->example);
	return -EINVAL;
}

static void
format_suffix(const struct suffix *s, uint64_t value, char *out, size_t bytes)
{
	char digits[32];
	int length;

	while (s[1].for_output && value < s->scale)
		s++;
	if (value % s->scale == 0) {
		snprintf(out, bytes, "%" PRIu64 "%s", value / s->scale, s->text);
		return;
	}
	/* The scales are powers of ten: the remainder's digits are exact. */
	length = snprintf(digits, sizeof(digits), "%" PRIu64, s->scale + value % s->scale);
	while (digits[length - 1] == '0')
		digits[--length] = '\0';
	snprintf(out, bytes, "%" PRIu64 ".%s%s", value / s->scale, digits + 1, s->text);
}

/* The unit that makes the smallest whole number. */
static void
format_size(uint64_t value, char *out, size_t bytes)
{
	static const struct suffix bytes_suffix = {"B", 1, true};
	const struct suffix *best = &bytes_suffix;

	for (const struct suffix *s = size_suffixes; s->for_output; s++)
		if (value >= SIZE_IN_BYTES && value % s->scale == 0 && s->scale > best->scale)
			best = s;
	snprintf(out, bytes, "%" PRIu64 "%s", value / best->scale, best->text);
}

static void
format_share(uint64_t value, unsigned scale, const char *suffix, char *out, size_t bytes)
{
	uint64_t divisor = 1;

	for (int digits = 0; digits <= 12; digits++, divisor *= 10) {
		unsigned __int128 v = (unsigned __int128)value * scale * divisor;
		uint64_t n = (uint64_t)((v + CONFIG_ONE_Q32 / 2) >> 32), back;
		struct decimal d = {.digits = n, .divisor = divisor * scale};

		if (scale_decimal(&d, CONFIG_ONE_Q32, true, &back) != 0 || back != value)
			continue;
		if (digits == 0)
			snprintf(out, bytes, "%" PRIu64 "%s", n, suffix);
		else
			snprintf(out, bytes, "%" PRIu64 ".%0*" PRIu64 "%s", n / divisor, digits,
				 n % divisor, suffix);
		return;
	}
	snprintf(out, bytes, "?");
}

void
config_unit_format(enum config_unit unit, uint64_t value, char *out, size_t bytes)
{
	if (unit == CONFIG_UNIT_PERCENT)
		format_share(value, 100, "%", out, bytes);
	else if (unit == CONFIG_UNIT_SHARE)
		format_share(value, 1, "", out, bytes);
	else if (value == 0 || units[unit].suffixes == NULL)
		snprintf(out, bytes, "%" PRIu64, value);
	else if (unit == CONFIG_UNIT_SIZE)
		format_size(value, out, bytes);
	else
		format_suffix(units[unit].suffixes, value, out, bytes);
}

bool
config_unit_percents(uint64_t share_q32, uint32_t *percents)
{
	*percents = (uint32_t)((share_q32 * 100 + CONFIG_ONE_Q32 / 2) >> 32);
	return ((uint64_t)*percents * CONFIG_ONE_Q32 + 50) / 100 == share_q32;
}
