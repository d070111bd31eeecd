/*
 * What followed a message: which layers were measured, after how many calls, and
 * whether it was answered by a number. An answer is a figure with a unit that
 * the agent says after a measurement that came after the message; saying one
 * without having measured is no answer, and a measurement without a figure is
 * none yet. Also the act of a message, where a person set it.
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

static void count_measured(struct ks_message *m, const struct ks_call_class *class)
{
	if (m->layer_next < 0) {
		m->layer_next = strongest(class->evidence);
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

/* Whether a number that stands for itself ("3.4 us", "97%", "of 12 bytes") is
 * in the text; "kernel27", "v2" and "x86" are names. */
static bool has_figure(const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		const char *end = at;
		size_t len = 0;

		if (!isdigit((unsigned char)*at) || (at > text
			&& (isalnum((unsigned char)at[-1]) || strchr("_-#", at[-1]) != NULL))) {
			continue;
		}
		while (isdigit((unsigned char)*end) || ((*end == '.' || *end == ',')
			&& isdigit((unsigned char)end[1]))) {
			end++;
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

void ks_fold_said(struct ks_state *state, const struct ks_event *event)
{
	struct ks_message *m = state->steer >= 0 ? &state->messages[state->steer] : NULL;

	if (m == NULL || m->layers == 0 || m->calls_number > 0) {
		return;
	}
	if (has_figure(ks_json_get_str(event->doc, "text", ""))) {
		m->calls_number = m->calls > 0 ? m->calls : 1;
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
