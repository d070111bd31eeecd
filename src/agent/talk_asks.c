/*
 * Questions that are open. What nobody answered is reported by us, with the
 * next turn of the loop, since a cancel comes as a call of the driver.
 */
#include <stdio.h>
#include <unistd.h>

#include "agent/talk_impl.h"
#include "base/clock.h"
#include "base/mem.h"

#define ASKS_MAX 256

static void ask_fini(struct ks_ask *ask)
{
	free(ask->ask);
	free(ask->wire);
	ks_json_free(ask->doc);
}

void ks_talk_asks_fini(struct ks_talk *talk)
{
	for (size_t i = 0; i < talk->n_asks; i++) {
		ask_fini(&talk->asks[i]);
	}
	free(talk->asks);
	talk->asks = NULL;
	talk->n_asks = talk->cap_asks = 0;
}

static void take_out(struct ks_talk *talk, size_t at)
{
	ask_fini(&talk->asks[at]);
	talk->n_asks--;
	memmove(&talk->asks[at], &talk->asks[at + 1],
		(talk->n_asks - at) * sizeof(talk->asks[0]));
}

static void report_void(struct ks_talk *talk, const struct ks_ask *ask)
{
	struct ks_report r;

	ks_report_begin(&r);
	ks_jw_str(&r.w, "ask", ask->ask);
	if (ask->form) {
		ks_jw_str(&r.w, "action", "cancel");
	} else {
		ks_jw_str(&r.w, "option", "");
		ks_jw_str(&r.w, "answer", "cancelled");
	}
	ks_jw_str(&r.w, "why", ask->why);
	ks_report_send(&r, talk->agent,
		ask->form ? KS_EV_AGENT_ANSWERED : KS_EV_PERMISSION_ANSWERED, KS_BY_ENGINE);
}

void ks_talk_asks_settle(struct ks_talk *talk)
{
	for (size_t i = 0; i < talk->n_asks;) {
		if (talk->asks[i].why == NULL) {
			i++;
			continue;
		}
		/* Out of the list first: the report may lead back here. */
		struct ks_ask ask = talk->asks[i];

		talk->asks[i] = (struct ks_ask){0};
		take_out(talk, i);
		report_void(talk, &ask);
		ask_fini(&ask);
		i = 0;
	}
}

static void settle_later(void *ctx)
{
	ks_talk_announce(ctx);
}

void ks_talk_void(struct ks_talk *talk, struct ks_ask *ask, const char *why)
{
	ask->why = why;
	ks_loop_undefer(talk->agent->loop, talk);
	ks_loop_defer(talk->agent->loop, settle_later, talk);
}

void ks_talk_asks_void(struct ks_talk *talk, const char *why)
{
	for (size_t i = 0; i < talk->n_asks; i++) {
		if (talk->asks[i].why == NULL) {
			talk->asks[i].why = why;
		}
	}
	ks_talk_asks_settle(talk);
}

struct ks_ask *ks_talk_ask(struct ks_talk *talk, const char *ask)
{
	for (size_t i = 0; i < talk->n_asks; i++) {
		if (talk->asks[i].why == NULL && strcmp(talk->asks[i].ask, ask) == 0) {
			return &talk->asks[i];
		}
	}
	return NULL;
}

struct ks_ask *ks_talk_ask_wire(struct ks_talk *talk, const char *wire)
{
	for (size_t i = 0; i < talk->n_asks; i++) {
		if (talk->asks[i].why == NULL && strcmp(talk->asks[i].wire, wire) == 0) {
			return &talk->asks[i];
		}
	}
	return NULL;
}

void ks_talk_answered(struct ks_talk *talk, struct ks_ask *ask)
{
	take_out(talk, (size_t)(ask - talk->asks));
	ks_talk_heard(talk);
}

bool ks_talk_may_ask(const struct ks_talk *talk)
{
	return talk->n_asks < ASKS_MAX;
}

static struct ks_ask *make(struct ks_talk *talk, const char *wire, struct ks_json *doc)
{
	struct ks_ask *ask;

	ks_grow(&talk->asks, &talk->cap_asks, talk->n_asks + 1, sizeof(*talk->asks));
	ask = &talk->asks[talk->n_asks++];
	/* Of this engine, and since it asked for the first time. */
	*ask = (struct ks_ask){.ask = ks_asprintf("%d-%lld-%lld", (int)getpid(),
			(long long)(ks_clock_mono_us() / 1000000), (long long)++talk->ask_serial),
		.wire = ks_strdup(wire), .doc = doc};
	return ask;
}

const char *ks_talk_permission(struct ks_talk *talk, struct ks_report *report,
	const char *call, const char *wire, struct ks_json *doc)
{
	struct ks_ask *ask = make(talk, wire, doc);

	ks_report_begin(report);
	ks_jw_str(&report->w, "ask", ask->ask);
	ks_talk_call_members(talk, call, &report->w);
	return ask->ask;
}

const char *ks_talk_form(struct ks_talk *talk, struct ks_report *report,
	const char *call, const char *wire, struct ks_json *doc)
{
	struct ks_ask *ask = make(talk, wire, doc);

	ask->form = true;
	ks_report_begin(report);
	ks_jw_str(&report->w, "ask", ask->ask);
	ks_talk_call_id(&report->w, "call", call);
	return ask->ask;
}
