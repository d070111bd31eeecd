#ifndef KSEEK_TESTS_TIMELINE_SAMPLE_H
#define KSEEK_TESTS_TIMELINE_SAMPLE_H
/* Records by hand, and a small trace whose figures can be worked out on paper. */
#include <string.h>

#include "base/buf.h"
#include "timeline/record.h"

static inline void sample_add(struct ks_buf *out, uint32_t kind, uint32_t id,
	const struct ks_rec_span *span)
{
	struct ks_rec rec;

	memset(&rec, 0, sizeof(rec));
	rec.kind = kind;
	rec.id = id;
	if (span != NULL) {
		rec.is.span = *span;
	}
	ks_buf_add(out, &rec, sizeof(rec));
}

static inline void sample_head(struct ks_buf *out, uint32_t pid, const char *program)
{
	struct ks_rec rec;

	memset(&rec, 0, sizeof(rec));
	rec.kind = KS_REC_HEAD;
	rec.id = pid;
	rec.is.head.magic = KS_REC_MAGIC;
	rec.is.head.size = sizeof(rec);
	snprintf(rec.is.head.program, sizeof(rec.is.head.program), "%.39s", program);
	ks_buf_add(out, &rec, sizeof(rec));
}

static inline void sample_text(struct ks_buf *out, uint32_t kind, uint32_t id, const char *text)
{
	size_t len = strlen(text);

	for (size_t at = 0; at < len; at += KS_REC_TEXT) {
		struct ks_rec rec;
		memset(&rec, 0, sizeof(rec));
		rec.kind = kind;
		rec.id = id;
		memcpy(rec.is.text, text + at, len - at < KS_REC_TEXT ? len - at : KS_REC_TEXT);
		ks_buf_add(out, &rec, sizeof(rec));
	}
}

static inline void sample_end(struct ks_buf *out, uint64_t over, uint64_t lost)
{
	struct ks_rec rec;

	memset(&rec, 0, sizeof(rec));
	rec.kind = KS_REC_END;
	rec.is.end.over = over;
	rec.is.end.lost = lost;
	ks_buf_add(out, &rec, sizeof(rec));
}

static inline void sample_kernel(struct ks_buf *out, uint32_t name, uint64_t start, uint64_t end,
	uint32_t stream, uint32_t number)
{
	sample_add(out, KS_REC_KERNEL, name, &(struct ks_rec_span){.start = start, .end = end,
		.context = 1, .stream = stream, .number = number});
}

static inline void sample_call(struct ks_buf *out, uint32_t name, uint64_t start, uint64_t end,
	uint32_t number, uint32_t code)
{
	sample_add(out, KS_REC_CALL, name, &(struct ks_rec_span){.start = start, .end = end,
		.thread = 9, .number = number, .code = code});
}

/* A copy up, a kernel, a fill beside it on another stream, a wait, ten microseconds
 * of nothing, a kernel. Times are ns. */
static inline void sample_trace(struct ks_buf *out)
{
	sample_head(out, 4711, "program");
	sample_text(out, KS_REC_NAME, 1,
		"void (anonymous namespace)::scale<float, 4>(float*, int)");
	sample_text(out, KS_REC_NAME, 2, "cudaLaunchKernel");
	sample_text(out, KS_REC_NAME, 3, "cuLaunchKernel");
	sample_text(out, KS_REC_NAME, 4, "cudaStreamSynchronize");
	sample_text(out, KS_REC_NAME, 5, "cudaMemcpyAsync");
	sample_text(out, KS_REC_NAME, 6, "cudaMemsetAsync");
	sample_call(out, 5, 1000, 2000, 1, 0);
	sample_call(out, 3, 2600, 3400, 2, 0); /* within the next one */
	sample_call(out, 2, 2500, 3500, 2, 0);
	sample_call(out, 6, 3520, 3560, 5, 0);
	sample_call(out, 4, 3600, 9500, 3, 0);
	sample_call(out, 2, 20000, 20800, 4, 0);
	sample_kernel(out, 1, 21000, 22000, 7, 4);
	sample_kernel(out, 1, 5000, 9000, 7, 2);
	sample_add(out, KS_REC_COPY, KS_REC_WAY(1, 2, 3), &(struct ks_rec_span){.start = 2200,
		.end = 4200, .bytes = 4000, .context = 1, .stream = 7, .number = 1});
	sample_add(out, KS_REC_FILL, 3, &(struct ks_rec_span){.start = 8500, .end = 9300,
		.bytes = 100, .context = 1, .stream = 8, .number = 5});
	sample_end(out, 0, 0);
}

#endif
