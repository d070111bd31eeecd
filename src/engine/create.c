/*
 * Making a campaign. Everything is built in a folder beside the new one's
 * place and moved there at the very end, so a refusal leaves nothing behind.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/sane.h"
#include "core/goal.h"
#include "core/permit.h"
#include "engine/brief.h"
#include "engine/copy.h"
#include "engine/internal.h"
#include "engine/machine.h"
#include "eval/build.h"
#include "eval/problem.h"
#include "eval/roofline.h"

struct create {
	const struct ks_create_options *opt;
	char *stage;               /* the folder being built */
	struct ks_campaign_paths paths;
	struct ks_campaign campaign;
	struct ks_problem *problem;
	struct ks_repo *repo;
	struct ks_machine machine;
	char *flags;
	bool cuda;
	char tree[KS_OID_HEX];
	char commit[KS_OID_HEX];
	char hash[65];
	char held_hash[KS_HASH_HEX];
	size_t lines;
	char *yard_name;      /* or NULL */
	bool yard_recorded;
};

static void say(const struct create *c, const char *text)
{
	const struct ks_engine_programs *p = &c->opt->programs;

	if (p->say != NULL) {
		p->say(p->say_ctx, text);
	}
}

/* ---- the problem ---- */

/* Read where it lies first, so that messages name the person's own file. */
static int check_own(const char *dir, struct ks_err *err)
{
	struct ks_problem *problem = NULL;
	int rc = ks_problem_load(&problem, dir, err);

	ks_problem_free(problem);
	return rc;
}

static int take_problem(struct create *c, struct ks_err *err)
{
	const struct ks_create_options *o = c->opt;
	int rc = o->n_problem == 1 ? check_own(o->problem[0], err) : 0;

	for (size_t i = 0; rc == 0 && i < o->n_problem; i++) {
		if (!ks_file_is_dir(o->problem[i])) {
			return ks_err_set(err, KS_ENOTFOUND, "%s: no such problem folder",
				o->problem[i]);
		}
		rc = ks_copy_problem(o->problem[i], c->paths.problem, o->target, err);
	}
	if (rc == 0) {
		char *header = ks_path_join(o->programs.include, "kseek_kernel.h");
		char *to = ks_path_join(c->paths.problem, "kseek_kernel.h");
		rc = ks_copy_file(header, to, err);
		free(header);
		free(to);
	}
	if (rc == 0) {
		rc = ks_problem_load(&c->problem, c->paths.problem, err);
	}
	if (rc == 0) {
		rc = ks_problem_check_target(c->problem, o->target, err);
	}
	if (rc == 0 && ks_problem_scenarios(c->problem) == 0) {
		rc = ks_err_set(err, KS_EINVAL, "%s: no scenarios; put a set NAME.jsonl beside "
			"definition.json", o->problem[0]);
	}
	return rc;
}

static int check_recorded(const struct create *c, const char *path, char **out_name,
	struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	int rc = ks_file_read(&text, path, KS_COPY_MAX, err);

	if (rc == 0) {
		rc = ks_json_parse(&doc, text.ptr, text.len, err);
		ks_err_prefix(err, "%s", path);
	}
	const struct ks_json *times = ks_json_get(doc, "times_us");
	const char *name = ks_json_get_str(doc, "name", "");
	if (rc == 0 && (name[0] == 0 || ks_json_count(times) == 0)) {
		rc = ks_err_set(err, KS_EINVAL, "%s: recorded times are {\"name\": TEXT, "
			"\"times_us\": {SCENARIO: MICROSECONDS, ...}}", path);
	}
	for (const struct ks_json *n = ks_json_first(times); rc == 0 && n != NULL;
			n = ks_json_next(n)) {
		if (ks_problem_find(c->problem, ks_json_key(n)) < 0) {
			rc = ks_err_set(err, KS_EINVAL,
				"%s: $.times_us: no scenario is called \"%.64s\"",
				path, ks_json_key(n));
		} else if (!(ks_json_num(n, 0) > 0)) {
			rc = ks_err_set(err, KS_EINVAL,
				"%s: $.times_us.%.64s must be a number above 0",
				path, ks_json_key(n));
		}
	}
	if (rc == 0) {
		*out_name = ks_strdup(name);
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
	return rc;
}

/* Into the problem's folder, so that it is sealed with the rest. */
static int take_yardstick(struct create *c, struct ks_err *err)
{
	const char *path = c->opt->yardstick;
	const char *source = strcmp(c->opt->target, "cuda") == 0 ? ".cu" : ".c";
	int rc = 0;

	if (path == NULL) {
		return 0;
	}
	c->yard_recorded = ks_ends_in(path, ".json");
	if (c->yard_recorded) {
		rc = check_recorded(c, path, &c->yard_name, err);
	} else if (ks_ends_in(path, source)) {
		const char *base = ks_path_base(path);
		c->yard_name = ks_strndup(base, strlen(base) - strlen(source));
	} else {
		return ks_err_set(err, KS_EINVAL,
			"--yardstick %.200s: give a %s file with the same "
			"entry, or a .json of recorded times", path, source);
	}
	char *dir = ks_path_join(c->paths.problem, "yardstick");
	char *to = ks_path_join(dir, ks_path_base(path));
	rc = rc != 0 ? rc : ks_file_mkdirs(dir, 0755, err);
	rc = rc != 0 ? rc : ks_copy_file(path, to, err);
	free(to);
	free(dir);
	return rc;
}

static int keep_held_out(struct create *c, struct ks_err *err)
{
	const struct ks_create_options *o = c->opt;
	struct ks_buf bytes = {0};

	if (o->held_out == NULL) {
		return 0;
	}
	int rc = ks_file_read(&bytes, o->held_out, KS_COPY_MAX, err);
	if (rc == 0) {
		ks_hash_of(bytes.ptr, bytes.len, c->held_hash);
		char *dir = ks_asprintf("%s/%s", o->programs.state, c->campaign.id);
		char *path = ks_path_join(dir, "held-out.jsonl");
		rc = ks_file_mkdirs(dir, 0700, err);
		if (rc == 0) {
			rc = ks_file_write(path, ks_buf_str(&bytes), 0600, err);
		}
		free(dir);
		free(path);
	}
	ks_buf_fini(&bytes);
	return rc;
}

/* ---- campaign.json and the working copy ---- */

/* Whether a number or word of that name belongs to a scenario, for `where`. */
static int axis_of(const void *user, size_t scenario, struct ks_str axis, double *out_number,
	struct ks_str *out_word)
{
	const struct create *c = user;
	struct ks_case *k = NULL;
	struct ks_err err = KS_ERR_INIT;
	char *name = ks_strndup(axis.ptr, axis.len);
	const struct ks_arg *arg;
	int64_t number = 0;
	int found = 0;

	if (ks_problem_axis(c->problem, scenario, name, &number)) {
		*out_number = (double)number;
		found = 1;
	} else if (ks_case_new(&k, c->problem, scenario, &err) == 0) {
		arg = ks_case_arg(k, name);
		if (arg != NULL && arg->kind == KS_ARG_SCALAR) {
			*out_number = arg->fvalue;
			found = 1;
		} else if (arg != NULL && arg->kind == KS_ARG_DTYPE) {
			*out_word = ks_str_of(ks_dtype_name((enum ks_dtype)arg->ivalue));
			found = 2;
		}
		ks_case_free(k);
	}
	free(name);
	return found;
}

/* With everything measured and known, a clause that is still unknown speaks of
 * a set, an axis or a count that the problem does not have. */
static int check_clauses(struct create *c, const struct ks_goal *goal, struct ks_err *err)
{
	size_t n = ks_problem_scenarios(c->problem);
	struct ks_goal_scenario *all = ks_zalloc(n, sizeof(*all));
	struct ks_goal_facts facts = {
		.scenarios = all, .count = n, .axis = axis_of, .user = c, .symbols_known = true,
		.lines_known = true, .confirmed = true
	};
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		all[i] = (struct ks_goal_scenario){
			.name = ks_str_of(ks_problem_uuid(c->problem, i)),
			.set = ks_str_of(ks_problem_set(c->problem, i)),
			.heldout = ks_problem_heldout(c->problem, i),
			.measured = true, .timed = true, .correct = true, .speedup = 1, .lo = 1,
			.hi = 1, .roofline = 0.5, .roofline_lo = 0.5, .roofline_hi = 0.5
		};
	}
	for (size_t i = 0; rc == 0 && i < ks_goal_count(goal); i++) {
		struct ks_goal_result result;
		ks_goal_eval(&result, goal, i, &facts);
		if (result.outcome == KS_GOAL_UNKNOWN) {
			rc = ks_err_set(err, KS_EINVAL, "goal '%.100s': %.200s",
				ks_goal_text(goal, i), result.text);
		}
	}
	free(all);
	return rc;
}

static int check_goal(struct create *c, struct ks_err *err)
{
	struct ks_str lines[KS_GOAL_MAX_CLAUSES];
	struct ks_goal *goal = NULL;
	struct ks_goal_where where;
	struct ks_buf caret = {0};

	if (c->campaign.goal.count > KS_GOAL_MAX_CLAUSES) {
		return ks_err_set(err, KS_ELIMIT, "goal: more than %d lines", KS_GOAL_MAX_CLAUSES);
	}
	for (size_t i = 0; i < c->campaign.goal.count; i++) {
		lines[i] = ks_str_of(c->campaign.goal.items[i]);
	}
	int rc = ks_goal_parse(&goal, lines, c->campaign.goal.count, &where, err);
	if (rc < 0 && where.line < c->campaign.goal.count) {
		ks_goal_caret(&caret, lines[where.line], &where);
		say(c, caret.ptr != NULL ? caret.ptr : "");
	}
	ks_buf_fini(&caret);
	if (rc == 0) {
		rc = check_clauses(c, goal, err);
	}
	ks_goal_free(goal);
	return rc;
}

/* Where the agent's model is, and which variable holds the key for it. */
static int fill_server(struct create *c, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_jw w;

	if (strcmp(c->campaign.driver, "api") != 0) {
		return ks_err_set(err, KS_EINVAL, "--base-url and --key-env are for the agent api; "
			"other agents have settings of their own");
	}
	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	if (c->opt->base_url != NULL) {
		ks_jw_str(&w, "base_url", c->opt->base_url);
	}
	if (c->opt->key_env != NULL) {
		ks_jw_str(&w, "key_env", c->opt->key_env);
	}
	ks_jw_close(&w);
	free(c->campaign.agent);
	c->campaign.agent = ks_buf_take(&text);
	const struct ks_agent_setup setup = {.folder = "/", .config = ks_str_of(c->campaign.agent),
		.argument = c->campaign.command.count > 0 ? c->campaign.command.items[0] : "",
		.agents = c->opt->programs.agents};
	return ks_agent_check("api", &setup, err);
}

static int fill_agent(struct create *c, struct ks_err *err)
{
	const char *agent = c->opt->agent != NULL ? c->opt->agent : "manual";

	int rc = ks_engine_agent(&c->campaign, agent, c->opt->programs.agents, err);

	if (rc == 0 && (c->opt->base_url != NULL || c->opt->key_env != NULL)) {
		rc = fill_server(c, err);
	}
	return rc;
}

static void split_flags(struct ks_strings *out, const char *flags)
{
	struct ks_str rest = ks_str_of(flags), word;

	while (ks_str_next(&rest, ' ', &word)) {
		if (word.len > 0) {
			char *one = ks_strndup(word.ptr, word.len);
			ks_strings_add(out, one);
			free(one);
		}
	}
}

static int fill_rules(struct create *c, struct ks_err *err)
{
	const struct ks_create_options *o = c->opt;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->n_set; i++) {
		rc = ks_setting_parse(&c->campaign.policy, o->set[i], err);
		if (rc < 0) {
			ks_err_prefix(err, "--set");
		}
	}
	for (size_t i = 0; rc == 0 && i < o->n_permit; i++) {
		struct ks_permit rule;
		rc = ks_permit_parse(&rule, ks_str_of(o->permit[i]), err);
		if (rc < 0) {
			ks_err_prefix(err, "--permit");
		}
		ks_strings_add(&c->campaign.permissions, o->permit[i]);
	}
	c->campaign.no_shim = o->no_shim;
	return rc;
}

static int fill_campaign(struct create *c, struct ks_err *err)
{
	static const char *const usual[] = {"every scenario correct", "every speedup >= 1.0",
		"geomean speedup >= 1.5"};
	const struct ks_create_options *o = c->opt;
	struct ks_campaign *k = &c->campaign;
	char name[256];

	ks_sane_into(name, sizeof(name), ks_str_of(o->name != NULL ? o->name :
		ks_path_base(o->dir)), KS_SANE_ONE_LINE);
	k->name = ks_strdup(name);
	k->target = c->cuda ? KS_TARGET_CUDA : KS_TARGET_CPU;
	k->arch = ks_strdup(c->machine.arch);
	k->threads = o->threads > 0 ? (int)o->threads : 1;
	k->mode = ks_strdup(o->mode != NULL ? o->mode : "human");
	c->flags = ks_build_flags(o->target, c->cuda ? k->arch + strlen("cuda ") : "", o->flags);
	split_flags(&k->flags, c->flags);
	for (size_t i = 0; i < (o->n_goal > 0 ? o->n_goal : 3); i++) {
		ks_strings_add(&k->goal, o->n_goal > 0 ? o->goal[i] : usual[i]);
	}
	int rc = check_goal(c, err);
	if (rc == 0) {
		rc = fill_agent(c, err);
	}
	if (rc == 0) {
		rc = fill_rules(c, err);
	}
	return rc;
}

/* The seed's sources under the names that the agent edits: the first is
 * kernel.c (or .cu), others keep their names. */
static int put_working_copy(struct create *c, struct ks_err *err)
{
	const char *const *names;
	size_t count;
	int rc = ks_problem_sources(&names, &count, c->problem, c->opt->target, "seed", err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		const char *dot = strrchr(names[i], '.');
		char *as = i == 0 ? ks_asprintf("kernel%s", dot != NULL ? dot : ".c") :
			ks_strdup(names[i]);
		char *from = ks_path_join(c->paths.problem, names[i]);
		char *to = ks_path_join(c->paths.root, as);
		rc = ks_copy_file(from, to, err);
		ks_strings_add(&c->campaign.files, as);
		free(as);
		free(from);
		free(to);
	}
	return rc;
}

static int put_files(struct create *c, struct ks_err *err)
{
	struct ks_buf brief = {0};
	int rc = put_working_copy(c, err);

	if (rc == 0) {
		rc = ks_campaign_write(&c->campaign, c->paths.config, err);
	}
	if (rc == 0) {
		ks_brief(&brief, &c->campaign, c->problem, c->flags);
		rc = ks_file_write(c->paths.brief, ks_buf_str(&brief), 0644, err);
	}
	ks_buf_fini(&brief);
	static const char *const links[] = {"CLAUDE.md", "GEMINI.md"};
	for (int i = 0; rc == 0 && i < 2; i++) {
		char *path = ks_path_join(c->paths.root, links[i]);
		if (symlink("AGENTS.md", path) < 0) {
			rc = ks_err_sys(err, errno, "%s", path);
		}
		free(path);
	}
	return rc;
}

/* ---- git and the log ---- */

/* kseek's own files do not show in a person's `git status`. */
static int put_exclude(const struct create *c, struct ks_err *err)
{
	char *dir = ks_path_join(c->paths.root, ".git/info");
	char *path = ks_path_join(dir, "exclude");
	int rc = ks_file_mkdirs(dir, 0755, err);

	if (rc == 0) {
		rc = ks_file_write(path, KS_STR("/.kseek/\n"), 0644, err);
	}
	free(path);
	free(dir);
	return rc;
}

static int put_repo(struct create *c, struct ks_err *err)
{
	struct ks_repo_file files[16] = {0};
	size_t n = c->campaign.files.count;
	struct ks_buf message = {0};
	int rc = ks_repo_create(&c->repo, c->paths.root, err);

	if (rc == 0) {
		rc = put_exclude(c, err);
	}
	if (rc == 0) {
		rc = ks_repo_seal_folder(c->repo, c->paths.problem, c->tree, err);
	}
	if (rc == 0 && n > 16) {
		rc = ks_err_set(err, KS_ELIMIT, "seed: %zu source files; at most 16", n);
	}
	for (size_t i = 0; rc == 0 && i < n; i++) {
		char *path = ks_path_join(c->paths.root, c->campaign.files.items[i]);
		struct ks_buf bytes = {0};
		rc = ks_file_read(&bytes, path, KS_COPY_MAX, err);
		files[i].path = ks_strdup(c->campaign.files.items[i]);
		files[i].len = bytes.len;
		files[i].bytes = ks_buf_take(&bytes);
		free(path);
	}
	if (rc == 0) {
		ks_snapshot_hash(files, n, c->hash);
		c->lines = ks_snapshot_lines(files, n);
		ks_result_message(&message, 0, -1, c->hash);
		const struct ks_repo_commit commit = {
			.files = files, .count = n, .message = message.ptr, .t = ks_clock_wall_us()
		};
		rc = ks_repo_commit(c->repo, &commit, c->commit, err);
	}
	if (rc == 0) {
		rc = ks_repo_note_set(c->repo, c->commit,
			KS_STR("kseek: the seed, 1x by definition\n"), ks_clock_wall_us(), err);
	}
	for (size_t i = 0; i < n && i < 16; i++) {
		free(files[i].path);
		free(files[i].bytes);
	}
	ks_buf_fini(&message);
	return rc;
}

static void created_fields(const struct create *c, struct ks_buf *out)
{
	const struct ks_campaign *k = &c->campaign;
	char *label = NULL;
	const struct ks_driver *driver = ks_driver_find(k->driver);
	struct ks_err err = KS_ERR_INIT;
	struct ks_jw w;

	if (driver != NULL && driver->check != NULL) {
		(void)driver->check(k->command.count > 0 ? k->command.items[0] : "", &label, &err);
	}
	ks_jw_members(&w, out);
	ks_jw_str(&w, "id", k->id);
	ks_jw_str(&w, "name", k->name);
	ks_jw_str(&w, "problem", ks_problem_name(c->problem));
	ks_jw_str(&w, "tags", ks_problem_tags(c->problem));
	ks_jw_str(&w, "target", c->opt->target);
	ks_jw_str(&w, "arch", c->machine.arch);
	ks_jw_str(&w, "machine", c->machine.name);
	ks_jw_str(&w, "tree", c->tree);
	ks_jw_str(&w, "flags", c->flags);
	ks_jw_int(&w, "threads", k->threads);
	ks_jw_str(&w, "agent", label != NULL ? label : k->driver);
	ks_jw_str(&w, "mode", k->mode);
	ks_jw_open_array(&w, "goal");
	for (size_t i = 0; i < k->goal.count; i++) {
		ks_jw_str(&w, NULL, k->goal.items[i]);
	}
	ks_jw_close_array(&w);
	ks_jw_raw(&w, "probe", ks_str_of(c->machine.probe));
	ks_jw_open(&w, "seed");
	ks_jw_str(&w, "hash", c->hash);
	ks_jw_int(&w, "lines", (int64_t)c->lines);
	ks_jw_str(&w, "commit", c->commit);
	ks_jw_close(&w);
	if (c->yard_name != NULL) {
		ks_jw_open(&w, "yardstick");
		ks_jw_str(&w, "name", c->yard_name);
		ks_jw_str(&w, "file", ks_path_base(c->opt->yardstick));
		ks_jw_str(&w, "flags", c->opt->yardstick_flags);
		ks_jw_bool(&w, "recorded", c->yard_recorded);
		ks_jw_close(&w);
	}
	if (c->held_hash[0] != 0) {
		ks_jw_str(&w, "held_out", c->held_hash);
	}
	ks_jw_str(&w, "version", KSEEK_VERSION);
	free(label);
}

static void put_axes(struct ks_jw *w, const struct ks_case *k)
{
	ks_jw_open(w, "axes");
	for (size_t i = 0; i < k->count; i++) {
		const struct ks_arg *a = &k->args[i];
		if (a->kind == KS_ARG_AXIS) {
			ks_jw_int(w, a->name, a->ivalue);
		} else if (a->kind == KS_ARG_SCALAR) {
			ks_jw_num(w, a->name, a->fvalue);
		} else if (a->kind == KS_ARG_DTYPE) {
			ks_jw_str(w, a->name, ks_dtype_name((enum ks_dtype)a->ivalue));
		}
	}
	ks_jw_close(w);
}

static int scenario_fields(const struct create *c, size_t i, int heldout_number, struct ks_buf *out,
	struct ks_err *err)
{
	struct ks_case *k = NULL;
	struct ks_roofline roof;
	struct ks_jw w;
	char hidden[32];
	bool heldout = ks_problem_heldout(c->problem, i);
	int rc = ks_case_new(&k, c->problem, i, err);

	if (rc < 0) {
		return rc;
	}
	ks_roofline(&roof, k, &c->machine.rates, (unsigned)c->campaign.threads);
	snprintf(hidden, sizeof(hidden), "held-out-%d", heldout_number);
	ks_jw_members(&w, out);
	ks_jw_int(&w, "i", (int64_t)i);
	ks_jw_str(&w, "name", heldout ? hidden : k->uuid);
	ks_jw_str(&w, "set", heldout ? "held-out" : k->set);
	ks_jw_bool(&w, "heldout", heldout);
	if (!heldout) {
		put_axes(&w, k);
		ks_jw_num(&w, "floor_us", roof.floor_us);
		ks_jw_num(&w, "ops", k->ops);
		ks_jw_num(&w, "bytes", k->bytes);
	}
	ks_case_free(k);
	return 0;
}

static int append(struct ks_log *log, enum ks_ev kind, struct ks_buf *fields, struct ks_err *err)
{
	const struct ks_log_event line = {
		.kind = ks_ev_name(kind), .by = ks_by_name(KS_BY_ENGINE),
		.fields = ks_buf_str(fields)
	};
	int rc = ks_log_append(log, &line, 1, KS_LOG_GROUPED, NULL, err);

	ks_buf_clear(fields);
	return rc;
}

static int put_log(struct create *c, struct ks_err *err)
{
	struct ks_log *log = NULL;
	struct ks_buf fields = {0};
	int heldout = 0;
	int rc = ks_campaign_make_state(&c->paths, err);

	if (rc == 0) {
		rc = ks_log_open(&log, c->paths.log, NULL, err);
	}
	if (rc == 0) {
		created_fields(c, &fields);
		rc = append(log, KS_EV_CAMPAIGN_CREATED, &fields, err);
	}
	for (size_t i = 0; rc == 0 && i < ks_problem_scenarios(c->problem); i++) {
		heldout += ks_problem_heldout(c->problem, i);
		rc = scenario_fields(c, i, heldout, &fields, err);
		if (rc == 0) {
			rc = append(log, KS_EV_SCENARIO_DECLARED, &fields, err);
		}
	}
	if (rc == 0) {
		rc = ks_log_sync(log, err);
	}
	ks_log_close(log);
	ks_buf_fini(&fields);
	return rc;
}

/* ---- the whole ---- */

static int refuse_place(const char *dir, struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0;
	struct ks_err ignored = KS_ERR_INIT;

	if (!ks_file_exists(dir)) {
		return 0;
	}
	int rc = ks_file_list(&names, &count, dir, &ignored);
	ks_names_free(names, count);
	if (rc < 0 || count > 0) {
		return ks_err_set(err, KS_EEXISTS, "%s: exists and is not an empty folder; "
			"give another name", dir);
	}
	return 0;
}

static void say_unchecked(const struct create *c)
{
	size_t n = ks_problem_unchecked(c->problem);

	if (n > 0) {
		char *text = ks_asprintf("%zu constraint%s of the definition not checked: "
			"the contents that %s are drawn anew for each evaluation", n,
			ks_s(n), n == 1 ? "it reads" : "they read");
		say(c, text);
		free(text);
	}
}

/* A yardstick is a help: without it the campaign is made all the same. */
static void try_yardstick(const struct create *c)
{
	struct ks_err why = KS_ERR_INIT;

	if (c->yard_name == NULL || c->yard_recorded) {
		return;
	}
	const char *more = c->opt->yardstick_flags != NULL ? c->opt->yardstick_flags : "";
	char *flags = ks_asprintf("%s %s", c->flags, more);
	if (ks_machine_check_yardstick(c->paths.root, c->paths.problem,
			ks_path_base(c->opt->yardstick), c->opt->target, flags, &c->opt->programs,
			&why) < 0) {
		char *text = ks_asprintf("warning: the table will have no yardstick: %s", why.msg);
		say(c, text);
		free(text);
	}
	free(flags);
}

static int make(struct create *c, struct ks_err *err)
{
	int rc = ks_campaign_paths_init(&c->paths, c->stage, err);

	if (rc == 0) {
		rc = take_problem(c, err);
	}
	if (rc == 0) {
		rc = c->cuda ?
			ks_machine_look_cuda(&c->machine, c->opt->arch, &c->opt->programs, err) :
			ks_machine_look(&c->machine, &c->opt->programs, err);
	}
	if (rc == 0 && c->opt->held_out != NULL) {
		rc = ks_problem_add_set(c->problem, c->opt->held_out, true, err);
	}
	if (rc == 0) {
		rc = take_yardstick(c, err);
	}
	if (rc == 0) {
		rc = fill_campaign(c, err);
	}
	if (rc == 0) {
		rc = put_files(c, err);
	}
	if (rc == 0) {
		rc = keep_held_out(c, err);
	}
	if (rc == 0) {
		say_unchecked(c);
		say(c, "building seed and reference, checking the seed on every scenario");
		rc = ks_machine_check_seed(c->paths.root, c->paths.cache, c->paths.problem,
			c->problem, c->opt->target, &c->machine, c->flags, &c->opt->programs, err);
	}
	if (rc == 0) {
		try_yardstick(c);
		rc = put_repo(c, err);
	}
	if (rc == 0) {
		rc = put_log(c, err);
	}
	if (rc == 0) {
		rmdir(c->opt->dir);
		if (rename(c->stage, c->opt->dir) < 0) {
			rc = ks_err_sys(err, errno, "%s", c->opt->dir);
		}
	}
	return rc;
}

int ks_engine_create(const struct ks_create_options *options, struct ks_err *err)
{
	struct create c = {.opt = options, .cuda = strcmp(options->target, "cuda") == 0};
	char *parent = ks_path_dir(options->dir);
	int rc = refuse_place(options->dir, err);

	if (rc == 0) {
		rc = ks_file_mkdirs(parent, 0755, err);
	}
	free(parent);
	if (rc < 0) {
		return rc;
	}
	c.stage = ks_asprintf("%s.new-XXXXXX", options->dir);
	if (mkdtemp(c.stage) == NULL) {
		rc = ks_err_sys(err, errno, "%s", c.stage);
	} else {
		chmod(c.stage, 0755);
		rc = make(&c, err);
	}
	ks_repo_free(c.repo);
	ks_problem_free(c.problem);
	if (rc < 0) {
		struct ks_err ignored = KS_ERR_INIT;
		(void)ks_file_remove_tree(c.stage, &ignored);
	}
	free(c.yard_name);
	ks_machine_fini(&c.machine);
	free(c.flags);
	ks_campaign_fini(&c.campaign);
	ks_campaign_paths_fini(&c.paths);
	free(c.stage);
	return rc;
}
