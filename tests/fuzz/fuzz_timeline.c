/*
 * Any bytes are read as records without reading beyond them, and the figures agree
 * with each other: as they come, behind a head, and as changes to a sound trace.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/timeline/sample.h"
#include "timeline/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ks_timeline *t)
{
	for (size_t i = 0; i < t->n_gpus; i++) {
		const struct ks_gpu *g = &t->gpus[i];
		const struct ks_host *h = &g->host;
		uint64_t idle = h->away + h->calls + h->asking + h->pending + h->unknown;
		if (g->busy + g->idle != g->end - g->first || g->together > g->busy ||
				g->hidden > g->together || g->kernel_busy > g->busy ||
				idle != g->idle) {
			abort();
		}
	}
	for (size_t i = 0; i < t->n_gaps; i++) {
		struct ks_gap_host h;
		ks_timeline_gap(&h, t, &t->gaps[i]);
		if (t->gaps[i].end <= t->gaps[i].start || h.n_calls > KS_GAP_CALLS) {
			abort();
		}
	}
}

static void read_all(struct ks_str bytes, uint64_t skip, uint64_t last)
{
	const struct ks_timeline_options options = {.skip = skip, .last = last};
	struct ks_trace trace;
	struct ks_timeline t;
	struct ks_buf name = {0};
	char *exact = malloc(bytes.len + !bytes.len);

	if (exact == NULL) {
		abort();
	}
	memcpy(exact, bytes.ptr != NULL ? bytes.ptr : "", bytes.len);
	if (ks_trace_read(&trace, (struct ks_str){exact, bytes.len}, NULL) == 0) {
		ks_timeline_make(&t, &trace, &options);
		check(&t);
		for (size_t i = 0; i < trace.n_names; i++) {
			ks_trace_short_name(&name, trace.names[i]);
		}
		ks_timeline_fini(&t);
		ks_trace_fini(&trace);
	}
	ks_buf_fini(&name);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_buf bytes = {0};

	read_all((struct ks_str){(const char *)data, size}, 0, 0);
	sample_head(&bytes, 1, "fuzz");
	sample_text(&bytes, KS_REC_NAME, 1, "name");
	for (size_t at = 0; at + sizeof(struct ks_rec) <= size; at += sizeof(struct ks_rec)) {
		struct ks_rec rec;
		memcpy(&rec, data + at, sizeof(rec));
		rec.kind = 1 + rec.kind % 9;
		rec.id %= 4;
		rec.is.span.device %= 65;
		ks_buf_add(&bytes, &rec, sizeof(rec));
	}
	sample_trace(&bytes);
	for (size_t i = 0; i + 3 <= size && i < 24; i += 3) {
		size_t at = (data[i] | (size_t)data[i + 1] << 8) % bytes.len;
		bytes.ptr[at] = (char)data[i + 2];
	}
	read_all(ks_buf_str(&bytes), size > 0 ? data[0] * 100u : 0, size > 1 ? data[1] * 100u : 0);
	ks_buf_fini(&bytes);
	return 0;
}
