/*
 * Regular expressions by PCRE2. Matching is bounded: steps by the match limit,
 * memory by the heap limit and a JIT stack of fixed size. Bytes that are not
 * UTF-8 never match anything but do not stop the search. One regex may be used
 * by one thread at a time (it holds its own scratch memory).
 */
#include "base/regex.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"

#define PATTERN_MAX 65536
#define STEPS_MAX 1000000
#define HEAP_MAX_KIB 8192
#define STACK_MAX (512 * 1024)

struct ks_regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	pcre2_jit_stack *stack;
};

static pcre2_code *compile(const char *pattern, size_t len, unsigned flags, struct ks_err *err)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
	PCRE2_SIZE at = 0;
	pcre2_code *code;
	int why = 0;

	if (flags & KS_REGEX_CASELESS) {
		options |= PCRE2_CASELESS;
	}
	if (flags & KS_REGEX_MULTILINE) {
		options |= PCRE2_MULTILINE;
	}
	code = pcre2_compile((PCRE2_SPTR)pattern, len, options, &why, &at, NULL);
	if (!code) {
		PCRE2_UCHAR text[160] = "";

		pcre2_get_error_message(why, text, sizeof(text));
		ks_err_set(err, KS_EINVAL, "regular expression, byte %zu: %s",
			(size_t)at, (const char *)text);
	}
	return code;
}

int ks_regex_new(struct ks_regex **out, const char *pattern, unsigned flags,
	struct ks_err *err)
{
	size_t len = strlen(pattern);
	struct ks_regex *re;
	pcre2_code *code;

	if (len > PATTERN_MAX) {
		return ks_err_set(err, KS_ELIMIT, "regular expression: longer than %d bytes",
			PATTERN_MAX);
	}
	code = compile(pattern, len, flags, err);
	if (!code) {
		return KS_EINVAL;
	}
	re = ks_zalloc(1, sizeof(*re));
	re->code = code;
	re->data = pcre2_match_data_create(KS_REGEX_GROUPS, NULL);
	re->limits = pcre2_match_context_create(NULL);
	if (!re->data || !re->limits) {
		abort();
	}
	pcre2_set_match_limit(re->limits, STEPS_MAX);
	pcre2_set_heap_limit(re->limits, HEAP_MAX_KIB);
	if (pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0) {
		re->stack = pcre2_jit_stack_create(32 * 1024, STACK_MAX, NULL);
		pcre2_jit_stack_assign(re->limits, NULL, re->stack);
	}
	*out = re;
	return KS_OK;
}

void ks_regex_free(struct ks_regex *re)
{
	if (re) {
		pcre2_match_data_free(re->data);
		pcre2_match_context_free(re->limits);
		pcre2_jit_stack_free(re->stack);
		pcre2_code_free(re->code);
		free(re);
	}
}

bool ks_regex_match(const struct ks_regex *re, struct ks_str text, size_t from,
	struct ks_str groups[KS_REGEX_GROUPS])
{
	const char *bytes = text.ptr ? text.ptr : "";
	PCRE2_SIZE *place;
	int i, found;

	if (from > text.len) {
		return false;
	}
	found = pcre2_match(re->code, (PCRE2_SPTR)bytes, text.len, from, 0, re->data, re->limits);
	if (found < 0) {
		return false;
	}
	if (!groups) {
		return true;
	}
	/* 0: more groups than the table holds; all its rows are set */
	if (found == 0) {
		found = KS_REGEX_GROUPS;
	}
	place = pcre2_get_ovector_pointer(re->data);
	for (i = 0; i < KS_REGEX_GROUPS; i++) {
		groups[i] = (struct ks_str){0};
		/* \K in a lookahead can put the start behind the end */
		if (i < found && place[2 * i] != PCRE2_UNSET &&
			place[2 * i] <= place[2 * i + 1]) {
			groups[i].ptr = bytes + place[2 * i];
			groups[i].len = place[2 * i + 1] - place[2 * i];
		}
	}
	return true;
}
