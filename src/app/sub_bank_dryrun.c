/*
 * kseek bank dryrun: a question's recipe, carried out. The command runs in a
 * scratch folder, as a child of kseek-exec with limits, never in the working
 * copy; the number that the recipe takes from its output is kept with command,
 * unit, device, date and duration in a file of runs.
 *
 * A recipe sees: KSEEK, KERNEL (the source that has the entry), PROBLEM (its
 * folder), HELPERS (small programs that call a kernel), and is in the scratch.
 */
#include <errno.h>
#include <unistd.h>

#include "app/bank_files.h"
#include "app/common.h"
#include "app/dryrun.h"
#include "app/paths.h"
#include "app/scratch.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "loop/run.h"

#define FILE_MAX (8u * 1024 * 1024)
#define BUILDS_MAX 16
#define SCRATCHES_MAX 8

struct place { /* a scratch, and what was built in it; "-": in vain */
	struct ks_scratch *scratch;
	struct ks_str done[BUILDS_MAX];
	bool failed[BUILDS_MAX];
	size_t builds;
};

struct dryrun {
	const struct ks_bank *bank;
	const struct ks_dryrun *how;
	unsigned target;
	char *file, *exec, *kseek, *helpers;
	char device[128];
	struct ks_json *runs;           /* what the file had */
	struct ks_buf added, failures;  /* JSON members of lists */
	struct place place[SCRATCHES_MAX];
	size_t places, good, bad, left;
	int64_t start_us;
};

/* ---- the command ---- */

static void add_setting(struct ks_buf *out, const char *key, const char *value)
{
	if (value != NULL) {
		ks_buf_addf(out, "export %s=", key);
		ks_shell_quote(out, value);
		ks_buf_addc(out, '\n');
	}
}

static void write_script(struct ks_buf *out, const struct dryrun *d, const struct ks_scratch *s,
	const char *command)
{
	static const char *const kept[] = {"KSEEK_LIBEXEC", "KSEEK_DATA", "LD_LIBRARY_PATH",
		"CUDA_HOME", "CUDA_VISIBLE_DEVICES"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		add_setting(out, kept[i], getenv(kept[i]));
	}
	add_setting(out, "LC_ALL", "C");
	add_setting(out, "KSEEK", d->kseek);
	add_setting(out, "KERNEL", s->kernel);
	add_setting(out, "PROBLEM", s->problem);
	add_setting(out, "HELPERS", d->helpers);
	add_setting(out, "TMPDIR", s->dir);
	ks_buf_adds(out, "PATH=$PATH:/usr/local/cuda/bin\nset -e\n");
	ks_buf_adds(out, command);
	ks_buf_addc(out, '\n');
}

/* Runs a command in a scratch; KS_EIO with the end of its output when it fails. */
static int run_command(struct ks_run *run, const struct dryrun *d, const struct ks_scratch *s,
	const char *command, double limit_s, struct ks_err *err)
{
	struct ks_buf script = {0};
	const struct ks_limits limits = {.file_mb = 1024, .pdeathsig = true,
		.no_net = d->target == KS_BANK_CPU};

	write_script(&script, d, s, command);
	const char *argv[] = {"/bin/sh", "-c", script.ptr, NULL};
	int rc = ks_run(run, argv, s->dir, d->exec, &limits, (int64_t)(limit_s * 1000), err);
	ks_buf_fini(&script);
	if (rc == 0 && run->how.timed_out) {
		rc = ks_err_set(err, KS_ETIME, "not done after %.0f s", limit_s);
	} else if (rc == 0 && run->how.status != 0) {
		const struct ks_buf *said = run->errors.len > 0 ? &run->errors : &run->out;
		size_t from = said->len > 300 ? said->len - 300 : 0;

		rc = ks_err_set(err, KS_EIO, "ended with status %d: %.*s", run->how.status,
			(int)(said->len - from), said->ptr != NULL ? said->ptr + from : "");
	}
	return rc;
}

/* ---- scratches and builds ---- */

static int place_of(struct dryrun *d, const struct ks_bank_recipe *r, struct place **out,
	struct ks_err *err)
{
	const char *name = d->how->campaign != NULL ? NULL : r->problem;

	for (size_t i = 0; i < d->places; i++) {
		const char *have = d->place[i].scratch->shipped;
		if (name == NULL || (have != NULL && strcmp(have, name) == 0)) {
			*out = &d->place[i];
			return 0;
		}
	}
	if (d->places == SCRATCHES_MAX) {
		return ks_err_set(err, KS_ELIMIT, "recipes for more than %d problems",
			SCRATCHES_MAX);
	}
	if (name == NULL) {
		return ks_err_set(err, KS_EINVAL,
			"its recipe names no problem; give --campaign DIR");
	}
	struct place *p = &d->place[d->places];
	int rc = ks_scratch_shipped(&p->scratch, name, ks_bank_target_name(d->target), err);
	if (rc == 0) {
		d->places++;
		*out = p;
	}
	return rc;
}

/* A recipe that calls the kernel of one problem is of no use to another. */
static int fits(const struct dryrun *d, const struct ks_bank_recipe *r, const struct place *p,
	struct ks_err *err)
{
	char *folder = NULL, *name = NULL, *data = NULL;
	bool same = true;
	int rc = 0;

	if (d->how->campaign != NULL && r->problem != NULL) {
		folder = ks_asprintf("scenarios/%s", r->problem);
		rc = ks_paths_data(&data, folder, err);
		if (rc == 0) {
			rc = ks_scratch_definition(&name, data, err);
		}
		same = rc < 0 || strcmp(name, p->scratch->definition) == 0;
	}
	free(folder);
	free(name);
	free(data);
	return rc < 0 || same ? rc : ks_err_set(err, KS_EINVAL, "the recipe is for the problem "
		"'%.40s', this campaign has '%.40s'; leave --campaign out", r->problem,
		p->scratch->definition);
}

static int build(struct dryrun *d, struct place *p, const char *name, struct ks_err *err)
{
	const struct ks_bank_build *b = ks_bank_build(d->bank, d->target, ks_str_of(name));
	struct ks_run run = {0};

	if (b == NULL) {
		return ks_err_set(err, KS_EINVAL, "no build '%.40s' in bank/dryruns", name);
	}
	for (size_t i = 0; i < p->builds; i++) {
		if (ks_str_is(p->done[i], name)) {
			return p->failed[i] ?
				ks_err_set(err, KS_EBUILD, "build '%.40s' failed", name) : 0;
		}
	}
	if (p->builds == BUILDS_MAX) {
		return ks_err_set(err, KS_ELIMIT, "more than %d builds", BUILDS_MAX);
	}
	int rc = run_command(&run, d, p->scratch, b->command, b->limit_s, err);
	p->failed[p->builds] = rc < 0;
	p->done[p->builds++] = ks_str_of(b->name);
	ks_run_fini(&run);
	if (rc < 0) {
		ks_err_prefix(err, "build '%.40s'", name);
	}
	return rc;
}

static int has_needs(const struct ks_bank_recipe *r, struct ks_err *err)
{
	for (size_t i = 0; i < r->needs.count; i++) {
		char *path = ks_paths_which(r->needs.item[i]);
		char *cuda = ks_path_join("/usr/local/cuda/bin", r->needs.item[i]);
		bool there = path != NULL || ks_file_exists(cuda);

		free(path);
		free(cuda);
		if (!there) {
			return ks_err_set(err, KS_ENOTFOUND, "%.40s: not installed",
				r->needs.item[i]);
		}
	}
	return 0;
}

static int measure(struct dryrun *d, const struct ks_bank_recipe *r, struct ks_bank_run *out,
	struct ks_err *err)
{
	struct place *p = NULL;
	struct ks_run run = {0};
	int rc = has_needs(r, err);

	if (rc == 0) {
		rc = place_of(d, r, &p, err);
	}
	if (rc == 0) {
		rc = fits(d, r, p, err);
	}
	for (size_t i = 0; rc == 0 && i < r->builds.count; i++) {
		rc = build(d, p, r->builds.item[i], err);
	}
	if (rc == 0) {
		rc = run_command(&run, d, p->scratch, r->command, r->limit_s, err);
	}
	if (rc == 0) {
		ks_buf_addc(&run.out, '\n');
		ks_buf_addstr(&run.out, ks_buf_str(&run.errors));
		rc = ks_bank_take(&out->value, r, ks_buf_str(&run.out), err);
	}
	out->ms = (double)run.how.ms;
	out->problem = p != NULL ? p->scratch->definition : NULL;
	ks_run_fini(&run);
	return rc;
}

/* ---- the file of runs ---- */

static int read_file(struct dryrun *d, struct ks_err *err)
{
	struct ks_buf text = {0};
	int rc = 0;

	if (!ks_file_exists(d->file)) {
		return 0;
	}
	rc = ks_file_read(&text, d->file, FILE_MAX, err);
	if (rc == 0) {
		rc = ks_json_parse(&d->runs, text.ptr != NULL ? text.ptr : "", text.len, err);
	}
	if (rc == 0 && strcmp(ks_json_get_str(d->runs, "kind", ""), "runs") != 0) {
		rc = ks_err_set(err, KS_EINVAL, "no file of runs; name another");
	}
	if (rc < 0) {
		ks_err_prefix(err, "%s", d->file);
	}
	ks_buf_fini(&text);
	return rc;
}

static bool has_run(const struct dryrun *d, const char *id)
{
	const struct ks_json *run = ks_json_first(ks_json_get(d->runs, "runs"));

	for (; run != NULL; run = ks_json_next(run)) {
		if (strcmp(ks_json_get_str(run, "id", ""), id) == 0 && strcmp(
				ks_json_get_str(run, "target", ""),
				ks_bank_target_name(d->target)) == 0) {
			return true;
		}
	}
	return false;
}

static int write_file(const struct dryrun *d, struct ks_err *err)
{
	struct ks_buf out = {0};
	const struct ks_json *old = ks_json_first(ks_json_get(d->runs, "runs"));
	char *dir = ks_path_dir(d->file);
	const char *comma = "";

	ks_buf_adds(&out, "{\n  \"format\": 1,\n  \"kind\": \"runs\",\n  \"runs\": [");
	for (; old != NULL; old = ks_json_next(old)) {
		ks_buf_addf(&out, "%s\n    ", comma);
		ks_json_print(old, &out);
		comma = ",";
	}
	if (d->added.len > 0) {
		ks_buf_adds(&out, comma);
		ks_buf_addstr(&out, ks_buf_str(&d->added));
	}
	ks_buf_adds(&out, "\n  ]");
	if (d->failures.len > 0) {
		ks_buf_addf(&out, ",\n  \"failed\": [%.*s\n  ]", KS_FMT(ks_buf_str(&d->failures)));
	}
	ks_buf_adds(&out, "\n}\n");
	int rc = ks_file_mkdirs(dir, 0700, err);
	if (rc == 0) {
		rc = ks_file_write(d->file, ks_buf_str(&out), 0600, err);
	}
	ks_buf_fini(&out);
	free(dir);
	return rc;
}

static void write_run(struct ks_buf *out, const char *id, const struct ks_bank_run *run)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "id", id);
	ks_jw_str(&w, "target", run->target);
	if (run->problem != NULL) {
		ks_jw_str(&w, "problem", run->problem);
	}
	ks_jw_num(&w, "value", run->value);
	ks_jw_str(&w, "unit", run->unit);
	ks_jw_str(&w, "command", run->command);
	ks_jw_str(&w, "device", run->device);
	ks_jw_str(&w, "date", run->date);
	ks_jw_num(&w, "ms", run->ms);
	ks_jw_close(&w);
}

static void keep(struct ks_buf *list, struct ks_buf *item)
{
	ks_buf_adds(list, list->len > 0 ? ",\n    " : "\n    ");
	ks_buf_addstr(list, ks_buf_str(item));
}

/* ---- the device ---- */

static void first_line(char *out, size_t size, struct ks_str text)
{
	struct ks_str line = {0};

	if (ks_str_next(&text, '\n', &line)) {
		line = ks_str_trim(line);
		snprintf(out, size, "%.*s", KS_FMT(line));
	}
}

static void name_device(struct dryrun *d)
{
	const char *cpu[] = {"/bin/sh", "-c", "sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | "
		"head -n 1 | tr -d '\\n'; echo \", $(getconf _NPROCESSORS_ONLN) threads\"", NULL};
	const char *cuda[] = {"nvidia-smi", "--query-gpu=name", "--format=csv,noheader", NULL};
	const struct ks_limits limits = {.pdeathsig = true};
	struct ks_run run = {0};

	snprintf(d->device, sizeof(d->device), "unknown");
	if (ks_run(&run, d->target == KS_BANK_CUDA ? cuda : cpu, "/", d->exec, &limits, 10000,
			NULL) == 0 && run.how.status == 0) {
		first_line(d->device, sizeof(d->device), ks_buf_str(&run.out));
	}
	ks_run_fini(&run);
}

/* ---- one, and all ---- */

static void show_run(const struct dryrun *d, const struct ks_bank_entry *e,
	const struct ks_bank_run *run, struct ks_buf *json)
{
	if (d->how->json) {
		struct ks_buf copy = {0};

		ks_buf_addstr(&copy, ks_buf_str(json));
		ks_put_json(&copy);
		return;
	}
	if (d->how->id != NULL) {
		struct ks_buf words = {0};

		ks_bank_fill(&words, e, d->target, NULL, 0);
		ks_put(stdout, words.ptr, 0);
		printf("\n  bound: ");
		ks_put(stdout, d->target == KS_BANK_CPU && e->bound_cpu != NULL ?
			e->bound_cpu : e->bound, 0);
		fputc('\n', stdout);
		ks_buf_fini(&words);
	}
	printf("%-6s %14.6g  ", e->id, run->value);
	ks_put(stdout, run->unit, 60);
	printf("  (%.1f s)\n", run->ms / 1000);
	fflush(stdout);
}

static int one(struct dryrun *d, const struct ks_bank_entry *e, struct ks_err *err)
{
	const struct ks_bank_recipe *r = ks_bank_recipe(e, d->target);
	char date[24];
	struct ks_buf json = {0};

	if (r == NULL) {
		const char *why = (e->targets & d->target) != 0 ? "none was written" :
			"it is not asked there; --target names the other";
		for (size_t i = 0; i < e->gap_count; i++) {
			if (strcmp(e->gaps[i].target, ks_bank_target_name(d->target)) == 0) {
				why = e->gaps[i].why;
			}
		}
		return ks_err_set(err, KS_ENOTFOUND, "%s has no recipe for target %s: %s", e->id,
			ks_bank_target_name(d->target), why);
	}
	ks_clock_iso(ks_clock_wall_us(), date, sizeof(date));
	struct ks_bank_run run = {.target = r->target, .command = r->command, .unit = r->unit,
		.device = d->device, .date = date};
	int rc = measure(d, r, &run, err);
	if (rc < 0) {
		ks_err_prefix(err, "%s", e->id);
		return rc;
	}
	write_run(&json, e->id, &run);
	keep(&d->added, &json);
	show_run(d, e, &run, &json);
	ks_buf_fini(&json);
	return write_file(d, err);
}

static bool is_chosen(const struct dryrun *d, const struct ks_bank_entry *e)
{
	const char *layer = d->how->layer;

	return (layer == NULL || ks_layer_letter(e->group) == layer[0]) &&
		ks_bank_recipe(e, d->target) != NULL && (d->how->again || !has_run(d, e->id));
}

static void note_failure(struct dryrun *d, const char *id, const char *why)
{
	struct ks_buf item = {0};
	struct ks_jw w;

	ks_jw_init(&w, &item);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "id", id);
	ks_jw_str(&w, "target", ks_bank_target_name(d->target));
	ks_jw_str(&w, "why", why);
	ks_jw_close(&w);
	keep(&d->failures, &item);
	ks_buf_fini(&item);
	fprintf(stderr, "kseek bank: %s\n", why);
}

static int all(struct dryrun *d, struct ks_err *err)
{
	int64_t limit_us = (int64_t)d->how->limit_s * 1000000;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ks_bank_count(d->bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(d->bank, i);
		struct ks_err own = KS_ERR_INIT;

		if (!is_chosen(d, e)) {
			continue;
		}
		if (limit_us > 0 && ks_clock_mono_us() - d->start_us > limit_us) {
			d->left++;
			continue;
		}
		if (one(d, e, &own) < 0) {
			d->bad++;
			note_failure(d, e->id, own.msg);
			rc = write_file(d, err);
		} else {
			d->good++;
		}
	}
	if (rc == 0 && !d->how->json) {
		printf("%zu answered, %zu gave no number, %zu left; %s\n", d->good, d->bad, d->left,
			d->file);
	}
	return rc < 0 ? rc : d->bad + d->left > 0 ? KS_EXIT_NO : KS_EXIT_OK;
}

static int prepare(struct dryrun *d, struct ks_err *err)
{
	char *own = ks_bank_own_folder();
	int rc = 0;

	if (d->how->out != NULL) {
		d->file = ks_strdup(d->how->out);
	} else if (own != NULL) {
		d->file = ks_asprintf("%s/dryruns/%s.json", own, ks_bank_target_name(d->target));
	} else {
		rc = ks_err_set(err, KS_ENOTFOUND, "no home folder: set HOME or give --out FILE");
	}
	free(own);
	if (rc == 0) {
		rc = ks_paths_program(&d->exec, "kseek-exec", err);
	}
	if (rc == 0) {
		rc = ks_paths_program(&d->kseek, "kseek", err);
	}
	if (rc == 0) {
		rc = ks_paths_data(&d->helpers, "bank/dryruns/helpers", err);
	}
	if (rc == 0) {
		rc = read_file(d, err);
	}
	if (rc == 0) {
		name_device(d);
	}
	return rc;
}

int ks_bank_dryrun(const struct ks_bank *bank, const struct ks_dryrun *how, struct ks_err *err)
{
	struct dryrun d = {.bank = bank, .how = how, .start_us = ks_clock_mono_us()};
	const struct ks_bank_entry *e = how->id != NULL ?
		ks_bank_find(bank, ks_str_of(how->id)) : NULL;
	int rc = 0;

	if (how->id != NULL && e == NULL) {
		rc = ks_err_set(err, KS_EINVAL, "no question '%.40s'; see 'kseek bank list'",
			how->id);
	}
	if (rc == 0 && how->campaign != NULL) {
		rc = ks_scratch_campaign(&d.place[0].scratch, how->campaign, err);
		d.places = rc == 0;
	}
	const char *target = how->target != NULL || d.places == 0 ? how->target :
		d.place[0].scratch->target;
	d.target = target != NULL && strcmp(target, "cuda") == 0 ? KS_BANK_CUDA : KS_BANK_CPU;
	if (rc == 0) {
		rc = prepare(&d, err);
	}
	if (rc == 0) {
		rc = e != NULL ? one(&d, e, err) : all(&d, err);
	}
	for (size_t i = 0; i < d.places; i++) {
		ks_scratch_free(d.place[i].scratch);
	}
	ks_json_free(d.runs);
	ks_buf_fini(&d.added);
	ks_buf_fini(&d.failures);
	free(d.file);
	free(d.exec);
	free(d.kseek);
	free(d.helpers);
	return rc;
}
