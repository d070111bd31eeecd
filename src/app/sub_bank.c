/* kseek bank: the questions. */
#include <errno.h>
#include <unistd.h>

#include "app/bank_ask.h"
#include "app/bank_files.h"
#include "app/common.h"
#include "app/dryrun.h"
#include "app/subs.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/plural.h"
#include "store/campaign.h"

struct choice {
	const char *layer, *target, *point, *log;
	long at;
	bool json, learn;
	unsigned here; /* the target of the campaign around; 0: in none */
	/* dryrun, lint */
	const char *campaign, *out;
	long limit_s;
	bool all, again, runs;
};

static void put_points(const struct ks_bank_entry *e)
{
	for (int p = 0; p < KS_POINTS; p++) {
		fputc((e->points & (1u << p)) != 0 ? "SPLCWB"[p] : '-', stdout);
	}
}

/* Where a question comes from: "arch sm_90", "operator X", or a person's file. */
static void put_origin(const struct ks_bank_entry *e, size_t cols)
{
	struct ks_buf words = {0};

	if (strcmp(e->kind, "user") == 0) {
		ks_buf_addf(&words, "yours %s", ks_path_base(e->source));
	} else {
		ks_buf_addf(&words, "%s%s%s", e->kind, e->scope != NULL ? " " : "",
			e->scope != NULL ? e->scope : "");
	}
	ks_put(stdout, words.ptr, cols);
	ks_buf_fini(&words);
}

static bool chosen(const struct ks_bank_entry *e, const struct choice *c)
{
	unsigned target = c->target == NULL ? 0 :
		strcmp(c->target, "cpu") == 0 ? KS_BANK_CPU : KS_BANK_CUDA;
	int point = c->point != NULL ? ks_point_of(ks_str_of(c->point)) : -1;

	return (c->layer == NULL || ks_layer_letter(e->group) == c->layer[0]) &&
		(target == 0 || (e->targets & target) != 0) &&
		(point < 0 || (e->points & (1u << point)) != 0);
}

/* The wording for the target that was named, else for the campaign around, else
 * the first; of a search without a target, the one that holds the words. */
static const char *wording(const struct ks_bank_entry *e, const struct choice *c,
	struct ks_str query)
{
	unsigned target = c->target == NULL ? c->here :
		strcmp(c->target, "cpu") == 0 ? KS_BANK_CPU : KS_BANK_CUDA;
	const char *text = ks_bank_text(e, target);
	const char *other = ks_bank_text(e, target == KS_BANK_CPU ? KS_BANK_CUDA : KS_BANK_CPU);

	return c->target == NULL && !ks_bank_said(text, query) && ks_bank_said(other, query) ?
		other : text;
}

/* "184 questions: 101 core, 83 of plug-ins and checklists" */
static void put_counts(size_t count, size_t core, size_t yours)
{
	size_t more = count - core - yours;

	printf("%zu question%s", count, ks_s(count));
	if (count > 0) {
		printf(": %zu core", core);
	}
	if (more > 0) {
		printf(", %zu of plug-ins and checklists", more);
	}
	if (yours > 0) {
		printf(", %zu of yours", yours);
	}
	putchar('\n');
}

static int list(const struct ks_bank *bank, const struct choice *c, struct ks_str query)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	size_t count = 0, core = 0, yours = 0;

	ks_jw_init(&w, &out);
	ks_jw_open_array(&w, NULL);
	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);
		if (!chosen(e, c) || !ks_bank_matches(e, query)) {
			continue;
		}
		count++;
		core += strcmp(e->kind, "core") == 0;
		yours += strcmp(e->kind, "user") == 0;
		if (c->json) {
			ks_jw_open(&w, NULL);
			ks_bank_json(&w, e);
			ks_jw_close(&w);
			continue;
		}
		printf("%-8s ", e->id);
		put_points(e);
		fputs("  ", stdout);
		if (strcmp(e->kind, "core") != 0) {
			fputs("[", stdout);
			put_origin(e, 40);
			fputs("] ", stdout);
		}
		ks_put(stdout, wording(e, c, query), 0);
		fputc('\n', stdout);
	}
	ks_jw_close_array(&w);
	if (c->json) {
		ks_put_json(&out);
	} else {
		ks_buf_fini(&out);
		put_counts(count, core, yours);
	}
	return 0;
}

/* All of the words have to be there. */
static int search(const struct ks_bank *bank, const struct choice *c, const char **words, int n)
{
	struct ks_buf query = {0};

	for (int i = 0; i < n; i++) {
		ks_buf_addf(&query, "%s%s", i > 0 ? " " : "", words[i]);
	}
	int rc = list(bank, c, ks_buf_str(&query));
	ks_buf_fini(&query);
	return rc;
}

static void put_lint(const struct ks_lint *l)
{
	printf("%-8s L%-2d %-8s%s ", ks_bank_lint_word(l->level), l->rule,
		l->id != NULL ? l->id : "bank", l->cpu ? " cpu" : "");
	ks_put(stdout, l->text, 0);
	fputc('\n', stdout);
}

/* A target without a run is counted, and listed if that was asked for. */
static bool is_no_run(const struct ks_lint *l)
{
	return l->rule == 14 && l->level != KS_LINT_ERROR;
}

static void lint_json(const struct ks_lints *lints, size_t count, size_t errors, size_t open)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "count", (int64_t)count);
	ks_jw_int(&w, "errors", (int64_t)errors);
	ks_jw_int(&w, "without_run", (int64_t)open);
	ks_jw_open_array(&w, "findings");
	for (size_t i = 0; i < lints->count; i++) {
		ks_bank_lint_json(&w, &lints->item[i]);
	}
	ks_jw_close_array(&w);
	ks_jw_close(&w);
	ks_put_json(&out);
}

static int lint(const struct ks_bank *bank, const struct choice *c)
{
	struct ks_lints lints = {0};
	size_t open = 0;

	ks_bank_lint(&lints, bank, true);
	for (size_t i = 0; i < lints.count; i++) {
		open += is_no_run(&lints.item[i]);
		if (!c->json && (!is_no_run(&lints.item[i]) || c->runs)) {
			put_lint(&lints.item[i]);
		}
	}
	size_t errors = ks_lints_errors(&lints);
	size_t count = ks_bank_count(bank);
	if (c->json) {
		lint_json(&lints, count, errors, open);
	} else {
		printf("%zu question%s, %zu error%s; L14: "
			"%zu target%s of questions without a run%s\n",
			count, ks_s((long long)count), errors, ks_s((long long)errors), open,
			ks_s((long long)open), open > 0 && !c->runs ? " (--runs lists them)" : "");
	}
	ks_lints_fini(&lints);
	return errors > 0 ? KS_EXIT_NO : KS_EXIT_OK;
}

static int show(const struct ks_bank *bank, const char *id, bool json, struct ks_err *err)
{
	const struct ks_bank_entry *e = ks_bank_find(bank, ks_str_of(id));

	if (json && e != NULL) {
		return ks_bank_show_json(e, err);
	}
	return ks_bank_show(bank, id, err);
}

/* Shows the findings on the questions behind the first `before` ones, beside all others;
 * whether one of them is an error. */
static bool put_new_lints(const struct ks_bank *bank, size_t before)
{
	struct ks_lints lints = {0};
	bool errors = false;

	ks_bank_lint(&lints, bank, false);
	for (size_t i = 0; i < lints.count; i++) {
		const struct ks_lint *l = &lints.item[i];

		if (l->id != NULL && ks_bank_index(bank, ks_str_of(l->id)) >= (ptrdiff_t)before) {
			put_lint(l);
			errors = errors || l->level == KS_LINT_ERROR;
		}
	}
	ks_lints_fini(&lints);
	return errors;
}

/* The core is of fixed size, and only files called .json are read. */
static int may_add(const struct ks_bank *bank, size_t before, const char *path, const char *to,
	struct ks_err *err)
{
	size_t len = strlen(path);

	if (len < 6 || strcmp(path + len - 5, ".json") != 0) {
		return ks_err_set(err, KS_EINVAL, "%s: call it NAME.json; no other file is read",
			path);
	}
	if (ks_file_exists(to)) {
		return ks_err_set(err, KS_EEXISTS, "%s: exists; edit it there", to);
	}
	if (ks_bank_count(bank) == before) {
		return ks_err_set(err, KS_EINVAL, "%s: $.entries: holds no question", path);
	}
	if (strcmp(ks_bank_at(bank, before)->kind, "core") == 0) {
		return ks_err_set(err, KS_EINVAL, "%s: $.kind: the core is shipped; use \"user\"",
			path);
	}
	return 0;
}

/* Copies a person's checked file beside their others. */
static int keep(const char *to, const char *own, struct ks_str text, size_t count,
	struct ks_err *err)
{
	int rc = ks_file_mkdirs(own, 0700, err);

	if (rc == 0) {
		rc = ks_file_write(to, text, 0600, err);
	}
	if (rc == 0) {
		printf("%zu question%s added as ", count, ks_s(count));
		ks_put(stdout, to, 0);
		fputc('\n', stdout);
	}
	return rc;
}

/* Checks a person's file and keeps it; what the lint rejects is not taken. */
static int add(struct ks_bank *bank, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	char *own = ks_bank_own_folder();
	char *to = own != NULL ? ks_path_join(own, ks_path_base(path)) : NULL;
	size_t before = ks_bank_count(bank);
	int rc = ks_file_read(&text, path, 1024 * 1024, err);

	if (rc == 0 && to == NULL) {
		rc = ks_err_set(err, KS_ENOTFOUND, "no home folder: set HOME or XDG_CONFIG_HOME");
	}
	if (rc == 0) {
		rc = ks_bank_load(bank, ks_buf_str(&text), path, err);
	}
	if (rc == 0) {
		rc = may_add(bank, before, path, to, err);
	}
	if (rc == 0 && put_new_lints(bank, before)) {
		fputs("not added: mend the errors, and add it again\n", stdout);
		rc = KS_EXIT_NO;
	} else if (rc == 0) {
		rc = keep(to, own, ks_buf_str(&text), ks_bank_count(bank) - before, err);
	}
	ks_buf_fini(&text);
	free(own);
	free(to);
	return rc;
}

/* What an act takes behind its name. */
static int usage(const char *what, struct ks_err *err)
{
	static const struct {
		const char *name, *takes;
	} acts[] = {
		{"list", "takes no words; --layer, --target and --moment choose"},
		{"lint", "takes no words; --runs lists what has no run"},
		{"search", "name the words to look for, as in 'kseek bank search bytes'"},
		{"show", "name one question, as in 'kseek bank show V-01'; "
			"'kseek bank list' has them"},
		{"suggest", "takes one kind of moment: start, plateau, limit, completion, "
			"win or break"},
		{"add", "name one file of questions; bank/README.md says what it holds"},
		{"dryrun", "name one question, as in 'kseek bank dryrun V-01', or give --all"},
	};

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(what, acts[i].name) == 0) {
			return ks_err_set(err, KS_EINVAL, "%s: %s", what, acts[i].takes);
		}
	}
	return ks_err_set(err, KS_EINVAL, "'%.40s' is none of list, search, show, suggest, add, "
		"stats, lint and dryrun; see 'kseek bank --help'", what);
}

static int dispatch(struct ks_bank *bank, const char **words, int n, const struct choice *c,
	struct ks_err *err)
{
	const char *what = n > 0 ? words[0] : "list";

	if (c->json && strcmp(what, "add") == 0) {
		return ks_err_set(err, KS_EINVAL, "add has no --json; all others have it");
	}
	if (strcmp(what, "list") == 0 && n <= 1) {
		return list(bank, c, ks_str_of(""));
	}
	if (strcmp(what, "search") == 0 && n >= 2) {
		return search(bank, c, words + 1, n - 1);
	}
	if (strcmp(what, "show") == 0 && n == 2) {
		return show(bank, words[1], c->json, err);
	}
	if (strcmp(what, "lint") == 0 && n == 1) {
		return lint(bank, c);
	}
	if (strcmp(what, "suggest") == 0 && n <= 2) {
		struct ks_suggest how = {n == 2 ? words[1] : NULL, c->log, c->at, c->json};
		return ks_bank_suggest(&how, err);
	}
	if (strcmp(what, "add") == 0 && n == 2) {
		return add(bank, words[1], err);
	}
	if (strcmp(what, "stats") == 0) {
		return ks_bank_stats(words + 1, n - 1, c->json, c->learn, err);
	}
	if (strcmp(what, "dryrun") == 0 && n == (c->all ? 1 : 2)) {
		struct ks_dryrun how = {.id = n == 2 ? words[1] : NULL, .target = c->target,
			.campaign = c->campaign, .out = c->out, .layer = c->layer,
			.limit_s = c->limit_s, .again = c->again, .json = c->json};
		return ks_bank_dryrun(bank, &how, err);
	}
	return usage(what, err);
}

/* Options whose values are of a list. */
static int check(const struct choice *c, struct ks_err *err)
{
	if (c->layer != NULL && (strlen(c->layer) != 1 ||
			ks_layer_of_letter(c->layer[0]) == KS_LAYER_NONE)) {
		return ks_err_set(err, KS_EINVAL, "--layer %.40s: use one of V H C R G M S P O X",
			c->layer);
	}
	if (c->target != NULL && strcmp(c->target, "cpu") != 0 && strcmp(c->target, "cuda") != 0) {
		return ks_err_set(err, KS_EINVAL, "--target %.40s: use cpu or cuda", c->target);
	}
	if (c->point != NULL && ks_point_of(ks_str_of(c->point)) < 0) {
		return ks_err_set(err, KS_EINVAL, "--moment %.40s: use start, plateau, limit, "
			"completion, win or break", c->point);
	}
	if (c->limit_s < 0) {
		return ks_err_set(err, KS_EINVAL, "--limit %ld: use a number of seconds",
			c->limit_s);
	}
	return c->at < 0 ? ks_err_set(err, KS_EINVAL, "--at %ld: use the number of an event",
		c->at) : 0;
}

/* The target of the campaign around, 0 outside of one. */
static unsigned target_here(void)
{
	struct ks_campaign campaign = {0};
	struct ks_campaign_paths paths = {0};
	char *root = NULL;
	unsigned target = 0;

	if (ks_campaign_find(&root, ".", NULL) == 0 &&
		ks_campaign_paths_init(&paths, root, NULL) == 0 &&
		ks_campaign_read(&campaign, paths.config, NULL) == 0) {
		target = campaign.target == KS_TARGET_CUDA ? KS_BANK_CUDA : KS_BANK_CPU;
	}
	ks_campaign_fini(&campaign);
	ks_campaign_paths_fini(&paths);
	free(root);
	return target;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct choice c = {0};
	const char *words[64] = {NULL};
	const struct ks_opt opts[] = {
		{"layer", KS_OPT_TEXT, &c.layer, "L", "only this layer's (V H C R G M S P O X)"},
		{"target", KS_OPT_TEXT, &c.target, "cpu|cuda", "only those for this target"},
		{"moment", KS_OPT_TEXT, &c.point, "KIND", "only those for this kind of moment"},
		{"at", KS_OPT_INT, &c.at, "SEQ", "suggest: as of this event"},
		{"log", KS_OPT_TEXT, &c.log, "PATH", "suggest: a log or a campaign's folder"},
		{"learn", KS_OPT_FLAG, &c.learn, NULL,
			"stats: keep the outcomes for the ranking elsewhere"},
		{"campaign", KS_OPT_TEXT, &c.campaign, "DIR",
			"dryrun: on a copy of this campaign's sources"},
		{"out", KS_OPT_TEXT, &c.out, "FILE", "dryrun: keep the runs in this file"},
		{"all", KS_OPT_FLAG, &c.all, NULL,
			"dryrun: every recipe that the file has no run of"},
		{"again", KS_OPT_FLAG, &c.again, NULL, "dryrun --all: also those that it has"},
		{"limit", KS_OPT_INT, &c.limit_s, "S", "dryrun --all: begin none after S seconds"},
		{"runs", KS_OPT_FLAG, &c.runs, NULL, "lint: list what has no stored run (L14)"},
		{"json", KS_OPT_FLAG, &c.json, NULL, "JSON (all but add)"},
		{0}
	};
	struct ks_bank *bank = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, words, 0, 64);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = check(&c, &err);
	if (rc == 0) {
		c.here = target_here();
		rc = ks_bank_open(&bank, &err);
	}
	if (rc == 0) {
		rc = dispatch(bank, words, n, &c, &err);
	}
	ks_bank_free(bank);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_bank = {
	"bank", "[list|lint|stats] | search WORDS | show ID | suggest | add FILE | dryrun ID",
	"list, search and check the questions",
	"The six letters of a list are the moments: Start Plateau Limit Completion Win\n"
	"Break.\n"
	"show tells all of a question, in a campaign also how it would be sent there.\n"
	"suggest ranks the questions for a moment (the open one, else a plateau) and\n"
	"shows the arithmetic; --at and --log ask it of any point of any log.\n"
	"stats tells for campaigns (folders or logs) what was said, measured and\n"
	"gained, and what came of each question; --learn keeps that as a small prior of\n"
	"the ranking.\n"
	"add FILE.json keeps your own questions in ~/.config/kseek/bank if they pass;\n"
	"those in a campaign's folder bank/ count there alone. dryrun ID answers a\n"
	"question once by its recipe, in a scratch copy, and keeps the number;\n"
	"bank/README.md says how.",
	run
};
