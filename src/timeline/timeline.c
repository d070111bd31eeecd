/* The timeline of a trace: see timeline.h. */
#include "timeline/timeline.h"

#include "base/mem.h"
#include "timeline/calls.h"
#include "timeline/record.h"

#define BUSY_SHARE 0.9 /* of the span: more is bound by the GPU */

/* ---- orders ---- */

static int by_value(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static int by_gpu(const struct ks_item *x, const struct ks_item *y)
{
	int order = by_value(x->process, y->process);

	return order != 0 ? order : by_value(x->device, y->device);
}

static int by_stream(const struct ks_item *x, const struct ks_item *y)
{
	int order = by_gpu(x, y);

	order = order != 0 ? order : by_value(x->context, y->context);
	return order != 0 ? order : by_value(x->stream, y->stream);
}

static int by_span(const struct ks_item *x, const struct ks_item *y)
{
	int order = by_value(x->start, y->start);

	order = order != 0 ? order : by_value(x->end, y->end);
	return order != 0 ? order : (x > y) - (x < y);
}

static int sort_gpu(const void *a, const void *b)
{
	const struct ks_item *x = *(const struct ks_item *const *)a;
	const struct ks_item *y = *(const struct ks_item *const *)b;
	int order = by_gpu(x, y);

	return order != 0 ? order : by_span(x, y);
}

static int sort_stream(const void *a, const void *b)
{
	const struct ks_item *x = *(const struct ks_item *const *)a;
	const struct ks_item *y = *(const struct ks_item *const *)b;
	int order = by_stream(x, y);

	return order != 0 ? order : by_span(x, y);
}

static uint32_t key_of(const struct ks_item *item)
{
	return item->kind == KS_ITEM_COPY || item->kind == KS_ITEM_FILL ? item->way : item->name;
}

static int sort_key(const void *a, const void *b)
{
	const struct ks_item *x = *(const struct ks_item *const *)a;
	const struct ks_item *y = *(const struct ks_item *const *)b;
	int order = by_value(x->kind, y->kind);

	return order != 0 ? order : by_value(key_of(x), key_of(y));
}

static int sort_pointer(const void *a, const void *b)
{
	const struct ks_item *x = *(const struct ks_item *const *)a;
	const struct ks_item *y = *(const struct ks_item *const *)b;

	return (x > y) - (x < y);
}

static int sort_total(const void *a, const void *b)
{
	const struct ks_total *x = a, *y = b;
	int order = by_value(y->ns, x->ns);

	return order != 0 ? order : by_value(x->name, y->name);
}

static int sort_busy(const void *a, const void *b)
{
	const struct ks_stream *x = a, *y = b;
	int order = by_value(y->busy, x->busy);

	order = order != 0 ? order : by_value(x->first, y->first);
	return order != 0 ? order : by_value(x->stream, y->stream);
}

static int sort_gap(const void *a, const void *b)
{
	const struct ks_gap *x = a, *y = b;
	int order = by_value(y->end - y->start, x->end - x->start);

	return order != 0 ? order : by_value(x->start, y->start);
}

/* ---- gaps ---- */

struct by_name {
	uint32_t name;
	uint64_t ns;
};

#define NAMES_MAX 64 /* different calls looked at in one gap */

static void keep_longest(struct ks_gap_host *out, const struct by_name *found, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = out->n_calls;
		for (; at > 0 && out->calls[at - 1].ns < found[i].ns; at--) {
			if (at < KS_GAP_CALLS) {
				out->calls[at] = out->calls[at - 1];
			}
		}
		if (at < KS_GAP_CALLS) {
			out->calls[at].name = found[i].name;
			out->calls[at].ns = found[i].ns;
			out->n_calls += out->n_calls < KS_GAP_CALLS;
		}
	}
}

/* Time of the asker's thread in calls of each name between from and to; the sum
 * before `asked` is given. */
static uint64_t look_at_calls(struct ks_gap_host *out, const struct ks_calls *calls,
	const struct ks_item *asker, uint64_t from, uint64_t to)
{
	struct by_name found[NAMES_MAX] = {{0}};
	size_t count, n = 0;
	uint64_t before = 0;
	const struct ks_item *const *all = ks_calls_all(calls, &count);

	for (size_t i = ks_calls_first(calls, asker, from); i < count; i++) {
		const struct ks_item *c = all[i];
		if (c->process != asker->process || c->thread != asker->thread || c->start >= to) {
			break;
		}
		uint64_t begin = c->start > from ? c->start : from, end = c->end < to ? c->end : to;
		size_t at = 0;
		while (at < n && found[at].name != c->name) {
			at++;
		}
		if (at < NAMES_MAX) {
			found[at].name = c->name;
			found[at].ns += end - begin;
			n += at == n;
		}
		if (c != asker && c->start < asker->start) {
			before += end - begin;
		}
	}
	keep_longest(out, found, n);
	return before;
}

static void explain(struct ks_gap_host *out, const struct ks_calls *calls, const struct ks_gap *gap)
{
	const struct ks_item *asker = ks_calls_asker(calls, gap->after);
	uint64_t from = gap->start, to = gap->end;

	*out = (struct ks_gap_host){0};
	if (asker == NULL) {
		out->host.unknown = to - from;
		return;
	}
	/* asked and returned, kept within the gap */
	uint64_t asked = asker->start < from ? from : asker->start > to ? to : asker->start;
	uint64_t back = asker->end < asked ? asked : asker->end > to ? to : asker->end;
	uint64_t calls_ns = look_at_calls(out, calls, asker, from, to);
	if (calls_ns > asked - from) {
		calls_ns = asked - from;
	}
	out->host.calls = calls_ns;
	out->host.away = asked - from - calls_ns;
	out->host.asking = back - asked;
	out->host.pending = to - back;
}

void ks_timeline_gap(struct ks_gap_host *out, const struct ks_timeline *timeline,
	const struct ks_gap *gap)
{
	explain(out, timeline->host, gap);
}

/* ---- one GPU ---- */

struct edge {
	uint64_t time;
	int8_t kernel, copy; /* one more or one fewer from here on */
};

static int sort_edge(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return by_value(x->time, y->time);
}

/* Times in which something ran, and in which several did. */
static void sweep(struct ks_gpu *gpu, const struct ks_item *const *items, size_t n)
{
	struct edge *edges = ks_zalloc(2 * n, sizeof(*edges));
	int64_t kernels = 0, copies = 0;

	for (size_t i = 0; i < n; i++) {
		int8_t kernel = items[i]->kind == KS_ITEM_KERNEL, copy = !kernel;
		edges[2 * i] = (struct edge){items[i]->start, kernel, copy};
		edges[2 * i + 1] = (struct edge){items[i]->end, (int8_t)-kernel, (int8_t)-copy};
	}
	qsort(edges, 2 * n, sizeof(*edges), sort_edge);
	for (size_t i = 0; i + 1 < 2 * n; i++) {
		kernels += edges[i].kernel;
		copies += edges[i].copy;
		uint64_t ns = edges[i + 1].time - edges[i].time;
		gpu->busy += kernels + copies > 0 ? ns : 0;
		gpu->kernel_busy += kernels > 0 ? ns : 0;
		gpu->copy_busy += copies > 0 ? ns : 0;
		gpu->together += kernels + copies > 1 ? ns : 0;
		gpu->hidden += kernels > 0 && copies > 0 ? ns : 0;
	}
	free(edges);
}

static void find_gaps(struct ks_timeline *t, size_t *cap, struct ks_gpu *gpu,
	const struct ks_item *const *items, size_t n)
{
	const struct ks_item *last = items[0];

	for (size_t i = 1; i < n; i++) {
		if (items[i]->start > last->end) {
			struct ks_gap_host why;
			ks_grow(&t->gaps, cap, t->n_gaps + 1, sizeof(*t->gaps));
			struct ks_gap *gap = &t->gaps[t->n_gaps++];
			*gap = (struct ks_gap){last->end, items[i]->start, last, items[i]};
			explain(&why, t->host, gap);
			gpu->gaps++;
			gpu->idle += gap->end - gap->start;
			gpu->host.away += why.host.away;
			gpu->host.calls += why.host.calls;
			gpu->host.asking += why.host.asking;
			gpu->host.pending += why.host.pending;
			gpu->host.unknown += why.host.unknown;
		}
		last = items[i]->end >= last->end ? items[i] : last;
	}
}

/* The calls that asked for kernels, each once (a graph is one call). */
static void count_asking(struct ks_gpu *gpu, const struct ks_calls *calls,
	const struct ks_item *const *items, size_t n)
{
	const struct ks_item **askers = ks_zalloc(n, sizeof(*askers));
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ks_item *asker = items[i]->kind == KS_ITEM_KERNEL ?
			ks_calls_asker(calls, items[i]) : NULL;
		if (asker != NULL) {
			askers[count++] = asker;
		}
	}
	qsort(askers, count, sizeof(*askers), sort_pointer);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || askers[i] != askers[i - 1]) {
			gpu->asked++;
			gpu->asked_ns += askers[i]->end - askers[i]->start;
		}
	}
	free(askers);
	for (size_t i = 0; i < n && gpu->asked > 0; i++) {
		gpu->short_kernels += items[i]->kind == KS_ITEM_KERNEL &&
			items[i]->end - items[i]->start <= gpu->asked_ns / gpu->asked;
	}
}

static enum ks_bound judge(const struct ks_gpu *gpu)
{
	const struct ks_host *h = &gpu->host;

	if ((double)gpu->busy >= BUSY_SHARE * (double)(gpu->end - gpu->first)) {
		return KS_BOUND_GPU;
	}
	if (h->unknown > gpu->idle / 2) {
		return KS_BOUND_NONE;
	}
	return h->asking + h->pending > h->away + h->calls ? KS_BOUND_LAUNCH : KS_BOUND_HOST;
}

static void add_gpu(struct ks_timeline *t, size_t *cap, size_t *cap_gaps,
	const struct ks_item *const *items, size_t n)
{
	ks_grow(&t->gpus, cap, t->n_gpus + 1, sizeof(*t->gpus));
	struct ks_gpu *gpu = &t->gpus[t->n_gpus++];

	*gpu = (struct ks_gpu){.process = items[0]->process, .device = items[0]->device,
		.first = items[0]->start};
	for (size_t i = 0; i < n; i++) {
		gpu->kernels += items[i]->kind == KS_ITEM_KERNEL;
		gpu->copies += items[i]->kind == KS_ITEM_COPY;
		gpu->fills += items[i]->kind == KS_ITEM_FILL;
		gpu->end = items[i]->end > gpu->end ? items[i]->end : gpu->end;
	}
	sweep(gpu, items, n);
	find_gaps(t, cap_gaps, gpu, items, n);
	count_asking(gpu, t->host, items, n);
	gpu->bound = judge(gpu);
}

/* ---- streams and totals ---- */

static void add_to_stream(struct ks_stream *s, const struct ks_item *item)
{
	if (item->start > s->end && s->end > 0) {
		uint64_t gap = item->start - s->end;
		s->longest_gap = gap > s->longest_gap ? gap : s->longest_gap;
	}
	if (item->end > s->end) {
		s->busy += item->end - (item->start > s->end ? item->start : s->end);
		s->end = item->end;
	}
	s->kernels += item->kind == KS_ITEM_KERNEL;
	s->copies += item->kind == KS_ITEM_COPY;
	s->fills += item->kind == KS_ITEM_FILL;
}

static void make_streams(struct ks_timeline *t, const struct ks_item **items, size_t n)
{
	size_t cap = 0;

	qsort(items, n, sizeof(*items), sort_stream);
	for (size_t i = 0; i < n; i++) {
		const struct ks_item *it = items[i];
		if (i == 0 || by_stream(items[i - 1], it) != 0) {
			ks_grow(&t->streams, &cap, t->n_streams + 1, sizeof(*t->streams));
			t->streams[t->n_streams++] = (struct ks_stream){.process = it->process,
				.device = it->device, .context = it->context, .stream = it->stream,
				.first = it->start};
		}
		add_to_stream(&t->streams[t->n_streams - 1], it);
	}
	if (t->n_streams > 0) {
		qsort(t->streams, t->n_streams, sizeof(*t->streams), sort_busy);
	}
}

static void add_to_total(struct ks_total *total, const struct ks_item *item)
{
	uint64_t ns = item->end - item->start;

	total->min = total->count == 0 || ns < total->min ? ns : total->min;
	total->max = ns > total->max ? ns : total->max;
	total->count++;
	total->ns += ns;
	total->bytes += item->bytes;
	total->failed += item->kind == KS_ITEM_CALL && item->code != 0 &&
		item->code != KS_REC_NOT_READY;
}

/* Totals of one kind out of items that are sorted by key. */
static size_t make_totals(struct ks_total **out, const struct ks_item *const *items, size_t n,
	enum ks_item_kind kind)
{
	const struct ks_item *before = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < n; i++) {
		if (items[i]->kind != kind) {
			continue;
		}
		if (before == NULL || key_of(before) != key_of(items[i])) {
			ks_grow(out, &cap, count + 1, sizeof(**out));
			(*out)[count++] = (struct ks_total){.name = key_of(items[i])};
		}
		add_to_total(&(*out)[count - 1], items[i]);
		before = items[i];
	}
	if (count > 0) {
		qsort(*out, count, sizeof(**out), sort_total);
	}
	return count;
}

/* ---- all ---- */

static void find_window(struct ks_timeline *t, const struct ks_trace *trace,
	const struct ks_timeline_options *options)
{
	bool any = false;

	for (int calls = 0; calls < 2 && !any; calls++) {
		for (size_t i = 0; i < trace->n_items; i++) {
			const struct ks_item *it = &trace->items[i];
			if ((it->kind == KS_ITEM_CALL) == (calls == 1)) {
				t->origin = !any || it->start < t->origin ? it->start : t->origin;
				t->end = it->end > t->end ? it->end : t->end;
				any = true;
			}
		}
	}
	if (options->skip == 0 && options->last == 0) {
		return; /* from is 0: calls before the first activity count as well */
	}
	uint64_t length = t->end - t->origin;
	uint64_t skip = options->skip < length ? options->skip : length;
	if (options->last > 0 && options->last < length - skip) {
		skip = length - options->last;
	}
	t->from = t->origin + skip;
}

static void make_calls(struct ks_timeline *t)
{
	size_t count, n = 0;
	const struct ks_item *const *all = ks_calls_all(t->host, &count);
	const struct ks_item **items = ks_zalloc(count + 1, sizeof(*items));

	for (size_t i = 0; i < count; i++) {
		if (all[i]->start >= t->from) {
			items[n++] = all[i];
		}
	}
	qsort(items, n, sizeof(*items), sort_key);
	t->n_calls = make_totals(&t->calls, items, n, KS_ITEM_CALL);
	free(items);
}

void ks_timeline_make(struct ks_timeline *out, const struct ks_trace *trace,
	const struct ks_timeline_options *options)
{
	struct ks_timeline t = {.host = ks_calls_new(trace)};
	const struct ks_item **items = ks_zalloc(trace->n_items + 1, sizeof(*items));
	size_t n = 0, cap_gpus = 0, cap_gaps = 0;

	find_window(&t, trace, options);
	for (size_t i = 0; i < trace->n_items; i++) {
		if (trace->items[i].kind != KS_ITEM_CALL && trace->items[i].start >= t.from) {
			items[n++] = &trace->items[i];
		}
	}
	qsort(items, n, sizeof(*items), sort_gpu);
	for (size_t i = 0, begin = 0; i < n; i++) {
		if (i + 1 == n || by_gpu(items[i], items[i + 1]) != 0) {
			add_gpu(&t, &cap_gpus, &cap_gaps, items + begin, i + 1 - begin);
			begin = i + 1;
		}
	}
	if (t.n_gaps > 0) {
		qsort(t.gaps, t.n_gaps, sizeof(*t.gaps), sort_gap);
	}
	make_streams(&t, items, n);
	qsort(items, n, sizeof(*items), sort_key);
	t.n_kernels = make_totals(&t.kernels, items, n, KS_ITEM_KERNEL);
	t.n_copies = make_totals(&t.copies, items, n, KS_ITEM_COPY);
	t.n_fills = make_totals(&t.fills, items, n, KS_ITEM_FILL);
	make_calls(&t);
	free(items);
	*out = t;
}

void ks_timeline_fini(struct ks_timeline *t)
{
	ks_calls_free(t->host);
	free(t->gpus);
	free(t->streams);
	free(t->kernels);
	free(t->copies);
	free(t->fills);
	free(t->calls);
	free(t->gaps);
	*t = (struct ks_timeline){0};
}

const char *ks_bound_name(enum ks_bound bound)
{
	static const char *const names[] = {"unknown", "gpu", "launches", "host"};

	return names[bound];
}
