/* Answers to what the agent asks: see ask.h. */
#include "core/ask.h"

#include <stdio.h>
#include <string.h>

#include "core/fields.h"
#include "core/permit.h"

uint64_t ks_ask_hash(const char *tool, const char *text)
{
	uint64_t h = 1469598103934665603u;

	for (int i = 0; i < 2; i++) {
		for (const char *at = i == 0 ? tool : text; *at != '\0'; at++) {
			h = (h ^ (unsigned char)*at) * 1099511628211u;
		}
		h = (h ^ 0xff) * 1099511628211u;
	}
	return h;
}

/* ---- the event and the effect ---- */

struct answer {
	const char *ask;
	const char *option, *kind; /* of a permission; NULL: not said */
	const char *text;
	const char *why;           /* human, policy */
	const char *rule;          /* which one, or NULL */
	enum ks_by by;
};

static void member(struct ks_jw *w, const char *key, const char *value)
{
	if (value != NULL && value[0] != '\0') {
		ks_jw_str(w, key, value);
	}
}

static void effect(struct ks_turn *turn, const char *ask, const struct answer *a,
	const struct ks_json *values)
{
	struct ks_buf text = {0};
	struct ks_jw w;
	char *json;

	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "ask", ask);
	if (a != NULL) {
		member(&w, "option", a->option);
		member(&w, "kind", a->kind);
		member(&w, "text", a->text);
	}
	if (values != NULL) {
		ks_jw_node(&w, "values", values);
	}
	ks_jw_close(&w);
	json = ks_buf_take(&text);
	ks_out_effect(turn->out, KS_FX_AGENT_ANSWER, 0, json);
	free(json);
}

static void permission(struct ks_turn *turn, const struct answer *a)
{
	struct ks_fields f;
	struct ks_buf fields = {0};

	ks_fields_init(&f);
	ks_jw_str(&f.w, "ask", a->ask);
	ks_jw_str(&f.w, "option", a->option != NULL ? a->option : "");
	ks_jw_str(&f.w, "answer", a->kind != NULL ? a->kind : "");
	ks_jw_str(&f.w, "why", a->why);
	member(&f.w, "rule", a->rule);
	member(&f.w, "text", a->text);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_PERMISSION_ANSWERED, a->by, &fields);
	effect(turn, a->ask, a, NULL);
}

static void form(struct ks_turn *turn, const char *ask, const struct ks_json *values,
	enum ks_by by, const char *why)
{
	struct ks_fields f;
	struct ks_buf fields = {0};

	ks_fields_init(&f);
	ks_jw_str(&f.w, "ask", ask);
	ks_jw_str(&f.w, "action", values != NULL ? "accept" : "decline");
	if (values != NULL) {
		ks_jw_node(&f.w, "values", values);
	}
	ks_jw_str(&f.w, "why", why);
	ks_fields_take(&f, &fields);
	ks_out_event(turn->out, KS_EV_AGENT_ANSWERED, by, &fields);
	effect(turn, ask, NULL, values);
}

/* ---- rules ---- */

static bool allowed_always(const struct ks_state *state, const char *tool, const char *text)
{
	const unsigned room = sizeof(state->always) / sizeof(state->always[0]);
	uint64_t hash = ks_ask_hash(tool, text);

	for (unsigned i = 0; i < state->n_always && i < room; i++) {
		if (state->always[i] == hash) {
			return true;
		}
	}
	return false;
}

static enum ks_permit_do by_rules(const struct ks_turn *turn, const struct ks_json *doc,
	char *why, size_t size)
{
	const struct ks_policy *policy = turn->policy;
	const char *text = ks_json_get_str(doc, "text", "");
	const char *path = ks_json_get_str(doc, "path", "");
	const struct ks_permit_asked asked = {
		.tool = ks_json_get_str(doc, "tool", "other"), .text = text, .path = path,
		.folder = policy->folder != NULL ? policy->folder : "/nowhere",
		.cut = ks_json_get(doc, "blob") != NULL,
	};
	const char *what = text[0] != '\0' ? text : path;

	if (!asked.cut && allowed_always(turn->state, asked.tool, what)) {
		snprintf(why, size, "allowed always");
		return KS_PERMIT_ALLOW;
	}
	return ks_permit_decide(policy->permits, policy->n_permits, &asked, why, size);
}

static void permission_asked(struct ks_turn *turn, const struct ks_event *event)
{
	char why[160], text[280];
	enum ks_permit_do what = by_rules(turn, event->doc, why, sizeof(why));
	struct answer a = {.ask = ks_json_get_str(event->doc, "ask", ""), .why = "policy",
		.rule = why, .by = KS_BY_ENGINE};
	bool full = ks_ask_find(turn->state, a.ask) < 0;

	if (what == KS_PERMIT_ALLOW) {
		a.kind = "allow_once";
		permission(turn, &a);
	} else if (what == KS_PERMIT_REJECT || turn->policy->unattended || full) {
		if (what == KS_PERMIT_REJECT) {
			snprintf(text, sizeof(text), "This campaign does not allow it (%s).", why);
		} else {
			snprintf(text, sizeof(text), "Nobody is here to allow it (%s). Go on with "
				"what stays inside the campaign's folder.", why);
		}
		a.kind = "reject_once";
		a.text = text;
		permission(turn, &a);
	}
}

void ks_ask_react(struct ks_turn *turn, const struct ks_event *event)
{
	const char *ask = ks_json_get_str(event->doc, "ask", "");

	if (event->kind == KS_EV_PERMISSION_ASKED) {
		permission_asked(turn, event);
	} else if (turn->policy->unattended || ks_ask_find(turn->state, ask) < 0) {
		form(turn, ask, NULL, KS_BY_ENGINE, "nobody is here to answer");
	}
}

/* ---- a person ---- */

static bool has_option(const struct ks_asked *a, const char *option, const char **out_kind)
{
	for (int i = 0; i < a->n_options; i++) {
		if (strcmp(a->options[i].id, option) == 0) {
			*out_kind = a->options[i].kind;
			return true;
		}
	}
	return false;
}

static bool is_kind(const char *kind)
{
	return strcmp(kind, "allow_once") == 0 || strcmp(kind, "allow_always") == 0
		|| strcmp(kind, "reject_once") == 0 || strcmp(kind, "reject_always") == 0;
}

static int answer_permission(struct ks_turn *turn, const struct ks_asked *asked,
	const struct ks_command *command, struct ks_err *err)
{
	struct answer a = {.ask = asked->ask, .why = "human", .by = command->by,
		.option = ks_json_get_str(command->args, "option", NULL),
		.kind = ks_json_get_str(command->args, "kind", NULL),
		.text = ks_json_get_str(command->args, "text", NULL)};

	if (a.option != NULL && !has_option(asked, a.option, &a.kind)) {
		return ks_err_set(err, KS_EINVAL, "permit: %.40s has no option \"%.40s\"",
			asked->ask, a.option);
	}
	if (a.option == NULL && (a.kind == NULL || !is_kind(a.kind))) {
		return ks_err_set(err, KS_EINVAL,
			"permit: say allow_once, allow_always, reject_once or "
			"reject_always");
	}
	if (a.text != NULL && strlen(a.text) > 4096) {
		return ks_err_set(err, KS_ELIMIT, "permit: the words have more than 4096 bytes");
	}
	permission(turn, &a);
	return 0;
}

int ks_ask_answer(struct ks_turn *turn, const struct ks_command *command, struct ks_err *err)
{
	const struct ks_state *state = turn->state;
	const char *ask = ks_json_get_str(command->args, "ask", NULL);
	int i = ask != NULL ? ks_ask_find(state, ask) : state->n_asks > 0 ? 0 : -1;
	const struct ks_json *values = ks_json_get(command->args, "values");

	if (i < 0) {
		return ks_err_set(err, KS_EINVAL, ask != NULL ?
			"permit: nothing is asked under \"%.40s\" (any more); 'kseek permit' lists "
			"what is" :
			"permit: the agent asks nothing", ask != NULL ? ask : "");
	}
	if (!state->asks[i].form) {
		return answer_permission(turn, &state->asks[i], command, err);
	}
	if (values != NULL && ks_json_type(values) != KS_JSON_OBJECT) {
		return ks_err_set(err, KS_EINVAL, "answer: expected an object of values");
	}
	form(turn, state->asks[i].ask, values, command->by, "human");
	return 0;
}
