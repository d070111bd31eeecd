/* kseek diff: code and score changes between two candidates. */
#include "app/changes.h"
#include "app/common.h"
#include "app/subs.h"

static void print_scores(const struct ks_state *s, int a, int b)
{
	const struct ks_candidate *x = &s->candidates[a], *y = &s->candidates[b];

	printf("\n%-26s %10s %10s %8s\n", "scenario", "before", "after", "ratio");
	for (size_t i = 0; i < s->n_scenarios; i++) {
		double before = a == 0 ? 1.0 :
			x->results != NULL ? (double)x->results[i].speedup : 0;
		double after = b == 0 ? 1.0 :
			y->results != NULL ? (double)y->results[i].speedup : 0;
		if (s->scenarios[i].heldout || (before <= 0 && after <= 0)) {
			continue;
		}
		ks_put_name(stdout, s->scenarios[i].name, 26);
		printf(" %9.2fx %9.2fx ", before, after);
		if (before > 0 && after > 0) {
			printf("%7.2fx\n", after / before);
		} else {
			printf("%8s\n", after > 0 ? "mended" : "broke");
		}
	}
	double ga = a == 0 ? 1.0 : x->geomean, gb = b == 0 ? 1.0 : y->geomean;
	printf("%-26s %9.3fx %9.3fx\n", "geomean", ga, gb);
}

static int candidate(const struct ks_state *s, const char *word, struct ks_err *err)
{
	int index = ks_state_candidate(s, word);

	return index >= 0 ? index : ks_err_set(err, KS_EINVAL,
		"no candidate '%.60s'; see 'kseek candidates'", word);
}

static void print_diff(const struct ks_state *s, int a, int b, struct ks_str text, bool json)
{
	if (json) {
		struct ks_buf out = {0};
		struct ks_jw w;
		ks_jw_init(&w, &out);
		ks_jw_open(&w, NULL);
		ks_json_candidate(&w, "a", s, a, true);
		ks_json_candidate(&w, "b", s, b, true);
		ks_jw_slice(&w, "diff", text);
		ks_jw_close(&w);
		ks_put_json(&out);
		return;
	}
	if (text.len == 0) {
		puts("the sources are the same");
	}
	ks_put_block(stdout, text);
	print_scores(s, a, b);
}

static int show(const struct ks_fold *fold, const char *const words[2], bool json,
	struct ks_err *err)
{
	const struct ks_state *s = ks_fold_state(fold);
	struct ks_buf text = {0};
	int a = candidate(s, words[0], err);
	int b = a < 0 ? a : candidate(s, words[1], err);
	int rc = b < 0 ? b : ks_changes(&text, fold, a, b, err);

	if (rc == 0) {
		print_diff(s, a, b, ks_buf_str(&text), json);
	}
	ks_buf_fini(&text);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false;
	const char *words[2] = {"seed", "champion"};
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, words, 0, 2);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = ks_open_campaign(sub, &fold, &err);
	if (rc == 0) {
		rc = show(fold, words, json, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_diff = {
	"diff", "[A] [B] [--json]", "show code and score changes between two candidates",
	"A and B are numbers, commits, 'champion' or 'seed'; without them seed and\n"
	"champion.", run
};
