/* Writing the judge's lines. */
#include "eval/lines.h"

#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/json.h"

/* A line goes into the log, which holds 64 KiB at most. */
#define LIBRARIES_MAX 16384

/* Lines of several devices do not mix: stdout's own lock is held meanwhile. */
static void put(struct ks_buf *line)
{
	ks_buf_addc(line, '\n');
	flockfile(stdout);
	for (size_t done = 0; done < line->len;) {
		ssize_t n = write(STDOUT_FILENO, line->ptr + done, line->len - done);
		if (n <= 0) {
			break; /* nobody listens any more */
		}
		done += (size_t)n;
	}
	funlockfile(stdout);
	ks_buf_fini(line);
}

/* Shown figures need no more than six digits. */
static double six(double v)
{
	char text[32];
	if (!isfinite(v)) {
		return 0;
	}
	snprintf(text, sizeof(text), "%.6g", v);
	return strtod(text, NULL);
}

static void start(struct ks_jw *w, struct ks_buf *out, const char *type)
{
	ks_jw_init(w, out);
	ks_jw_open(w, NULL);
	ks_jw_str(w, "type", type);
}

void ks_lines_progress(const struct ks_result *r, size_t n, const char *phase,
	unsigned worker)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	start(&w, &out, "progress");
	ks_jw_int(&w, "i", (int64_t)r->index);
	ks_jw_int(&w, "n", (int64_t)n);
	ks_jw_str(&w, "name", r->c->uuid);
	ks_jw_str(&w, "phase", phase);
	ks_jw_int(&w, "worker", worker);
	ks_jw_close(&w);
	put(&out);
}

/* Events, clocks and traces: other times than the ones that count. */
static void gpu_figures(struct ks_jw *w, const struct ks_result *r)
{
	static const char *const names[2][3] = {{"launches_seed", "span_seed_us", "busy_seed_us"},
		{"launches_cand", "span_cand_us", "busy_cand_us"}};
	if (r->event_est.pairs > 0) {
		ks_jw_num(w, "event_seed_us", six(r->event_est.seed_time / 1000));
		ks_jw_num(w, "event_cand_us", six(r->event_est.cand_time / 1000));
	}
	ks_jw_num(w, "pair_us", six(r->pair_us / 2)); /* all that a pair costs */
	if (r->sm_mhz > 0) {
		ks_jw_int(w, "sm_mhz", r->sm_mhz);
		ks_jw_int(w, "throttled", (int64_t)r->throttled);
	}
	for (int side = 0; side < 2 && r->traces != NULL; side++) {
		ks_jw_int(w, names[side][0], r->traces[side].launches);
		ks_jw_num(w, names[side][1], six(r->traces[side].span_ns / 1000));
		ks_jw_num(w, names[side][2], six(r->traces[side].busy_ns / 1000));
	}
	if (r->traces != NULL) {
		ks_jw_str(w, "kernels", r->traces[1].names);
	}
}

static void figures(struct ks_jw *w, const struct ks_result *r, const struct ks_job *job)
{
	const struct ks_estimate *e = &r->est;
	bool timed = r->correct && e->pairs > 0;
	double seed_us = e->seed_time / 1000, cand_us = e->cand_time / 1000;
	ks_jw_num(w, "seed_us", timed ? six(seed_us) : six(r->seed_ns_rough / 1000));
	ks_jw_num(w, "cand_us", timed ? six(cand_us) : 0);
	ks_jw_num(w, "speedup", timed ? six(e->ratio) : 0);
	ks_jw_num(w, "lo", timed ? six(e->lo) : 0);
	ks_jw_num(w, "hi", timed ? six(e->hi) : 0);
	ks_jw_num(w, "band", six(r->band));
	if (isfinite(r->bias)) {
		ks_jw_num(w, "bias", six(r->bias));
	}
	ks_jw_str(w, "verdict", timed ? ks_verdict_word(r->verdict) : "slower");
	ks_jw_int(w, "pairs", (int64_t)e->pairs * 2);
	ks_jw_int(w, "workers", (int64_t)e->workers);
	if ((r->disturbed || !r->clocked) && timed) {
		ks_jw_bool(w, "disturbed", true);
	}
	ks_jw_str(w, "stopped", timed ? ks_stop_name(r->stop) : "failed");
	ks_jw_num(w, "roofline", timed ? six(ks_roofline_share(&r->roof, cand_us)) : 0);
	ks_jw_num(w, "seed_roofline", timed ? six(ks_roofline_share(&r->roof, seed_us)) : 0);
	ks_jw_num(w, "floor_us", six(r->roof.floor_us));
	ks_jw_str(w, "bound", ks_bound_name(r->roof.bound));
	ks_jw_int(w, "looks", (int64_t)job->looks + 1);
	if (r->device != NULL && timed) {
		gpu_figures(w, r);
	}
	if (r->no_yard[0] != '\0') {
		ks_jw_str(w, "no_yard", r->no_yard);
	}
	if (r->yard_est.pairs > 0) {
		ks_jw_num(w, "yard_us", six(r->yard_est.cand_time / 1000));
		ks_jw_num(w, "yard_speedup", six(r->yard_est.ratio));
	}
}

void ks_lines_scenario(const struct ks_result *r, const struct ks_job *job)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	start(&w, &out, "scenario");
	ks_jw_int(&w, "i", (int64_t)r->index);
	ks_jw_str(&w, "name", r->c->uuid);
	ks_jw_str(&w, "set", r->c->set);
	ks_jw_bool(&w, "heldout", r->c->heldout);
	if (r->device != NULL) {
		ks_jw_str(&w, "device", r->device);
	}
	ks_jw_bool(&w, "correct", r->correct);
	ks_jw_str(&w, "why", r->why);
	ks_jw_num(&w, "error", six(r->error));
	ks_jw_num(&w, "error_ratio", isfinite(r->error_ratio) ? six(r->error_ratio) : 1e9);
	ks_jw_num(&w, "seed_error", six(r->seed_error));
	bool measured = !r->correct || (job->perf && r->est.pairs > 0);
	ks_jw_bool(&w, "measured", measured);
	if (measured) {
		figures(&w, r, job);
	}
	ks_jw_close(&w);
	put(&out);
}

void ks_lines_calls(const struct ks_result *r, unsigned worker)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	start(&w, &out, "calls");
	ks_jw_str(&w, "name", r->c->uuid);
	ks_jw_int(&w, "worker", worker);
	ks_jw_slice(&w, "calls", ks_buf_str(&r->told_calls));
	ks_jw_close(&w);
	put(&out);
}

void ks_lines_evidence(const char *trigger, const char *scenario, const char *figures_,
	const char *test)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	start(&w, &out, "evidence");
	ks_jw_str(&w, "trigger", trigger);
	ks_jw_str(&w, "scenario", scenario);
	ks_jw_str(&w, "figures", figures_);
	ks_jw_str(&w, "test", test);
	ks_jw_close(&w);
	put(&out);
}

static void note(const char *level, const char *fmt, va_list ap)
{
	char text[1024];
	struct ks_buf out = {0};
	struct ks_jw w;
	vsnprintf(text, sizeof(text), fmt, ap);
	start(&w, &out, "note");
	ks_jw_str(&w, "level", level);
	ks_jw_str(&w, "text", text);
	ks_jw_close(&w);
	put(&out);
}

void ks_lines_note(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	note("quiet", fmt, ap);
	va_end(ap);
}

void ks_lines_warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	note("warn", fmt, ap);
	va_end(ap);
}

void ks_lines_error(const char *text)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	start(&w, &out, "error");
	ks_jw_str(&w, "text", text);
	ks_jw_close(&w);
	put(&out);
}

/* Needed objects and symbols, for "no library ..." clauses. */
static void libraries(struct ks_jw *w, const struct ks_binary *bin)
{
	char *const *lists[] = {bin->needed, bin->imports, bin->exports, bin->kernels, bin->locals};
	const size_t counts[] = {bin->nneeded, bin->nimports, bin->nexports, bin->nkernels,
		bin->nlocals};
	size_t bytes = 0;
	ks_jw_open_array(w, "libraries");
	for (int l = 0; l < 5; l++) {
		for (size_t i = 0; i < counts[l] && bytes < LIBRARIES_MAX; i++) {
			bytes += strlen(lists[l][i]) + 3;
			ks_jw_str(w, NULL, lists[l][i]);
		}
	}
	ks_jw_close_array(w);
}

void ks_lines_done(const struct ks_done *d)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	start(&w, &out, "done");
	ks_jw_int(&w, "scenarios", (int64_t)d->scenarios);
	ks_jw_int(&w, "correct", (int64_t)d->correct);
	ks_jw_num(&w, "geomean", six(d->geomean));
	ks_jw_num(&w, "geo_lo", six(d->geo_lo));
	ks_jw_num(&w, "geo_hi", six(d->geo_hi));
	ks_jw_num(&w, "worst", six(d->worst));
	ks_jw_str(&w, "worst_name", d->worst_name);
	ks_jw_str(&w, "code_hash", d->code_hash);
	ks_jw_int(&w, "wall_ms", d->wall_ms);
	ks_jw_int(&w, "pairs", (int64_t)d->pairs);
	if (d->binary != NULL) {
		libraries(&w, d->binary);
	}
	ks_jw_close(&w);
	put(&out);
}
