/*
 * Wordings filled with what is known of the machine and the campaign. A value
 * that is a plain count gets its unit ("132 processors", "50 MiB of L2"); a
 * value that is not known becomes neutral words, so that a question always
 * reads as a sentence.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/bank_impl.h"

static const struct {
	const char *key;
	const char *unit;     /* behind the value; "B": bytes, scaled */
	const char *fallback;
} params[] = {
	{"arch", "", "this device"},
	{"sm_count", " processors", "all processors"},
	{"smem_per_block", "B of on-chip memory per block",
		"the on-chip memory of a block"},
	{"smem_per_sm", "B of on-chip memory per processor",
		"the on-chip memory of a processor"},
	{"regs_per_sm", " registers per processor", "the registers of a processor"},
	{"regs_per_thread_max", " registers per thread", "the register limit of a thread"},
	{"warps_per_sm", " warps per processor", "the resident warps of a processor"},
	{"warp_size", " lanes", "all lanes"},
	{"l1_bytes", "B of L1", "the L1 capacity"},
	{"l2_bytes", "B of L2", "the L2 capacity"},
	{"llc_bytes", "B of last-level cache", "the last-level cache"},
	{"page_bytes", "B per page", "the page size"},
	{"vector_bits", " bits per vector", "the widest vectors"},
	{"cores", " cores", "all cores"},
	{"threads", " threads", "all threads"},
	{"mem_latency", " ns of memory latency", "the memory latency"},
	{"smem_bytes_per_clk", " bytes per cycle", "the peak on-chip bytes per cycle"},
	{"worst", "", "the worst scenario"},
	{"worst_scenario", "", "the worst scenario"},
	{"roofline", "", "its roofline"},
	{"worst_share", " of its roofline", "its share of the roofline"},
	{"largest_scenario", "", "the largest scenario"},
	{"smallest_scenario", "", "the smallest scenario"},
};

const char *ks_bank_fallback(struct ks_str key)
{
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		if (ks_str_is(key, params[i].key)) {
			return params[i].fallback;
		}
	}
	return NULL;
}

static const char *unit_of(struct ks_str key)
{
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		if (ks_str_is(key, params[i].key)) {
			return params[i].unit;
		}
	}
	return "";
}

static bool all_digits(struct ks_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9') {
			return false;
		}
	}
	return s.len > 0 && s.len < 16;
}

static void add_bytes(struct ks_buf *out, struct ks_str digits)
{
	static const char *const units[] = {" bytes", " KiB", " MiB", " GiB"};
	double n = 0;
	size_t u = 0;

	for (size_t i = 0; i < digits.len; i++) {
		n = n * 10 + (digits.ptr[i] - '0');
	}
	while (n >= 1024 && u < 3) {
		n /= 1024;
		u++;
	}
	ks_buf_addf(out, "%.4g%s", n, units[u]);
}

static void add_value(struct ks_buf *out, struct ks_str key, struct ks_str value)
{
	const char *unit = unit_of(key);

	if (!all_digits(value)) {
		ks_buf_addstr(out, value);
		if (unit[0] == ' ' && value.len && value.ptr[value.len - 1] == '%') {
			ks_buf_adds(out, unit);
		}
	} else if (unit[0] == 'B') {
		add_bytes(out, value);
		ks_buf_adds(out, unit + 1);
	} else {
		ks_buf_addstr(out, value);
		ks_buf_adds(out, unit);
	}
}

bool ks_bank_placeholder(struct ks_str text, size_t from, size_t *out_start,
	struct ks_str *out_key)
{
	for (size_t i = from; i < text.len; i++) {
		size_t end = i + 1;

		if (text.ptr[i] != '{') {
			continue;
		}
		while (end < text.len && (islower((unsigned char)text.ptr[end]) ||
		       text.ptr[end] == '_' || isdigit((unsigned char)text.ptr[end]))) {
			end++;
		}
		if (end < text.len && text.ptr[end] == '}' && end > i + 1) {
			*out_start = i;
			*out_key = (struct ks_str){text.ptr + i + 1, end - i - 1};
			return true;
		}
	}
	return false;
}

void ks_bank_fill(struct ks_buf *out, const struct ks_bank_entry *entry,
	unsigned target, const struct ks_bank_value *values, size_t count)
{
	struct ks_str text = ks_str_of(ks_bank_text(entry, target)), key;
	size_t at = 0, start, first = out->len;

	while (ks_bank_placeholder(text, at, &start, &key)) {
		const char *fallback = ks_bank_fallback(key);
		bool known = false;

		ks_buf_add(out, text.ptr + at, start - at);
		at = start + key.len + 2;
		for (size_t i = 0; i < count && !known; i++) {
			known = ks_str_eq(values[i].key, key) && values[i].value.len > 0;
			if (known) {
				add_value(out, key, values[i].value);
			}
		}
		if (!known) {
			ks_buf_adds(out, fallback ? fallback : "what this machine has");
		}
	}
	ks_buf_add(out, text.ptr + at, text.len - at);
	if (out->len > first && islower((unsigned char)out->ptr[first])) {
		out->ptr[first] = (char)toupper((unsigned char)out->ptr[first]);
	}
}

static bool has_word(struct ks_str hay, struct ks_str needle)
{
	for (size_t i = 0; i + needle.len <= hay.len; i++) {
		if (strncasecmp(hay.ptr + i, needle.ptr, needle.len) == 0) {
			return true;
		}
	}
	return false;
}

bool ks_bank_said(const char *text, struct ks_str query)
{
	struct ks_str word;

	while (ks_str_next(&query, ' ', &word)) {
		if (!has_word(ks_str_of(text), word)) {
			return false;
		}
	}
	return true;
}

bool ks_bank_matches(const struct ks_bank_entry *entry, struct ks_str query)
{
	const char *const fields[] = {entry->id, entry->question, entry->question_cpu,
		entry->bound, entry->quantity, ks_layer_name(entry->group)};
	struct ks_str word;

	while (ks_str_next(&query, ' ', &word)) {
		bool found = word.len == 0;

		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			found = found || has_word(ks_str_of(fields[i]), word);
		}
		if (!found) {
			return false;
		}
	}
	return true;
}
