/* kseek say: a message to the agent, or a note into the transcript. */
#include "app/client.h"
#include "app/common.h"
#include "app/subs.h"

static int
send_text(struct ks_fold *fold, const char *text, bool note, const char *question, long moment,
	struct ks_err *err)
{
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	struct ks_buf args = {0};
	struct ks_jw w;
	const struct ks_moment *open = ks_state_open_moment(ks_fold_state(fold));
	int rc = ks_loop_new(&loop, err);

	if (rc == 0) {
		rc = ks_client_open(&client, loop, ks_fold_paths(fold),
			note ? KS_CLIENT_TRANSIENT : KS_CLIENT_ATTACH, false, NULL, err);
	}
	if (rc == 0) {
		ks_jw_init(&w, &args);
		ks_jw_open(&w, NULL);
		ks_jw_str(&w, "text", text);
		ks_jw_bool(&w, "note", note);
		ks_jw_str(&w, "via", "cli");
		if (question != NULL) {
			ks_jw_str(&w, "question", question);
		}
		if (!note && (moment > 0 || open != NULL)) {
			ks_jw_int(&w, "moment", moment > 0 ? moment : open->id);
		}
		ks_jw_close(&w);
		rc = ks_client_call(client, "say", ks_buf_str(&args), NULL, NULL, 10000, NULL, err);
	}
	ks_buf_fini(&args);
	ks_client_free(client);
	ks_loop_free(loop);
	return rc;
}

/* The n-th offer of the open moment, as text and question. */
static int
take_offer(const struct ks_state *state, long offer, const char **text, const char **question,
	struct ks_err *err)
{
	const struct ks_moment *m = ks_state_open_moment(state);

	if (m == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "--offer: no moment is open; see 'kseek moments'");
	}
	if (offer < 1 || offer > m->n_offers) {
		return ks_err_set(err, KS_EINVAL, "--offer %ld: the open moment has %d offers", offer,
			m->n_offers);
	}
	*text = m->offers[offer - 1].text;
	*question = m->offers[offer - 1].question;
	return 0;
}

static int
run(const struct ks_sub *sub, int argc, char **argv)
{
	bool note = false;
	const char *question = NULL, *words[64], *text = NULL;
	long moment = 0, offer = 0;
	const struct ks_opt opts[] = {
		{"note", KS_OPT_FLAG, &note, NULL, "a note into the transcript, not a message"},
		{"offer", KS_OPT_INT, &offer, "N", "send the open moment's N-th offer as it stands"},
		{"question", KS_OPT_TEXT, &question, "ID", "the bank's question that the text asks"},
		{"moment", KS_OPT_INT, &moment, "N", "the moment that it answers; else the open one"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_buf joined = {0};
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, words, 0, 64);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	for (int i = 0; i < n; i++) {
		ks_buf_addf(&joined, "%s%s", i > 0 ? " " : "", words[i]);
	}
	text = joined.ptr;
	int rc = ks_fold_open(&fold, NULL, &err);
	if (rc == 0 && offer > 0) {
		rc = take_offer(ks_fold_state(fold), offer, &text, &question, &err);
	} else if (rc == 0 && n == 0) {
		rc = ks_err_set(&err, KS_EINVAL, "no text; give the words, or --offer N");
	}
	if (rc == 0) {
		rc = send_text(fold, text, note, question, moment, &err);
	}
	ks_fold_free(fold);
	ks_buf_fini(&joined);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_say = {
	"say", "TEXT... | --offer N [--note] [--question ID] [--moment N]",
	"send a message to the agent, or write a note", NULL, run
};
