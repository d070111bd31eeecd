/* kseek say: a message to the agent, or a note into the transcript. */
#include "app/client.h"
#include "app/common.h"
#include "app/subs.h"
#include "base/plural.h"

/* One request to the engine that lives; say may start none either. */
static int request(struct ks_fold *fold, const char *cmd, struct ks_buf *args,
	enum ks_client_start how, struct ks_err *err)
{
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	int rc = ks_loop_new(&loop, err);

	if (rc == 0) {
		rc = ks_client_open(&client, loop, ks_fold_paths(fold), how, false, NULL, err);
	}
	if (rc == 0) {
		rc = ks_client_call(client, cmd, ks_buf_str(args), NULL, NULL, 10000, NULL, err);
	}
	ks_client_free(client);
	ks_loop_free(loop);
	return rc;
}

struct how {              /* it is said */
	bool note, now, steer;
};

static int send_text(struct ks_fold *fold, const char *text, const struct how *how,
	const char *question, long moment, struct ks_err *err)
{
	bool note = how->note;
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "text", text);
	ks_jw_bool(&w, "note", note);
	ks_jw_bool(&w, "now", how->now);
	ks_jw_bool(&w, "steer", how->steer);
	ks_jw_str(&w, "via", "cli");
	if (question != NULL) {
		ks_jw_str(&w, "question", question);
	}
	if (!note && moment > 0) {
		ks_jw_int(&w, "moment", moment);
	}
	ks_jw_close(&w);
	bool alone = note || ks_fold_state(fold)->manual; /* no agent has to run */
	int rc = request(fold, "say", &args, alone ? KS_CLIENT_TRANSIENT : KS_CLIENT_ATTACH, err);
	ks_buf_fini(&args);
	return rc;
}

/* Sets the act of a message that was sent, else of the person's last one. */
static int set_act(struct ks_fold *fold, const char *act, long message, struct ks_err *err)
{
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "act", act);
	if (message > 0) {
		ks_jw_int(&w, "message", message);
	}
	ks_jw_close(&w);
	int rc = request(fold, "act", &args, KS_CLIENT_TRANSIENT, err);
	ks_buf_fini(&args);
	return rc;
}

static void print_answered(const struct ks_state *state, int64_t moment)
{
	int i = ks_state_moment(state, moment);

	if (i >= 0) {
		printf("; answers moment #%lld, %s", (long long)moment,
			ks_moment_name(state->moments[i].kind));
	}
	putchar('\n');
}

/* What became of the words: the newest message of the log, read again. */
static int print_outcome(struct ks_err *err)
{
	struct ks_fold *fold = NULL;
	int rc = ks_fold_open(&fold, NULL, err);

	if (rc < 0) {
		return rc;
	}
	const struct ks_state *s = ks_fold_state(fold);
	const struct ks_queued *q = s->queued > 0 ? &s->queue[s->queued - 1] : NULL;
	const struct ks_message *m = s->n_messages > 0 ? &s->messages[s->n_messages - 1] : NULL;
	if (q != NULL && (m == NULL || q->id > m->id)) {
		printf("message %lld waits until %s", (long long)q->id,
			s->agent == KS_AGENT_WORKING ? "the agent's turn ends" : "an agent runs");
		print_answered(s, q->moment);
	} else if (m != NULL) {
		printf("message %lld %s", (long long)m->id,
			s->manual ? "is in the log, for who works here" : "is sent");
		print_answered(s, m->moment >= 0 ? s->moments[m->moment].id : 0);
	}
	ks_fold_free(fold);
	return 0;
}

/* The n-th offer of the open moment, as text, question and moment. */
static int take_offer(const struct ks_state *state, long offer, const char **text,
	const char **question, long *moment, struct ks_err *err)
{
	const struct ks_moment *m = ks_state_open_moment(state);

	if (m == NULL) {
		return ks_err_set(err, KS_EINVAL,
			"--offer: no moment is open; see 'kseek moments'");
	}
	if (offer < 1 || offer > m->n_offers) {
		return ks_err_set(err, KS_EINVAL, "--offer %ld: the open moment has %d offer%s",
			offer, m->n_offers, ks_s(m->n_offers));
	}
	*text = m->offers[offer - 1].text;
	*question = m->offers[offer - 1].question;
	*moment = (long)m->id;
	return 0;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct how how = {0};
	const char *question = NULL, *act = NULL, *words[64], *text = NULL;
	long moment = 0, offer = 0, message = 0;
	const struct ks_opt opts[] = {
		{"note", KS_OPT_FLAG, &how.note, NULL, "a note into the transcript, not a message"},
		{"now", KS_OPT_FLAG, &how.now, NULL, "cancel the running turn and send it at once"},
		{"steer", KS_OPT_FLAG, &how.steer, NULL,
			"into the running turn, where the agent takes that"},
		{"offer", KS_OPT_INT, &offer, "N",
			"send the open moment's N-th offer as it stands"},
		{"question", KS_OPT_TEXT, &question, "ID",
			"the bank's question that the text asks"},
		{"act", KS_OPT_TEXT, &act, "ACT",
			"what a message was: question, directive, approval, "
			"correction, goal"},
		{"message", KS_OPT_INT, &message, "N", "--act: which one; else your last"},
		{"moment", KS_OPT_INT, &moment, "N", "the moment that it answers; else the open "
			"one (but for a manual agent)"},
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
	if (rc == 0 && act != NULL) {
		rc = n > 0 ? ks_err_set(&err, KS_EINVAL,
			"--act sets what was said before; give no text") :
			set_act(fold, act, message, &err);
		ks_fold_free(fold);
		ks_buf_fini(&joined);
		return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
	}
	if (rc == 0 && offer > 0) {
		rc = take_offer(ks_fold_state(fold), offer, &text, &question, &moment, &err);
	} else if (rc == 0 && n == 0) {
		rc = ks_err_set(&err, KS_EINVAL, "no text; give the words, or --offer N");
	}
	if (rc == 0) {
		rc = send_text(fold, text, &how, question, moment, &err);
	}
	if (rc == 0 && how.note) {
		puts("the note is in the log");
	} else if (rc == 0) {
		rc = print_outcome(&err);
	}
	ks_fold_free(fold);
	ks_buf_fini(&joined);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_say = {
	"say", "TEXT... | --offer N | --act ACT [--note] [--now | --steer] [...]",
	"send a message to the agent, or write a note", NULL, run
};
