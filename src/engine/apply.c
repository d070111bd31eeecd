/*
 * The engine's one way from a command to history: decide, append, evolve,
 * react, and only then the effects. A command that arrives meanwhile (an
 * effect that reports at once) waits its turn, so the log's order is the order
 * in which things were decided.
 */
#include <stdarg.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/internal.h"

#define EVENTS_MAX 4096 /* that one command may lead to: a loop in the rules stops here */

struct ks_pending {
	struct ks_pending *next;
	enum ks_cmd kind;
	enum ks_by by;
	char *args;
};

static void
log_failed(struct ks_engine *e, const struct ks_err *why)
{
	struct ks_buf members = {0};
	struct ks_jw w;

	e->log_stopped = true;
	ks_jw_members(&w, &members);
	ks_jw_str(&w, "type", "log_stopped");
	ks_jw_str(&w, "error", why->msg);
	ks_server_push_progress(e, ks_buf_str(&members));
	ks_buf_fini(&members);
	ks_timer_arm(e->resume, 5000);
}

/* Every line that the log takes, its own hashes too, is folded here. */
void
ks_engine_on_line(void *ctx, const struct ks_log_line *line)
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
static bool
happen(struct ks_engine *e, const struct ks_new_event *event, struct ks_out *more)
{
	struct ks_buf fields = {0};
	struct ks_err err = KS_ERR_INIT;

	ks_engine_cut_bodies(e, event->kind, ks_str_of(event->fields), &fields);
	const struct ks_log_event line = {
		.kind = ks_ev_name(event->kind), .by = ks_by_name(event->by),
		.fields = ks_buf_str(&fields)
	};
	e->reacting = more;
	int rc = ks_log_append(e->log, &line, 1, ks_ev_is_synced(event->kind) ?
		KS_LOG_NOW : KS_LOG_GROUPED, NULL, &err);
	e->reacting = NULL;
	ks_buf_fini(&fields);
	if (rc == KS_EFULL || rc == KS_EIO) {
		log_failed(e, &err);
	} else if (rc == 0 && ks_log_pending(e->log) && !ks_timer_armed(e->sync)) {
		ks_timer_arm(e->sync, 1000);
	}
	return rc == 0;
}

/* Moves the events of `from` behind those of `to`, and its effects too. */
static void
append_out(struct ks_out *to, struct ks_out *from)
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

static void
carry_out(struct ks_engine *e, struct ks_out *out)
{
	for (size_t i = 0; i < out->n_events && i < EVENTS_MAX; i++) {
		struct ks_out more;
		ks_out_init(&more);
		/* A log that has stopped takes nothing more, and nothing is done
		 * that it could not remember. */
		if (!happen(e, &out->events[i], &more) && e->log_stopped) {
			ks_out_fini(&more);
			return;
		}
		append_out(out, &more);
		ks_out_fini(&more);
	}
	ks_server_push_log(e);
	for (size_t i = 0; i < out->n_effects; i++) {
		ks_engine_effect(e, &out->effects[i]);
	}
}

static int
one_command(struct ks_engine *e, enum ks_cmd kind, enum ks_by by, struct ks_str args,
	struct ks_err *err)
{
	struct ks_json *doc = NULL;
	struct ks_out out;
	int rc = 0;

	if (e->log_stopped && kind != KS_CMD_STOP) {
		return ks_err_set(err, KS_EFULL,
			"the log cannot grow: nothing is accepted until there is room; "
			"free space and it goes on by itself");
	}
	if (args.len > 0) {
		rc = ks_json_parse(&doc, args.ptr, args.len, err);
		if (rc < 0) {
			return rc;
		}
	}
	struct ks_command command = {
		.kind = kind, .t = ks_clock_wall_us(), .by = by, .args = doc
	};
	ks_out_init(&out);
	rc = ks_decide(&e->state, &e->policy, &command, &out, err);
	if (rc == 0) {
		carry_out(e, &out);
	}
	ks_out_fini(&out);
	ks_json_free(doc);
	return rc;
}

static void
run_queue(struct ks_engine *e)
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

int
ks_engine_command(struct ks_engine *e, enum ks_cmd kind, enum ks_by by,
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

void
ks_engine_observe(struct ks_engine *e, enum ks_ev kind, enum ks_by by, struct ks_str fields)
{
	struct ks_buf args = {0};
	struct ks_err err = KS_ERR_INIT;

	ks_buf_addf(&args, "{\"kind\":\"%s\"%s", ks_ev_name(kind), fields.len > 0 ? "," : "");
	ks_buf_addstr(&args, fields);
	ks_buf_addc(&args, '}');
	(void)ks_engine_command(e, KS_CMD_OBSERVED, by, ks_buf_str(&args), &err);
	ks_buf_fini(&args);
}

void
ks_engine_notice(struct ks_engine *e, const char *level, const char *fmt, ...)
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
