/* Life of a scenario's result. */
#include "eval/result.h"

#include <stdarg.h>

#include "base/buf.h"
#include "base/sane.h"

void ks_result_init(struct ks_result *r, const struct ks_case *c, size_t index)
{
	*r = (struct ks_result){.c = c, .index = index, .correct = true, .calls = 1000};
	for (int i = 0; i < 2; i++) {
		r->pairs[i] = ks_pairs_new();
		r->same[i] = ks_pairs_new();
		r->yard[i] = ks_pairs_new();
		r->order[i] = ks_pairs_new();
	}
	r->clocks[0] = ks_pairs_new();
	r->clocks[1] = ks_pairs_new();
	r->events = ks_pairs_new();
	r->front = ks_pairs_new();
}

void ks_result_fini(struct ks_result *r)
{
	for (int i = 0; i < 2; i++) {
		ks_pairs_free(r->pairs[i]);
		ks_pairs_free(r->same[i]);
		ks_pairs_free(r->yard[i]);
		ks_pairs_free(r->order[i]);
	}
	ks_pairs_free(r->clocks[0]);
	ks_pairs_free(r->clocks[1]);
	ks_pairs_free(r->events);
	ks_pairs_free(r->front);
	free(r->traces);
	ks_buf_fini(&r->told_calls);
	*r = (struct ks_result){.c = NULL};
}

void ks_result_fail(struct ks_result *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	if (!r->correct) {
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->correct = false;
	ks_sane_into(r->why, sizeof(r->why), ks_str_of(text), KS_SANE_ONE_LINE);
}
