/* kseek candidates: what was tried and what it scored. */
#include "app/common.h"
#include "app/subs.h"

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false;
	const char *word[1] = {NULL};
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, word, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (ks_open_campaign(sub, &fold, &err) < 0) {
		return ks_fail(sub, &err);
	}
	ks_warn_of_repo(sub, fold);
	const struct ks_state *state = ks_fold_state(fold);
	int index = n == 1 ? ks_state_candidate(state, word[0]) : -1;
	if (n == 1 && index < 0) {
		ks_err_set(&err, KS_EINVAL, "no candidate '%.60s'; 'kseek candidates' lists them",
			word[0]);
		ks_fold_free(fold);
		return ks_fail(sub, &err);
	}
	if (json) {
		struct ks_buf out = {0};
		struct ks_jw w;
		ks_jw_init(&w, &out);
		ks_jw_open(&w, NULL);
		ks_jw_open_array(&w, "candidates");
		for (size_t i = 0; i < state->n_candidates; i++) {
			if (index < 0 || (size_t)index == i) {
				ks_json_candidate(&w, NULL, state, (int)i, index >= 0);
			}
		}
		ks_jw_close_array(&w);
		ks_jw_close(&w);
		ks_put_json(&out);
	} else if (index >= 0) {
		ks_report_candidate(stdout, state, index, NULL, NULL);
	} else {
		ks_report_candidates(stdout, state);
	}
	ks_fold_free(fold);
	return KS_EXIT_OK;
}

const struct ks_sub ks_sub_candidates = {
	"candidates", "[CANDIDATE] [--json]", "list the candidates and their scores",
	"With a candidate (number, commit, champion, seed) prints its table of scenarios.", run
};
