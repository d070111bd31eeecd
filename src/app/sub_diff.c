/* kseek diff: code and score changes between two candidates. */
#include "app/client.h"
#include "app/common.h"
#include "app/subs.h"
#include "store/blob.h"

static void print_scores(const struct ks_state *s, int a, int b)
{
	const struct ks_candidate *x = &s->candidates[a], *y = &s->candidates[b];

	printf("\n%-26s %10s %10s %8s\n", "scenario", "before", "after", "ratio");
	for (size_t i = 0; i < s->n_scenarios; i++) {
		double before = a == 0 ? 1.0 : x->results != NULL ? (double)x->results[i].speedup : 0;
		double after = b == 0 ? 1.0 : y->results != NULL ? (double)y->results[i].speedup : 0;
		if (s->scenarios[i].heldout || (before <= 0 && after <= 0)) {
			continue;
		}
		printf("%-26.26s %9.2fx %9.2fx ", s->scenarios[i].name, before, after);
		if (before > 0 && after > 0) {
			printf("%7.2fx\n", after / before);
		} else {
			printf("%8s\n", after > 0 ? "mended" : "broke");
		}
	}
	double ga = a == 0 ? 1.0 : x->geomean, gb = b == 0 ? 1.0 : y->geomean;
	printf("%-26s %9.3fx %9.3fx\n", "geomean", ga, gb);
}

static int get_diff(struct ks_fold *fold, const char *a, const char *b, struct ks_json **answer,
	struct ks_err *err)
{
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	struct ks_buf args = {0};
	struct ks_jw w;
	int rc = ks_loop_new(&loop, err);

	if (rc == 0) {
		rc = ks_client_open(&client, loop, ks_fold_paths(fold), KS_CLIENT_TRANSIENT, false,
			NULL, err);
	}
	if (rc == 0) {
		ks_jw_init(&w, &args);
		ks_jw_open(&w, NULL);
		ks_jw_str(&w, "a", a);
		ks_jw_str(&w, "b", b);
		ks_jw_close(&w);
		rc = ks_client_call(client, "diff", ks_buf_str(&args), NULL, NULL, 30000, answer, err);
	}
	ks_buf_fini(&args);
	ks_client_free(client);
	ks_loop_free(loop);
	return rc;
}

static int print_diff(struct ks_fold *fold, const struct ks_json *answer, bool json,
	struct ks_err *err)
{
	const struct ks_state *s = ks_fold_state(fold);
	struct ks_buf text = {0};
	int a = ks_state_candidate_number(s, ks_json_get_int(answer, "a", 0));
	int b = ks_state_candidate_number(s, ks_json_get_int(answer, "b", 0));
	int rc = ks_blob_get(&text, ks_fold_paths(fold)->blobs, ks_json_get_str(answer, "blob", ""),
		4u << 20, err);

	if (rc == 0 && json) {
		struct ks_buf out = {0};
		struct ks_jw w;
		ks_jw_init(&w, &out);
		ks_jw_open(&w, NULL);
		ks_json_candidate(&w, "a", s, a, true);
		ks_json_candidate(&w, "b", s, b, true);
		ks_jw_slice(&w, "diff", ks_buf_str(&text));
		ks_jw_close(&w);
		ks_put_json(&out);
	} else if (rc == 0) {
		if (text.len == 0) {
			puts("the sources are the same");
		}
		ks_put_block(stdout, ks_buf_str(&text));
		print_scores(s, a, b);
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
	struct ks_json *answer = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, words, 0, 2);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = ks_fold_open(&fold, NULL, &err);
	if (rc == 0) {
		rc = get_diff(fold, words[0], words[1], &answer, &err);
	}
	if (rc == 0) {
		rc = print_diff(fold, answer, json, &err);
	}
	ks_json_free(answer);
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_diff = {
	"diff", "[A] [B] [--json]", "show code and score changes between two candidates",
	"A and B are numbers, commits, 'champion' or 'seed'; without them seed and champion.", run
};
