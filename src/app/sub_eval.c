/* kseek eval: asks the engine to measure, shows progress, prints the table. */
#include <limits.h>

#include "app/client.h"
#include "app/common.h"
#include "app/eval_progress.h"
#include "app/subs.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/plural.h"
#include "loop/proc.h"

#define BUILD_LINES 40    /* of a compiler's output ... */
#define BUILD_COLUMNS 300 /* ... and of each of them    */

struct asked {            /* the options */
	struct ks_list only;
	const char *set, *source;
	bool no_perf, json;
	long wait_s;
};

static void write_args(struct ks_buf *out, const char *source, const struct asked *asked)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_bool(&w, "perf", !asked->no_perf);
	if (source != NULL) {
		ks_jw_str(&w, "source", source);
	}
	if (asked->set != NULL) {
		ks_jw_str(&w, "set", asked->set);
	}
	if (asked->only.count > 0) {
		ks_jw_open_array(&w, "only");
		for (size_t i = 0; i < asked->only.count; i++) {
			ks_jw_str(&w, NULL, asked->only.item[i]);
		}
		ks_jw_close_array(&w);
	}
	ks_jw_close(&w);
}

static void print_json(const struct ks_state *state, int index, const struct ks_json *answer)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_node(&w, "answer", answer);
	if (index >= 0) {
		ks_json_candidate(&w, "result", state, index, true);
	}
	ks_json_goal(&w, "goal", state);
	ks_jw_close(&w);
	ks_put_json(&out);
}

/* What else a reader should know: notes of the judge, who disturbed the measurement,
 * and (a person, not an agent) that a moment waits. */
static void print_remarks(const struct ks_state *state, const struct ks_json *answer)
{
	const struct ks_moment *open = ks_state_open_moment(state);
	const char *strays = ks_json_get_str(answer, "strays", NULL);

	for (const struct ks_json *n = ks_json_first(ks_json_get(answer, "notes")); n != NULL;
			n = ks_json_next(n)) {
		printf("note: ");
		ks_put(stdout, ks_json_str(n, ""), 0);
		putchar('\n');
	}
	if (strays != NULL) {
		printf("disturbed: ");
		ks_put(stdout, strays, 0);
		printf("; end it if it still runs, and measure again\n");
	}
	if (open != NULL && getenv(KS_MARK) == NULL) {
		printf("a moment is open (%s): ", ks_moment_name(open->kind));
		ks_put(stdout, open->evidence, 0);
		printf("\n  'kseek moments' shows its questions\n");
	}
}

/* The compiler names the campaign's first source; with --source FILE that is not what
 * its writer called it. */
static void put_build_line(struct ks_str line, const char *from, const char *to)
{
	struct ks_buf text = {0};
	size_t n = strlen(from);
	ptrdiff_t at = to == NULL ? -1 : ks_str_starts(line, from) ? 0 :
		ks_str_find(line, KS_STR(" from "));
	size_t skip = at > 0 ? (size_t)at + strlen(" from ") : 0;
	struct ks_str rest = {line.ptr + skip, line.len - skip};

	if (at >= 0 && ks_str_starts(rest, from) && rest.len > n && rest.ptr[n] == ':') {
		ks_buf_add(&text, line.ptr, skip);
		ks_buf_adds(&text, to);
		ks_buf_add(&text, rest.ptr + n, rest.len - n);
	} else {
		ks_buf_addstr(&text, line);
	}
	ks_put(stdout, text.ptr != NULL ? text.ptr : "", BUILD_COLUMNS);
	putchar('\n');
	ks_buf_fini(&text);
}

/* What the compiler said from its first error on, as far as a reader has use for it. */
static void print_build(const struct ks_fold *fold, struct ks_str text, const char *source)
{
	struct ks_campaign campaign = {0};
	struct ks_str rest = text, line;
	size_t lines = 0, first = 0, at = 0;

	for (; ks_str_next(&rest, '\n', &line); lines++) {
		if (first == 0 && ks_str_find(line, KS_STR("error")) >= 0) {
			first = lines;
		}
	}
	size_t from = first < BUILD_LINES / 2 || lines <= BUILD_LINES ? 0 : first;
	bool named = source != NULL && !ks_file_is_dir(source) && ks_campaign_read(&campaign,
		ks_fold_paths(fold)->config, NULL) == 0 && campaign.files.count > 0;
	for (rest = text; at < from + BUILD_LINES && ks_str_next(&rest, '\n', &line); at++) {
		if (at >= from) {
			put_build_line(line, named ? campaign.files.items[0] : "",
				named ? source : NULL);
		}
	}
	if (lines > BUILD_LINES) {
		printf("(%d of the compiler's %zu lines, from line %zu on; "
			"'kseek eval --json' has all)\n", (int)(at - from), lines, from + 1);
	}
	ks_campaign_fini(&campaign);
}

static bool has_times(const struct ks_state *state, int index)
{
	const struct ks_candidate *c = &state->candidates[index];

	for (size_t i = 0; c->results != NULL && i < state->n_scenarios; i++) {
		if (c->number > 0 && c->results[i].measured && c->results[i].timed) {
			return true;
		}
	}
	return false;
}

/* What the log says now of the candidate that was measured. */
static int print_result(struct ks_fold *fold, const struct ks_json *answer,
	const struct asked *asked, struct ks_err *err)
{
	int exit_status = (int)ks_json_get_int(answer, "exit", KS_EXIT_ENV);
	int rc = ks_fold_refresh(fold, KS_FOLLOW_ALL, NULL, err);

	if (rc < 0) {
		return rc;
	}
	const struct ks_state *state = ks_fold_state(fold);
	int index = ks_state_candidate_number(state, ks_json_get_int(answer, "candidate", -1));
	if (asked->json) {
		print_json(state, index, answer);
		return exit_status;
	}
	const char *text = ks_json_get_str(answer, "text", NULL);
	if (text != NULL) {
		if (exit_status != KS_EXIT_BUILD) {
			ks_put_block(stdout, ks_str_of(text));
		} else {
			print_build(fold, ks_str_of(text), asked->source);
			char name[KS_CANDIDATE_TEXT];
			printf("%s does not build\n", ks_candidate_name(name,
				(int)ks_json_get_int(answer, "candidate", -1)));
		}
		return exit_status;
	}
	if (index >= 0) {
		ks_report_candidate(stdout, state, index, &asked->only, asked->set);
	}
	if (index >= 0 && asked->no_perf && has_times(state, index)) {
		puts("the times are of an earlier evaluation of these sources: "
			"--no-perf takes none");
	}
	if (!ks_json_get_bool(answer, "partial", false)) {
		ks_report_goal(stdout, state);
	}
	print_remarks(state, answer);
	return exit_status;
}

static int evaluate(struct ks_fold *fold, struct ks_str args, const struct asked *asked,
	struct ks_err *err)
{
	struct ks_eval_progress progress = {0};
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	struct ks_json *answer = NULL;
	int rc = ks_loop_new(&loop, err);

	if (rc == 0) {
		rc = ks_client_open(&client, loop, ks_fold_paths(fold), KS_CLIENT_TRANSIENT, false,
			NULL, err);
	}
	if (rc == 0) {
		ks_eval_progress_init(&progress, loop, fold, asked->json);
		rc = ks_client_call(client, "eval", args, ks_eval_progress_more, &progress,
			asked->wait_s * 1000, &answer, err);
		ks_eval_progress_fini(&progress);
	}
	if (rc == KS_ETIME) {
		ks_err_clear(err);
		ks_err_set(err, KS_ETIME, "not finished after %ld s (%d of %d); "
			"call 'kseek eval' again to go on waiting for it", asked->wait_s,
			progress.done, progress.total);
	} else if (rc == KS_EIO && client != NULL && ks_client_is_closed(client)) {
		ks_err_clear(err);
		ks_err_set(err, KS_EIO, "the engine has stopped and the evaluation with it; "
			"call 'kseek eval' again, which starts both anew (.kseek/engine.log may "
			"say why)");
	}
	if (rc == 0) {
		rc = print_result(fold, answer, asked, err);
	}
	ks_json_free(answer);
	ks_client_free(client);
	ks_loop_free(loop);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct asked a = {0};
	const struct ks_opt opts[] = {
		{"only", KS_OPT_LIST, &a.only, "NAME", "measure this scenario (may be repeated)"},
		{"set", KS_OPT_TEXT, &a.set, "SET", "measure the scenarios of one set"},
		{"no-perf", KS_OPT_FLAG, &a.no_perf, NULL, "check only, take no times"},
		{"source", KS_OPT_TEXT, &a.source, "PATH",
			"a file or folder in place of the working copy"},
		{"wait", KS_OPT_INT, &a.wait_s, "S",
			"wait at most S seconds (0: to the end); call again to go on"},
		{"json", KS_OPT_FLAG, &a.json, NULL, "one JSON object"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_buf args = {0};
	struct ks_err err = KS_ERR_INIT;
	char *absolute = NULL;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (a.source != NULL) {
		absolute = realpath(a.source, NULL);
		if (absolute == NULL) {
			ks_err_set(&err, KS_ENOTFOUND, "%s: no such file or folder", a.source);
			return ks_fail(sub, &err);
		}
	}
	write_args(&args, absolute, &a);
	int rc = ks_fold_open(&fold, NULL, &err);
	if (rc == 0) {
		rc = evaluate(fold, ks_buf_str(&args), &a, &err);
	}
	ks_fold_free(fold);
	ks_buf_fini(&args);
	free(absolute);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_eval = {
	"eval", "[--only NAME]... [--set SET] [--no-perf] [--source PATH] [--wait S] [--json]",
	"build, check and time the working copy",
	"Builds the working copy, checks every scenario against seed and reference,\n"
	"times it against the seed in interleaved pairs, commits it, and prints the\n"
	"table and the goal.\n"
	"Exit status: 0 correct, 1 incorrect, 4 does not build, 2 usage, 3 environment.",
	run
};
