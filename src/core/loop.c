/*
 * The goal loop: what an agent that waits is told, and when. At a turn's end
 * unmet clauses go back: at once (mode none), together with the top offer after
 * the wait (bank), or when the person has spoken or dismissed the moment, or has
 * not within the time that the policy gives (human). Nothing is sent while
 * evaluations run, since their results belong to the answer.
 */
#include "core/say.h"

enum ks_mode ks_loop_mode(const struct ks_state *state, const struct ks_policy *policy)
{
	return policy->unattended && state->mode == KS_MODE_HUMAN ? KS_MODE_BANK
		: state->mode;
}

static bool evaluating(const struct ks_state *state)
{
	return state->eval.running || state->eval_queue > 0;
}

static bool idle(const struct ks_turn *turn)
{
	int limit = turn->policy->idle_turn_limit;

	return limit > 0 && turn->state->idle_turns >= limit;
}

/* Whether the agent waits at a point where the loop would speak. */
static bool due(const struct ks_turn *turn, bool met)
{
	const struct ks_state *state = turn->state;

	if (state->agent != KS_AGENT_WAITING || state->manual) {
		return false;
	}
	if (!state->briefed && state->how == KS_HOW_NONE) {
		return true;
	}
	return state->how == KS_HOW_ENDED && state->goal != NULL && !met
		&& !evaluating(state) && !idle(turn);
}

/* Least wait from now in milliseconds. */
static int64_t wait_ms(const struct ks_turn *turn, enum ks_push push)
{
	const struct ks_policy *policy = turn->policy;
	enum ks_mode mode = ks_loop_mode(turn->state, policy);
	int64_t floor_ms = 0;
	int64_t bank_ms = 0;

	if (turn->state->sent_back_t > 0) {
		int64_t passed = (turn->t - turn->state->sent_back_t) / 1000;

		floor_ms = policy->sendback_floor_ms - (passed > 0 ? passed : 0);
	}
	if (mode == KS_MODE_BANK && push == KS_PUSH_NONE && !policy->unattended) {
		bank_ms = policy->bank_wait_ms;
	}
	floor_ms = floor_ms > bank_ms ? floor_ms : bank_ms;
	return floor_ms > 0 ? floor_ms : 0;
}

int64_t ks_loop_until(const struct ks_turn *turn, bool met)
{
	const struct ks_policy *policy = turn->policy;
	enum ks_mode mode = ks_loop_mode(turn->state, policy);

	if (policy->unattended || turn->state->queued > 0 || !due(turn, met)) {
		return 0;
	}
	if (mode == KS_MODE_HUMAN) {
		return turn->state->how == KS_HOW_ENDED && policy->human_wait_ms > 0
			? turn->t + 1000 * policy->human_wait_ms : 0;
	}
	return mode == KS_MODE_BANK ? turn->t + 1000 * wait_ms(turn, KS_PUSH_NONE) : 0;
}

static void speak(struct ks_turn *turn)
{
	const struct ks_state *state = turn->state;
	const struct ks_moment *open = ks_state_open_moment(state);
	enum ks_mode mode = ks_loop_mode(state, turn->policy);
	bool bank = mode == KS_MODE_BANK;
	struct ks_words words = {.via = "goal", .by = KS_BY_ENGINE,
		.clauses = state->how == KS_HOW_ENDED || state->goal_seq > 0};

	if (bank && open != NULL && open->n_offers > 0) {
		words.text = open->offers[0].text;
		words.question = open->offers[0].question;
		words.moment = open->id;
		words.via = "bank";
	} else if (open != NULL && mode != KS_MODE_HUMAN) {
		ks_say_dismiss(turn, open->id, KS_BY_ENGINE,
			bank ? "no question to offer" : "mode none");
	}
	if (words.text == NULL && !state->briefed) {
		words.via = "brief";
	}
	ks_say(turn, &words);
}

static void over(struct ks_turn *turn)
{
	if (turn->policy->unattended && !evaluating(turn->state)) {
		ks_out_effect(turn->out, KS_FX_AGENT_STOP, 0, "nothing is left to do");
		ks_out_effect(turn->out, KS_FX_ENGINE_STOP, 0, "nothing is left to do");
	}
}

static bool met_now(const struct ks_state *state)
{
	struct ks_standing standing;
	bool met;

	ks_standing_init(&standing, state);
	met = standing.met;
	ks_standing_fini(&standing);
	return met;
}

/* Human mode: the brief waits for the first message, and the moment at a turn's
 * end for an answer. */
static bool waits_for_person(struct ks_turn *turn, enum ks_push push)
{
	const struct ks_state *state = turn->state;

	if (ks_loop_mode(state, turn->policy) != KS_MODE_HUMAN
		|| push == KS_PUSH_DISMISSED) {
		return false;
	}
	if (!state->briefed && state->how == KS_HOW_NONE) {
		return turn->policy->start_waits;
	}
	if (ks_state_open_moment(state) == NULL) {
		return false;
	}
	if (turn->policy->human_wait_ms > 0) {
		ks_out_effect(turn->out, KS_FX_TIMER, 0, "human")->ms =
			turn->policy->human_wait_ms;
	}
	return true;
}

static void wait_or_speak(struct ks_turn *turn, enum ks_push push)
{
	enum ks_mode mode = ks_loop_mode(turn->state, turn->policy);
	int64_t ms;

	if (waits_for_person(turn, push)) {
		return;
	}
	ms = wait_ms(turn, push);
	if (ms > 0) {
		struct ks_effect *timer = ks_out_effect(turn->out, KS_FX_TIMER, 0,
			mode == KS_MODE_BANK ? "bank" : "sendback");

		timer->ms = ms;
		return;
	}
	speak(turn);
}

void ks_loop(struct ks_turn *turn, enum ks_push push)
{
	const struct ks_state *state = turn->state;
	bool met;

	if (state->agent != KS_AGENT_WAITING) {
		return;
	}
	if (state->queued > 0) {
		ks_say_queue(turn);
		return;
	}
	met = state->how == KS_HOW_ENDED && met_now(state);
	if (due(turn, met)) {
		wait_or_speak(turn, push);
	} else if (state->how == KS_HOW_ENDED || state->how == KS_HOW_LIMIT) {
		over(turn);
	}
}

void ks_loop_goal(struct ks_turn *turn)
{
	if (turn->state->goal == NULL) {
		ks_loop(turn, KS_PUSH_NONE);
		return;
	}
	ks_say_goal(turn, ks_loop_until(turn, met_now(turn->state)));
}
