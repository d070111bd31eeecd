/*
 * What is asked for: one function a command. Refusals are errors with one line;
 * the state is only read, and what follows from an event is react's.
 */
#include "core/command.h"

#include <string.h>

#include "core/ask.h"
#include "core/fields.h"
#include "core/say.h"

#define SAY_EVENT_MAX (56 * 1024)

typedef int decide_fn(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err);

static bool blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

static int check_text(const char *text, struct ks_err *err)
{
	struct ks_buf json = {0};
	struct ks_jw w;
	size_t len;

	if (text == NULL || blank(text)) {
		return ks_err_set(err, KS_EINVAL, "message: empty; write a text");
	}
	ks_jw_init(&w, &json);
	ks_jw_str(&w, NULL, text);
	len = json.len;
	ks_buf_fini(&json);
	if (strlen(text) > KS_SAY_MAX || len > SAY_EVENT_MAX) {
		return ks_err_set(err, KS_ELIMIT, "message: longer than %d KiB; put "
			"it into a file and name the file", KS_SAY_MAX / 1024);
	}
	return 0;
}

/* A question's id must be in the bank that is open; "" is none. */
static int check_question(const struct ks_turn *turn, const char **question,
	struct ks_err *err)
{
	if (*question == NULL || (*question)[0] == '\0') {
		*question = NULL;
		return 0;
	}
	if (turn->policy->bank != NULL && ks_bank_find(turn->policy->bank,
		ks_str_of(*question)) == NULL) {
		return ks_err_set(err, KS_EINVAL, "say: no question \"%.40s\" in the "
			"bank; 'kseek bank' lists them", *question);
	}
	return 0;
}

static int steer(struct ks_turn *turn, struct ks_words *words, struct ks_err *err)
{
	if (!turn->state->steers) {
		return ks_err_set(err, KS_EUNSUPPORTED, "say: this agent takes no words during a "
			"turn; without steer they are sent when it ends");
	}
	words->steer = true;
	ks_say(turn, words);
	return 0;
}

static int say(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const struct ks_state *state = turn->state;
	const struct ks_moment *open = ks_state_open_moment(state);
	struct ks_words words = {
		.text = ks_json_get_str(command->args, "text", NULL),
		.moment = ks_json_get_int(command->args, "moment", 0),
		.question = ks_json_get_str(command->args, "question", NULL),
		.via = ks_json_get_str(command->args, "via", "cli"),
		.by = command->by,
	};
	int rc = check_text(words.text, err);

	if (rc == 0) {
		rc = check_question(turn, &words.question, err);
	}
	if (rc < 0) {
		return rc;
	}
	if (words.moment != 0 && ks_state_moment(state, words.moment) < 0) {
		return ks_err_set(err, KS_EINVAL,
			"say: no moment %lld; 'kseek moments' lists them",
			(long long)words.moment);
	}
	if (words.moment == 0 && open != NULL && !state->manual) {
		words.moment = open->id;
	}
	/* Who works in the folder has no turn that could end. */
	if (state->manual) {
		ks_say(turn, &words);
		return 0;
	}
	if (state->agent == KS_AGENT_WAITING) {
		words.clauses = state->how == KS_HOW_ENDED;
		ks_say(turn, &words);
		return 0;
	}
	if (ks_json_get_bool(command->args, "steer", false)
		&& state->agent == KS_AGENT_WORKING) {
		return steer(turn, &words, err);
	}
	if (state->queued >= KS_QUEUE_MAX) {
		return ks_err_set(err, KS_ELIMIT, "say: %d messages wait already; they "
			"are sent when the turn ends", KS_QUEUE_MAX);
	}
	ks_say_later(turn, &words);
	if (ks_json_get_bool(command->args, "now", false)
		&& state->agent == KS_AGENT_WORKING) {
		ks_out_effect(turn->out, KS_FX_AGENT_CANCEL, 0, NULL);
	}
	return 0;
}

static int note(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const char *text = ks_json_get_str(command->args, "text", NULL);
	int64_t at = ks_json_get_int(command->args, "at", 0);
	struct ks_fields f;
	struct ks_buf fields = {0};
	int rc = check_text(text, err);

	if (rc < 0) {
		return rc;
	}
	ks_fields_init(&f);
	ks_jw_str(&f.w, "text", text);
	if (at > 0) {
		ks_jw_int(&f.w, "at", at);
	}
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_NOTE_ADDED, command->by, &fields);
	return 0;
}

static int dismiss(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const struct ks_moment *open = ks_state_open_moment(turn->state);
	int64_t id = ks_json_get_int(command->args, "moment",
		open != NULL ? open->id : 0);

	if (open == NULL) {
		return ks_err_set(err, KS_EINVAL, "dismiss: no moment is open");
	}
	if (id != open->id) {
		return ks_err_set(err, KS_EINVAL,
			"dismiss: moment %lld is not open; %lld is", (long long)id,
			(long long)open->id);
	}
	ks_say_dismiss(turn, id, command->by,
		ks_json_get_str(command->args, "why", NULL));
	return 0;
}

static int mode(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const char *name = ks_json_get_str(command->args, "mode", "");
	struct ks_fields f;
	struct ks_buf fields = {0};

	if (ks_mode_from_name(name) < 0) {
		return ks_err_set(err, KS_EINVAL,
			"mode: \"%.40s\" is none of human, bank, none", name);
	}
	ks_fields_init(&f);
	ks_jw_str(&f.w, "mode", name);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_MODE_SET, command->by, &fields);
	return 0;
}

/* The last message of a person; NULL without. */
static const struct ks_message *said_last(const struct ks_state *state)
{
	for (size_t i = state->n_messages; i-- > 0;) {
		if (state->messages[i].by == KS_BY_HUMAN) {
			return &state->messages[i];
		}
	}
	return NULL;
}

static int act(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const struct ks_state *state = turn->state;
	const char *name = ks_json_get_str(command->args, "act", "");
	const struct ks_message *last = said_last(state);
	int64_t id = ks_json_get_int(command->args, "message", last != NULL ? last->id : 0);
	bool known = false;
	struct ks_fields f;
	struct ks_buf fields = {0};

	if (ks_act_of(ks_str_of(name)) < 0) {
		return ks_err_set(err, KS_EINVAL, "act: \"%.40s\" is none of question, "
			"directive, approval, correction, goal", name);
	}
	for (size_t i = 0; i < state->n_messages; i++) {
		known = known || state->messages[i].id == id;
	}
	if (!known) {
		return ks_err_set(err, KS_EINVAL, "act: no message %lld was sent; "
			"'kseek export --format jsonl' lists them", (long long)id);
	}
	ks_fields_init(&f);
	ks_jw_int(&f.w, "message", id);
	ks_jw_str(&f.w, "act", name);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_ACT_CORRECTED, command->by, &fields);
	return 0;
}

static int interrupt(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	if (turn->state->agent != KS_AGENT_WORKING) {
		return ks_err_set(err, KS_EINVAL, "interrupt: no turn runs");
	}
	ks_out_effect(turn->out, KS_FX_AGENT_CANCEL, 0, NULL);
	return 0;
}

static int agent_start(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	if (turn->state->agent == KS_AGENT_WORKING
		|| turn->state->agent == KS_AGENT_WAITING) {
		return ks_err_set(err, KS_EBUSY, "agent: it runs already");
	}
	ks_out_effect(turn->out, KS_FX_AGENT_START, 0, NULL);
	return 0;
}

static int stop(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const char *why = ks_json_get_str(command->args, "why", "asked to");

	if (turn->state->agent == KS_AGENT_WORKING
		|| turn->state->agent == KS_AGENT_WAITING) {
		ks_out_effect(turn->out, KS_FX_AGENT_STOP, 0, why);
	}
	if (ks_json_get_bool(command->args, "engine", true)) {
		ks_out_effect(turn->out, KS_FX_ENGINE_STOP, 0, why);
	}
	return 0;
}

static void copy_members(struct ks_jw *w, const struct ks_json *args,
	const char *const *skip)
{
	for (const struct ks_json *m = ks_json_first(args); m != NULL;
		m = ks_json_next(m)) {
		const char *key = ks_json_key(m);
		bool skipped = key == NULL;

		for (size_t i = 0; !skipped && skip[i] != NULL; i++) {
			skipped = strcmp(skip[i], key) == 0;
		}
		if (!skipped) {
			ks_jw_node(w, key, m);
		}
	}
}

static int eval(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	static const char *const skip[] = {"eval", "seq", "t", "kind", "by", "who", NULL};
	const struct ks_state *state = turn->state;
	int room = (int)(sizeof(state->eval_waiting) / sizeof(state->eval_waiting[0]));
	struct ks_fields f;
	struct ks_buf fields = {0};
	int64_t id = turn->next_id++;

	if (state->eval_queue >= room) {
		return ks_err_set(err, KS_EBUSY, "eval: %d evaluations wait already; "
			"try again when some are done", state->eval_queue);
	}
	ks_fields_init(&f);
	ks_jw_int(&f.w, "eval", id);
	ks_jw_str(&f.w, "who", ks_json_get_str(command->args, "who",
		ks_by_name(command->by)));
	copy_members(&f.w, command->args, skip);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_EVAL_QUEUED, command->by, &fields);
	ks_out_effect(turn->out, KS_FX_EVAL_START, id, NULL);
	return 0;
}

static bool may_be_observed(enum ks_ev kind)
{
	switch (kind) {
	case KS_EV_CAMPAIGN_CREATED:
	case KS_EV_SCENARIO_DECLARED:
	case KS_EV_ENGINE_STARTED:
	case KS_EV_ENGINE_STOPPED:
	case KS_EV_AGENT_STARTED:
	case KS_EV_AGENT_EXITED:
	case KS_EV_TURN_STARTED:
	case KS_EV_TURN_ENDED:
	case KS_EV_AGENT_SAID:
	case KS_EV_AGENT_THOUGHT:
	case KS_EV_TOOL_STARTED:
	case KS_EV_TOOL_ENDED:
	case KS_EV_TOOL_UPDATED:
	case KS_EV_PERMISSION_ASKED:
	case KS_EV_PERMISSION_ANSWERED:
	case KS_EV_AGENT_ASKED:
	case KS_EV_AGENT_ANSWERED:
	case KS_EV_AGENT_SESSION:
	case KS_EV_AGENT_MODE:
	case KS_EV_AGENT_USAGE:
	case KS_EV_AGENT_PLAN:
	case KS_EV_PROCESS_RAN:
	case KS_EV_HOOK_RAN:
	case KS_EV_FILE_CHANGED:
	case KS_EV_EVAL_STARTED:
	case KS_EV_EVAL_SCENARIO:
	case KS_EV_EVAL_EVIDENCE:
	case KS_EV_EVAL_FINISHED:
	case KS_EV_EVAL_FAILED:
	case KS_EV_CANDIDATE_COMMITTED:
	case KS_EV_NOTICE:
	case KS_EV_COMMAND_REFUSED:
		return true;
	default:
		return false;
	}
}

static int observed(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	static const char *const skip[] = {"seq", "t", "kind", "by", NULL};
	const char *name = ks_json_get_str(command->args, "kind", "");
	enum ks_ev kind = ks_ev_from_name(name);
	struct ks_fields f;
	struct ks_buf fields = {0};

	if (!may_be_observed(kind)) {
		return ks_err_set(err, KS_EINVAL,
			"event: \"%.40s\" is not a kind that can be observed", name);
	}
	ks_fields_init(&f);
	copy_members(&f.w, command->args, skip);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, kind, command->by, &fields);
	return 0;
}

static void retry(struct ks_turn *turn)
{
	const struct ks_state *state = turn->state;
	struct ks_words words = {.via = "retry", .by = KS_BY_ENGINE,
		.text = "The last turn stopped with an error before it had ended. "
			"Go on from where you were."};

	if (state->agent != KS_AGENT_WAITING || state->how != KS_HOW_ERROR) {
		return;
	}
	if (state->queued > 0) {
		ks_say_queue(turn);
		return;
	}
	if (!state->briefed) {
		words.text = NULL;
	}
	ks_say(turn, &words);
}

/* Nobody answered the moment at the turn's end. */
static void human_timer(struct ks_turn *turn)
{
	const struct ks_moment *open = ks_state_open_moment(turn->state);

	if (open != NULL && turn->state->agent == KS_AGENT_WAITING
		&& turn->state->how == KS_HOW_ENDED
		&& ks_loop_mode(turn->state, turn->policy) == KS_MODE_HUMAN) {
		ks_say_timed_out(turn, open->id);
	}
}

static int timer(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const char *name = ks_json_get_str(command->args, "name", "");

	if (strcmp(name, "retry") == 0) {
		retry(turn);
	} else if (strcmp(name, "human") == 0) {
		human_timer(turn);
	} else if (strcmp(name, "fresh") == 0 && turn->state->agent == KS_AGENT_WAITING
		&& turn->state->how == KS_HOW_ENDED) {
		ks_loop_goal(turn);
	} else if (strcmp(name, "bank") == 0 || strcmp(name, "sendback") == 0) {
		ks_loop(turn, KS_PUSH_TIMER);
	}
	return 0;
}

static int log_stopped(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	if (turn->state->agent == KS_AGENT_WORKING) {
		ks_out_effect(turn->out, KS_FX_AGENT_CANCEL, 0, "the log has stopped");
	}
	return 0;
}

static int touch(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const struct ks_state *state = turn->state;
	const struct ks_policy *policy = turn->policy;

	if (state->draft_until == 0 || policy->unattended
		|| state->agent != KS_AGENT_WAITING) {
		return 0;
	}
	if (state->mode == KS_MODE_BANK) {
		ks_out_effect(turn->out, KS_FX_TIMER, 0, "bank")->ms = policy->bank_wait_ms;
	} else if (state->mode == KS_MODE_HUMAN) {
		ks_out_effect(turn->out, KS_FX_TIMER, 0, "human")->ms = policy->human_wait_ms;
	}
	return 0;
}

static int agent_mode(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const struct ks_state *state = turn->state;
	const char *mode = ks_json_get_str(command->args, "mode", "");
	bool known = state->n_agent_modes == 0 || state->n_agent_modes == KS_AGENT_MODES;

	if (state->agent != KS_AGENT_WORKING && state->agent != KS_AGENT_WAITING) {
		return ks_err_set(err, KS_ENOTFOUND, "agent: none runs");
	}
	for (int i = 0; i < state->n_agent_modes; i++) {
		known = known || strcmp(state->agent_modes[i].id, mode) == 0;
	}
	if (!known || mode[0] == '\0') {
		return ks_err_set(err, KS_EINVAL, "agent: \"%.60s\" is none of its modes; "
			"'kseek agent modes' lists them", mode);
	}
	ks_out_effect(turn->out, KS_FX_AGENT_MODE, 0, mode);
	return 0;
}

/* A message that waits is taken back, or gets another text. */
static int unqueue(struct ks_turn *turn, const struct ks_command *command,
	struct ks_err *err)
{
	const struct ks_state *state = turn->state;
	int64_t id = ks_json_get_int(command->args, "id", 0);
	const char *text = ks_json_get_str(command->args, "text", NULL);
	struct ks_fields f;
	struct ks_buf fields = {0};
	bool found = false;
	int rc = text != NULL ? check_text(text, err) : 0;

	for (int i = 0; i < state->queued; i++) {
		found = found || state->queue[i].id == id;
	}
	if (rc == 0 && !found) {
		rc = ks_err_set(err, KS_EINVAL, "queue: no message %lld waits (any more); "
			"'kseek queue' lists those that do", (long long)id);
	}
	if (rc < 0) {
		return rc;
	}
	ks_fields_init(&f);
	ks_jw_int(&f.w, "id", id);
	if (text != NULL) {
		ks_jw_str(&f.w, "text", text);
	}
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_MESSAGE_REVISED, command->by, &fields);
	return 0;
}

static decide_fn *const table[] = {
	[KS_CMD_SAY] = say,
	[KS_CMD_NOTE] = note,
	[KS_CMD_DISMISS] = dismiss,
	[KS_CMD_MODE] = mode,
	[KS_CMD_ACT] = act,
	[KS_CMD_INTERRUPT] = interrupt,
	[KS_CMD_AGENT_START] = agent_start,
	[KS_CMD_STOP] = stop,
	[KS_CMD_EVAL] = eval,
	[KS_CMD_OBSERVED] = observed,
	[KS_CMD_TIMER] = timer,
	[KS_CMD_LOG_STOPPED] = log_stopped,
	[KS_CMD_TOUCH] = touch,
	[KS_CMD_ANSWER] = ks_ask_answer,
	[KS_CMD_AGENT_MODE] = agent_mode,
	[KS_CMD_UNQUEUE] = unqueue,
};

int ks_decide(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_command *command, struct ks_out *out, struct ks_err *err)
{
	struct ks_turn turn;

	if ((size_t)command->kind >= sizeof(table) / sizeof(table[0])
		|| table[command->kind] == NULL) {
		return ks_err_set(err, KS_EINVAL, "command: unknown kind %d",
			(int)command->kind);
	}
	ks_turn_init(&turn, state, policy, out, command->t);
	return table[command->kind](&turn, command, err);
}
