/* kseek queue: messages that wait for the turn's end. */
#include "app/call.h"
#include "app/common.h"
#include "app/subs.h"

static int list_json(const struct ks_state *s)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_open_array(&w, "queue");
	for (int i = 0; i < s->queued; i++) {
		const struct ks_queued *q = &s->queue[i];
		ks_jw_open(&w, NULL);
		ks_jw_int(&w, "id", q->id);
		ks_jw_str(&w, "text", q->text);
		ks_jw_str(&w, "via", q->via);
		ks_jw_str(&w, "question", q->question[0] != 0 ? q->question : NULL);
		ks_jw_int(&w, "moment", q->moment);
		ks_jw_close(&w);
	}
	ks_jw_close_array(&w);
	ks_jw_close(&w);
	ks_put_json(&out);
	return KS_EXIT_OK;
}

static int list(const struct ks_state *s)
{
	if (s->queued == 0) {
		puts("nothing waits");
	}
	for (int i = 0; i < s->queued; i++) {
		printf("%lld  ", (long long)s->queue[i].id);
		ks_put(stdout, s->queue[i].text, 0);
		putchar('\n');
	}
	return KS_EXIT_OK;
}

static int revise(struct ks_fold *fold, long id, const char *text, struct ks_err *err)
{
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "id", id);
	if (text != NULL) {
		ks_jw_str(&w, "text", text);
	}
	ks_jw_close(&w);
	int rc = ks_call_engine(fold, "queue", ks_buf_str(&args), err);
	ks_buf_fini(&args);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	long drop = 0, edit = 0;
	bool json = false;
	const char *word[64];
	const struct ks_opt opts[] = {
		{"drop", KS_OPT_INT, &drop, "ID", "take this message back"},
		{"edit", KS_OPT_INT, &edit, "ID", "the words take its place"},
		{"json", KS_OPT_FLAG, &json, NULL, "the list as JSON"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, word, 0, 64);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	for (int i = 0; i < n; i++) {
		ks_buf_addf(&text, "%s%s", i > 0 ? " " : "", word[i]);
	}
	int rc = 0;
	if (json && (drop > 0 || edit > 0 || n > 0)) {
		rc = ks_err_set(&err, KS_EINVAL,
			"--json lists what waits; give nothing else with it");
	} else if (n > 0 && edit <= 0) {
		rc = ks_err_set(&err, KS_EINVAL,
			"words go with --edit ID; --drop ID takes a message back");
	} else {
		rc = ks_fold_open(&fold, NULL, &err);
	}
	if (rc == 0 && drop > 0) {
		rc = revise(fold, drop, NULL, &err);
	} else if (rc == 0 && edit > 0) {
		rc = revise(fold, edit, text.len > 0 ? text.ptr : "", &err);
	} else if (rc == 0) {
		rc = json ? list_json(ks_fold_state(fold)) : list(ks_fold_state(fold));
	}
	ks_fold_free(fold);
	ks_buf_fini(&text);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_queue = {
	"queue", "[--json | --drop ID | --edit ID TEXT...]",
	"messages that wait for the turn's end",
	"Without options they are listed with their ids. 'kseek say --now' does not wait.", run
};
