/* kseek bank show: all of one question, for a terminal of 80 columns. Only commands
 * are longer lines, so that they can be copied. */
#include <math.h>
#include <string.h>

#include "app/bank_ask.h"
#include "app/common.h"
#include "base/mem.h"
#include "store/campaign.h"

#define LEFT 13
#define RIGHT 80

/* A row of the record, in the words of its file. */
static void put_row(const char *label, const char *text)
{
	printf("%-*s", LEFT, label);
	ks_put_wrapped(stdout, text, LEFT, RIGHT);
}

static void put_list(const char *label, const struct ks_bank_list *l)
{
	struct ks_buf line = {0};

	if (l->count == 0) {
		return;
	}
	for (size_t i = 0; i < l->count; i++) {
		ks_buf_addf(&line, "%s%s", i > 0 ? ", " : "", l->item[i]);
	}
	put_row(label, line.ptr);
	ks_buf_fini(&line);
}

static void put_question(const char *where, const char *text)
{
	struct ks_buf line = {0};

	ks_buf_addf(&line, "%s%s%s", where, *where != '\0' ? ": " : "", text);
	fputs("\n  ", stdout);
	ks_put_wrapped(stdout, line.ptr, 2, RIGHT);
	ks_buf_fini(&line);
}

/* The wordings, and in a campaign the one that it would send. */
static int put_wordings(const struct ks_bank_entry *e, struct ks_err *err)
{
	struct ks_buf here = {0};
	char *root = NULL;
	int rc = ks_campaign_find(&root, ".", NULL) == 0 ? ks_bank_asked(&here, e->id, err) : 0;

	free(root);
	if (rc == 0) {
		printf("%s  layer %c, %s\n", e->id, ks_layer_letter(e->group),
			ks_layer_name(e->group));
		put_question("", e->question);
		if (e->question_cpu != NULL) {
			put_question("on a CPU", e->question_cpu);
		}
		if (here.len > 0) {
			put_question("here", here.ptr);
		}
		fputc('\n', stdout);
	}
	ks_buf_fini(&here);
	return rc;
}

static void put_points(const struct ks_bank_entry *e)
{
	struct ks_buf line = {0};

	for (int p = 0; p < KS_POINTS; p++) {
		if ((e->points & (1u << p)) != 0) {
			ks_buf_addf(&line, "%s%s", line.len > 0 ? ", " : "",
				ks_point_name((enum ks_point)p));
		}
	}
	put_row("moments", line.ptr);
	ks_buf_fini(&line);
}

static void put_standing(const struct ks_bank_entry *e)
{
	static const char *const costs[] = {
		[KS_COST_LOW] = "low: under a minute",
		[KS_COST_MEDIUM] = "medium: up to ten minutes, or a test build",
		[KS_COST_HIGH] = "high: a sweep",
	};
	static const char *const states[] = {
		[KS_BANK_DRAFT] = "draft: written", [KS_BANK_LINTED] = "linted: passes the rules",
		[KS_BANK_DRY_RUN] = "dry_run: measured on one of its targets",
		[KS_BANK_ADMITTED] = "admitted: measured on each of its targets",
		[KS_BANK_RETIRED] = "retired: no longer offered",
	};

	put_row("cost", costs[e->cost]);
	put_row("status", states[e->status]);
	if (e->unsafe_build) {
		put_row("beware", "takes a build that may compute wrong results; never keep it");
	}
}

static void put_origin(const struct ks_bank_entry *e)
{
	struct ks_buf line = {0};

	put_list("provenance", &e->provenance);
	ks_buf_addf(&line, "%s%s%s", e->kind, e->scope != NULL ? " " : "",
		e->scope != NULL ? e->scope : "");
	put_row("from", line.ptr);
	put_row("file", e->source);
	if (e->refines != NULL) {
		put_row("refines", e->refines);
	}
	if (strcmp(e->kind, "operator") == 0) {
		put_list("for names", &e->match->names);
		put_list("for tags", &e->match->tags);
	}
	ks_buf_fini(&line);
}

/* What it gave when it was tried, and how; or why it was not. */
static void put_target(const struct ks_bank_entry *e, enum ks_bank_target target)
{
	const char *name = ks_bank_target_name(target);
	const struct ks_bank_recipe *recipe = ks_bank_recipe(e, target);
	struct ks_buf line = {0};
	bool any = recipe != NULL;

	for (size_t i = 0; i < e->run_count; i++) {
		const struct ks_bank_run *r = &e->runs[i];

		if (strcmp(r->target, name) == 0) {
			ks_buf_clear(&line);
			ks_buf_addf(&line, fabs(r->value) < 1000 ? "%.4g %s" : "%.0f %s", r->value,
				r->unit);
			printf("\n%-*s", LEFT, name);
			ks_put_wrapped(stdout, line.ptr, LEFT, RIGHT);
			ks_buf_clear(&line);
			ks_buf_addf(&line, "%s, %.10s", r->device, r->date);
			put_row("", line.ptr);
			any = true;
		}
	}
	for (size_t i = 0; i < e->gap_count; i++) {
		if (strcmp(e->gaps[i].target, name) == 0) {
			ks_buf_clear(&line);
			ks_buf_addf(&line, "not run: %s", e->gaps[i].why);
			fputc('\n', stdout);
			put_row(name, line.ptr);
			any = true;
		}
	}
	if (recipe != NULL) {
		fputs("  ", stdout);
		ks_put(stdout, recipe->command, 0);
		fputc('\n', stdout);
	}
	if (!any && (e->targets & target) != 0) {
		fputc('\n', stdout);
		put_row(name, "not run yet");
	}
	ks_buf_fini(&line);
}

int ks_bank_show(const struct ks_bank *bank, const char *id, struct ks_err *err)
{
	const struct ks_bank_entry *e = ks_bank_find(bank, ks_str_of(id));
	int rc = e == NULL ? ks_err_set(err, KS_EINVAL, "no question '%.40s'; see "
		"'kseek bank list'", id) : put_wordings(e, err);

	if (rc < 0) {
		return rc;
	}
	put_points(e);
	put_row("quantity", e->quantity);
	put_row("bound", e->bound);
	if (e->bound_cpu != NULL) {
		put_row("  on a CPU", e->bound_cpu);
	}
	put_list("tools", &e->tools);
	put_list("  on a CPU", &e->tools_cpu);
	put_list("must report", &e->must_report);
	put_list("stale when", &e->stale_when);
	put_list("needs", &e->needs);
	put_list("  on a CPU", &e->needs_cpu);
	put_list("refutes", &e->resources);
	put_standing(e);
	put_origin(e);
	put_target(e, KS_BANK_CPU);
	put_target(e, KS_BANK_CUDA);
	return 0;
}
