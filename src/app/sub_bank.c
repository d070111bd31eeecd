/* kseek bank: the questions. */
#include <errno.h>
#include <unistd.h>

#include "app/bank_files.h"
#include "app/common.h"
#include "app/rules.h"
#include "app/subs.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/moment.h"

struct choice {
	const char *layer, *target, *point;
	bool json;
};

static void
put_points(const struct ks_bank_entry *e)
{
	for (int p = 0; p < KS_POINTS; p++) {
		fputc((e->points & (1u << p)) != 0 ? "SPLCWB"[p] : '-', stdout);
	}
}

static bool
chosen(const struct ks_bank_entry *e, const struct choice *c)
{
	unsigned target = c->target == NULL ? 0 :
		strcmp(c->target, "cpu") == 0 ? KS_BANK_CPU : KS_BANK_CUDA;
	int point = c->point != NULL ? ks_point_of(ks_str_of(c->point)) : -1;

	return (c->layer == NULL || ks_layer_letter(e->group) == c->layer[0]) &&
		(target == 0 || (e->targets & target) != 0) &&
		(point < 0 || (e->points & (1u << point)) != 0);
}

static unsigned
wording(const struct choice *c)
{
	return c->target != NULL && strcmp(c->target, "cuda") == 0 ? KS_BANK_CUDA : KS_BANK_CPU;
}

static void
json_entry(struct ks_jw *w, const struct ks_bank_entry *e)
{
	char layer[2] = {ks_layer_letter(e->group), 0};

	ks_jw_open(w, NULL);
	ks_jw_str(w, "id", e->id);
	ks_jw_str(w, "layer", layer);
	ks_jw_str(w, "question", e->question);
	if (e->question_cpu != NULL) {
		ks_jw_str(w, "question_cpu", e->question_cpu);
	}
	ks_jw_str(w, "bound", e->bound);
	ks_jw_str(w, "quantity", e->quantity);
	ks_jw_str(w, "status", ks_bank_status_name(e->status));
	ks_jw_close(w);
}

static int
list(const struct ks_bank *bank, const struct choice *c, struct ks_str query)
{
	struct ks_buf out = {0};
	struct ks_jw w;
	size_t count = 0;

	ks_jw_init(&w, &out);
	ks_jw_open_array(&w, NULL);
	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);
		if (!chosen(e, c) || !ks_bank_matches(e, query)) {
			continue;
		}
		count++;
		if (c->json) {
			json_entry(&w, e);
			continue;
		}
		printf("%-6s ", e->id);
		put_points(e);
		fputs("  ", stdout);
		ks_put(stdout, ks_bank_text(e, wording(c)), 0);
		fputc('\n', stdout);
	}
	ks_jw_close_array(&w);
	if (c->json) {
		ks_put_json(&out);
	} else {
		ks_buf_fini(&out);
		printf("%zu questions\n", count);
	}
	return 0;
}

static void
put_list(const char *label, const struct ks_bank_list *l)
{
	if (l->count == 0) {
		return;
	}
	printf("%-12s ", label);
	for (size_t i = 0; i < l->count; i++) {
		fputs(i > 0 ? ", " : "", stdout);
		ks_put(stdout, l->item[i], 0);
	}
	fputc('\n', stdout);
}

static int
show(const struct ks_bank *bank, const char *id, struct ks_err *err)
{
	const struct ks_bank_entry *e = ks_bank_find(bank, ks_str_of(id));

	if (e == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "no question '%.40s'; see 'kseek bank list'", id);
	}
	printf("%s  layer %c, %s\n\n  ", e->id, ks_layer_letter(e->group), ks_layer_name(e->group));
	ks_put(stdout, e->question, 0);
	if (e->question_cpu != NULL) {
		printf("\n\n  on a CPU: ");
		ks_put(stdout, e->question_cpu, 0);
	}
	printf("\n\n%-12s ", "moments");
	for (int p = 0; p < KS_POINTS; p++) {
		if ((e->points & (1u << p)) != 0) {
			printf("%s ", ks_point_name((enum ks_point)p));
		}
	}
	printf("\n%-12s ", "quantity");
	ks_put(stdout, e->quantity, 0);
	printf("\n%-12s ", "bound");
	ks_put(stdout, e->bound, 0);
	fputc('\n', stdout);
	put_list("tools", &e->tools);
	put_list("on a CPU", &e->tools_cpu);
	put_list("must report", &e->must_report);
	put_list("stale when", &e->stale_when);
	put_list("needs", &e->needs);
	printf("%-12s %s\n%-12s %s\n", "cost", ks_bank_cost_name(e->cost), "status",
		ks_bank_status_name(e->status));
	put_list("provenance", &e->provenance);
	return 0;
}

static int
lint(const struct ks_bank *bank)
{
	static const char *const levels[] = {"error", "warning", "accepted"};
	struct ks_lints lints = {0};

	ks_bank_lint(&lints, bank, false);
	for (size_t i = 0; i < lints.count; i++) {
		const struct ks_lint *l = &lints.item[i];
		printf("%-8s L%-2d %-6s%s ", levels[l->level], l->rule, l->id != NULL ? l->id : "bank",
			l->cpu ? " cpu" : "");
		ks_put(stdout, l->text, 0);
		fputc('\n', stdout);
	}
	size_t errors = ks_lints_errors(&lints);
	printf("%zu questions, %zu errors\n", ks_bank_count(bank), errors);
	ks_lints_fini(&lints);
	return errors > 0 ? KS_EXIT_NO : KS_EXIT_OK;
}

/* Offers for a moment of the given kind, as of now. */
static int
suggest(const char *kind_name, struct ks_err *err)
{
	struct ks_rules *rules = NULL;
	struct ks_fold *fold = NULL;
	struct ks_found found = {.kind = ks_moment_from_name(kind_name), .layer = KS_LAYER_NONE};
	struct ks_offer offers[KS_OFFERS];

	if (found.kind == KS_MOMENT_NONE) {
		return ks_err_set(err, KS_EINVAL, "suggest: no moment '%.40s'; use start, plateau, limit, "
			"completion, win or break", kind_name);
	}
	int rc = ks_rules_open(&rules, err);
	if (rc == 0) {
		rc = ks_fold_open(&fold, NULL, err);
	}
	if (rc == 0) {
		int n = ks_moment_offers(ks_fold_state(fold), ks_rules_policy(rules), &found, offers);
		for (int i = 0; i < n; i++) {
			printf("%d %-6s ", i + 1, offers[i].question);
			ks_put(stdout, offers[i].text, 0);
			printf("\n         ");
			ks_put(stdout, offers[i].reason, 0);
			fputc('\n', stdout);
		}
		printf("%d offers for a moment of kind %s\n", n, ks_moment_name(found.kind));
	}
	ks_fold_free(fold);
	ks_rules_free(rules);
	return rc;
}

/* Checks a person's file and copies it beside their others. */
static int
add(struct ks_bank *bank, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	char *own = ks_bank_own_folder();
	char *to = own != NULL ? ks_path_join(own, ks_path_base(path)) : NULL;
	int rc = ks_file_read(&text, path, 1024 * 1024, err);

	if (rc == 0 && to == NULL) {
		rc = ks_err_set(err, KS_ENOTFOUND, "no home folder: set HOME or XDG_CONFIG_HOME");
	}
	if (rc == 0 && ks_file_exists(to)) {
		rc = ks_err_set(err, KS_EEXISTS, "%s: exists; edit it there", to);
	}
	size_t before = ks_bank_count(bank);
	if (rc == 0) {
		rc = ks_bank_load(bank, ks_buf_str(&text), path, err);
	}
	if (rc == 0) {
		rc = ks_file_mkdirs(own, 0700, err);
	}
	if (rc == 0) {
		rc = ks_file_write(to, ks_buf_str(&text), 0600, err);
	}
	if (rc == 0) {
		printf("%zu questions added as %s\n", ks_bank_count(bank) - before, to);
	}
	ks_buf_fini(&text);
	free(own);
	free(to);
	return rc;
}

static int
stats(const struct ks_bank *bank, struct ks_err *err)
{
	struct ks_fold *fold = NULL;

	for (int l = 0; l < KS_LAYERS; l++) {
		int all = 0, cpu = 0;
		for (size_t i = 0; i < ks_bank_count(bank); i++) {
			const struct ks_bank_entry *e = ks_bank_at(bank, i);
			all += e->group == l;
			cpu += e->group == l && (e->targets & KS_BANK_CPU) != 0;
		}
		printf("%c %-34s %3d questions, %3d for a CPU\n", ks_layer_letter(l), ks_layer_name(l),
			all, cpu);
	}
	if (ks_fold_open(&fold, NULL, err) < 0) {
		ks_err_clear(err);
		return 0;
	}
	const struct ks_state *s = ks_fold_state(fold);
	printf("\nsent in this campaign:\n");
	for (size_t i = 0; i < s->n_messages; i++) {
		const struct ks_message *m = &s->messages[i];
		if (m->question[0] != 0) {
			printf("  %-6s %3d calls, best %.3fx -> %.3fx, measured next: %c\n", m->question,
				m->calls, m->before, m->after,
				m->layer_next >= 0 ? ks_layer_letter(m->layer_next) : '-');
		}
	}
	ks_fold_free(fold);
	return 0;
}

static int
dispatch(struct ks_bank *bank, const char **words, int n, const struct choice *c,
	struct ks_err *err)
{
	const char *what = n > 0 ? words[0] : "list";

	if (strcmp(what, "list") == 0 && n <= 1) {
		return list(bank, c, ks_str_of(""));
	}
	if (strcmp(what, "search") == 0 && n == 2) {
		return list(bank, c, ks_str_of(words[1]));
	}
	if (strcmp(what, "show") == 0 && n == 2) {
		return show(bank, words[1], err);
	}
	if (strcmp(what, "lint") == 0 && n == 1) {
		return lint(bank);
	}
	if (strcmp(what, "suggest") == 0 && n == 2) {
		return suggest(words[1], err);
	}
	if (strcmp(what, "add") == 0 && n == 2) {
		return add(bank, words[1], err);
	}
	if (strcmp(what, "stats") == 0 && n == 1) {
		return stats(bank, err);
	}
	return ks_err_set(err, KS_EINVAL, "'%.40s': see 'kseek bank --help'", what);
}

static int
run(const struct ks_sub *sub, int argc, char **argv)
{
	struct choice c = {0};
	const char *words[2] = {NULL, NULL};
	const struct ks_opt opts[] = {
		{"layer", KS_OPT_TEXT, &c.layer, "L", "only this layer's (V H C R G M S P O X)"},
		{"target", KS_OPT_TEXT, &c.target, "cpu|cuda", "only those for this target"},
		{"moment", KS_OPT_TEXT, &c.point, "KIND", "only those for this kind of moment"},
		{"json", KS_OPT_FLAG, &c.json, NULL, "a JSON array (list, search)"},
		{0}
	};
	struct ks_bank *bank = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, words, 0, 2);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = ks_bank_open(&bank, &err);
	if (rc == 0) {
		rc = dispatch(bank, words, n, &c, &err);
	}
	ks_bank_free(bank);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_bank = {
	"bank", "[list] | search WORDS | show ID | suggest MOMENT | lint | add FILE | stats",
	"list, search and check the questions",
	"The six letters of a list are the moments: Start Plateau Limit Completion Win Break.\n"
	"suggest MOMENT ranks the questions for the campaign in this folder, as of now.\n"
	"add FILE checks your own questions and keeps them under ~/.config/kseek/bank.",
	run
};
