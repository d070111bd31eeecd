/*
 * What followed a message: which layers were measured, after how many calls, and
 * whether it was answered by a number. An answer is a figure that a call prints
 * which measures the layer of the question, or a figure with a unit that the agent
 * says after a measurement; saying one without having measured is no answer, and a
 * measurement without a figure is none yet. An evaluation times the whole call: it
 * answers only what asks whether the number is real, and words without a question
 * of the bank. Also the act of a message, where a person set it.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/fold.h"

static int strongest(const double evidence[KS_LAYERS])
{
	int best = KS_LAYER_NONE;

	for (int i = 0; i < KS_LAYERS; i++) {
		if (evidence[i] > 0 && (best < 0 || evidence[i] > evidence[best])) {
			best = i;
		}
	}
	return best;
}

#define NEXT_SURE 0.5 /* evidence that makes a call more than a mere timing */

/* Whether an evaluation is what the message asks for. */
static bool asks_evaluator(const struct ks_message *m)
{
	int layer = ks_layer_of_question(m->question);

	return layer == KS_LAYER_NONE || layer == KS_LAYER_V;
}

static void name_next(struct ks_message *m, const struct ks_call_class *class)
{
	double weight = 0;

	for (int i = 0; i < KS_LAYERS; i++) {
		weight += class->evidence[i];
	}
	if (m->layer_next < 0 || (m->next_weight < NEXT_SURE && weight >= NEXT_SURE)) {
		m->layer_next = strongest(class->evidence);
		m->next_weight = weight;
	}
}

static void count_measured(struct ks_message *m, const struct ks_call_class *class)
{
	bool evaluates = ks_call_evaluates(class);

	if (!evaluates) {
		name_next(m, class);
	}
	m->measured = m->measured || !evaluates || asks_evaluator(m);
	if (m->calls_measured == 0) {
		m->calls_measured = m->calls > 0 ? m->calls : 1;
	}
	for (int i = 0; i < KS_LAYERS; i++) {
		m->layers |= class->evidence[i] >= KS_LAYER_EVIDENCE_LEAST ? 1u << i : 0;
	}
}

void ks_fold_measured(struct ks_state *state, const struct ks_call_class *class)
{
	int last = (int)state->n_messages - 1;

	if (last >= 0) {
		count_measured(&state->messages[last], class);
	}
	if (state->steer >= 0 && state->steer != last) {
		count_measured(&state->messages[state->steer], class);
	}
}

/* Letters behind a number that make it a measured quantity. */
static bool is_unit(const char *word, size_t len)
{
	static const char *const units[] = {
		"us", "ms", "ns", "s", "x", "gb", "mb", "kb", "gib", "mib", "kib", "tb", "b",
		"bytes", "byte", "cycles", "cycle", "gflops", "tflops", "flops", "percent",
		"calls", "call", "times", "instructions", "launches", "registers", "faults",
		"misses", "blocks", "waves", "mismatches", "failures", "spills", "warps",
		"seconds", "microseconds", "milliseconds", "nanoseconds", "ghz", "mhz",
		"sectors", "wavefronts", "stages", "syncs", "allocations", "copies",
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i]) == len && strncasecmp(units[i], word, len) == 0) {
			return true;
		}
	}
	return false;
}

/* The end of the number that stands for itself at this place ("3.4", not "v2" or
 * "x86"), or NULL. */
static const char *number_at(const char *text, const char *at)
{
	const char *end = at;

	if (!isdigit((unsigned char)*at) || (at > text
		&& (isalnum((unsigned char)at[-1]) || strchr("_-#", at[-1]) != NULL))) {
		return NULL;
	}
	while (isdigit((unsigned char)*end) || ((*end == '.' || *end == ',')
		&& isdigit((unsigned char)end[1]))) {
		end++;
	}
	return end;
}

/* Whether a number with a unit ("3.4 us", "97%", "of 12 bytes") is in the text. */
static bool has_figure(const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		const char *end = number_at(text, at);
		size_t len = 0;

		if (end == NULL) {
			continue;
		}
		at = end - 1;
		end += *end == ' ' ? 1 : 0;
		if (*end == '%' || strncmp(end, "\xc3\x97", 2) == 0
			|| strncmp(end, "\xc2\xb5s", 3) == 0
			|| strncmp(end, "\xce\xbcs", 3) == 0) {
			return true;
		}
		while (isalpha((unsigned char)end[len])) {
			len++;
		}
		if (len > 0 && is_unit(end, len)) {
			return true;
		}
	}
	return false;
}

/* What a counting command prints: a line that is a number. */
static bool has_count(struct ks_str text)
{
	struct ks_str line;

	while (ks_str_next(&text, '\n', &line)) {
		char number[32];

		line = ks_str_trim(line);
		if (line.len > 0 && line.len < sizeof(number)) {
			memcpy(number, line.ptr, line.len);
			number[line.len] = '\0';
			if (number_at(number, number) == number + line.len) {
				return true;
			}
		}
	}
	return false;
}

static struct ks_message *unanswered(struct ks_state *state)
{
	struct ks_message *m = state->steer >= 0 ? &state->messages[state->steer] : NULL;

	return m != NULL && m->calls_number == 0 ? m : NULL;
}

static void answer(struct ks_message *m)
{
	m->calls_number = m->calls > 0 ? m->calls : 1;
}

void ks_fold_said(struct ks_state *state, const struct ks_event *event)
{
	struct ks_message *m = unanswered(state);

	if (m != NULL && m->measured && has_figure(ks_json_get_str(event->doc, "text", ""))) {
		answer(m);
	}
}

void ks_fold_printed(struct ks_state *state, const struct ks_tool *tool, const char *text)
{
	struct ks_message *m = unanswered(state);
	int layer = m != NULL ? ks_layer_of_question(m->question) : KS_LAYER_NONE;

	if (m == NULL || tool->layers == 0 || !tool->ok || tool->seq < m->seq
		|| (layer >= 0 && (tool->layers & (1u << layer)) == 0)) {
		return;
	}
	if (has_figure(text) || has_count(ks_str_of(text))) {
		answer(m);
	}
}

void ks_fold_act(struct ks_state *state, const struct ks_event *event)
{
	int64_t id = ks_json_get_int(event->doc, "message", 0);
	int act = ks_act_of(ks_str_of(ks_json_get_str(event->doc, "act", "")));

	for (size_t i = state->n_messages; act >= 0 && i-- > 0;) {
		if (state->messages[i].id == id) {
			state->messages[i].act = (enum ks_act)act;
			state->messages[i].corrected = true;
			return;
		}
	}
}

bool ks_message_answered(const struct ks_message *message, int layer)
{
	return message->calls_number > 0
		|| (layer >= 0 && layer < KS_LAYERS && (message->layers & (1u << layer)) != 0);
}
