/*
 * Talking agents: turns, text, usage, silence. Calls are in talk_calls.c,
 * questions in talk_asks.c.
 *
 * Text comes in pieces of a few letters. A piece is reported when the message
 * closes, or at the end of a paragraph or sentence when it has waited for
 * PIECE_MS, or at a word's end when it has waited much longer or grown large.
 */
#include "agent/talk.h"

#include <stdarg.h>
#include <stdio.h>

#include "agent/talk_impl.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"

#define PIECE_MS 1000
#define PIECE_LONG_MS 5000
#define PIECE_MAX 8192
#define LAST_MAX 4096
#define USAGE_MS 1000
#define STALL_MS (5 * 60 * 1000)

static void piece_due(void *ctx);
static void usage_due(void *ctx);
static void stall_due(void *ctx);

void ks_talk_init(struct ks_talk *talk, struct ks_agent *agent,
	const struct ks_agent_setup *setup)
{
	*talk = (struct ks_talk){.agent = agent, .folder = ks_strdup(setup->folder),
		.turn = setup->turns,
		.stall_ms = setup->stall_ms > 0 ? setup->stall_ms : STALL_MS};
	talk->piece_timer = ks_timer_new(agent->loop, piece_due, talk);
	talk->hold = ks_timer_new(agent->loop, ks_talk_hold_over, talk);
	talk->usage_timer = ks_timer_new(agent->loop, usage_due, talk);
	talk->stall = ks_timer_new(agent->loop, stall_due, talk);
}

void ks_talk_fini(struct ks_talk *talk)
{
	if (talk->agent == NULL) {
		return;
	}
	ks_loop_undefer(talk->agent->loop, talk);
	ks_timer_free(talk->piece_timer);
	ks_timer_free(talk->hold);
	ks_timer_free(talk->usage_timer);
	ks_timer_free(talk->stall);
	ks_talk_calls_fini(talk);
	ks_talk_asks_fini(talk);
	ks_buf_fini(&talk->piece);
	ks_buf_fini(&talk->last);
	ks_buf_fini(&talk->usage);
	ks_buf_fini(&talk->usage_told);
	free(talk->folder);
	*talk = (struct ks_talk){0};
}

/* ---- turns ---- */

static void announce_later(void *talk)
{
	ks_talk_announce(talk);
}

void ks_talk_begin(struct ks_talk *talk, int64_t message)
{
	talk->in_turn = true;
	talk->announced = talk->cancelling = talk->spoke = talk->stalled = false;
	talk->message = message;
	talk->calls = 0;
	ks_buf_clear(&talk->last);
	ks_timer_arm(talk->stall, talk->stall_ms);
	ks_loop_defer(talk->agent->loop, announce_later, talk);
}

void ks_talk_announce(struct ks_talk *talk)
{
	struct ks_report r;

	ks_talk_asks_settle(talk);
	if (!talk->in_turn || talk->announced) {
		return;
	}
	talk->announced = true;
	talk->turn++;
	ks_report_begin(&r);
	ks_jw_int(&r.w, "turn", talk->turn);
	ks_jw_int(&r.w, "message", talk->message);
	ks_report_send(&r, talk->agent, KS_EV_TURN_STARTED, KS_BY_AGENT);
}

void ks_talk_end(struct ks_talk *talk, const char *how, struct ks_str text, const char *stop)
{
	struct ks_report r;

	ks_talk_announce(talk);
	ks_talk_flush(talk);
	usage_due(talk);
	if (!talk->in_turn) {
		return;
	}
	if (strcmp(how, "ended") != 0) {
		ks_talk_calls_end(talk);
		ks_talk_asks_void(talk, "cancelled");
	}
	talk->in_turn = talk->announced = talk->cancelling = false;
	ks_timer_cancel(talk->stall);
	ks_report_begin(&r);
	ks_jw_int(&r.w, "turn", talk->turn);
	ks_jw_str(&r.w, "how", how);
	ks_jw_int(&r.w, "calls", talk->calls);
	if (text.len > 0) {
		text.len = ks_utf8_cut(text.ptr, text.len, KS_AGENT_BODY_MAX);
		ks_jw_slice(&r.w, "text", text);
	}
	if (stop[0] != '\0') {
		ks_jw_str(&r.w, "stop", stop);
	}
	ks_report_send(&r, talk->agent, KS_EV_TURN_ENDED, KS_BY_AGENT);
}

void ks_talk_gone(struct ks_talk *talk, const char *why)
{
	ks_talk_announce(talk);
	ks_talk_flush(talk);
	ks_talk_calls_end(talk);
	if (talk->in_turn) {
		ks_talk_end(talk, talk->cancelling ? "cancelled" : "error", ks_str_of(why), "");
	}
}

/* ---- silence ---- */

void ks_talk_heard(struct ks_talk *talk)
{
	talk->stalled = false;
	if (talk->in_turn) {
		ks_timer_arm(talk->stall, talk->stall_ms);
	}
}

/* Told once for each silence; an agent that waits for an answer is not silent. */
static void stall_due(void *ctx)
{
	struct ks_talk *talk = ctx;
	int64_t s = talk->stall_ms / 1000;

	if (!talk->in_turn || talk->stalled) {
		return;
	}
	if (talk->n_asks > 0) {
		ks_timer_arm(talk->stall, talk->stall_ms);
		return;
	}
	talk->stalled = true;
	ks_talk_notice(talk, "warn", "nothing from the agent for %lld %s; it may be waiting for "
		"its model or for a long command. Interrupt it if you do not want to wait",
		(long long)(s >= 120 ? s / 60 : s), s >= 120 ? "minutes" : "s");
}

void ks_talk_notice(struct ks_talk *talk, const char *level, const char *fmt, ...)
{
	struct ks_buf text = {0};
	struct ks_report r;
	va_list ap;

	va_start(ap, fmt);
	ks_buf_addv(&text, fmt, ap);
	va_end(ap);
	ks_report_begin(&r);
	ks_jw_slice(&r.w, "text", ks_buf_str(&text));
	ks_jw_str(&r.w, "level", level);
	ks_report_send(&r, talk->agent, KS_EV_NOTICE, KS_BY_ENGINE);
	ks_buf_fini(&text);
}

/* ---- text ---- */

static void send_piece(struct ks_talk *talk, size_t len)
{
	struct ks_str text = {talk->piece.ptr, len};
	struct ks_report r;

	ks_report_begin(&r);
	ks_jw_slice(&r.w, "text", text);
	ks_report_send(&r, talk->agent, talk->piece_kind, KS_BY_AGENT);
	ks_buf_drop(&talk->piece, len);
	talk->piece_t0 = ks_clock_mono_us();
}

void ks_talk_flush(struct ks_talk *talk)
{
	ks_timer_cancel(talk->piece_timer);
	/* White space alone is no message. */
	if (ks_str_trim(ks_buf_str(&talk->piece)).len > 0) {
		send_piece(talk, talk->piece.len);
	}
	ks_buf_clear(&talk->piece);
	if (talk->piece.cap > 4 * PIECE_MAX) {
		ks_buf_fini(&talk->piece);
	}
}

/* Where a text may be cut: behind the last line, else the last sentence, else
 * (words) the last word; 0 for nowhere. */
static size_t cut_at(struct ks_str text, bool words)
{
	size_t sentence = 0, word = 0;

	for (size_t i = text.len; i > 0; i--) {
		char c = text.ptr[i - 1];

		if (c == '\n') {
			return i;
		}
		if (c == ' ' && word == 0) {
			word = i;
		}
		if (c == ' ' && i > 1 && sentence == 0 && strchr(".!?", text.ptr[i - 2]) != NULL) {
			sentence = i;
		}
	}
	return sentence > 0 ? sentence : words ? word : 0;
}

static void piece_due(void *ctx)
{
	struct ks_talk *talk = ctx;
	int64_t waited = (ks_clock_mono_us() - talk->piece_t0) / 1000;
	size_t len = cut_at(ks_buf_str(&talk->piece), waited >= PIECE_LONG_MS);

	ks_talk_announce(talk);
	if (len > 0) {
		send_piece(talk, len);
	}
	if (talk->piece.len > 0) {
		ks_timer_arm(talk->piece_timer, PIECE_MS);
	}
}

static void keep_last(struct ks_talk *talk, struct ks_str text)
{
	ks_buf_addstr(&talk->last, text);
	if (talk->last.len > 2 * LAST_MAX) {
		ks_buf_drop(&talk->last, talk->last.len - LAST_MAX);
	}
}

void ks_talk_text(struct ks_talk *talk, enum ks_ev kind, const char *id, struct ks_str text)
{
	if (text.len == 0) {
		return;
	}
	ks_talk_announce(talk);
	if (talk->piece.len > 0 && (talk->piece_kind != kind ||
		strncmp(talk->piece_id, id, sizeof(talk->piece_id) - 1) != 0)) {
		ks_talk_flush(talk);
	}
	if (kind == KS_EV_AGENT_SAID) {
		talk->spoke = true;
		keep_last(talk, text);
	}
	if (talk->piece.len == 0) {
		talk->piece_kind = kind;
		talk->piece_t0 = ks_clock_mono_us();
		snprintf(talk->piece_id, sizeof(talk->piece_id), "%s", id);
		ks_timer_arm(talk->piece_timer, PIECE_MS);
	}
	while (text.len > 0) {
		size_t part = ks_utf8_cut(text.ptr, text.len, PIECE_MAX - talk->piece.len);

		ks_buf_add(&talk->piece, text.ptr, part);
		text.ptr += part;
		text.len -= part;
		if (talk->piece.len + 8 > PIECE_MAX) {
			size_t len = cut_at(ks_buf_str(&talk->piece), true);

			send_piece(talk, len > PIECE_MAX / 2 ? len : talk->piece.len);
		}
	}
}

/* ---- usage ---- */

void ks_talk_usage_now(struct ks_talk *talk, struct ks_str members)
{
	struct ks_report r;

	ks_talk_announce(talk);
	ks_talk_flush(talk);
	usage_due(talk);
	ks_report_begin(&r);
	ks_buf_addstr(&r.fields, members);
	ks_report_send(&r, talk->agent, KS_EV_AGENT_USAGE, KS_BY_AGENT);
}

static void usage_due(void *ctx)
{
	struct ks_talk *talk = ctx;
	struct ks_report r;

	ks_timer_cancel(talk->usage_timer);
	if (talk->usage.len > 0 &&
		!ks_str_eq(ks_buf_str(&talk->usage), ks_buf_str(&talk->usage_told))) {
		ks_report_begin(&r);
		ks_buf_addstr(&r.fields, ks_buf_str(&talk->usage));
		ks_report_send(&r, talk->agent, KS_EV_AGENT_USAGE, KS_BY_AGENT);
		ks_buf_clear(&talk->usage_told);
		ks_buf_addstr(&talk->usage_told, ks_buf_str(&talk->usage));
	}
	ks_buf_clear(&talk->usage);
}

void ks_talk_usage(struct ks_talk *talk, struct ks_str members)
{
	ks_talk_announce(talk);
	ks_buf_clear(&talk->usage);
	ks_buf_addstr(&talk->usage, members);
	ks_timer_arm_sooner(talk->usage_timer, USAGE_MS);
}
