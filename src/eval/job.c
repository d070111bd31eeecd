/* Reading JOB.json. */
#include "eval/job.h"

#include <math.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#define JOB_MAX ((size_t)4 << 20)

static int need_text(char **out, const struct ks_json *doc, const char *key,
	struct ks_err *err)
{
	const char *text = ks_json_get_str(doc, key, NULL);
	if (text == NULL || text[0] == '\0') {
		return ks_err_set(err, KS_EINVAL, "job: $.%s is missing; give a text", key);
	}
	*out = ks_strdup(text);
	return 0;
}

static int number(double *out, const struct ks_json *doc, const char *key, double fallback,
	double low, double high, struct ks_err *err)
{
	double v = ks_json_get_num(doc, key, fallback);
	if (!(v >= low && v <= high)) {
		return ks_err_set(err, KS_EINVAL, "job: $.%s must lie between %g and %g", key,
			low, high);
	}
	*out = v;
	return 0;
}

static void named(struct ks_named **out, size_t *count, const struct ks_json *object)
{
	size_t n = ks_json_count(object);
	if (ks_json_type(object) != KS_JSON_OBJECT || n == 0) {
		return;
	}
	*out = ks_zalloc(n, sizeof(**out));
	for (const struct ks_json *m = ks_json_first(object); m != NULL; m = ks_json_next(m)) {
		double v = ks_json_num(m, NAN);
		if (isfinite(v)) {
			(*out)[*count].name = ks_strdup(ks_json_key(m));
			(*out)[(*count)++].value = v;
		}
	}
}

/* A list of texts, or null. */
static int list_of(char ***out, size_t *count, const struct ks_json *doc, const char *key,
	struct ks_err *err)
{
	const struct ks_json *list = ks_json_get(doc, key);
	if (list == NULL || ks_json_type(list) == KS_JSON_NULL) {
		return 0;
	}
	if (ks_json_type(list) != KS_JSON_ARRAY) {
		return ks_err_set(err, KS_EINVAL, "job: $.%s must be a list or null", key);
	}
	size_t n = ks_json_count(list);
	*out = ks_zalloc(n + 1, sizeof((*out)[0]));
	for (const struct ks_json *s = ks_json_first(list); s != NULL; s = ks_json_next(s)) {
		const char *text = ks_json_str(s, NULL);
		if (text == NULL) {
			return ks_err_set(err, KS_EINVAL, "job: $.%s[%zu] must be a text", key,
				*count);
		}
		(*out)[(*count)++] = ks_strdup(text);
	}
	return 0;
}

static int without(struct ks_job *job, const struct ks_json *list, struct ks_err *err)
{
	for (const struct ks_json *s = ks_json_first(list); s != NULL; s = ks_json_next(s)) {
		enum ks_check check;
		const char *text = ks_json_str(s, "");
		if (!ks_check_parse(&check, text)) {
			return ks_err_set(err, KS_EINVAL, "job: $.without: no check is called "
				"\"%s\"", text);
		}
		job->checks.off[check] = true;
	}
	return 0;
}

static void probe(struct ks_probe *p, const struct ks_json *node)
{
	const struct ks_json *fma = ks_json_get(node, "fma_gflops");
	p->bandwidth_gbs = ks_json_get_num(node, "bandwidth_gbs", 0);
	p->call_ns = ks_json_get_num(node, "call_ns", 0);
	for (const struct ks_json *m = ks_json_first(fma); m != NULL; m = ks_json_next(m)) {
		enum ks_dtype dtype;
		if (ks_dtype_parse(&dtype, ks_json_key(m))) {
			p->peak_gflops[dtype] = ks_json_num(m, 0);
		}
	}
}

static int limits(struct ks_host_limits *l, const struct ks_json *node, struct ks_err *err)
{
	double v = 0;
	int code = number(&v, node, "call_ms", 10000, 1, 3600000, err);
	l->call_ms = (int64_t)v;
	code = code != 0 ? code : number(&v, node, "mem_mb", 4096, 16, 1e7, err);
	l->mem_mb = (int64_t)v;
	code = code != 0 ? code : number(&v, node, "file_mb", 64, 0, 1e6, err);
	l->file_mb = (int64_t)v;
	code = code != 0 ? code : number(&v, node, "procs", 64, 1, 1e6, err);
	l->procs = (int64_t)v;
	return code;
}

static int texts(struct ks_job *job, const struct ks_json *doc, struct ks_err *err)
{
	int code = need_text(&job->problem, doc, "problem", err);
	code = code != 0 ? code : need_text(&job->seed, doc, "seed", err);
	code = code != 0 ? code : need_text(&job->reference, doc, "reference", err);
	code = code != 0 ? code : need_text(&job->candidate, doc, "candidate", err);
	code = code != 0 ? code : need_text(&job->worker, doc, "worker", err);
	code = code != 0 ? code : need_text(&job->scratch, doc, "scratch", err);
	const char *target = ks_json_get_str(doc, "target", "cpu");
	bool cuda = strcmp(target, "cuda") == 0;
	if (code == 0 && !cuda && strcmp(target, "cpu") != 0) {
		return ks_err_set(err, KS_EUNSUPPORTED, "job: $.target: this judge measures "
			"\"cpu\" and \"cuda\", not \"%.32s\"", target);
	}
	if (code == 0 && cuda) {
		code = need_text(&job->cuda, doc, "cuda", err);
		job->cupti = ks_strdup(ks_json_get_str(doc, "cupti", NULL));
		job->trace = ks_json_get_bool(doc, "trace", false);
	}
	job->target = ks_strdup(target);
	job->flags = ks_strdup(ks_json_get_str(doc, "flags", ""));
	job->held_out = ks_strdup(ks_json_get_str(doc, "held_out", NULL));
	job->yardstick = ks_strdup(ks_json_get_str(doc, "yardstick", NULL));
	return code;
}

static int numbers(struct ks_job *job, const struct ks_json *doc, struct ks_err *err)
{
	double v = 0;
	int code = number(&v, doc, "workers", 3, 1, 16, err);
	job->workers = (unsigned)v;
	code = code != 0 ? code : number(&job->half_width, doc, "half_width", 0.005, 1e-5, 1, err);
	code = code != 0 ? code : number(&job->budget_ms, doc, "budget_ms", 6000, 1, 3.6e6, err);
	code = code != 0 ? code : number(&v, doc, "threads", 1, 1, 1024, err);
	job->threads = (int)v;
	code = code != 0 ? code : number(&v, doc, "looks", 0, 0, 1e9, err);
	job->looks = (unsigned)v;
	job->perf = ks_json_get_bool(doc, "perf", true);
	job->confirm = ks_json_get_bool(doc, "confirm", false);
	job->calls = ks_json_get_bool(doc, "calls", false);
	const char *key = ks_json_get_str(doc, "key", NULL);
	if (code == 0 && key == NULL) {
		return ks_err_set(err, KS_EINVAL, "job: $.key is missing; give 32 hex digits");
	}
	return code != 0 ? code : ks_seed_parse(&job->key, key, err);
}

static int take(struct ks_job *job, const struct ks_json *doc, struct ks_err *err)
{
	if (ks_json_get_int(doc, "v", 0) != 1) {
		return ks_err_set(err, KS_EINVAL, "job: $.v must be 1");
	}
	int code = texts(job, doc, err);
	code = code != 0 ? code : numbers(job, doc, err);
	code = code != 0 ? code : list_of(&job->scenarios, &job->nscenarios, doc, "scenarios",
		err);
	code = code != 0 ? code : list_of(&job->banned, &job->nbanned, doc, "banned", err);
	code = code != 0 ? code : list_of(&job->devices, &job->ndevices, doc, "devices", err);
	code = code != 0 ? code : without(job, ks_json_get(doc, "without"), err);
	code = code != 0 ? code : limits(&job->limits, ks_json_get(doc, "limits"), err);
	job->workers = ks_check_on(&job->checks, KS_CHECK_WORKERS) ? job->workers : 1;
	named(&job->bias, &job->nbias, ks_json_get(doc, "bias"));
	named(&job->runs, &job->nruns, ks_json_get(doc, "runs"));
	named(&job->usual, &job->nusual, ks_json_get(doc, "usual"));
	named(&job->previous, &job->nprevious, ks_json_get(doc, "previous"));
	probe(&job->probe, ks_json_get(doc, "probe"));
	return code;
}

int ks_job_load(struct ks_job *job, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	*job = (struct ks_job){.problem = NULL};
	int code = ks_file_read(&text, path, JOB_MAX, err);
	if (code == 0) {
		code = ks_json_parse(&doc, text.ptr, text.len, err);
		ks_err_prefix(err, "%s", path);
	}
	if (code == 0) {
		code = take(job, doc, err);
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
	if (code != 0) {
		ks_job_fini(job);
	}
	return code;
}

static void free_named(struct ks_named *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(list[i].name);
	}
	free(list);
}

void ks_job_fini(struct ks_job *job)
{
	char *texts_[] = {job->problem, job->target, job->flags, job->seed, job->reference,
		job->candidate, job->yardstick, job->worker, job->scratch, job->held_out,
		job->cuda, job->cupti};
	for (size_t i = 0; i < sizeof(texts_) / sizeof(texts_[0]); i++) {
		free(texts_[i]);
	}
	for (size_t i = 0; i < job->nscenarios; i++) {
		free(job->scenarios[i]);
	}
	free(job->scenarios);
	for (size_t i = 0; i < job->nbanned; i++) {
		free(job->banned[i]);
	}
	free(job->banned);
	for (size_t i = 0; i < job->ndevices; i++) {
		free(job->devices[i]);
	}
	free(job->devices);
	free_named(job->bias, job->nbias);
	free_named(job->runs, job->nruns);
	free_named(job->usual, job->nusual);
	free_named(job->previous, job->nprevious);
	*job = (struct ks_job){.problem = NULL};
}

double ks_named_get(const struct ks_named *list, size_t count, const char *name,
	double fallback)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) == 0) {
			return list[i].value;
		}
	}
	return fallback;
}
