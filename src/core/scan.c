/*
 * The detectors' memory and how events change it. No judgement here: what is
 * a moment is moment.c's to say.
 */
#include "core/scan.h"

#include <string.h>

#include "base/mem.h"
#include "base/sane.h"

struct ks_scan *ks_scan_new(void)
{
	return ks_zalloc(1, sizeof(struct ks_scan));
}

void ks_scan_free(struct ks_scan *scan)
{
	free(scan);
}

/* Makes room at the end by forgetting the oldest text. */
static void forget(struct ks_scan *scan, size_t need)
{
	size_t drop;

	if (scan->len + need <= KS_SCAN_TEXT) {
		return;
	}
	drop = scan->len + need - KS_SCAN_TEXT / 2;
	drop = drop > scan->len ? scan->len : drop;
	memmove(scan->text, scan->text + drop, scan->len - drop);
	scan->len -= drop;
	scan->mark = scan->mark > drop ? scan->mark - drop : 0;
}

static void append(struct ks_scan *scan, const char *text, size_t len)
{
	if (len > KS_SCAN_TEXT / 2) {
		text += len - KS_SCAN_TEXT / 2;
		len = KS_SCAN_TEXT / 2;
	}
	forget(scan, len);
	memcpy(scan->text + scan->len, text, len);
	scan->len += len;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* End of the last whole sentence behind mark: a newline, or a full stop with
 * space behind it ("3.41x" has none). */
static size_t sentences_end(const struct ks_scan *scan)
{
	for (size_t i = scan->len; i > scan->mark; i--) {
		char c = scan->text[i - 1];

		if (c == '\n') {
			return i;
		}
		if ((c == '.' || c == '!' || c == '?') && i < scan->len
			&& is_space(scan->text[i])) {
			return i;
		}
	}
	return scan->mark;
}

/* Whether a sentence ended before this piece and another begins with it: an
 * agent's next message does not bring the space between them. */
static bool next_sentence(const struct ks_scan *scan, const char *text)
{
	char last = scan->len > 0 ? scan->text[scan->len - 1] : '\0';

	return (last == '.' || last == '!' || last == '?' || last == ':')
		&& ((text[0] >= 'A' && text[0] <= 'Z') || text[0] == '#'
			|| text[0] == '*' || text[0] == '`' || text[0] == '"');
}

static void said(struct ks_scan *scan, const struct ks_event *event)
{
	const char *text = ks_json_get_str(event->doc, "text", "");

	if (next_sentence(scan, text)) {
		append(scan, "\n", 1);
	}
	append(scan, text, strlen(text));
	scan->from = scan->mark;
	scan->to = sentences_end(scan);
	scan->mark = scan->to;
}

/* Something else began: what was said is all that there is. */
static void flush(struct ks_scan *scan)
{
	if (scan->mark == scan->len) {
		return;
	}
	append(scan, "\n", 1);
	scan->from = scan->mark;
	scan->to = scan->len;
	scan->mark = scan->len;
}

static void since(struct ks_scan *scan, const struct ks_state *state)
{
	scan->evals = 0;
	scan->call = state->calls;
	scan->t = state->t;
}

static void mark_wrong(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_result *results)
{
	memset(scan->wrong, 0, sizeof(scan->wrong));
	for (size_t i = 0; results != NULL && i < state->n_scenarios; i++) {
		if (results[i].measured && !results[i].correct
			&& i / 8 < sizeof(scan->wrong)) {
			scan->wrong[i / 8] |= (unsigned char)(1u << (i % 8));
		}
	}
}

static bool tried_wrong(const struct ks_scan *scan, const struct ks_state *state)
{
	const struct ks_result *results = state->look.results;

	for (size_t i = 0; results != NULL && i < state->n_scenarios; i++) {
		if (results[i].measured && i / 8 < sizeof(scan->wrong)
			&& (scan->wrong[i / 8] & (1u << (i % 8))) != 0) {
			return true;
		}
	}
	return false;
}

static void evaluated(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event)
{
	const struct ks_look *look = &state->look;
	int wrong = look->figures.n_measured - look->figures.n_correct;

	if (look->eval != ks_json_get_int(event->doc, "eval", 0)
		|| look->candidate < 0) {
		return;
	}
	if (!look->confirm && !look->partial && look->perf) {
		scan->evals++;
	}
	if (wrong > 0) {
		scan->broken_seq = event->seq;
		scan->broken = state->candidates[look->candidate].number;
		scan->broken_wrong = wrong;
		scan->left_out = 0;
		mark_wrong(scan, state, look->results != NULL ? look->results
			: state->candidates[look->candidate].results);
	} else if (!look->partial) {
		scan->broken_seq = 0;
	} else if (scan->broken_seq != 0) {
		scan->left_out = tried_wrong(scan, state) ? 0 : scan->left_out + 1;
	}
}

/* What a trigger means, in words; itself for one that is not known here. */
static const char *trigger_words(const char *trigger)
{
	static const char *const words[][2] = {
		{"floor", "faster than its floor"},
		{"big_step", "a large step"},
		{"error_grew", "the error grew"},
		{"repeat_only", "fast only where inputs come again"},
		{"disagree", "the clocks disagree"},
		{"after_seed", "fast only after the seed has run"},
		{"flat_time", "the time does not grow with the size"},
		{"heldout_gap", "held-out scenarios gain less"},
		{"memory_grows", "memory grows with each call"},
		{"seed_slowed", "the seed is slowed"},
		{"launches", "nothing is launched"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i][0], trigger) == 0) {
			return words[i][1];
		}
	}
	return trigger;
}

static void write_hint(struct ks_scan *scan, const struct ks_json *doc)
{
	const char *scenario = ks_json_get_str(doc, "scenario", "");
	const char *test = ks_json_get_str(doc, "test", "");
	struct ks_buf line = {0};

	ks_buf_adds(&line, trigger_words(ks_json_get_str(doc, "trigger", "odd figures")));
	if (scenario[0] != '\0') {
		ks_buf_addf(&line, " on %s", scenario);
	}
	ks_buf_addf(&line, ": %s", ks_json_get_str(doc, "figures", "no figures"));
	if (test[0] != '\0') {
		ks_buf_addf(&line, "; would be refuted by: %s", test);
	}
	ks_sane_into(scan->hint, sizeof(scan->hint), ks_buf_str(&line), KS_SANE_ONE_LINE);
	ks_buf_fini(&line);
}

/* A large step of one scenario is a hint only where it ends far above the seed:
 * coming back from a slow version is no win. */
static void hint(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event)
{
	const struct ks_look *look = &state->look;
	int64_t eval = ks_json_get_int(event->doc, "eval", 0);
	bool strong = strcmp(ks_json_get_str(event->doc, "trigger", ""), "big_step") != 0;
	int i = ks_state_scenario(state, ks_json_get_str(event->doc, "scenario", NULL));
	float gain = i >= 0 && look->eval == eval && look->results != NULL
		? look->results[i].speedup : 0;

	if (scan->hint_eval != eval) {
		scan->hint_eval = eval;
		scan->hints = scan->strong = 0;
		scan->hint_is_strong = false;
		scan->hint_gain = 0;
	}
	if (!strong && gain < KS_SCAN_STEP) {
		return;
	}
	scan->hints++;
	scan->strong += strong ? 1 : 0;
	if (scan->hints == 1 || (strong && !scan->hint_is_strong)
		|| (!scan->hint_is_strong && gain > scan->hint_gain)) {
		scan->hint_is_strong = strong;
		scan->hint_gain = gain;
		write_hint(scan, event->doc);
	}
}

static void raised(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event)
{
	const char *kind = ks_json_get_str(event->doc, "moment_kind", "");

	if (strcmp(kind, "win") == 0 && state->look.candidate >= 0) {
		scan->win = state->candidates[state->look.candidate].number;
	}
}

void ks_scan_evolve(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event)
{
	scan->from = scan->to = 0;
	ks_quiet_evolve(scan, state, event);
	switch (event->kind) {
	case KS_EV_AGENT_SAID:
		said(scan, event);
		break;
	case KS_EV_AGENT_THOUGHT:
	case KS_EV_TOOL_STARTED:
	case KS_EV_TURN_STARTED:
	case KS_EV_TURN_ENDED:
	case KS_EV_AGENT_EXITED:
		flush(scan);
		break;
	case KS_EV_MESSAGE_SENT:
		if (state->steer == (int)state->n_messages - 1) {
			since(scan, state);
		}
		break;
	case KS_EV_CAMPAIGN_CREATED:
	case KS_EV_CHAMPION_CHANGED:
		since(scan, state);
		break;
	case KS_EV_EVAL_FINISHED:
		evaluated(scan, state, event);
		break;
	case KS_EV_EVAL_EVIDENCE:
		hint(scan, state, event);
		break;
	case KS_EV_MOMENT_RAISED:
		raised(scan, state, event);
		break;
	default:
		break;
	}
}
