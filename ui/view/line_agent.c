/*
 * Events of what an agent asks and of what it says of itself, as lines.
 */
#include <stdio.h>
#include <string.h>

#include "view/view.h"

static const char *str(const struct ks_event *event, const char *key)
{
	return ks_json_get_str(event->doc, key, "");
}

static void begin(struct ks_line *line, bool glyph, unsigned style, const char *who)
{
	line->has_glyph = glyph;
	line->glyph = KS_GLYPH_UNKNOWN;
	line->style = style;
	snprintf(line->who, sizeof(line->who), "%s", who);
}

static void of_asked(struct ks_line *line, const struct ks_event *event)
{
	const char *text = str(event, "text");

	begin(line, true, KS_ROLE_WARN, "asks");
	if (event->kind == KS_EV_AGENT_ASKED) {
		ks_buf_adds(&line->text, text);
		return;
	}
	text = text[0] != '\0' ? text : str(event, "path");
	ks_buf_addf(&line->text, "%s  %s", str(event, "tool"),
		text[0] != '\0' ? text : str(event, "title"));
}

static const char *answer_word(const struct ks_event *event)
{
	static const char *const words[][2] = {
		{"allow_once", "allowed"}, {"allow_always", "allowed always"},
		{"reject_once", "rejected"}, {"reject_always", "rejected always"},
		{"cancelled", "cancelled"}, {"accept", "answered"}, {"decline", "declined"},
		{"cancel", "cancelled"},
	};
	const char *answer = str(event, event->kind == KS_EV_AGENT_ANSWERED ? "action" : "answer");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i][0], answer) == 0) {
			return words[i][1];
		}
	}
	return answer[0] != '\0' ? answer : "answered";
}

void ks_line_answered(struct ks_line *line, const struct ks_event *end)
{
	const char *why = str(end, "why");

	snprintf(line->right, sizeof(line->right), "%.20s%s", answer_word(end),
		strcmp(why, "policy") == 0 ? " by rule" : "");
	line->right_style = strncmp(str(end, "answer"), "reject", 6) == 0 ? KS_ROLE_BAD :
		KS_ROLE_DIM;
	line->style = KS_ROLE_TEXT;
}

static void of_answered(struct ks_line *line, const struct ks_event *event)
{
	begin(line, false, KS_ROLE_DIM, "asks");
	ks_buf_adds(&line->text, answer_word(event));
	if (str(event, "rule")[0] != '\0') {
		ks_buf_addf(&line->text, ": %s", str(event, "rule"));
	}
	if (event->kind == KS_EV_PERMISSION_ANSWERED && str(event, "text")[0] != '\0') {
		ks_buf_addf(&line->text, "  \"%s\"", str(event, "text"));
	}
}

static void of_session(struct ks_line *line, const struct ks_event *event)
{
	const char *how = str(event, "how");

	begin(line, false, KS_ROLE_DIM, "agent");
	ks_buf_addf(&line->text, "%s %s%s", str(event, "agent"), str(event, "version"),
		strcmp(how, "resumed") == 0 || strcmp(how, "loaded") == 0 ?
		", its session taken up again" : "");
}

static void add_count(struct ks_buf *out, int64_t n, const char *what)
{
	if (n >= 10000) {
		ks_buf_addf(out, "%s%lldk %s", out->len > 0 ? ", " : "", (long long)(n / 1000),
			what);
	} else if (n > 0) {
		ks_buf_addf(out, "%s%lld %s", out->len > 0 ? ", " : "", (long long)n, what);
	}
}

static void of_usage(struct ks_line *line, const struct ks_event *event)
{
	begin(line, false, KS_ROLE_DIM, "usage");
	add_count(&line->text, ks_json_get_int(event->doc, "input", 0), "tokens in");
	add_count(&line->text, ks_json_get_int(event->doc, "output", 0), "out");
	add_count(&line->text, ks_json_get_int(event->doc, "cached", 0), "cached");
	add_count(&line->text, ks_json_get_int(event->doc, "used", 0), "in the context");
	if (ks_json_get(event->doc, "cost") != NULL) {
		ks_buf_addf(&line->text, "%s%.2f %s", line->text.len > 0 ? ", " : "",
			ks_json_get_num(event->doc, "cost", 0), str(event, "currency"));
	}
	if (str(event, "scope")[0] != '\0') {
		ks_buf_addf(&line->text, " (this %s)", str(event, "scope"));
	}
}

static void of_plan(struct ks_line *line, const struct ks_event *event)
{
	const struct ks_json *e = ks_json_first(ks_json_get(event->doc, "entries"));
	int all = 0, done = 0;
	const char *now = "";

	begin(line, false, KS_ROLE_AGENT, "plan");
	for (; e != NULL; e = ks_json_next(e)) {
		const char *status = ks_json_get_str(e, "status", "");

		all++;
		done += strcmp(status, "completed") == 0 ? 1 : 0;
		if (now[0] == '\0' && strcmp(status, "completed") != 0) {
			now = ks_json_get_str(e, "text", "");
		}
	}
	ks_buf_addf(&line->text, "%d of %d done%s%s", done, all, now[0] != '\0' ? "; next: " : "",
		now);
}

void ks_line_of_agent(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	switch (event->kind) {
	case KS_EV_PERMISSION_ASKED:
	case KS_EV_AGENT_ASKED:
		of_asked(line, event);
		break;
	case KS_EV_PERMISSION_ANSWERED:
	case KS_EV_AGENT_ANSWERED:
		of_answered(line, event);
		break;
	case KS_EV_AGENT_SESSION:
		of_session(line, event);
		break;
	case KS_EV_AGENT_USAGE:
		of_usage(line, event);
		break;
	case KS_EV_AGENT_PLAN:
		of_plan(line, event);
		break;
	case KS_EV_HOOK_RAN:
		begin(line, false, KS_ROLE_WARN, "hook");
		ks_buf_addf(&line->text, "%s%s", strcmp(str(event, "decision"), "block") == 0 ?
			"" : "the agent may stop: ", str(event, "text"));
		snprintf(line->right, sizeof(line->right), "%.15s", str(event, "question"));
		break;
	case KS_EV_AGENT_MODE:
		begin(line, false, KS_ROLE_DIM, "agent");
		ks_buf_addf(&line->text, "its mode: %s", str(event, "mode"));
		break;
	default:
		begin(line, false, KS_ROLE_DIM, "you");
		ks_buf_addf(&line->text, ks_json_get(event->doc, "text") != NULL ?
			"wrote a waiting message anew: %s" : "took a waiting message back%s",
			str(event, "text"));
		break;
	}
}
