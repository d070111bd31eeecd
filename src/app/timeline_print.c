/*
 * The tables of a timeline: see timeline_print.h. The first column holds a name and
 * takes what the figures leave of the width.
 */
#include "app/timeline_print.h"

#include "app/common.h"
#include "base/mem.h"
#include "base/plural.h"

struct print {
	FILE *out;
	const struct ks_trace *trace;
	const struct ks_timeline *t;
	size_t top, cols;
};

/* ---- figures, in a few columns ---- */

#define FIGURE 16

static const char *digits(char *text, double value, const char *unit)
{
	int places = value <= 0 || value >= 100 ? 0 : value < 10 ? 2 : 1;

	snprintf(text, FIGURE, "%.*f %s", places, value, unit);
	return text;
}

static const char *time_of(char *text, double ns)
{
	return ns < 1e3 ? digits(text, ns, "ns") : ns < 1e6 ? digits(text, ns / 1e3, "us") :
		ns < 1e9 ? digits(text, ns / 1e6, "ms") : digits(text, ns / 1e9, "s");
}

static const char *bytes_of(char *text, double bytes)
{
	return bytes < 1024 ? digits(text, bytes, "B") :
		bytes < 0x1p20 ? digits(text, bytes / 1024, "KiB") :
		bytes < 0x1p30 ? digits(text, bytes / 0x1p20, "MiB") :
		digits(text, bytes / 0x1p30, "GiB");
}

static double share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static double mean(const struct ks_total *total)
{
	return (double)total->ns / (double)total->count;
}

/* ---- names ---- */

void ks_timeline_item_name(struct ks_buf *out, const struct ks_trace *trace,
	const struct ks_item *item)
{
	char way[48];

	if (item->kind == KS_ITEM_KERNEL) {
		ks_trace_short_name(out, trace->names[item->name]);
	} else if (item->kind == KS_ITEM_COPY) {
		ks_trace_copy_name(way, sizeof(way), item->way);
		ks_buf_addf(out, "copy %s", way);
	} else {
		ks_buf_adds(out, item->kind == KS_ITEM_FILL ? "fill" : trace->names[item->name]);
	}
}

static void put_gpu(struct print *p, uint16_t process, uint32_t device)
{
	fprintf(p->out, "GPU %u", device);
	if (p->trace->n_processes > 1) {
		fprintf(p->out, " of process %u, ", p->trace->processes[process].pid);
		ks_put(p->out, p->trace->processes[process].program, 40);
	}
}

/* The heading of a table: its name, and how much of it is shown. */
static size_t put_heading(struct print *p, const char *what, size_t count, size_t figures)
{
	char text[64];
	size_t shown = count < p->top ? count : p->top;

	if (shown < count) {
		snprintf(text, sizeof(text), "%s (%zu of %zu)", what, shown, count);
	} else {
		snprintf(text, sizeof(text), "%s", what);
	}
	fprintf(p->out, "\n%-*s", (int)(p->cols - figures), text);
	return shown;
}

/* ---- one GPU ---- */

static void put_part(struct print *p, const char *name, uint64_t ns, uint64_t span)
{
	char text[FIGURE];

	fprintf(p->out, "  %-16s %9s  %5.1f %%  ", name, time_of(text, (double)ns),
		share(ns, span));
}

static void put_idle(struct print *p, const struct ks_gpu *g, uint64_t span)
{
	put_part(p, "idle", g->idle, span);
	fprintf(p->out, "in %llu gap%s\n", (unsigned long long)g->gaps, ks_s(g->gaps));
	put_part(p, "  away", g->host.away, span);
	fputs("the host was in no CUDA call\n", p->out);
	put_part(p, "  calls", g->host.calls, span);
	fputs("the host was in other CUDA calls\n", p->out);
	put_part(p, "  asking", g->host.asking, span);
	fputs("in the call that asks for what runs next\n", p->out);
	put_part(p, "  pending", g->host.pending, span);
	fputs("asked for, not yet begun\n", p->out);
	if (g->host.unknown > 0) {
		put_part(p, "  unknown", g->host.unknown, span);
		fputs("no call is known that asked\n", p->out);
	}
}

static void put_bound(struct print *p, const struct ks_gpu *g)
{
	static const char *const words[] = {
		"  what holds it back is not known: the calls are missing",
		"  bound by the GPU: it is busy nearly all the time",
		"  bound by launches: most of the idle time lies in asking and on the way",
		"  bound by the host: most of the idle time passes before it asks",
	};
	char text[FIGURE];

	fprintf(p->out, "%s\n", words[g->bound]);
	if (g->asked > 0) {
		fprintf(p->out,
			"  a call that asks for kernels takes %s; %.0f %% of the kernels take no "
			"longer\n",
			time_of(text, (double)g->asked_ns / (double)g->asked),
			share(g->short_kernels, g->kernels));
	}
}

static void put_gpus(struct print *p)
{
	char text[FIGURE];
	size_t shown = p->t->n_gpus < p->top ? p->t->n_gpus : p->top;

	for (size_t i = 0; i < shown; i++) {
		const struct ks_gpu *g = &p->t->gpus[i];
		uint64_t span = g->end - g->first;
		put_gpu(p, g->process, g->device);
		fputc('\n', p->out);
		put_part(p, "span", span, span);
		fputs("first activity to the end of the last\n", p->out);
		put_part(p, "busy", g->busy, span);
		fprintf(p->out, "%s with two or more at once\n",
			time_of(text, (double)g->together));
		put_part(p, "  kernels", g->kernel_busy, span);
		fprintf(p->out, "%llu\n", (unsigned long long)g->kernels);
		put_part(p, "  copies, fills", g->copy_busy, span);
		fprintf(p->out, "%llu, %llu; %s of it while a kernel ran\n",
			(unsigned long long)g->copies, (unsigned long long)g->fills,
			time_of(text, (double)g->hidden));
		put_idle(p, g, span);
		put_bound(p, g);
	}
	if (shown < p->t->n_gpus) {
		fprintf(p->out, "and %zu more GPUs of processes\n", p->t->n_gpus - shown);
	}
	if (p->t->n_gpus == 0) {
		fputs("no kernel, copy or fill: CUDA calls only\n", p->out);
	}
}

/* ---- tables ---- */

static void put_kernels(struct print *p)
{
	uint64_t all = 0;
	const size_t figures = 47;
	char total[FIGURE], middle[FIGURE], max[FIGURE];

	if (p->t->n_kernels == 0) {
		return;
	}
	for (size_t i = 0; i < p->t->n_kernels; i++) {
		all += p->t->kernels[i].ns;
	}
	size_t shown = put_heading(p, "kernels", p->t->n_kernels, figures);
	fprintf(p->out, " %8s %9s %9s %9s %7s\n", "calls", "total", "mean", "max", "share");
	for (size_t i = 0; i < shown; i++) {
		const struct ks_total *k = &p->t->kernels[i];
		struct ks_buf name = {0};
		ks_trace_short_name(&name, p->trace->names[k->name]);
		ks_put_column(p->out, name.ptr != NULL ? name.ptr : "", p->cols - figures);
		fprintf(p->out, " %8llu %9s %9s %9s %5.1f %%\n", (unsigned long long)k->count,
			time_of(total, (double)k->ns), time_of(middle, mean(k)),
			time_of(max, (double)k->max), share(k->ns, all));
		ks_buf_fini(&name);
	}
}

static void put_moves(struct print *p, const char *what, const struct ks_total *list,
	size_t count, bool copies)
{
	const size_t figures = 51;
	char total[FIGURE], middle[FIGURE], bytes[FIGURE], rate[FIGURE], way[48];

	if (count == 0) {
		return;
	}
	size_t shown = put_heading(p, what, count, figures);
	fprintf(p->out, " %8s %9s %9s %9s %11s\n", "count", "bytes", "total", "mean", "rate");
	for (size_t i = 0; i < shown; i++) {
		const struct ks_total *m = &list[i];
		if (copies) {
			ks_trace_copy_name(way, sizeof(way), m->name);
		} else {
			snprintf(way, sizeof(way), "%s memory", ks_trace_memory_name(m->name));
		}
		ks_put_column(p->out, way, p->cols - figures);
		/* bytes over nanoseconds are gigabytes over seconds */
		fprintf(p->out, " %8llu %9s %9s %9s %11s\n", (unsigned long long)m->count,
			bytes_of(bytes, (double)m->bytes), time_of(total, (double)m->ns),
			time_of(middle, mean(m)),
			digits(rate, m->ns > 0 ? (double)m->bytes / (double)m->ns : 0, "GB/s"));
	}
}

static void put_streams(struct print *p)
{
	const size_t figures = 56;
	char busy[FIGURE], span[FIGURE], gap[FIGURE], name[64];

	if (p->t->n_streams < 2) {
		return;
	}
	size_t shown = put_heading(p, "streams", p->t->n_streams, figures);
	fprintf(p->out, " %8s %7s %6s %9s %9s %11s\n", "kernels", "copies", "fills", "busy", "span",
		"longest gap");
	for (size_t i = 0; i < shown; i++) {
		const struct ks_stream *s = &p->t->streams[i];
		snprintf(name, sizeof(name), "%u on GPU %u", s->stream, s->device);
		if (p->trace->n_processes > 1) {
			size_t len = strlen(name);
			snprintf(name + len, sizeof(name) - len, " of %u",
				p->trace->processes[s->process].pid);
		}
		ks_put_column(p->out, name, p->cols - figures);
		fprintf(p->out, " %8llu %7llu %6llu %9s %9s %11s\n", (unsigned long long)s->kernels,
			(unsigned long long)s->copies, (unsigned long long)s->fills,
			time_of(busy, (double)s->busy), time_of(span, (double)(s->end - s->first)),
			time_of(gap, (double)s->longest_gap));
	}
}

static void put_calls(struct print *p)
{
	const size_t figures = 47;
	char total[FIGURE], middle[FIGURE], max[FIGURE];

	if (p->t->n_calls == 0) {
		return;
	}
	size_t shown = put_heading(p, "CUDA calls", p->t->n_calls, figures);
	fprintf(p->out, " %8s %9s %9s %9s %7s\n", "calls", "total", "mean", "max", "failed");
	for (size_t i = 0; i < shown; i++) {
		const struct ks_total *c = &p->t->calls[i];
		ks_put_column(p->out, p->trace->names[c->name], p->cols - figures);
		fprintf(p->out, " %8llu %9s %9s %9s %7llu\n", (unsigned long long)c->count,
			time_of(total, (double)c->ns), time_of(middle, mean(c)),
			time_of(max, (double)c->max), (unsigned long long)c->failed);
	}
}

/* What the host did in a gap: its parts that count, and its longest calls. */
static void put_host(struct print *p, const struct ks_gap *gap)
{
	struct ks_gap_host h;
	struct ks_buf line = {0};
	char text[FIGURE];
	uint64_t least = (gap->end - gap->start) / 100;
	const char *between = "; ";

	ks_timeline_gap(&h, p->t, gap);
	const struct { const char *name; uint64_t ns; } parts[] = {{"away", h.host.away},
		{"calls", h.host.calls}, {"asking", h.host.asking}, {"pending", h.host.pending},
		{"unknown", h.host.unknown}};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].ns > least) {
			ks_buf_addf(&line, "%s%s %s", line.len > 0 ? ", " : "", parts[i].name,
				time_of(text, (double)parts[i].ns));
		}
	}
	for (size_t i = 0; i < h.n_calls; i++) {
		size_t whole = line.len;
		ks_buf_addf(&line, "%s%s %s", between, p->trace->names[h.calls[i].name],
			time_of(text, (double)h.calls[i].ns));
		if (line.len > p->cols - 4) {
			ks_buf_truncate(&line, whole);
		} else {
			between = ", ";
		}
	}
	fputs("    ", p->out);
	ks_put(p->out, line.ptr != NULL ? line.ptr : "", p->cols - 4);
	fputc('\n', p->out);
	ks_buf_fini(&line);
}

static void put_gaps(struct print *p)
{
	char text[FIGURE];

	if (p->t->n_gaps == 0) {
		return;
	}
	size_t shown = p->t->n_gaps < p->top ? p->t->n_gaps : p->top;
	fprintf(p->out, "\ngaps (%zu of %zu): length, at, what ended before, what began after\n",
		shown, p->t->n_gaps);
	for (size_t i = 0; i < shown; i++) {
		const struct ks_gap *gap = &p->t->gaps[i];
		struct ks_buf before = {0}, after = {0};
		size_t half = (p->cols - 26) / 2;
		ks_timeline_item_name(&before, p->trace, gap->before);
		ks_timeline_item_name(&after, p->trace, gap->after);
		fprintf(p->out, "%9s", time_of(text, (double)(gap->end - gap->start)));
		fprintf(p->out, " %9s  ", time_of(text, (double)(gap->start - p->t->origin)));
		ks_put(p->out, before.ptr != NULL ? before.ptr : "", half);
		fputs(" -> ", p->out);
		ks_put(p->out, after.ptr != NULL ? after.ptr : "", half);
		fputc('\n', p->out);
		put_host(p, gap);
		ks_buf_fini(&before);
		ks_buf_fini(&after);
	}
}

/* ---- what is missing ---- */

static void put_count(FILE *out, const struct ks_process *process, uint64_t count, const char *what)
{
	if (count > 0) {
		fprintf(out, "note: process %u: %llu %s\n", process->pid, (unsigned long long)count,
			what);
	}
}

static void put_notes(struct print *p)
{
	for (size_t i = 0; i < p->trace->n_processes; i++) {
		const struct ks_process *one = &p->trace->processes[i];
		if (one->note != NULL) {
			fprintf(p->out, "note: process %u: ", one->pid);
			ks_put(p->out, one->note, p->cols);
			fputc('\n', p->out);
		} else if (!one->ended) {
			fprintf(p->out, "note: process %u ended without writing its last records\n",
				one->pid);
		}
		put_count(p->out, one, one->over, "records left out beyond --max");
		put_count(p->out, one, one->lost, "records lost by CUPTI");
		put_count(p->out, one, one->unfinished, "activities had not ended when it did");
		put_count(p->out, one, one->bad, "records make no sense");
	}
	if (p->trace->left_over > 0) {
		fprintf(p->out, "note: %zu byte%s behind the last whole record\n",
			p->trace->left_over, ks_s((long long)p->trace->left_over));
	}
}

void ks_timeline_print(FILE *out, const struct ks_trace *trace, const struct ks_timeline *timeline,
	size_t top, size_t cols)
{
	struct print p = {out, trace, timeline, top, cols};

	fputs("timeline of ", out);
	ks_put(out, trace->processes[0].program, 40);
	if (trace->n_processes > 1) {
		fprintf(out, " and %zu more", trace->n_processes - 1);
	}
	if (timeline->from > timeline->origin) {
		char text[FIGURE];
		fprintf(out, ", from %s on",
			time_of(text, (double)(timeline->from - timeline->origin)));
	}
	fputc('\n', out);
	put_gpus(&p);
	put_kernels(&p);
	put_moves(&p, "copies", timeline->copies, timeline->n_copies, true);
	put_moves(&p, "fills", timeline->fills, timeline->n_fills, false);
	put_streams(&p);
	put_gaps(&p);
	put_calls(&p);
	put_notes(&p);
}
