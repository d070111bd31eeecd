/*
 * The engine's one way from a command to history: decide, append, evolve,
 * react, and only then the effects. A command that arrives meanwhile (an
 * effect that reports at once) waits its turn, so the log's order is the order
 * in which things were decided.
 */
#include <stdarg.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/plural.h"
#include "engine/internal.h"

#define EVENTS_MAX 4096 /* that one command may lead to: a loop in the rules stops here */
#define HELD_MAX (8u << 20) /* bytes of observations kept while the log is stopped */

struct ks_pending {
	struct ks_pending *next;
	enum ks_cmd kind;
	enum ks_by by;
	char *args;
};

void ks_engine_log_failed(struct ks_engine *e, const struct ks_err *why)
{
	struct ks_buf members = {0};
	struct ks_jw w;

	if (!e->log_stopped) {
		/* What the agent does now is not remembered: it had better wait. */
		ks_agent_cancel(e->agent);
	}
	e->log_stopped = true;
	ks_jw_members(&w, &members);
	ks_jw_str(&w, "type", "log_stopped");
	ks_jw_str(&w, "error", why->msg);
	ks_server_push_progress(e, ks_buf_str(&members));
	ks_buf_fini(&members);
	ks_timer_arm(e->resume, 5000);
}

/* Every line that the log takes, its own hashes too, is folded here. */
void ks_engine_on_line(void *ctx, const struct ks_log_line *line)
{
	struct ks_engine *e = ctx;
	struct ks_event event;
	struct ks_err err = KS_ERR_INIT;

	if (ks_event_parse(&event, line->text, &err) < 0) {
		return;
	}
	ks_evolve(&e->state, &event);
	if (e->reacting != NULL) {
		ks_react(&e->state, &e->policy, &event, e->reacting);
	}
	ks_event_fini(&event);
}

/* Appends one event; what follows from it is added to more. */
static int happen(struct ks_engine *e, const struct ks_new_event *event, struct ks_out *more,
	struct ks_err *err)
{
	struct ks_buf fields = {0};

	ks_engine_cut_bodies(e, event->kind, ks_str_of(event->fields), &fields);
	const struct ks_log_event line = {
		.kind = ks_ev_name(event->kind), .by = ks_by_name(event->by),
		.fields = ks_buf_str(&fields)
	};
	e->reacting = more;
	int rc = ks_log_append(e->log, &line, 1, ks_ev_is_synced(event->kind) ?
		KS_LOG_NOW : KS_LOG_GROUPED, NULL, err);
	e->reacting = NULL;
	ks_buf_fini(&fields);
	if (rc == KS_EFULL || rc == KS_EIO) {
		ks_engine_log_failed(e, err);
	} else if (rc == 0 && ks_log_pending(e->log) && !ks_timer_armed(e->sync)) {
		ks_timer_arm(e->sync, 1000);
	}
	return rc;
}

/* Moves the events of `from` behind those of `to`, and its effects too. */
static void append_out(struct ks_out *to, struct ks_out *from)
{
	for (size_t i = 0; i < from->n_events; i++) {
		struct ks_buf fields = {0};
		ks_buf_adds(&fields, from->events[i].fields);
		ks_out_event(to, from->events[i].kind, from->events[i].by, &fields);
	}
	for (size_t i = 0; i < from->n_effects; i++) {
		const struct ks_effect *fx = &from->effects[i];
		struct ks_effect *copy = ks_out_effect(to, fx->kind, fx->id, fx->text);
		copy->ms = fx->ms;
		copy->flag = fx->flag;
		copy->candidate = fx->candidate;
		copy->candidate = fx->candidate;
	}
}

/* An event that the log did not take did not happen: whoever gave the command
 * is told, and nothing is done that the log could not remember. *out_begun says
 * whether an event of it was taken. */
static int carry_out(struct ks_engine *e, struct ks_out *out, bool *out_begun, struct ks_err *err)
{
	size_t own = out->n_events; /* the others follow from them */
	int rc = 0;

	*out_begun = false;

	for (size_t i = 0; rc == 0 && i < out->n_events && i < EVENTS_MAX; i++) {
		struct ks_err why = KS_ERR_INIT;
		struct ks_out more;
		ks_out_init(&more);
		int failed = happen(e, &out->events[i], &more, &why);
		if (failed < 0 && (e->log_stopped || i < own)) {
			rc = ks_err_set(err, failed, "%s", why.msg);
		}
		*out_begun = *out_begun || failed == 0;
		append_out(out, &more);
		ks_out_fini(&more);
	}
	ks_server_push_log(e);
	for (size_t i = 0; rc == 0 && i < out->n_effects; i++) {
		ks_engine_effect(e, &out->effects[i]);
	}
	return rc;
}

/* What was seen while the log is stopped is appended when it goes on, in its
 * order, so that the state says again what is true. */
static void hold(struct ks_engine *e, enum ks_cmd kind, enum ks_by by, struct ks_str args)
{
	if (e->held_bytes + args.len > HELD_MAX) {
		e->held_lost++;
		return;
	}
	struct ks_pending *q = ks_zalloc(1, sizeof(*q));
	*q = (struct ks_pending){.kind = kind, .by = by,
		.args = ks_strndup(args.len > 0 ? args.ptr : "", args.len)};
	*e->held_tail = q;
	e->held_tail = &q->next;
	e->held_bytes += args.len;
}

static bool is_report(enum ks_cmd kind)
{
	return kind == KS_CMD_OBSERVED || kind == KS_CMD_TIMER;
}

static int one_command(struct ks_engine *e, enum ks_cmd kind, enum ks_by by, struct ks_str args,
	struct ks_err *err)
{
	struct ks_json *doc = NULL;
	struct ks_buf clean = {0};
	struct ks_out out;
	bool begun = false;
	int rc = 0;

	if (e->log_stopped && is_report(kind)) {
		hold(e, kind, by, args);
		return 0;
	}
	if (e->log_stopped && kind != KS_CMD_STOP) {
		return ks_err_set(err, KS_EFULL,
			"the log cannot grow: nothing is accepted until there is room; "
			"free space and it goes on by itself");
	}
	if (is_report(kind)) {
		args = ks_secrets_mask(e, args, &clean);
	} else {
		rc = ks_secrets_refuse(e, args, err);
	}
	if (rc == 0 && args.len > 0) {
		rc = ks_json_parse(&doc, args.ptr, args.len, err);
	}
	if (rc < 0) {
		ks_buf_fini(&clean);
		return rc;
	}
	struct ks_command command = {
		.kind = kind, .t = ks_clock_wall_us(), .by = by, .args = doc
	};
	ks_out_init(&out);
	rc = ks_decide(&e->state, &e->policy, &command, &out, err);
	if (rc == 0) {
		rc = carry_out(e, &out, &begun, err);
	}
	if (rc < 0 && !begun && e->log_stopped && is_report(kind)) {
		hold(e, kind, by, args);
	}
	ks_out_fini(&out);
	ks_json_free(doc);
	ks_buf_fini(&clean);
	return rc;
}

static void run_queue(struct ks_engine *e)
{
	while (e->queue != NULL) {
		struct ks_pending *q = e->queue;
		struct ks_err err = KS_ERR_INIT;
		e->queue = q->next;
		if (e->queue == NULL) {
			e->queue_tail = &e->queue;
		}
		/* Refused observations have nobody to tell: the log has it. */
		(void)one_command(e, q->kind, q->by, ks_str_of(q->args), &err);
		free(q->args);
		free(q);
	}
}

static void free_list(struct ks_pending *q)
{
	while (q != NULL) {
		struct ks_pending *next = q->next;
		free(q->args);
		free(q);
		q = next;
	}
}

/* The log goes on: what was held comes first. Should it stop again, the rest is
 * held again behind it. */
void ks_engine_log_resumed(struct ks_engine *e)
{
	struct ks_pending *first = e->held;
	size_t lost = e->held_lost;

	e->log_stopped = false;
	e->held = NULL;
	e->held_tail = &e->held;
	e->held_bytes = e->held_lost = 0;
	ks_server_push_progress(e, ks_str_of("\"type\":\"log_resumed\""));
	ks_engine_notice(e, "warn", lost > 0 ?
		"the log had stopped for want of space; it goes on, "
		"without %zu thing%s seen meanwhile" :
		"the log had stopped for want of space; it goes on", lost, ks_s((long long)lost));
	for (struct ks_pending *q = first; q != NULL; q = q->next) {
		struct ks_err err = KS_ERR_INIT;
		(void)ks_engine_command(e, q->kind, q->by, ks_str_of(q->args), &err);
	}
	free_list(first);
}

void ks_engine_drop_held(struct ks_engine *e)
{
	free_list(e->held);
	e->held = NULL;
}

int ks_engine_command(struct ks_engine *e, enum ks_cmd kind, enum ks_by by,
	struct ks_str args, struct ks_err *err)
{
	if (e->busy) {
		struct ks_pending *q = ks_zalloc(1, sizeof(*q));
		q->kind = kind;
		q->by = by;
		q->args = ks_strndup(args.len > 0 ? args.ptr : "", args.len);
		*e->queue_tail = q;
		e->queue_tail = &q->next;
		return 0;
	}
	e->busy = true;
	int rc = one_command(e, kind, by, args, err);
	run_queue(e);
	e->busy = false;
	ks_engine_check_end(e);
	return rc;
}

void ks_engine_observe(struct ks_engine *e, enum ks_ev kind, enum ks_by by, struct ks_str fields)
{
	struct ks_buf args = {0};
	struct ks_err err = KS_ERR_INIT;

	ks_buf_addf(&args, "{\"kind\":\"%s\"%s", ks_ev_name(kind), fields.len > 0 ? "," : "");
	ks_buf_addstr(&args, fields);
	ks_buf_addc(&args, '}');
	(void)ks_engine_command(e, KS_CMD_OBSERVED, by, ks_buf_str(&args), &err);
	ks_buf_fini(&args);
}

void ks_engine_notice(struct ks_engine *e, const char *level, const char *fmt, ...)
{
	char text[1024];
	struct ks_buf fields = {0};
	struct ks_jw w;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ks_jw_members(&w, &fields);
	ks_jw_str(&w, "text", text);
	ks_jw_str(&w, "level", level);
	ks_engine_observe(e, KS_EV_NOTICE, KS_BY_ENGINE, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}
