/*
 * Builds the events and the effect of a message. The log keeps the parts: what
 * was asked, and beside it the clauses that were appended; the agent gets them
 * as one text. A person's or the bank's message stays theirs: only the loop's
 * own words are the goal's, and only what the engine sends counts as sent back.
 */
#include "core/say.h"

#include <string.h>

#include "base/mem.h"
#include "core/fields.h"

static const char usual_brief[] =
	"Read AGENTS.md in this folder: it holds the goal, the files and the one "
	"command that measures. Then make the kernel faster.";

void ks_turn_init(struct ks_turn *turn, const struct ks_state *state,
	const struct ks_policy *policy, struct ks_out *out, int64_t t)
{
	*turn = (struct ks_turn){.state = state, .policy = policy, .out = out,
		.t = t, .next_id = state->next_id};
}

static const char *brief_of(const struct ks_turn *turn)
{
	return turn->policy->brief != NULL ? turn->policy->brief : usual_brief;
}

static void member_if(struct ks_jw *w, const char *key, const char *value)
{
	if (value != NULL && value[0] != '\0') {
		ks_jw_str(w, key, value);
	}
}

static void sent_event(struct ks_turn *turn, int64_t id, const struct ks_words *words,
	const char *text, bool brief, const char *clauses)
{
	struct ks_fields f;
	struct ks_buf fields = {0};
	struct ks_act_class class = {.act = KS_ACT_GOAL};

	if (words->text != NULL) {
		ks_act_classify(&class, ks_str_of(words->text));
	}
	ks_fields_init(&f);
	ks_jw_int(&f.w, "id", id);
	ks_jw_str(&f.w, "text", text);
	if (words->moment > 0) {
		ks_jw_int(&f.w, "moment", words->moment);
	}
	member_if(&f.w, "question", words->question);
	member_if(&f.w, "via", words->via);
	ks_jw_bool(&f.w, "goal", words->text == NULL && clauses[0] != '\0');
	if (brief) {
		ks_jw_bool(&f.w, "brief", true);
	}
	if (words->text != NULL) {
		member_if(&f.w, "clauses", clauses);
	}
	if (words->steer) {
		ks_jw_bool(&f.w, "steered", true);
	}
	ks_jw_str(&f.w, "act", ks_act_name(class.act));
	ks_jw_bool(&f.w, "interrogative", class.interrogative);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_MESSAGE_SENT, words->by, &fields);
}

static void answered_event(struct ks_turn *turn, const struct ks_words *words, int64_t id)
{
	struct ks_fields f;
	struct ks_buf fields = {0};
	int i = ks_state_moment(turn->state, words->moment);

	if (i < 0 || turn->state->moments[i].state != KS_MOMENT_OPEN) {
		return;
	}
	ks_fields_init(&f);
	ks_jw_int(&f.w, "moment", words->moment);
	member_if(&f.w, "question", words->question);
	ks_jw_int(&f.w, "message", id);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_MOMENT_ANSWERED, words->by, &fields);
}

static void sent_back_event(struct ks_turn *turn, int64_t id)
{
	struct ks_fields f;
	struct ks_buf fields = {0};

	ks_fields_init(&f);
	ks_jw_int(&f.w, "count", turn->state->sent_back + 1);
	ks_jw_int(&f.w, "message", id);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_GOAL_SENT_BACK, KS_BY_ENGINE, &fields);
}

static void add_part(struct ks_buf *prompt, const char *text)
{
	if (text == NULL || text[0] == '\0') {
		return;
	}
	if (prompt->len > 0) {
		ks_buf_adds(prompt, "\n\n");
	}
	ks_buf_adds(prompt, text);
}

void ks_say_untimer(struct ks_turn *turn)
{
	static const char *const timers[] = {"bank", "human", "sendback", "retry"};

	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++) {
		ks_out_effect(turn->out, KS_FX_TIMER_CANCEL, 0, timers[i]);
	}
}

/* Messages to a manual agent are read in the log: none has to run. */
static void prompt_effect(struct ks_turn *turn, int64_t id, struct ks_buf *prompt)
{
	char *text = ks_buf_take(prompt);

	ks_say_untimer(turn);
	if (!turn->state->manual || turn->state->agent == KS_AGENT_WAITING) {
		ks_out_effect(turn->out, KS_FX_AGENT_PROMPT, id, text);
	}
	free(text);
}

static char *clauses_of(const struct ks_turn *turn, bool wanted)
{
	struct ks_standing standing;
	struct ks_buf words = {0};

	if (wanted) {
		ks_standing_init(&standing, turn->state);
		ks_standing_words(&standing, turn->state, &words);
		ks_standing_fini(&standing);
	}
	return ks_buf_take(&words);
}

static bool needs_brief(const struct ks_turn *turn)
{
	return !turn->state->briefed && !turn->state->manual;
}

void ks_say(struct ks_turn *turn, const struct ks_words *words)
{
	int64_t id = words->id > 0 ? words->id : turn->next_id++;
	bool brief = needs_brief(turn);
	char *clauses = clauses_of(turn, words->clauses);
	struct ks_buf prompt = {0};
	const char *text = words->text;

	if (brief) {
		add_part(&prompt, brief_of(turn));
	}
	add_part(&prompt, text);
	add_part(&prompt, clauses);
	if (text == NULL) {
		text = clauses[0] != '\0' ? clauses : brief_of(turn);
	}
	sent_event(turn, id, words, text, brief, clauses);
	answered_event(turn, words, id);
	if (clauses[0] != '\0' && words->by == KS_BY_ENGINE) {
		sent_back_event(turn, id);
	}
	if (words->steer) {
		ks_out_effect(turn->out, KS_FX_AGENT_STEER, id, text);
		ks_buf_fini(&prompt);
	} else {
		prompt_effect(turn, id, &prompt);
	}
	free(clauses);
}

void ks_say_later(struct ks_turn *turn, const struct ks_words *words)
{
	struct ks_fields f;
	struct ks_buf fields = {0};
	int64_t id = turn->next_id++;

	ks_fields_init(&f);
	ks_jw_int(&f.w, "id", id);
	ks_jw_str(&f.w, "text", words->text);
	if (words->moment > 0) {
		ks_jw_int(&f.w, "moment", words->moment);
	}
	member_if(&f.w, "question", words->question);
	member_if(&f.w, "via", words->via);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_MESSAGE_QUEUED, words->by, &fields);
	answered_event(turn, words, id);
}

void ks_say_queue(struct ks_turn *turn)
{
	const struct ks_state *state = turn->state;
	bool ended = state->how == KS_HOW_ENDED && !state->manual;
	char *clauses = clauses_of(turn, ended);
	bool brief = needs_brief(turn);
	struct ks_buf prompt = {0};
	int64_t id = 0;

	if (brief) {
		add_part(&prompt, brief_of(turn));
	}
	for (int i = 0; i < state->queued; i++) {
		const struct ks_queued *q = &state->queue[i];
		bool last = i + 1 == state->queued;
		struct ks_words words = {.text = q->text, .moment = q->moment,
			.question = q->question, .via = q->via,
			.by = KS_BY_HUMAN};

		id = q->id;
		add_part(&prompt, q->text);
		sent_event(turn, id, &words, q->text, brief && i == 0,
			last ? clauses : "");
	}
	add_part(&prompt, clauses);
	prompt_effect(turn, id, &prompt);
	free(clauses);
}

void ks_say_notice(struct ks_turn *turn, const char *level, const char *fmt, ...)
{
	struct ks_fields f;
	struct ks_buf fields = {0};
	struct ks_buf text = {0};
	va_list ap;

	va_start(ap, fmt);
	ks_buf_addv(&text, fmt, ap);
	va_end(ap);
	ks_fields_init(&f);
	ks_jw_slice(&f.w, "text", ks_buf_str(&text));
	ks_jw_str(&f.w, "level", level);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_NOTICE, KS_BY_ENGINE, &fields);
	ks_buf_fini(&text);
}

static void dismissed_event(struct ks_turn *turn, int64_t moment, enum ks_by by,
	const char *why, bool timeout)
{
	struct ks_fields f;
	struct ks_buf fields = {0};

	ks_fields_init(&f);
	ks_jw_int(&f.w, "moment", moment);
	member_if(&f.w, "why", why);
	if (timeout) {
		ks_jw_bool(&f.w, "timeout", true);
	}
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_MOMENT_DISMISSED, by, &fields);
}

void ks_say_dismiss(struct ks_turn *turn, int64_t moment, enum ks_by by, const char *why)
{
	dismissed_event(turn, moment, by, why, false);
}

void ks_say_timed_out(struct ks_turn *turn, int64_t moment)
{
	dismissed_event(turn, moment, KS_BY_ENGINE, "nobody answered in time", true);
}

void ks_say_goal(struct ks_turn *turn, int64_t until)
{
	struct ks_standing standing;
	struct ks_buf fields = {0};

	ks_standing_init(&standing, turn->state);
	ks_standing_fields(&standing, turn->state, standing.met ? 0 : until, &fields);
	ks_out_event(turn->out, KS_EV_GOAL_COMPUTED, KS_BY_ENGINE, &fields);
	ks_standing_fini(&standing);
}
