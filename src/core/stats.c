/*
 * The fold of figures, and its two forms: JSON members and lines of text.
 */
#include "core/stats.h"

#include <string.h>

#include "base/mem.h"
#include "core/fold.h"

#define GAIN_COUNTS 1.03

static const char *const effort_names[KS_STATS_EFFORTS] = {
	"timelines", "profiler runs", "disassemblies", "host profiles",
	"documents read", "builds", "benchmark runs", "checks", "subagents",
	"own source read", "compiler reports",
};

void ks_stats_init(struct ks_stats *stats)
{
	*stats = (struct ks_stats){0};
}

void ks_stats_fini(struct ks_stats *stats)
{
	if (stats != NULL) {
		free(stats->steps);
		*stats = (struct ks_stats){0};
	}
}

const char *ks_stats_effort_name(int row)
{
	return row >= 0 && row < KS_STATS_EFFORTS ? effort_names[row] : "other";
}

static struct ks_str member(const struct ks_event *event, const char *key)
{
	return ks_str_of(ks_json_get_str(event->doc, key, ""));
}

static void count_call(struct ks_stats *stats, const struct ks_call *call, int slot)
{
	struct ks_call_class class = {0};

	ks_layer_classify(&class, call);
	if ((unsigned)class.kind < KS_STATS_KINDS) {
		stats->kinds[class.kind]++;
	}
	for (int i = 0; i < KS_STATS_EFFORTS; i++) {
		stats->effort[i] += (class.effort >> i) & 1;
	}
	for (int i = 0; i < KS_LAYERS; i++) {
		stats->evidence[i] += class.evidence[i];
		stats->attention[i] += class.attention[i];
	}
	stats->own[slot] = (class.effort & KS_EFFORT_OWN_SOURCE) != 0;
	stats->told[slot] = class.effort;
}

static void tool_started(struct ks_stats *stats, const struct ks_state *state,
	const struct ks_event *event)
{
	int slot = state->calls > 0 ? (state->calls - 1) % KS_TOOLS_KEPT : 0;
	struct ks_call call;

	ks_fold_call(&call, state, event);
	stats->calls++;
	count_call(stats, &call, slot);
}

/* Effort is counted by process where one was seen: the first of a kind is the one
 * that the call's text told of, any other is one more. */
static void process_ran(struct ks_stats *stats, const struct ks_state *state,
	const struct ks_event *event)
{
	struct ks_call call = {.kind = KS_STR("execute"), .command = member(event, "text"),
		.by_process = true, .cpu = ks_fold_on_cpu(state)};
	const char *id = ks_json_get_str(event->doc, "call", "");
	struct ks_call_class class = {0};
	int slot = state->calls > 0 ? (state->calls - 1) % KS_TOOLS_KEPT : 0;

	for (int i = 0; id[0] != '\0' && i < KS_TOOLS_KEPT; i++) {
		slot = strcmp(state->tools[i].call, id) == 0 ? i : slot;
	}
	ks_layer_classify(&class, &call);
	for (int i = 0; i < KS_STATS_EFFORTS; i++) {
		unsigned bit = class.effort & (1u << i);

		if ((stats->told[slot] & bit) != 0) {
			stats->told[slot] &= ~bit;
		} else if (bit != 0) {
			stats->effort[i]++;
		}
	}
}

static void tool_ended(struct ks_stats *stats, const struct ks_state *state,
	const struct ks_event *event)
{
	int64_t bytes = ks_json_get_int(event->doc, "bytes",
		(int64_t)strlen(ks_json_get_str(event->doc, "text", "")));

	bytes = bytes < 0 ? 0 : bytes;
	stats->result_bytes += bytes;
	if (state->tool_now >= 0 && stats->own[state->tool_now]) {
		stats->own_bytes += bytes;
	}
}

static void message_sent(struct ks_stats *stats, const struct ks_state *state)
{
	const struct ks_message *m;

	if (state->steer < 0 || (size_t)state->steer + 1 != state->n_messages) {
		return;
	}
	m = &state->messages[state->steer];
	stats->messages++;
	stats->by_human += m->by == KS_BY_HUMAN ? 1 : 0;
	stats->by_bank += m->by == KS_BY_ENGINE ? 1 : 0;
}

static void eval_finished(struct ks_stats *stats, const struct ks_state *state)
{
	const struct ks_look *look = &state->look;

	if (look->confirm) {
		stats->confirms++;
		stats->unconfirmed += ks_state_confirms(state) ? 0 : 1;
		return;
	}
	stats->evals++;
	stats->partial += look->partial ? 1 : 0;
	stats->incorrect += look->figures.n_correct < look->figures.n_measured ? 1 : 0;
}

static void step(struct ks_stats *stats, const struct ks_state *state,
	const struct ks_event *event)
{
	ks_grow(&stats->steps, &stats->cap_steps, stats->n_steps + 1,
		sizeof(stats->steps[0]));
	stats->steps[stats->n_steps++] = (struct ks_stats_step){
		.seq = event->seq, .t = event->t, .call = state->calls,
		.candidate = state->candidates[state->champion].number,
		.geomean = state->best,
	};
}

static void turn_ended(struct ks_stats *stats, const struct ks_event *event)
{
	if (stats->turn_t > 0 && event->t > stats->turn_t) {
		stats->working_us += event->t - stats->turn_t;
	}
	stats->turn_t = 0;
}

static void moment(struct ks_stats *stats, const struct ks_event *event)
{
	if (event->kind == KS_EV_MOMENT_RAISED) {
		stats->moments[ks_moment_from_name(ks_json_get_str(event->doc,
			"moment_kind", ""))]++;
	} else if (event->kind == KS_EV_MOMENT_ANSWERED) {
		stats->answered++;
	} else {
		stats->dismissed++;
	}
}

void ks_stats_add(struct ks_stats *stats, const struct ks_state *state,
	const struct ks_event *event)
{
	if (stats->first_t == 0) {
		stats->first_t = event->t;
	}
	stats->last_t = event->t;
	switch (event->kind) {
	case KS_EV_TURN_STARTED:
		stats->turn_t = event->t;
		break;
	case KS_EV_TURN_ENDED:
	case KS_EV_AGENT_EXITED:
		turn_ended(stats, event);
		break;
	case KS_EV_TOOL_STARTED:
		tool_started(stats, state, event);
		break;
	case KS_EV_TOOL_ENDED:
		tool_ended(stats, state, event);
		break;
	case KS_EV_PROCESS_RAN:
		process_ran(stats, state, event);
		break;
	case KS_EV_MESSAGE_SENT:
		message_sent(stats, state);
		stats->words_bytes += (int64_t)member(event, "text").len;
		break;
	case KS_EV_EVAL_FINISHED:
		eval_finished(stats, state);
		break;
	case KS_EV_EVAL_FAILED:
		stats->failed++;
		break;
	case KS_EV_CHAMPION_CHANGED:
		step(stats, state, event);
		break;
	case KS_EV_GOAL_SENT_BACK:
		stats->sent_back++;
		break;
	case KS_EV_MOMENT_RAISED:
	case KS_EV_MOMENT_ANSWERED:
	case KS_EV_MOMENT_DISMISSED:
		moment(stats, event);
		break;
	default:
		break;
	}
}

double ks_stats_calls_per_message(const struct ks_stats *stats)
{
	return stats->messages > 0 ? (double)stats->calls / stats->messages : 0;
}

double ks_stats_share(const struct ks_stats *stats, int layer)
{
	double sum = 0;

	for (int i = 0; i < KS_LAYERS; i++) {
		sum += stats->evidence[i];
	}
	return layer >= 0 && layer < KS_LAYERS && sum > 0
		? stats->evidence[layer] / sum : 0;
}

void ks_stats_acts(struct ks_stats_acts *out, const struct ks_state *state)
{
	*out = (struct ks_stats_acts){0};
	for (size_t i = 0; i < state->n_messages; i++) {
		const struct ks_message *m = &state->messages[i];

		if (m->is_goal || (unsigned)m->act >= KS_ACTS) {
			continue;
		}
		out->messages++;
		out->count[m->act]++;
		out->interrogative += m->interrogative ? 1 : 0;
		out->corrected += m->corrected ? 1 : 0;
	}
}

void ks_stats_asked_fini(struct ks_stats_asked *asked)
{
	if (asked != NULL) {
		free(asked->item);
		*asked = (struct ks_stats_asked){0};
	}
}

static struct ks_stats_question *asked_of(struct ks_stats_asked *asked, const char *id)
{
	struct ks_stats_question *q;

	for (size_t i = 0; i < asked->count; i++) {
		if (strcmp(asked->item[i].id, id) == 0) {
			return &asked->item[i];
		}
	}
	ks_grow(&asked->item, &asked->cap, asked->count + 1, sizeof(asked->item[0]));
	q = &asked->item[asked->count++];
	*q = (struct ks_stats_question){.gain = 1};
	snprintf(q->id, sizeof(q->id), "%s", id);
	return q;
}

/* The layer that a question asks about: the last letter in front of its number
 * ("H-02", "U-H-01"). */
void ks_stats_asked_add(struct ks_stats_asked *asked, const struct ks_state *state)
{
	for (size_t i = 0; i < state->n_messages; i++) {
		const struct ks_message *m = &state->messages[i];
		double gain = m->before > 0 ? m->after / m->before : 1;
		struct ks_stats_question *q;

		if (m->question[0] == '\0') {
			continue;
		}
		q = asked_of(asked, m->question);
		q->asked++;
		if (m->layer_next >= 0 && m->layer_next < KS_LAYERS) {
			q->measured++;
			q->next[m->layer_next]++;
		}
		if (m->calls_number > 0) {
			q->numbers++;
			q->calls += m->calls_number;
		}
		q->gained += gain >= GAIN_COUNTS ? 1 : 0;
		q->gain = gain > q->gain ? gain : q->gain;
	}
}
