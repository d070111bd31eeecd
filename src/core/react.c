/*
 * What follows from an event that is now history. Called after ks_evolve with
 * the same event. The order within one event: moments first, then the goal, so
 * that the loop, which runs on goal.computed, sees the moment that is open.
 */
#include "core/command.h"

#include <string.h>

#include "core/ask.h"
#include "core/fields.h"
#include "core/moment.h"
#include "core/say.h"

/* ---- moments ---- */

static void offer_members(struct ks_jw *w, const struct ks_offer *offers, int count)
{
	ks_jw_open_array(w, "offers");
	for (int i = 0; i < count; i++) {
		const char layer[2] = {offers[i].layer, '\0'};

		ks_jw_open(w, NULL);
		ks_jw_str(w, "question", offers[i].question);
		ks_jw_str(w, "layer", layer);
		ks_jw_str(w, "text", offers[i].text);
		ks_jw_str(w, "reason", offers[i].reason);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

void ks_moment_fields(const struct ks_found *found, const struct ks_offer *offers,
	int count, int64_t id, int64_t cause, int64_t until, struct ks_buf *out)
{
	struct ks_fields f;

	ks_fields_init(&f);
	ks_jw_int(&f.w, "moment", id);
	ks_jw_str(&f.w, "moment_kind", ks_moment_name(found->kind));
	ks_jw_str(&f.w, "evidence", found->evidence);
	ks_jw_int(&f.w, "cause", cause);
	if (found->resource[0] != '\0') {
		ks_jw_str(&f.w, "resource", found->resource);
	}
	offer_members(&f.w, offers, count);
	ks_jw_int(&f.w, "detector", KS_MOMENT_DETECTOR);
	if (until > 0) {
		ks_jw_int(&f.w, "until", until);
	}
	ks_fields_take(&f, out);
}

static bool raise_moment(struct ks_turn *turn, const struct ks_event *event)
{
	const struct ks_moment *open = ks_state_open_moment(turn->state);
	struct ks_found found;
	struct ks_offer offers[KS_OFFERS];
	struct ks_buf fields = {0};
	int64_t until = 0;
	int count;

	ks_moment_scan(turn->state, turn->policy, event, &found);
	if (found.kind == KS_MOMENT_NONE) {
		return false;
	}
	if (open != NULL) {
		ks_say_dismiss(turn, open->id, KS_BY_ENGINE, "another moment came");
	}
	count = ks_moment_offers(turn->state, turn->policy, &found, offers);
	if (found.kind == KS_MOMENT_START) {
		until = ks_loop_until(turn, false);
	}
	ks_moment_fields(&found, offers, count, turn->next_id++, event->seq, until,
		&fields);
	ks_out_event(turn->out, KS_EV_MOMENT_RAISED, KS_BY_ENGINE, &fields);
	return true;
}

/* ---- evaluations ---- */

static void start_confirm(struct ks_turn *turn)
{
	const struct ks_look *look = &turn->state->look;
	int number = turn->state->candidates[look->candidate].number;
	struct ks_fields f;
	struct ks_buf fields = {0};
	struct ks_effect *effect;
	int64_t id = turn->next_id++;

	ks_fields_init(&f);
	ks_jw_int(&f.w, "eval", id);
	ks_jw_str(&f.w, "who", "engine");
	ks_jw_bool(&f.w, "confirm", true);
	ks_jw_int(&f.w, "of", look->eval);
	ks_jw_int(&f.w, "candidate", number);
	ks_jw_bool(&f.w, "perf", true);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_EVAL_QUEUED, KS_BY_ENGINE, &fields);
	effect = ks_out_effect(turn->out, KS_FX_EVAL_START, id, NULL);
	effect->flag = true;
	effect->candidate = number;
}

/* What meets the goal comes before what does not; of equals the faster one. */
static bool better(const struct ks_state *state, int candidate, int than, double geomean)
{
	bool meets = ks_standing_meets(state, candidate);
	double rival = than == state->champion ? state->best
		: state->candidates[than].geomean;

	if (meets != ks_standing_meets(state, than)) {
		return meets;
	}
	return geomean > rival;
}

static void champion_event(struct ks_turn *turn, int candidate)
{
	const struct ks_state *state = turn->state;
	const struct ks_candidate *c = &state->candidates[candidate];
	struct ks_fields f;
	struct ks_buf fields = {0};

	ks_fields_init(&f);
	ks_jw_int(&f.w, "candidate", c->number);
	ks_jw_num(&f.w, "geomean", c->geomean);
	ks_jw_num(&f.w, "geo_lo", c->geo_lo);
	ks_jw_num(&f.w, "geo_hi", c->geo_hi);
	ks_jw_int(&f.w, "before", state->candidates[state->champion].number);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_CHAMPION_CHANGED, KS_BY_ENGINE, &fields);
}

/* A champion that a later look found wrong makes way for the best of the others
 * that are confirmed, the seed at the least. */
static int heir(const struct ks_state *state)
{
	int best = 0;

	for (size_t i = 1; i < state->n_candidates; i++) {
		const struct ks_candidate *c = &state->candidates[i];

		if (c->confirmed && better(state, (int)i, best, c->geomean)) {
			best = (int)i;
		}
	}
	return best;
}

static bool new_champion(struct ks_turn *turn)
{
	const struct ks_state *state = turn->state;
	int candidate = state->look.candidate;
	const struct ks_candidate *c;

	if (candidate > 0 && candidate == state->champion) {
		c = &state->candidates[candidate];
		if (!c->confirmed && c->n_correct < c->n_measured) {
			champion_event(turn, heir(state));
			return true;
		}
	}
	if (!ks_state_confirms(state) || candidate == state->champion) {
		return false;
	}
	c = &state->candidates[candidate];
	if (!better(state, candidate, state->champion,
		c->geomean - ks_state_margin(c))) {
		return false;
	}
	champion_event(turn, candidate);
	return true;
}

static void eval_finished(struct ks_turn *turn, const struct ks_event *event)
{
	bool mine = turn->state->look.eval
		== ks_json_get_int(event->doc, "eval", 0);

	raise_moment(turn, event);
	if (mine && ks_standing_wants_confirm(turn->state)) {
		start_confirm(turn);
		ks_loop_goal(turn);
		return;
	}
	if (!mine || !new_champion(turn)) {
		ks_loop_goal(turn);
	}
}

static void goal_computed(struct ks_turn *turn, const struct ks_event *event)
{
	const struct ks_moment *open = ks_state_open_moment(turn->state);

	if (turn->state->how != KS_HOW_ENDED) {
		return;
	}
	/* The evaluation after the turn's end found what the turn did not. */
	if (open != NULL && open->kind == KS_MOMENT_COMPLETION
		&& ks_json_get_bool(event->doc, "met", false)) {
		ks_say_dismiss(turn, open->id, KS_BY_ENGINE, "the goal is met");
	}
	ks_loop(turn, KS_PUSH_NONE);
}

static void eval_failed(struct ks_turn *turn, const struct ks_event *event)
{
	raise_moment(turn, event);
	if (turn->state->agent == KS_AGENT_WAITING
		&& turn->state->how == KS_HOW_ENDED) {
		ks_loop_goal(turn);
	}
}

static void champion_changed(struct ks_turn *turn, const struct ks_event *event)
{
	const struct ks_moment *open = ks_state_open_moment(turn->state);

	if (open != NULL && open->kind == KS_MOMENT_PLATEAU) {
		ks_say_dismiss(turn, open->id, KS_BY_ENGINE, "the champion changed");
	}
	ks_loop_goal(turn);
}

/* ---- turns ---- */

static void turn_error(struct ks_turn *turn, const struct ks_event *event)
{
	const struct ks_state *state = turn->state;
	const struct ks_policy *policy = turn->policy;
	int64_t ms = policy->retry_ms;

	if (state->retries > policy->retry_limit) {
		ks_say_notice(turn, "error", "the agent's turn ended with an error %d "
			"times in a row; no further try, say something to go on",
			state->retries);
		if (policy->unattended) {
			ks_out_effect(turn->out, KS_FX_AGENT_STOP, 0, "errors");
			ks_out_effect(turn->out, KS_FX_ENGINE_STOP, 0, "errors");
		}
		return;
	}
	for (int i = 1; i < state->retries && ms < 600 * 1000; i++) {
		ms *= 2;
	}
	ks_say_notice(turn, "warn", "the agent's turn ended with an error; trying "
		"again in %lld s (%d of %d)", (long long)(ms / 1000), state->retries,
		policy->retry_limit);
	ks_out_effect(turn->out, KS_FX_TIMER, 0, "retry")->ms = ms;
}

/* The goal speaks of the code as it is, so what was not measured is first. A
 * message that waits goes at once: nobody is to wait for a measurement. */
static void turn_goal(struct ks_turn *turn)
{
	if (turn->policy->fresh_eval && turn->state->goal != NULL
		&& turn->state->queued == 0) {
		ks_out_effect(turn->out, KS_FX_EVAL_FRESH, 0, NULL);
	} else {
		ks_loop_goal(turn);
	}
}

static void turn_ended(struct ks_turn *turn, const struct ks_event *event)
{
	const struct ks_state *state = turn->state;

	if (state->manual) {
		return;
	}
	raise_moment(turn, event);
	if (state->how == KS_HOW_ENDED) {
		if (state->idle_turns == turn->policy->idle_turn_limit
			&& state->goal != NULL) {
			ks_say_notice(turn, "warn", "%d turns in a row without a tool "
				"call: nothing more is sent back by itself",
				state->idle_turns);
		}
		turn_goal(turn);
	} else if (state->queued > 0) {
		ks_say_queue(turn);
	} else if (state->how == KS_HOW_ERROR) {
		turn_error(turn, event);
	} else {
		if (state->how == KS_HOW_LIMIT) {
			ks_say_notice(turn, "warn", "the agent reached its own limit; "
				"the goal was not computed");
		}
		ks_loop(turn, KS_PUSH_NONE);
	}
}

static void agent_started(struct ks_turn *turn, const struct ks_event *event)
{
	if (!raise_moment(turn, event) || turn->state->queued > 0) {
		ks_loop(turn, KS_PUSH_NONE);
	}
}

static void agent_exited(struct ks_turn *turn, const struct ks_event *event)
{
	raise_moment(turn, event);
	ks_say_untimer(turn);
	if (turn->policy->unattended) {
		ks_out_effect(turn->out, KS_FX_ENGINE_STOP, 0, "the agent has exited");
	}
}

static void moment_raised(struct ks_turn *turn)
{
	if (!turn->state->briefed && turn->state->how == KS_HOW_NONE
		&& turn->state->queued == 0) {
		ks_loop(turn, KS_PUSH_NONE);
	}
}

static void moment_dismissed(struct ks_turn *turn, const struct ks_event *event)
{
	if (event->by == KS_BY_HUMAN || ks_json_get_bool(event->doc, "timeout", false)) {
		ks_loop(turn, KS_PUSH_DISMISSED);
	}
}

static void mode_set(struct ks_turn *turn)
{
	ks_out_effect(turn->out, KS_FX_TIMER_CANCEL, 0, "bank");
	ks_out_effect(turn->out, KS_FX_TIMER_CANCEL, 0, "human");
	ks_out_effect(turn->out, KS_FX_TIMER_CANCEL, 0, "sendback");
	if (turn->state->agent == KS_AGENT_WAITING
		&& turn->state->how == KS_HOW_ENDED) {
		ks_loop_goal(turn);
	} else {
		ks_loop(turn, KS_PUSH_NONE);
	}
}

/* A habit that a person may want to know of. */
static void quiet_note(struct ks_turn *turn, const struct ks_event *event)
{
	struct ks_buf fields = {0};
	struct ks_note note;

	if (!ks_quiet_scan(turn->state, turn->policy, event, &note)) {
		return;
	}
	ks_quiet_fields(&note, &fields);
	ks_out_event(turn->out, KS_EV_NOTICE, KS_BY_ENGINE, &fields);
}

void ks_react(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_out *out)
{
	struct ks_turn turn;

	ks_turn_init(&turn, state, policy, out, event->t);
	switch (event->kind) {
	case KS_EV_AGENT_STARTED:
		agent_started(&turn, event);
		break;
	case KS_EV_AGENT_EXITED:
		agent_exited(&turn, event);
		break;
	case KS_EV_TURN_ENDED:
		turn_ended(&turn, event);
		break;
	case KS_EV_EVAL_FINISHED:
		eval_finished(&turn, event);
		break;
	case KS_EV_EVAL_FAILED:
		eval_failed(&turn, event);
		break;
	case KS_EV_CHAMPION_CHANGED:
		champion_changed(&turn, event);
		break;
	case KS_EV_GOAL_COMPUTED:
		goal_computed(&turn, event);
		break;
	case KS_EV_MOMENT_RAISED:
		moment_raised(&turn);
		break;
	case KS_EV_MOMENT_DISMISSED:
		moment_dismissed(&turn, event);
		break;
	case KS_EV_MODE_SET:
		mode_set(&turn);
		break;
	case KS_EV_PERMISSION_ASKED:
	case KS_EV_AGENT_ASKED:
		ks_ask_react(&turn, event);
		break;
	default:
		raise_moment(&turn, event);
		break;
	}
	quiet_note(&turn, event);
}
