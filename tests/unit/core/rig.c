/* See rig.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

#include "base/file.h"
#include "base/mem.h"
#include "core/fields.h"

static void load_bank(struct rig *rig)
{
	char **names;
	size_t count;

	rig->bank = ks_bank_new();
	assert_int_equal(ks_file_list(&names, &count, KSEEK_TEST_BANK, &rig->err), 0);
	for (size_t i = 0; i < count; i++) {
		char *path = ks_path_join(KSEEK_TEST_BANK, names[i]);
		struct ks_buf text = {0};

		assert_int_equal(ks_file_read(&text, path, 4 << 20, &rig->err), 0);
		if (ks_bank_load(rig->bank, ks_buf_str(&text), names[i], &rig->err) < 0) {
			fail_msg("%s", rig->err.msg);
		}
		ks_buf_fini(&text);
		free(path);
	}
	ks_names_free(names, count);
}

void rig_init_empty(struct rig *rig)
{
	*rig = (struct rig){.t = 1764500000000000, .evals = 1000};
	ks_state_init(&rig->state);
	ks_policy_default(&rig->policy);
	load_bank(rig);
	rig->claims = ks_claim_set_new();
	rig->policy.bank = rig->bank;
	rig->policy.claims = rig->claims;
}

void rig_init(struct rig *rig, const char *mode)
{
	static const char *const scenarios[] = {"fast", "wide", "odd"};

	rig_init_empty(rig);
	rig_see(rig, KS_BY_ENGINE, "campaign.created", "\"id\":\"c-1\",\"name\":\"test\","
		"\"problem\":\"sum_rows\",\"target\":\"cpu\",\"arch\":\"cpu x86-64\","
		"\"tree\":\"00\",\"agent\":\"script\",\"mode\":\"%s\",\"goal\":[\"every "
		"scenario correct\",\"geomean speedup >= 2\"],\"seed\":{\"hash\":\"seed\","
		"\"lines\":40,\"commit\":\"aaaa000000000000000000000000000000000000\"}",
		mode);
	for (int i = 0; i < 3; i++) {
		rig_see(rig, KS_BY_ENGINE, "scenario.declared", "\"i\":%d,\"name\":\"%s\","
			"\"set\":\"real\",\"heldout\":false,\"axes\":{\"n\":%d},"
			"\"floor_us\":%d", i, scenarios[i], 10 << i, 10 * (i + 1));
	}
	rig_see(rig, KS_BY_ENGINE, "engine.started", "\"pid\":1");
}

void rig_fini(struct rig *rig)
{
	ks_state_fini(&rig->state);
	ks_bank_free(rig->bank);
	ks_claim_set_free(rig->claims);
	ks_buf_fini(&rig->log);
	ks_buf_fini(&rig->effects);
}

static void append(struct rig *rig, const struct ks_new_event *event, struct ks_out *more)
{
	struct ks_buf line = {0};
	struct ks_event parsed;
	struct ks_err err = KS_ERR_INIT;

	ks_fields_line(&line, ++rig->seq, rig->t, ks_ev_name(event->kind),
		ks_by_name(event->by), event->fields);
	if (ks_event_parse(&parsed, ks_buf_str(&line), &err) < 0) {
		fail_msg("%s: %s", err.msg, line.ptr);
	}
	ks_evolve(&rig->state, &parsed);
	ks_react(&rig->state, &rig->policy, &parsed, more);
	ks_event_fini(&parsed);
	ks_buf_addstr(&rig->log, ks_buf_str(&line));
	ks_buf_addc(&rig->log, '\n');
	ks_buf_fini(&line);
}

static void write_effect(struct rig *rig, const struct ks_effect *fx)
{
	static const char *const names[] = {
		[KS_FX_AGENT_START] = "start", [KS_FX_AGENT_PROMPT] = "prompt",
		[KS_FX_AGENT_CANCEL] = "cancel", [KS_FX_AGENT_STOP] = "stop",
		[KS_FX_AGENT_STEER] = "steer", [KS_FX_AGENT_ANSWER] = "answer",
		[KS_FX_AGENT_MODE] = "agent-mode", [KS_FX_EVAL_START] = "eval",
		[KS_FX_TIMER] = "timer",
		[KS_FX_EVAL_FRESH] = "eval-fresh", [KS_FX_TIMER_CANCEL] = "untimer",
		[KS_FX_ENGINE_STOP] = "engine-stop",
	};

	ks_buf_addf(&rig->effects, "%s", names[fx->kind]);
	if (fx->id > 0) {
		ks_buf_addf(&rig->effects, " %lld", (long long)fx->id);
	}
	if (fx->flag) {
		ks_buf_addf(&rig->effects, " confirm %d", fx->candidate);
	}
	if (fx->text != NULL) {
		ks_buf_addf(&rig->effects, " %s", fx->text);
	}
	if (fx->kind == KS_FX_TIMER) {
		ks_buf_addf(&rig->effects, " %lld", (long long)fx->ms);
	}
	ks_buf_addc(&rig->effects, '\n');
}

/* In the order of the engine: what follows goes behind what is there. */
static void carry_out(struct rig *rig, struct ks_out *out)
{
	for (size_t i = 0; i < out->n_events; i++) {
		struct ks_out more;

		assert_true(i < 1000);
		ks_out_init(&more);
		append(rig, &out->events[i], &more);
		for (size_t k = 0; k < more.n_events; k++) {
			struct ks_buf fields = {0};

			ks_buf_adds(&fields, more.events[k].fields);
			ks_out_event(out, more.events[k].kind, more.events[k].by, &fields);
		}
		for (size_t k = 0; k < more.n_effects; k++) {
			const struct ks_effect *from = &more.effects[k];
			struct ks_effect *fx = ks_out_effect(out, from->kind, from->id,
				from->text);

			fx->ms = from->ms;
			fx->flag = from->flag;
			fx->candidate = from->candidate;
		}
		ks_out_fini(&more);
	}
	for (size_t i = 0; i < out->n_effects; i++) {
		write_effect(rig, &out->effects[i]);
		/* Nothing to measure: what the engine says of known sources. */
		if (out->effects[i].kind == KS_FX_EVAL_FRESH && !rig->fresh) {
			rig->t -= 1000000; /* at once */
			rig_timer(rig, "fresh");
		}
	}
}

static int command(struct rig *rig, enum ks_cmd kind, enum ks_by by, struct ks_str text)
{
	struct ks_json *args = NULL;
	struct ks_out out;
	struct ks_command cmd = {.kind = kind, .by = by};
	int rc;

	rig->t += 1000000;
	if (ks_json_parse(&args, text.ptr, text.len, &rig->err) < 0) {
		fail_msg("%s in %.*s", rig->err.msg, KS_FMT(text));
	}
	cmd.t = rig->t;
	cmd.args = args;
	ks_out_init(&out);
	ks_err_clear(&rig->err);
	rc = ks_decide(&rig->state, &rig->policy, &cmd, &out, &rig->err);
	if (rc == 0) {
		carry_out(rig, &out);
	}
	ks_out_fini(&out);
	ks_json_free(args);
	return rc;
}

int rig_do(struct rig *rig, enum ks_cmd kind, enum ks_by by, const char *args, ...)
{
	struct ks_buf text = {0};
	va_list ap;
	int rc;

	va_start(ap, args);
	ks_buf_addv(&text, args, ap);
	va_end(ap);
	rc = command(rig, kind, by, ks_buf_str(&text));
	ks_buf_fini(&text);
	return rc;
}

void rig_see(struct rig *rig, enum ks_by by, const char *kind, const char *members, ...)
{
	struct ks_buf text = {0};
	va_list ap;

	ks_buf_addf(&text, "{\"kind\":\"%s\"%s", kind, members[0] != '\0' ? "," : "");
	va_start(ap, members);
	ks_buf_addv(&text, members, ap);
	va_end(ap);
	ks_buf_addc(&text, '}');
	assert_int_equal(command(rig, KS_CMD_OBSERVED, by, ks_buf_str(&text)), 0);
	ks_buf_fini(&text);
}

void rig_timer(struct rig *rig, const char *name)
{
	assert_int_equal(rig_do(rig, KS_CMD_TIMER, KS_BY_ENGINE, "{\"name\":\"%s\"}", name), 0);
}

void rig_say(struct rig *rig, const char *text)
{
	assert_int_equal(rig_do(rig, KS_CMD_SAY, KS_BY_HUMAN,
		"{\"text\":\"%s\",\"via\":\"console\"}", text), 0);
}

void rig_agent(struct rig *rig)
{
	rig_see(rig, KS_BY_AGENT, "agent.started",
		"\"driver\":\"script\",\"label\":\"script\",\"pid\":7");
}

void rig_turn(struct rig *rig)
{
	rig_see(rig, KS_BY_AGENT, "turn.started", "\"turn\":%d", rig->state.turns + 1);
}

void rig_turn_end(struct rig *rig, const char *how)
{
	rig_see(rig, KS_BY_AGENT, "turn.ended", "\"turn\":%d,\"how\":\"%s\"",
		rig->state.turns, how);
}

void rig_tool(struct rig *rig, const char *tool, const char *text)
{
	int call = rig->state.calls;

	rig_see(rig, KS_BY_AGENT, "tool.started", "\"call\":\"t%d\",\"name\":\"%s\","
		"\"tool\":\"%s\",\"title\":\"%s\",\"text\":\"%s\",\"path\":\"%s\"", call,
		tool, tool, text, text, strcmp(tool, "shell") == 0 ? "" : text);
	rig_see(rig, KS_BY_AGENT, "tool.ended", "\"call\":\"t%d\",\"ok\":true,"
		"\"status\":0,\"ms\":5,\"text\":\"done\"", call);
}

void rig_calls(struct rig *rig, int count)
{
	for (int i = 0; i < count; i++) {
		rig_tool(rig, "shell", "ls");
	}
}

void rig_said(struct rig *rig, const char *text)
{
	rig_see(rig, KS_BY_AGENT, "agent.said", "\"text\":\"%s\"", text);
}

static void scenario_lines(struct rig *rig, int64_t id, const char *only, double speedup,
	bool confirm)
{
	for (size_t i = 0; i < rig->state.n_scenarios; i++) {
		const char *name = rig->state.scenarios[i].name;

		if (only != NULL && strcmp(only, name) != 0) {
			continue;
		}
		rig_see(rig, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":%lld,\"confirm\":%s,"
			"\"i\":%zu,\"name\":\"%s\",\"correct\":%s,\"why\":\"%s\","
			"\"measured\":true,\"seed_us\":400,\"cand_us\":%.6g,\"speedup\":%.6g,"
			"\"lo\":%.6g,\"hi\":%.6g,\"verdict\":\"%s\",\"error\":1e-6,"
			"\"error_ratio\":0.1,\"roofline\":0.2", (long long)id,
			confirm ? "true" : "false", i, name, speedup > 0 ? "true" : "false",
			speedup > 0 ? "" : "differs from the seed",
			speedup > 0 ? 400 / speedup : 390, speedup, speedup * 0.99,
			speedup * 1.01, speedup > 1.01 ? "faster" : "same");
	}
}

static void finished(struct rig *rig, int64_t id, int candidate, double speedup,
	const char *only, bool confirm)
{
	int n = only != NULL ? 1 : (int)rig->state.n_scenarios;

	rig_see(rig, KS_BY_EVALUATOR, "eval.finished", "\"eval\":%lld,\"confirm\":%s,"
		"\"candidate\":%d,\"correct\":%d,\"scenarios\":%d,\"geomean\":%.6g,"
		"\"geo_lo\":%.6g,\"geo_hi\":%.6g,\"worst\":%.6g,\"worst_name\":\"odd\","
		"\"partial\":%s,\"perf\":true,\"lines\":50,\"libraries\":[\"libc.so.6\"]",
		(long long)id, confirm ? "true" : "false", candidate,
		speedup > 0 ? n : 0, n, speedup, speedup * 0.99, speedup * 1.01,
		speedup, only != NULL ? "true" : "false");
}

static int evaluate(struct rig *rig, double speedup, const char *only)
{
	const struct ks_state *s = &rig->state;
	int64_t id = s->next_id;
	int number = (int)s->n_candidates;

	assert_int_equal(rig_do(rig, KS_CMD_EVAL, KS_BY_AGENT, "{\"perf\":true}"), 0);
	rig_see(rig, KS_BY_EVALUATOR, "candidate.committed", "\"candidate\":%d,"
		"\"commit\":\"%04d00000000000000000000000000000000beef\",\"hash\":\"h%d\","
		"\"parent\":%d,\"eval\":%lld,\"files\":1,\"lines\":50", number, number, number,
		number - 1, (long long)id);
	rig_see(rig, KS_BY_EVALUATOR, "eval.started", "\"eval\":%lld,\"candidate\":%d,"
		"\"hash\":\"h%d\",\"confirm\":false,\"perf\":true,\"total\":3",
		(long long)id, number, number);
	scenario_lines(rig, id, only, speedup, false);
	finished(rig, id, number, speedup, only, false);
	return number;
}

int rig_eval(struct rig *rig, double speedup)
{
	rig_tool(rig, "edit", "kernel.c");
	return evaluate(rig, speedup, NULL);
}

void rig_eval_named(struct rig *rig, const char *only, bool correct)
{
	evaluate(rig, correct ? 1.5 : 0, only);
}

void rig_confirm(struct rig *rig, int candidate, double speedup)
{
	int64_t id = rig->state.eval_queue > 0 ? rig->state.eval_waiting[0] : 0;

	assert_true(id > 0);
	rig_see(rig, KS_BY_EVALUATOR, "eval.started", "\"eval\":%lld,\"candidate\":%d,"
		"\"confirm\":true,\"perf\":true,\"total\":3", (long long)id, candidate);
	scenario_lines(rig, id, NULL, speedup, true);
	finished(rig, id, candidate, speedup, NULL, true);
}

bool rig_did(const struct rig *rig, const char *text)
{
	return rig->effects.ptr != NULL && strstr(rig->effects.ptr, text) != NULL;
}

void rig_forget(struct rig *rig)
{
	ks_buf_clear(&rig->effects);
}

const struct ks_moment *rig_open(const struct rig *rig)
{
	return ks_state_open_moment(&rig->state);
}

enum ks_moment_kind rig_open_kind(const struct rig *rig)
{
	const struct ks_moment *open = rig_open(rig);

	return open != NULL ? open->kind : KS_MOMENT_NONE;
}

int rig_moments(const struct rig *rig, enum ks_moment_kind kind)
{
	int n = 0;

	for (size_t i = 0; i < rig->state.n_moments; i++) {
		n += rig->state.moments[i].kind == kind ? 1 : 0;
	}
	return n;
}

char *rig_last(const struct rig *rig, const char *kind)
{
	struct ks_str rest = ks_buf_str(&rig->log);
	struct ks_str line, found = KS_STR("");
	char *needle = ks_asprintf("\"kind\":\"%s\"", kind);

	while (ks_str_next(&rest, '\n', &line)) {
		if (ks_str_find(line, ks_str_of(needle)) >= 0) {
			found = line;
		}
	}
	free(needle);
	return ks_strndup(found.ptr, found.len);
}

void fold_lines(struct ks_state *state, struct ks_str lines, int64_t from, int64_t to)
{
	struct ks_str line;
	struct ks_event event;
	int64_t n = 0;

	while (ks_str_next(&lines, '\n', &line)) {
		if (line.len == 0 || ++n < from || n > to) {
			continue;
		}
		if (ks_event_parse(&event, line, NULL) == 0) {
			ks_evolve(state, &event);
			ks_event_fini(&event);
		}
	}
}

void rig_refold(const struct rig *rig, struct ks_state *state)
{
	fold_lines(state, ks_buf_str(&rig->log), 1, INT64_MAX);
}

void rig_working(struct rig *r)
{
	rig_init(r, "human");
	rig_agent(r);
	rig_say(r, "Begin.");
	rig_turn(r);
}

void rig_limit(struct rig *r)
{
	rig_said(r, "The kernel is at the memory bandwidth limit, so no further gain is "
		"possible.\\n");
}

void rig_one_turn(struct rig *r, const char *mode, const char *how)
{
	rig_init(r, mode);
	rig_agent(r);
	if (r->state.n_messages == 0) {
		rig_say(r, "Begin.");
	}
	rig_turn(r);
	rig_calls(r, 1);
	rig_forget(r);
	rig_turn_end(r, how);
}
