/*
 * The evaluation at a turn's end: the goal speaks of the code as it lies in the
 * working copy, so code that nobody measured is measured first. Known code is
 * told by its hash; an edit by any means, a script's too, changes that.
 */
#include "base/mem.h"
#include "engine/internal.h"

/* Whether a full evaluation with these sources has ended: with times, or with a
 * failure that would come again. */
static bool is_known(const struct ks_state *s, const char *hash)
{
	for (size_t i = 0; i < s->n_candidates; i++) {
		const struct ks_candidate *c = &s->candidates[i];
		if (strcmp(c->hash, hash) == 0) {
			return i == 0 || c->failed || (c->finished && c->timed);
		}
	}
	return false;
}

static bool is_running(const struct ks_engine *e, const char *hash)
{
	for (const struct ks_evaluation *ev = e->evals; ev != NULL; ev = ev->next) {
		if (strcmp(ev->hash, hash) == 0 && !ev->partial && !ev->abandoned && ev->perf) {
			return true;
		}
	}
	return false;
}

static void nothing_to_measure(struct ks_engine *e)
{
	struct ks_err err = KS_ERR_INIT;

	(void)ks_engine_command(e, KS_CMD_TIMER, KS_BY_ENGINE, ks_str_of("{\"name\":\"fresh\"}"),
		&err);
}

static void measure(struct ks_engine *e, struct ks_repo_file *files, size_t count,
	struct ks_err *err)
{
	struct ks_json *args = NULL;
	int64_t id = 0;
	int rc = ks_json_parse(&args, "{}", 2, err);

	if (rc == 0) {
		rc = ks_engine_eval(e, KS_BY_ENGINE, files, count, args, &id, err);
	} else {
		ks_repo_files_free(files, count);
	}
	ks_json_free(args);
	if (rc < 0) {
		ks_engine_notice(e, "warn",
			"the working copy was not measured at the turn's end: %s", err->msg);
		nothing_to_measure(e);
	}
}

static void look(void *ctx)
{
	struct ks_engine *e = ctx;
	struct ks_repo_file *files = NULL;
	size_t count = 0;
	char hash[65];
	struct ks_err err = KS_ERR_INIT;

	if (e->stopping || e->state.agent != KS_AGENT_WAITING || e->state.how != KS_HOW_ENDED) {
		return;
	}
	if (ks_snapshot(&files, &count, e, NULL, false, &err) < 0) {
		ks_engine_notice(e, "warn",
			"the working copy was not measured at the turn's end: %s", err.msg);
		nothing_to_measure(e);
		return;
	}
	ks_snapshot_hash(files, count, hash);
	if (is_running(e, hash)) {
		ks_repo_files_free(files, count);
		return;
	}
	if (is_known(&e->state, hash)) {
		ks_repo_files_free(files, count);
		nothing_to_measure(e);
		return;
	}
	measure(e, files, count, &err);
}

/* Later: an effect is carried out inside a command, and evaluations are asked
 * for by one. */
void ks_eval_fresh(struct ks_engine *e)
{
	ks_loop_defer(e->loop, look, e);
}
