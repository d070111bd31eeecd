/* kseek agent: start and stop it, its own modes, and what it said of itself. */
#include "app/call.h"
#include "app/common.h"
#include "app/subs.h"

static void print_usage(const struct ks_usage *u)
{
	if (u->scope[0] != 0) {
		printf("tokens    %lld in, %lld out (last %s)\n", (long long)u->input,
			(long long)u->output, u->scope);
	}
	if (u->size > 0) {
		printf("context   %lld of %lld\n", (long long)u->used, (long long)u->size);
	}
	if (u->cost >= 0) {
		printf("cost      %.4f ", u->cost);
		ks_put(stdout, u->currency, 8);
		putchar('\n');
	}
}

static const char *status_word(const struct ks_state *s)
{
	static const char *const words[] = {"none", "working", "waiting", "dead"};

	return (size_t)s->agent < 4 ? words[s->agent] : "?";
}

static int show(const struct ks_state *s)
{
	if (s->manual) { /* a person, who neither runs nor dies */
		puts("agent     manual: whoever works in this folder");
		return KS_EXIT_OK;
	}
	printf("agent     ");
	ks_put(stdout, s->agent_label, 60);
	printf(", %s\n", status_word(s));
	if (s->agent_version[0] != 0) {
		printf("version   ");
		ks_put(stdout, s->agent_version, 40);
		putchar('\n');
	}
	if (s->session[0] != 0) {
		printf("session   ");
		ks_put(stdout, s->session, 0);
		putchar('\n');
	}
	if (s->agent_mode[0] != 0) {
		printf("mode      ");
		ks_put(stdout, s->agent_mode, 0);
		putchar('\n');
	}
	print_usage(&s->usage);
	if (s->plan > 0) {
		printf("plan      %d of %d done\n", s->plan_done, s->plan);
	}
	if (s->agent == KS_AGENT_DEAD && s->tail[0] != 0) {
		printf("its last words:\n");
		ks_put_block(stdout, ks_str_of(s->tail));
		printf("'kseek agent start' starts it again\n");
	}
	return KS_EXIT_OK;
}

static void json_usage(struct ks_jw *w, const struct ks_usage *u)
{
	ks_jw_open(w, "usage");
	if (u->scope[0] != 0) {
		ks_jw_str(w, "scope", u->scope);
		ks_jw_int(w, "input", u->input);
		ks_jw_int(w, "output", u->output);
	}
	if (u->size > 0) {
		ks_jw_int(w, "used", u->used);
		ks_jw_int(w, "size", u->size);
	}
	if (u->cost >= 0) {
		ks_jw_num(w, "cost", u->cost);
		ks_jw_str(w, "currency", u->currency);
	}
	ks_jw_close(w);
}

static int show_json(const struct ks_state *s)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "agent", status_word(s));
	ks_jw_str(&w, "agent_label", s->agent_label);
	ks_jw_str(&w, "version", s->agent_version);
	ks_jw_str(&w, "session", s->session);
	ks_jw_str(&w, "agent_mode", s->agent_mode);
	ks_jw_open_array(&w, "agent_modes");
	for (int i = 0; i < s->n_agent_modes; i++) {
		ks_jw_open(&w, NULL);
		ks_jw_str(&w, "id", s->agent_modes[i].id);
		ks_jw_str(&w, "name", s->agent_modes[i].name);
		ks_jw_close(&w);
	}
	ks_jw_close_array(&w);
	json_usage(&w, &s->usage);
	ks_jw_int(&w, "plan", s->plan);
	ks_jw_int(&w, "plan_done", s->plan_done);
	ks_jw_str(&w, "last_words", s->agent == KS_AGENT_DEAD ? s->tail : "");
	ks_jw_close(&w);
	ks_put_json(&out);
	return KS_EXIT_OK;
}

static int modes(const struct ks_state *s)
{
	if (s->n_agent_modes == 0) {
		puts("this agent has told of no modes");
	}
	for (int i = 0; i < s->n_agent_modes; i++) {
		const struct ks_agent_mode *m = &s->agent_modes[i];
		printf("%s ", strcmp(m->id, s->agent_mode) == 0 ? "*" : " ");
		ks_put(stdout, m->id, 0);
		printf("  ");
		ks_put(stdout, m->name, 48);
		putchar('\n');
	}
	return KS_EXIT_OK;
}

static int set_mode(struct ks_fold *fold, const char *mode, struct ks_err *err)
{
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "mode", mode);
	ks_jw_close(&w);
	int rc = ks_call_engine(fold, "agent.mode", ks_buf_str(&args), err);
	ks_buf_fini(&args);
	return rc;
}

static int act(struct ks_fold *fold, const char *const *word, int n, struct ks_err *err)
{
	const struct ks_state *s = ks_fold_state(fold);

	if (n == 0) {
		return show(s);
	}
	if (strcmp(word[0], "modes") == 0 && n == 1) {
		return modes(s);
	}
	if (strcmp(word[0], "mode") == 0 && n == 2) {
		return set_mode(fold, word[1], err);
	}
	if (strcmp(word[0], "mode") == 0) {
		return ks_err_set(err, KS_EINVAL, "mode: name one; 'kseek agent modes' lists them");
	}
	if (strcmp(word[0], "start") == 0 && n == 1) {
		return s->manual ? ks_err_set(err, KS_EINVAL, "this campaign's agent is manual: "
			"who works in the folder is the agent, and nothing is to be started; "
			"'kseek steer --agent SPEC' starts another") :
			ks_call_engine(fold, "agent.start", ks_str_of("{}"), err);
	}
	if (strcmp(word[0], "stop") == 0 && n == 1) {
		return ks_call_engine(fold, "agent.stop", ks_str_of("{}"), err);
	}
	return ks_err_set(err, KS_EINVAL, "%.40s: use start, stop, modes, or mode ID", word[0]);
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const char *word[2];
	bool json = false;
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "what is known of it, as JSON"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, word, 0, 2);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = json && n > 0 ? ks_err_set(&err, KS_EINVAL, "--json tells what is known of the "
		"agent; give no words with it") : ks_fold_open(&fold, NULL, &err);
	if (rc == 0) {
		rc = json ? show_json(ks_fold_state(fold)) : act(fold, word, n, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_agent = {
	"agent", "[--json | start | stop | modes | mode ID]",
	"the agent: state, start, stop, its own modes",
	"Without words: what is known of the agent, with its last words where it has\n"
	"died. start starts it again and takes its session up where it can; stop ends\n"
	"it and leaves the engine.",
	run
};
