/* A timeline as one JSON object, times in microseconds: see timeline_print.h. */
#include "app/timeline_print.h"

#include "base/json.h"

struct json {
	struct ks_jw w;
	const struct ks_trace *trace;
	const struct ks_timeline *t;
	size_t top;
};

static void put_us(struct ks_jw *w, const char *key, uint64_t ns)
{
	ks_jw_num(w, key, (double)ns / 1e3);
}

static size_t shown(const struct json *j, size_t count)
{
	return count < j->top ? count : j->top;
}

static void put_short_name(struct ks_jw *w, const char *key, const struct json *j,
	const struct ks_item *item)
{
	struct ks_buf name = {0};

	ks_timeline_item_name(&name, j->trace, item);
	ks_jw_slice(w, key, ks_buf_str(&name));
	ks_buf_fini(&name);
}

static void put_host(struct ks_jw *w, const struct ks_host *host)
{
	put_us(w, "away_us", host->away);
	put_us(w, "calls_us", host->calls);
	put_us(w, "asking_us", host->asking);
	put_us(w, "pending_us", host->pending);
	put_us(w, "unknown_us", host->unknown);
}

static void put_processes(struct json *j)
{
	ks_jw_open_array(&j->w, "processes");
	for (size_t i = 0; i < j->trace->n_processes; i++) {
		const struct ks_process *p = &j->trace->processes[i];
		ks_jw_open(&j->w, NULL);
		ks_jw_int(&j->w, "pid", p->pid);
		ks_jw_str(&j->w, "program", p->program);
		ks_jw_bool(&j->w, "ended", p->ended);
		ks_jw_num(&j->w, "over", (double)p->over);
		ks_jw_num(&j->w, "lost", (double)p->lost);
		ks_jw_num(&j->w, "unfinished", (double)p->unfinished);
		ks_jw_num(&j->w, "bad", (double)p->bad);
		if (p->note != NULL) {
			ks_jw_str(&j->w, "note", p->note);
		}
		ks_jw_close(&j->w);
	}
	ks_jw_close_array(&j->w);
}

static void put_gpus(struct json *j)
{
	ks_jw_open_array(&j->w, "gpus");
	for (size_t i = 0; i < shown(j, j->t->n_gpus); i++) {
		const struct ks_gpu *g = &j->t->gpus[i];
		ks_jw_open(&j->w, NULL);
		ks_jw_int(&j->w, "gpu", g->device);
		ks_jw_int(&j->w, "pid", j->trace->processes[g->process].pid);
		put_us(&j->w, "span_us", g->end - g->first);
		put_us(&j->w, "busy_us", g->busy);
		put_us(&j->w, "kernel_busy_us", g->kernel_busy);
		put_us(&j->w, "copy_busy_us", g->copy_busy);
		put_us(&j->w, "together_us", g->together);
		put_us(&j->w, "hidden_us", g->hidden);
		put_us(&j->w, "idle_us", g->idle);
		put_host(&j->w, &g->host);
		ks_jw_int(&j->w, "kernels", (int64_t)g->kernels);
		ks_jw_int(&j->w, "copies", (int64_t)g->copies);
		ks_jw_int(&j->w, "fills", (int64_t)g->fills);
		ks_jw_int(&j->w, "gaps", (int64_t)g->gaps);
		ks_jw_int(&j->w, "asked", (int64_t)g->asked);
		put_us(&j->w, "asked_us", g->asked_ns);
		ks_jw_int(&j->w, "short_kernels", (int64_t)g->short_kernels);
		ks_jw_str(&j->w, "bound", ks_bound_name(g->bound));
		ks_jw_close(&j->w);
	}
	ks_jw_close_array(&j->w);
}

/* What all totals have, in an object that is open. */
static void put_total(struct ks_jw *w, const struct ks_total *total)
{
	ks_jw_int(w, "count", (int64_t)total->count);
	put_us(w, "total_us", total->ns);
	put_us(w, "min_us", total->min);
	put_us(w, "max_us", total->max);
}

static void put_kernels(struct json *j)
{
	ks_jw_open_array(&j->w, "kernels");
	for (size_t i = 0; i < shown(j, j->t->n_kernels); i++) {
		const struct ks_total *k = &j->t->kernels[i];
		struct ks_item item = {.kind = KS_ITEM_KERNEL, .name = k->name};
		ks_jw_open(&j->w, NULL);
		put_short_name(&j->w, "name", j, &item);
		ks_jw_str(&j->w, "full_name", j->trace->names[k->name]);
		put_total(&j->w, k);
		ks_jw_close(&j->w);
	}
	ks_jw_close_array(&j->w);
}

static void put_moves(struct json *j, const char *key, const struct ks_total *list, size_t count,
	bool copies)
{
	char way[48];

	ks_jw_open_array(&j->w, key);
	for (size_t i = 0; i < shown(j, count); i++) {
		if (copies) {
			ks_trace_copy_name(way, sizeof(way), list[i].name);
		}
		ks_jw_open(&j->w, NULL);
		ks_jw_str(&j->w, "name", copies ? way : ks_trace_memory_name(list[i].name));
		put_total(&j->w, &list[i]);
		ks_jw_num(&j->w, "bytes", (double)list[i].bytes);
		ks_jw_num(&j->w, "gb_per_s",
			list[i].ns > 0 ? (double)list[i].bytes / (double)list[i].ns : 0);
		ks_jw_close(&j->w);
	}
	ks_jw_close_array(&j->w);
}

static void put_streams(struct json *j)
{
	ks_jw_open_array(&j->w, "streams");
	for (size_t i = 0; i < shown(j, j->t->n_streams); i++) {
		const struct ks_stream *s = &j->t->streams[i];
		ks_jw_open(&j->w, NULL);
		ks_jw_int(&j->w, "stream", s->stream);
		ks_jw_int(&j->w, "gpu", s->device);
		ks_jw_int(&j->w, "pid", j->trace->processes[s->process].pid);
		ks_jw_int(&j->w, "kernels", (int64_t)s->kernels);
		ks_jw_int(&j->w, "copies", (int64_t)s->copies);
		ks_jw_int(&j->w, "fills", (int64_t)s->fills);
		put_us(&j->w, "busy_us", s->busy);
		put_us(&j->w, "span_us", s->end - s->first);
		put_us(&j->w, "longest_gap_us", s->longest_gap);
		ks_jw_close(&j->w);
	}
	ks_jw_close_array(&j->w);
}

static void put_gaps(struct json *j)
{
	ks_jw_open_array(&j->w, "gaps");
	for (size_t i = 0; i < shown(j, j->t->n_gaps); i++) {
		const struct ks_gap *gap = &j->t->gaps[i];
		struct ks_gap_host h;
		ks_timeline_gap(&h, j->t, gap);
		ks_jw_open(&j->w, NULL);
		ks_jw_int(&j->w, "gpu", gap->after->device);
		put_us(&j->w, "at_us", gap->start - j->t->origin);
		put_us(&j->w, "us", gap->end - gap->start);
		put_short_name(&j->w, "before", j, gap->before);
		put_short_name(&j->w, "after", j, gap->after);
		put_host(&j->w, &h.host);
		ks_jw_open_array(&j->w, "calls");
		for (size_t k = 0; k < h.n_calls; k++) {
			ks_jw_open(&j->w, NULL);
			ks_jw_str(&j->w, "name", j->trace->names[h.calls[k].name]);
			put_us(&j->w, "us", h.calls[k].ns);
			ks_jw_close(&j->w);
		}
		ks_jw_close_array(&j->w);
		ks_jw_close(&j->w);
	}
	ks_jw_close_array(&j->w);
}

static void put_calls(struct json *j)
{
	ks_jw_open_array(&j->w, "calls");
	for (size_t i = 0; i < shown(j, j->t->n_calls); i++) {
		const struct ks_total *c = &j->t->calls[i];
		ks_jw_open(&j->w, NULL);
		ks_jw_str(&j->w, "name", j->trace->names[c->name]);
		put_total(&j->w, c);
		ks_jw_int(&j->w, "failed", (int64_t)c->failed);
		ks_jw_close(&j->w);
	}
	ks_jw_close_array(&j->w);
}

void ks_timeline_json(struct ks_buf *out, const struct ks_trace *trace,
	const struct ks_timeline *timeline, size_t top)
{
	struct json j = {.trace = trace, .t = timeline, .top = top};

	ks_jw_init(&j.w, out);
	ks_jw_open(&j.w, NULL);
	put_us(&j.w, "from_us", timeline->from > timeline->origin ?
		timeline->from - timeline->origin : 0);
	put_processes(&j);
	put_gpus(&j);
	put_kernels(&j);
	put_moves(&j, "copies", timeline->copies, timeline->n_copies, true);
	put_moves(&j, "fills", timeline->fills, timeline->n_fills, false);
	put_streams(&j);
	put_gaps(&j);
	put_calls(&j);
	ks_jw_close(&j.w);
}
