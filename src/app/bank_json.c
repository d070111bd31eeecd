/* Questions, and what the lint finds in them, as JSON. */
#include <stdlib.h>

#include "app/bank_ask.h"
#include "app/common.h"
#include "store/campaign.h"

static void put_runs(struct ks_jw *w, const struct ks_bank_entry *e)
{
	ks_jw_open_array(w, "runs");
	for (size_t i = 0; i < e->run_count; i++) {
		const struct ks_bank_run *r = &e->runs[i];
		ks_jw_open(w, NULL);
		ks_jw_str(w, "target", r->target);
		ks_jw_num(w, "value", r->value);
		ks_jw_str(w, "unit", r->unit);
		ks_jw_str(w, "device", r->device);
		ks_jw_str(w, "date", r->date);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

void ks_bank_json(struct ks_jw *w, const struct ks_bank_entry *e)
{
	char layer[2] = {ks_layer_letter(e->group), 0};

	ks_jw_str(w, "id", e->id);
	ks_jw_str(w, "layer", layer);
	ks_jw_str(w, "kind", e->kind);
	if (e->scope != NULL) {
		ks_jw_str(w, "scope", e->scope);
	}
	ks_jw_str(w, "from", e->source);
	ks_jw_str(w, "question", e->question);
	if (e->question_cpu != NULL) {
		ks_jw_str(w, "question_cpu", e->question_cpu);
	}
	ks_jw_str(w, "bound", e->bound);
	ks_jw_str(w, "quantity", e->quantity);
	ks_jw_str(w, "status", ks_bank_status_name(e->status));
	put_runs(w, e);
}

static void put_list(struct ks_jw *w, const char *key, const struct ks_bank_list *l)
{
	ks_jw_open_array(w, key);
	for (size_t i = 0; i < l->count; i++) {
		ks_jw_str(w, NULL, l->item[i]);
	}
	ks_jw_close_array(w);
}

static void put_points(struct ks_jw *w, const struct ks_bank_entry *e)
{
	ks_jw_open_array(w, "moments");
	for (int p = 0; p < KS_POINTS; p++) {
		if ((e->points & (1u << p)) != 0) {
			ks_jw_str(w, NULL, ks_point_name((enum ks_point)p));
		}
	}
	ks_jw_close_array(w);
}

/* How it is measured, and on which targets it was not. */
static void put_recipes(struct ks_jw *w, const struct ks_bank_entry *e)
{
	ks_jw_open_array(w, "recipes");
	for (size_t i = 0; i < e->recipe_count; i++) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "target", e->recipes[i].target);
		ks_jw_str(w, "command", e->recipes[i].command);
		ks_jw_str(w, "unit", e->recipes[i].unit);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
	ks_jw_open_array(w, "not_run");
	for (size_t i = 0; i < e->gap_count; i++) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "target", e->gaps[i].target);
		ks_jw_str(w, "why", e->gaps[i].why);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static void put_record(struct ks_jw *w, const struct ks_bank_entry *e)
{
	if (e->bound_cpu != NULL) {
		ks_jw_str(w, "bound_cpu", e->bound_cpu);
	}
	put_points(w, e);
	put_list(w, "tools", &e->tools);
	put_list(w, "tools_cpu", &e->tools_cpu);
	put_list(w, "must_report", &e->must_report);
	put_list(w, "stale_when", &e->stale_when);
	put_list(w, "needs", &e->needs);
	put_list(w, "needs_cpu", &e->needs_cpu);
	put_list(w, "refutes", &e->resources);
	ks_jw_str(w, "cost", ks_bank_cost_name(e->cost));
	ks_jw_bool(w, "unsafe_build", e->unsafe_build);
	put_list(w, "provenance", &e->provenance);
	if (e->refines != NULL) {
		ks_jw_str(w, "refines", e->refines);
	}
	put_recipes(w, e);
}

int ks_bank_show_json(const struct ks_bank_entry *e, struct ks_err *err)
{
	struct ks_buf out = {0}, here = {0};
	struct ks_jw w;
	char *root = NULL;
	int rc = ks_campaign_find(&root, ".", NULL) == 0 ? ks_bank_asked(&here, e->id, err) : 0;

	free(root);
	if (rc == 0) {
		ks_jw_init(&w, &out);
		ks_jw_open(&w, NULL);
		ks_bank_json(&w, e);
		put_record(&w, e);
		if (here.len > 0) {
			ks_jw_str(&w, "here", here.ptr);
		}
		ks_jw_close(&w);
		ks_put_json(&out);
	}
	ks_buf_fini(&here);
	return rc;
}

const char *ks_bank_lint_word(enum ks_lint_level level)
{
	static const char *const words[] = {"error", "warning", "accepted", "open"};

	return words[level];
}

void ks_bank_lint_json(struct ks_jw *w, const struct ks_lint *l)
{
	char rule[8];

	snprintf(rule, sizeof(rule), "L%d", l->rule);
	ks_jw_open(w, NULL);
	ks_jw_str(w, "level", ks_bank_lint_word(l->level));
	ks_jw_str(w, "rule", rule);
	ks_jw_str(w, "id", l->id);
	ks_jw_bool(w, "cpu", l->cpu);
	ks_jw_str(w, "text", l->text);
	ks_jw_close(w);
}
