/* SPDX-License-Identifier: BSD-3-Clause */
#include "human.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct human
human_count(uint64_t count)
{
	struct human h;
	char digits[24];
	size_t length;
	size_t out = 0;

	snprintf(digits, sizeof(digits), "%" PRIu64, count);
	length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			h.text[out++] = ',';
		h.text[out++] = digits[i];
	}
	h.text[out] = '\0';
	return h;
}

/* Three significant digits of a value that should be below 1,000. */
static struct human
three_digits(double value, const char *unit)
{
	struct human h;
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(h.text, sizeof(h.text), "%.*f%s%s", decimals, value, unit[0] != '\0' ? " " : "",
		 unit);
	return h;
}

/* The first unit in which value / 1000^n is below 1,000; units[] ends with NULL. */
static struct human
scaled(double value, const char *const *units)
{
	while (value >= 999.5 && units[1] != NULL) {
		value /= 1000;
		units++;
	}
	return three_digits(value, *units);
}

struct human
human_short(double count)
{
	static const char *const units[] = {"", "k", "M", "G", "T", NULL};

	return scaled(count, units);
}

struct human
human_bytes(double bytes)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB", NULL};
	struct human h;

	if (bytes >= 999.5)
		return scaled(bytes, units);
	snprintf(h.text, sizeof(h.text), "%.0f B", bytes);
	return h;
}

struct human
human_time_us(double us)
{
	static const char *const units[] = {"ns", "us", "ms", "s", NULL};

	return us == 0 ? three_digits(0, "us") : scaled(us * 1000, units);
}

struct human
human_rate_bps(double rate_bps)
{
	static const char *const units[] = {"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "Pb/s", NULL};

	return scaled(rate_bps, units);
}

struct human
human_percent(double fraction)
{
	struct human h;

	if (fraction > 0 && fraction < 0.00005) {
		snprintf(h.text, sizeof(h.text), "<0.01 %%");
		return h;
	}
	return three_digits(fraction * 100, "%");
}
