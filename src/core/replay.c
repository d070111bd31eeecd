/*
 * Found moments enter the fold as events of their own, made as the engine would
 * make them, so that hysteresis works as it does live.
 */
#include "core/replay.h"

#include "core/fields.h"

void ks_replay_init(struct ks_replay *replay, const struct ks_policy *policy)
{
	ks_state_init(&replay->state);
	replay->policy = *policy;
	replay->found = replay->notes = 0;
}

void ks_replay_fini(struct ks_replay *replay)
{
	if (replay != NULL) {
		ks_state_fini(&replay->state);
	}
}

static void apply(struct ks_replay *replay, const struct ks_event *at, enum ks_ev kind,
	const char *members)
{
	struct ks_buf line = {0};
	struct ks_event event;

	ks_fields_line(&line, at->seq, at->t, ks_ev_name(kind), "engine", members);
	if (ks_event_parse(&event, ks_buf_str(&line), NULL) == 0) {
		ks_evolve(&replay->state, &event);
		ks_event_fini(&event);
	}
	ks_buf_fini(&line);
}

static void close_moment(struct ks_replay *replay, const struct ks_event *at,
	const struct ks_moment *open, enum ks_ev kind)
{
	struct ks_fields f;
	struct ks_buf members = {0};

	ks_fields_init(&f);
	ks_jw_int(&f.w, "moment", open->id);
	ks_fields_take(&f, &members);
	apply(replay, at, kind, members.ptr);
	ks_buf_fini(&members);
}

static void close_open(struct ks_replay *replay, const struct ks_event *event)
{
	const struct ks_moment *open = ks_state_open_moment(&replay->state);
	bool steered = event->kind == KS_EV_MESSAGE_QUEUED
		|| (event->kind == KS_EV_MESSAGE_SENT && replay->state.steer
		== (int)replay->state.n_messages - 1);

	if (open == NULL) {
		return;
	}
	if (steered) {
		close_moment(replay, event, open, KS_EV_MOMENT_ANSWERED);
	} else if (event->kind == KS_EV_TURN_STARTED
		&& open->kind == KS_MOMENT_COMPLETION) {
		close_moment(replay, event, open, KS_EV_MOMENT_DISMISSED);
	}
}

/* What the scan found when the log was written; it is found anew. */
static bool is_of_the_scan(const struct ks_event *event)
{
	switch (event->kind) {
	case KS_EV_MOMENT_RAISED:
	case KS_EV_MOMENT_ANSWERED:
	case KS_EV_MOMENT_DISMISSED:
		return true;
	case KS_EV_NOTICE:
		return ks_quiet_of(ks_json_get_str(event->doc, "about", "")) >= 0;
	default:
		return false;
	}
}

bool ks_replay_look(struct ks_replay *replay, const struct ks_event *event,
	struct ks_replay_found *out)
{
	out->moment.kind = KS_MOMENT_NONE;
	out->noted = false;
	out->count = 0;
	if (is_of_the_scan(event)) {
		return false;
	}
	if (event->kind == KS_EV_ENGINE_STARTED) {
		ks_policy_read(&replay->policy, ks_json_get(event->doc, "policy"));
	}
	ks_evolve(&replay->state, event);
	close_open(replay, event);
	ks_moment_scan(&replay->state, &replay->policy, event, &out->moment);
	if (out->moment.kind != KS_MOMENT_NONE) {
		out->count = ks_moment_offers(&replay->state, &replay->policy, &out->moment,
			out->offers);
	}
	out->noted = ks_quiet_scan(&replay->state, &replay->policy, event, &out->note);
	return out->moment.kind != KS_MOMENT_NONE || out->noted;
}

void ks_replay_take(struct ks_replay *replay, const struct ks_event *event,
	const struct ks_replay_found *found)
{
	const struct ks_moment *open = ks_state_open_moment(&replay->state);
	struct ks_buf members = {0};

	if (found->moment.kind != KS_MOMENT_NONE) {
		if (open != NULL) {
			close_moment(replay, event, open, KS_EV_MOMENT_DISMISSED);
		}
		ks_moment_fields(&found->moment, found->offers, found->count, ++replay->found,
			event->seq, 0, &members);
		apply(replay, event, KS_EV_MOMENT_RAISED, members.ptr);
	}
	if (found->noted) {
		replay->notes++;
		ks_buf_clear(&members);
		ks_quiet_fields(&found->note, &members);
		apply(replay, event, KS_EV_NOTICE, members.ptr);
	}
	ks_buf_fini(&members);
}

bool ks_replay_step(struct ks_replay *replay, const struct ks_event *event,
	struct ks_replay_found *out)
{
	bool found = ks_replay_look(replay, event, out);

	if (found) {
		ks_replay_take(replay, event, out);
	}
	return found;
}
