/*
 * Effects: the only place where a decision touches the world. Each reports
 * what came of it as a command of its own.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "core/layer.h"
#include "engine/internal.h"

static void
sink_observed(void *ctx, enum ks_ev kind, enum ks_by by, struct ks_str fields)
{
	ks_engine_observe(ctx, kind, by, fields);
}

static void
sink_gone(void *ctx)
{
	struct ks_engine *e = ctx;

	ks_agent_free(e->agent);
	e->agent = NULL;
	ks_engine_check_end(e);
}

static void
agent_failed(struct ks_engine *e, const char *why)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "status", -1);
	ks_jw_int(&w, "signal", 0);
	ks_jw_str(&w, "tail", why);
	ks_engine_observe(e, KS_EV_AGENT_EXITED, KS_BY_ENGINE, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

static void
agent_start(struct ks_engine *e)
{
	const struct ks_campaign *c = &e->campaign;
	const char *name = c->driver != NULL ? c->driver : "manual";
	const struct ks_driver *driver = ks_driver_find(name);
	const struct ks_sink sink = {.ctx = e, .observed = sink_observed, .gone = sink_gone};
	struct ks_err err = KS_ERR_INIT;

	if (e->agent != NULL) {
		return;
	}
	if (driver == NULL) {
		ks_err_set(&err, KS_EINVAL, "campaign.json: $.agent.driver: no driver '%.40s'; "
			"use script or manual", name);
		agent_failed(e, err.msg);
		return;
	}
	const struct ks_agent_setup setup = {
		.loop = e->loop, .folder = e->opt.dir,
		.files = (const char *const *)c->files.items,
		.exec = e->opt.programs.exec, .kseek = e->opt.programs.kseek,
		.argument = c->command.count > 0 ? c->command.items[0] : NULL,
		.mark = e->mark
	};
	if (driver->start(&e->agent, &setup, &sink, &err) < 0) {
		agent_failed(e, err.msg);
	}
}

static const struct ks_message *
message_by_id(const struct ks_state *state, int64_t id)
{
	for (size_t i = state->n_messages; i > 0; i--) {
		if (state->messages[i - 1].id == id) {
			return &state->messages[i - 1];
		}
	}
	return NULL;
}

static void
agent_prompt(struct ks_engine *e, const struct ks_effect *fx)
{
	const struct ks_message *m = message_by_id(&e->state, fx->id);
	const struct ks_bank_entry *entry = NULL;
	struct ks_prompt prompt = {.id = fx->id, .text = ks_str_of(fx->text), .question = ""};
	struct ks_err err = KS_ERR_INIT;

	if (m != NULL && m->question[0] != 0) {
		prompt.question = m->question;
		entry = e->policy.bank != NULL ? ks_bank_find(e->policy.bank, ks_str_of(m->question)) : NULL;
		prompt.layer = entry != NULL ? ks_layer_letter(entry->group) : 0;
	}
	if (e->agent == NULL) {
		ks_engine_notice(e, "warn", "no agent runs: the message is in the log and goes nowhere");
	} else if (ks_agent_prompt(e->agent, &prompt, &err) < 0) {
		ks_engine_notice(e, "warn", "the agent did not take the message: %s", err.msg);
	}
}

void
ks_engine_stop(struct ks_engine *e)
{
	if (e->stopping) {
		return;
	}
	e->stopping = true;
	ks_eval_cancel_all(e);
	if (e->agent != NULL) {
		ks_agent_stop(e->agent);
	}
	ks_engine_check_end(e);
}

void
ks_engine_effect(struct ks_engine *e, const struct ks_effect *fx)
{
	switch (fx->kind) {
	case KS_FX_AGENT_START:
		agent_start(e);
		break;
	case KS_FX_AGENT_PROMPT:
		agent_prompt(e, fx);
		break;
	case KS_FX_AGENT_CANCEL:
		ks_agent_cancel(e->agent);
		break;
	case KS_FX_AGENT_STOP:
		ks_agent_stop(e->agent);
		break;
	case KS_FX_EVAL_START:
		ks_eval_start(e, fx);
		break;
	case KS_FX_TIMER:
		ks_timers_arm(e->timers, fx->text, fx->ms);
		break;
	case KS_FX_TIMER_CANCEL:
		ks_timers_cancel(e->timers, fx->text);
		break;
	case KS_FX_ENGINE_STOP:
		ks_engine_stop(e);
		break;
	default:
		break;
	}
}
