/*
 * The driver of Claude Code over stream-json: its life, and what kseek asks of
 * it. What it says is in claude_in.c.
 *
 * It has no word for "a turn begins" that could be relied on, and words given
 * during a turn are answered by the same result or by one of their own. So a
 * turn begins with our message, or with what it says while none runs; it ends
 * with a result. It also begins turns by itself, as when a subagent in the
 * background has finished, it may take up words that were cancelled, and it joins
 * several that wait to one. So every message of ours has an id, and a result counts
 * as the turn's once the agent has told by that id that it took the message up; how
 * it repeats its text says nothing. A turn also ends, as cancelled, when the message
 * is given up before it began: then no result comes.
 */
#include "agent/claude_impl.h"

#include <stdio.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/mem.h"

#define START_MS 60000
#define CANCEL_MS 30000
#define CANCEL_AGAIN_US 2000000
/* It overrules a stop hook after eight blocks in a row; nobody wants that here. */
#define BLOCK_CAP "100000"

/* ---- sending ---- */

void ks_cc_send(struct ks_cc *c, struct ks_buf *line)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_program_send(c->program, ks_buf_str(line), &err) == KS_ELIMIT) {
		ks_program_end(c->program, false);
	}
	ks_buf_fini(line);
}

void ks_cc_request(struct ks_cc *c, char id[32], const char *subtype, const char *key,
	const char *value)
{
	struct ks_buf line = {0};

	snprintf(id, 32, "kseek-%lld", (long long)++c->next);
	ks_claude_request(&line, id, subtype, key, value);
	ks_cc_send(c, &line);
}

/* A session passes over an id that it knows, so each start has a stem of its own. */
static void make_stem(struct ks_cc *c)
{
	unsigned char r[8];

	while (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r)) {
	}
	snprintf(c->stem, sizeof(c->stem), "%02x%02x%02x%02x-%02x%02x-4%01x%02x-8000-", r[0], r[1],
		r[2], r[3], r[4], r[5], r[6] & 15u, r[7]);
}

void ks_cc_id(const struct ks_cc *c, char out[KS_CC_ID], int64_t n)
{
	snprintf(out, KS_CC_ID, "%s%012llx", c->stem, (unsigned long long)n & 0xffffffffffffull);
}

static struct ks_cc_words send_words(struct ks_cc *c, const struct ks_prompt *prompt)
{
	struct ks_cc_words words = {++c->sent, prompt->id, ks_str_starts(prompt->text, "/")};
	struct ks_buf line = {0};
	char id[KS_CC_ID];

	ks_cc_id(c, id, words.n);
	ks_claude_prompt(&line, id, prompt->text);
	ks_cc_send(c, &line);
	return words;
}

void ks_cc_begin(struct ks_cc *c, const struct ks_cc_words *words, bool taken)
{
	ks_talk_begin(&c->talk, words->message);
	c->mine = *words;
	c->taken = taken;
	c->drop[0] = '\0';
}

void ks_cc_cancelled(struct ks_cc *c)
{
	ks_timer_cancel(c->patience);
	ks_program_idle(c->program);
	ks_talk_end(&c->talk, "cancelled", (struct ks_str){0}, "");
}

/* ---- its start and end ---- */

static void exited(void *ctx, const struct ks_child_exit *how);

static void lost(void *ctx, size_t bytes)
{
	struct ks_cc *c = ctx;

	ks_talk_notice(&c->talk, "warn", "a line of %zu MB from the agent was too long and is lost",
		bytes / (1024 * 1024));
}

static int start_program(struct ks_cc *c, struct ks_err *err)
{
	static const char *const fixed[] = {"-p", "--input-format", "stream-json",
		"--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio",
		"--replay-user-messages"};
	const struct ks_program_ops ops = {ks_cc_line, lost, exited, c};
	const struct ks_agent_setup setup = {.loop = c->agent.loop, .folder = c->folder,
		.exec = c->exec, .mark = c->mark};
	size_t count = 0, n_fixed = sizeof(fixed) / sizeof(fixed[0]);
	const char **argv;
	int rc;

	while (c->launch.argv[count] != NULL) {
		count++;
	}
	argv = ks_zalloc(count + n_fixed + 5, sizeof(*argv));
	memcpy(argv, c->launch.argv, count * sizeof(*argv));
	memcpy(argv + count, fixed, sizeof(fixed));
	count += n_fixed;
	if (c->wanted != NULL && !c->anew) {
		argv[count++] = "--resume";
		argv[count++] = c->wanted;
	}
	if (c->launch.mode != NULL) {
		argv[count++] = "--permission-mode";
		argv[count++] = c->launch.mode;
	}
	rc = ks_program_start(&c->program, &setup, argv, ks_env_list(c->launch.env), &ops, err);
	free(argv);
	if (rc == 0) {
		ks_timer_arm(c->patience, START_MS);
		ks_cc_request(c, c->init, "initialize", NULL, NULL);
	}
	return rc;
}

static void patience_over(void *ctx)
{
	struct ks_cc *c = ctx;

	if (c->phase == KS_CC_STARTING) {
		ks_buf_addf(&c->reason,
			"the agent did not answer within %d s of its start; start it by "
			"itself to see what it waits for", START_MS / 1000);
		c->phase = KS_CC_LEAVING;
		ks_program_end(c->program, false);
	} else if (c->talk.in_turn && c->talk.cancelling) {
		ks_talk_notice(&c->talk, "warn",
			"the agent has not stopped for %d s; interrupt it again "
			"to end it (start it again afterwards: its session is taken up)",
			CANCEL_MS / 1000);
	}
}

static void leave(struct ks_cc *c, const struct ks_child_exit *how)
{
	struct ks_sink sink = c->agent.sink;
	struct ks_buf tail = {0};

	c->phase = KS_CC_LEAVING;
	ks_talk_gone(&c->talk, "the agent's program ended during the turn");
	ks_buf_addstr(&tail, ks_buf_str(&c->reason));
	if (tail.len > 0) {
		ks_buf_addc(&tail, '\n');
	}
	ks_program_tail(c->program, &tail);
	ks_report_exited(&c->agent, how->signal != 0 ? 128 + how->signal
		: c->reason.len > 0 && how->status == 0 ? 1 : how->status, how->signal,
		ks_buf_str(&tail));
	ks_buf_fini(&tail);
	sink.gone(sink.ctx);
}

/* A session that is not there any more ends the program at its start. */
static void exited(void *ctx, const struct ks_child_exit *how)
{
	struct ks_cc *c = ctx;
	struct ks_buf tail = {0};
	struct ks_err err = KS_ERR_INIT;

	if (c->phase != KS_CC_STARTING || c->wanted == NULL || c->anew ||
		ks_program_ending(c->program)) {
		leave(c, how);
		return;
	}
	ks_program_tail(c->program, &tail);
	ks_talk_notice(&c->talk, "warn", "the session before could not be taken up again (%.200s); "
		"the agent starts without its memory of it", tail.ptr != NULL ? tail.ptr : "");
	ks_buf_fini(&tail);
	c->anew = true;
	ks_program_free(c->program);
	c->program = NULL;
	if (start_program(c, &err) < 0) {
		struct ks_sink sink = c->agent.sink;

		ks_report_exited(&c->agent, 127, 0, ks_str_of(err.msg));
		sink.gone(sink.ctx);
	}
}

static void cc_free(struct ks_agent *agent)
{
	struct ks_cc *c = (struct ks_cc *)agent;

	ks_loop_undefer(c->agent.loop, c);
	ks_timer_free(c->patience);
	ks_program_free(c->program);
	ks_talk_fini(&c->talk);
	ks_launch_fini(&c->launch);
	free(c->folder);
	free(c->exec);
	free(c->mark);
	free(c->wanted);
	free(c->session);
	free(c->version);
	free(c->mode);
	free(c->mode_wanted);
	ks_buf_fini(&c->reason);
	free(c);
}

static int cc_start(struct ks_agent **out, const struct ks_agent_setup *setup,
	const struct ks_sink *sink, struct ks_err *err)
{
	struct ks_cc *c = ks_zalloc(1, sizeof(*c));
	int rc;

	c->agent = (struct ks_agent){&ks_driver_claude, setup->loop, *sink};
	ks_talk_init(&c->talk, &c->agent, setup);
	c->folder = ks_strdup(setup->folder);
	c->exec = ks_strdup(setup->exec);
	c->mark = ks_strdup(setup->mark);
	c->wanted = setup->session != NULL && setup->session[0] != '\0'
		? ks_strdup(setup->session) : NULL;
	c->forms = setup->forms;
	c->session = ks_strdup("");
	make_stem(c);
	c->version = ks_strdup("");
	c->mode = ks_strdup("");
	c->patience = ks_timer_new(setup->loop, patience_over, c);
	rc = ks_launch_init(&c->launch, setup, "claude", "claude", err);
	if (rc == 0) {
		ks_env_set(c->launch.env, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", BLOCK_CAP);
		rc = start_program(c, err);
	}
	if (rc < 0) {
		cc_free(&c->agent);
		return rc;
	}
	*out = &c->agent;
	return 0;
}

/* ---- what kseek asks ---- */

static int cc_prompt(struct ks_agent *agent, const struct ks_prompt *prompt, struct ks_err *err)
{
	struct ks_cc *c = (struct ks_cc *)agent;
	struct ks_cc_words words;

	if (c->phase == KS_CC_LEAVING || ks_program_ending(c->program)) {
		return ks_err_set(err, KS_ENOTFOUND, "the agent is ending");
	}
	if (c->phase == KS_CC_STARTING || c->talk.in_turn) {
		return ks_err_set(err, KS_EBUSY, "a turn runs");
	}
	words = send_words(c, prompt);
	ks_cc_begin(c, &words, false);
	return 0;
}

static int cc_steer(struct ks_agent *agent, const struct ks_prompt *prompt, struct ks_err *err)
{
	struct ks_cc *c = (struct ks_cc *)agent;

	if (c->phase != KS_CC_READY || !c->talk.in_turn || c->talk.cancelling) {
		return ks_err_set(err, KS_ENOTFOUND, "no turn runs");
	}
	if (c->n_steers == KS_CC_STEERS) {
		return ks_err_set(err, KS_EBUSY, "it has not yet taken up the %d before",
			KS_CC_STEERS);
	}
	c->steers[c->n_steers++] = send_words(c, prompt);
	return 0;
}

/* It withdraws by itself what it has asked. A message that waits behind a turn of its
 * own is taken back, or it would begin after the interrupt. */
static void interrupt(struct ks_cc *c)
{
	char id[KS_CC_ID];

	c->talk.cancelling = true;
	c->cancel_t0 = ks_clock_mono_us();
	if (!c->taken) {
		ks_cc_id(c, id, c->mine.n);
		ks_cc_request(c, c->drop, "cancel_async_message", "message_uuid", id);
	}
	ks_cc_request(c, c->interrupt, "interrupt", NULL, NULL);
	for (size_t i = 0; i < c->talk.n_asks; i++) {
		if (c->talk.asks[i].why == NULL) {
			ks_talk_void(&c->talk, &c->talk.asks[i], "cancelled");
		}
	}
}

static void cc_cancel(struct ks_agent *agent)
{
	struct ks_cc *c = (struct ks_cc *)agent;

	if (!c->talk.in_turn || c->phase != KS_CC_READY) {
		return;
	}
	if (!c->talk.cancelling) {
		interrupt(c);
		ks_timer_arm(c->patience, CANCEL_MS);
	} else if (ks_clock_mono_us() - c->cancel_t0 > CANCEL_AGAIN_US) {
		ks_program_end(c->program, false);
	}
}

static void cc_stop(struct ks_agent *agent)
{
	struct ks_cc *c = (struct ks_cc *)agent;

	if (c->talk.in_turn && !c->talk.cancelling && c->phase == KS_CC_READY) {
		interrupt(c);
	}
	ks_program_end(c->program, c->talk.in_turn);
}

static bool cc_owns(const struct ks_agent *agent, pid_t pid)
{
	const struct ks_cc *c = (const struct ks_cc *)agent;

	return ks_program_owns(c->program, pid);
}

static bool is_option(const char *option, const char *kind)
{
	static const char *const known[] = {"allow_once", "allow_always", "reject_once",
		"reject_always"};
	const char *word = option != NULL ? option : kind;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i], word) == 0) {
			return true;
		}
	}
	return false;
}

static int permit(struct ks_cc *c, struct ks_ask *ask, const struct ks_answer *answer,
	struct ks_err *err)
{
	const char *word = answer->option != NULL ? answer->option : answer->kind;
	const struct ks_json *suggestions = ks_json_get(ask->doc, "permission_suggestions");
	struct ks_buf line = {0};

	if (word != NULL && !is_option(answer->option, answer->kind)) {
		return ks_err_set(err, KS_EINVAL, "the agent offers no \"%.60s\"", word);
	}
	if (word != NULL && strncmp(word, "allow", 5) == 0) {
		ks_claude_allow(&line, ask->wire, ks_json_get(ask->doc, "input"),
			strcmp(word, "allow_always") == 0 ? suggestions : NULL, (struct ks_str){0});
	} else {
		ks_claude_deny(&line, ask->wire, answer->text != NULL && answer->text[0] != '\0'
			? answer->text : "The person who steers you does not allow this.",
			word == NULL);
	}
	ks_cc_send(c, &line);
	ks_talk_answered(&c->talk, ask);
	return 0;
}

static int cc_answer(struct ks_agent *agent, const struct ks_answer *answer, struct ks_err *err)
{
	struct ks_cc *c = (struct ks_cc *)agent;
	struct ks_ask *ask = ks_talk_ask(&c->talk, answer->ask);
	struct ks_buf line = {0};

	if (ask == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "the agent's question is not open any more");
	}
	if (!ask->form) {
		return permit(c, ask, answer, err);
	}
	/* Without answers it hears that the person did not answer. */
	ks_claude_allow(&line, ask->wire, ks_json_get(ask->doc, "input"), NULL, answer->values);
	ks_cc_send(c, &line);
	ks_talk_answered(&c->talk, ask);
	return 0;
}

static int cc_set_mode(struct ks_agent *agent, const char *mode, struct ks_err *err)
{
	struct ks_cc *c = (struct ks_cc *)agent;

	if (c->phase != KS_CC_READY || c->mode_wanted != NULL) {
		return ks_err_set(err, KS_EBUSY, "the agent has not answered yet for another mode");
	}
	c->mode_wanted = ks_strdup(mode);
	ks_cc_request(c, c->mode_request, "set_permission_mode", "mode", mode);
	return 0;
}

static int cc_check(const char *argument, char **out_label, struct ks_err *err)
{
	char **words = NULL;
	int rc = 0;

	if (argument != NULL && argument[0] != '\0') {
		rc = ks_words(&words, argument, err);
		ks_words_free(words);
	}
	if (rc == 0 && out_label != NULL) {
		*out_label = ks_strdup("Claude Code");
	}
	return rc;
}

const struct ks_driver ks_driver_claude = {
	.name = "claude", .start = cc_start, .prompt = cc_prompt, .cancel = cc_cancel,
	.stop = cc_stop, .owns = cc_owns, .free = cc_free, .check = cc_check,
	.answer = cc_answer, .set_mode = cc_set_mode, .steer = cc_steer,
};
