/* kseek goal: each clause with its figure. */
#include "app/common.h"
#include "app/subs.h"

/* The clauses of another candidate than the one whose figures are the best. */
static void put_whose(const struct ks_state *state)
{
	char name[KS_CANDIDATE_TEXT], best[KS_CANDIDATE_TEXT];

	if (state->goal_candidate < 0 || state->n_candidates == 0 ||
			state->goal_candidate == state->candidates[state->champion].number) {
		return;
	}
	printf("these are the clauses of %s; the champion is %s, %.3fx\n",
		ks_candidate_name(name, state->goal_candidate),
		ks_candidate_name(best, state->candidates[state->champion].number), state->best);
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false;
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (ks_open_campaign(sub, &fold, &err) < 0) {
		return ks_fail(sub, &err);
	}
	const struct ks_state *state = ks_fold_state(fold);
	if (json) {
		struct ks_buf out = {0};
		struct ks_jw w;
		ks_jw_init(&w, &out);
		ks_json_goal(&w, NULL, state);
		ks_put_json(&out);
	} else {
		ks_report_goal(stdout, state);
		put_whose(state);
	}
	int rc = state->goal_met ? KS_EXIT_OK : KS_EXIT_NO;
	ks_fold_free(fold);
	return rc;
}

const struct ks_sub ks_sub_goal = {
	"goal", "[--json]", "print each clause of the goal with its figure",
	"Exit status: 0 when every clause holds and the confirming run was made, 1 when\n"
	"not.", run
};
