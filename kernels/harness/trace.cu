/*
 * What a call does on the GPU, told by CUPTI, which is loaded at run time and only
 * in workers that are not timed. CUPTI hands records to a function that gets no
 * pointer of ours, so the sums of the call in progress are one static struct.
 */
#include "harness.cuh"

#include <cupti.h>
#include <cxxabi.h>
#include <stdlib.h>

#include "timeline/cupti_find.h"

#define BUFFER ((size_t)1 << 20)

struct functions {
	CUptiResult (*version)(uint32_t *);
	CUptiResult (*callbacks)(CUpti_BuffersCallbackRequestFunc,
		CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*flush)(uint32_t);
	CUptiResult (*next)(uint8_t *, size_t, CUpti_Activity **);
};

static struct {
	struct functions call;
	uint64_t start, end;
	struct ks_cuda_trace sums;
} seen;

static void note_span(uint64_t start, uint64_t end)
{
	if (start == 0 || end < start) {
		return;
	}
	seen.start = seen.start == 0 || start < seen.start ? start : seen.start;
	seen.end = end > seen.end ? end : seen.end;
}

/* Each name once, a line each, as C++ programmers write it. */
static void note_name(const char *mangled)
{
	int status = 0;
	char *clear = abi::__cxa_demangle(mangled, NULL, NULL, &status);
	const char *name = status == 0 && clear != NULL ? clear : mangled;
	char line[512];
	snprintf(line, sizeof(line), "%s\n", name);
	size_t used = strlen(seen.sums.names), len = strlen(line);
	if (strstr(seen.sums.names, line) == NULL && used + len < sizeof(seen.sums.names)) {
		memcpy(seen.sums.names + used, line, len + 1);
	}
	free(clear);
}

static void note_record(const CUpti_Activity *record)
{
	if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		const CUpti_ActivityKernel10 *k = (const CUpti_ActivityKernel10 *)record;
		seen.sums.launches++;
		seen.sums.busy_ns += (double)(k->end - k->start);
		note_span(k->start, k->end);
		note_name(k->name != NULL ? k->name : "?");
	} else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
		const CUpti_ActivityMemcpy6 *m = (const CUpti_ActivityMemcpy6 *)record;
		seen.sums.copies++;
		note_span(m->start, m->end);
	} else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
		const CUpti_ActivityMemset4 *m = (const CUpti_ActivityMemset4 *)record;
		seen.sums.fills++;
		note_span(m->start, m->end);
	}
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = (uint8_t *)aligned_alloc(8, BUFFER);
	*size = *buffer != NULL ? BUFFER : 0;
	*records = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid)
{
	CUpti_Activity *record = NULL;
	(void)context, (void)stream, (void)size;
	while (seen.call.next(buffer, valid, &record) == CUPTI_SUCCESS) {
		note_record(record);
	}
	free(buffer);
}

static bool ask(struct functions *f, void *lib)
{
	void *found[5] = {dlsym(lib, "cuptiGetVersion"),
		dlsym(lib, "cuptiActivityRegisterCallbacks"), dlsym(lib, "cuptiActivityEnable"),
		dlsym(lib, "cuptiActivityFlushAll"), dlsym(lib, "cuptiActivityGetNextRecord")};
	memcpy(&f->version, &found[0], sizeof(void *));
	memcpy(&f->callbacks, &found[1], sizeof(void *));
	memcpy(&f->enable, &found[2], sizeof(void *));
	memcpy(&f->flush, &found[3], sizeof(void *));
	memcpy(&f->next, &found[4], sizeof(void *));
	return found[0] && found[1] && found[2] && found[3] && found[4];
}

int ks_trace_open(const char *cupti, char *text)
{
	uint32_t version = 0;
	void *lib = ks_cupti_find(cupti);
	if (lib == NULL || !ask(&seen.call, lib)) {
		snprintf(text, KS_CUDA_TEXT, "CUPTI is not installed");
		return -1;
	}
	/* records of another version have other fields */
	if (seen.call.version(&version) != CUPTI_SUCCESS ||
		version / 10000 != CUPTI_API_VERSION / 10000) {
		snprintf(text, KS_CUDA_TEXT, "CUPTI has version %u, this was built with %u",
			version, (unsigned)CUPTI_API_VERSION);
		return -1;
	}
	CUptiResult code = seen.call.callbacks(give_buffer, take_buffer);
	static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
	for (int i = 0; i < 3 && code == CUPTI_SUCCESS; i++) {
		code = seen.call.enable(kinds[i]);
	}
	if (code != CUPTI_SUCCESS) {
		snprintf(text, KS_CUDA_TEXT, "CUPTI refuses to trace (error %d)", (int)code);
		return -1;
	}
	return 0;
}

int ks_side_trace_start(struct ks_cuda_side *s)
{
	(void)s;
	int code = (int)seen.call.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	seen.start = seen.end = 0;
	memset(&seen.sums, 0, sizeof(seen.sums));
	return code;
}

int ks_side_trace_stop(struct ks_cuda_side *s, struct ks_cuda_trace *out)
{
	(void)s;
	int code = (int)seen.call.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	seen.sums.span_ns = (double)(seen.end - seen.start);
	*out = seen.sums;
	return code;
}
