/*
 * Steering without a screen: one line an event as it comes, append-only, for
 * pipes, logs and screen readers. On a terminal, lines that are typed are sent
 * to the agent (a digit alone: that offer of the open moment; y or n alone: an
 * answer to what the agent asks for leave).
 */
#include <langinfo.h>
#include <signal.h>
#include <unistd.h>

#include "app/client.h"
#include "app/common.h"
#include "app/steer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "view/ui.h"

#define HISTORY_LINES 40 /* of the log, shown when somebody comes to a campaign */
#define SHOWN_MAX 1000   /* bytes of a line; the export has all of it */

struct plain {
	struct ks_fold *fold;
	struct ks_loop *loop;
	struct ks_client *client;
	const struct ks_steer *how;
	struct ks_buf typed;
	struct ks_buf asked;  /* a line that a rule may answer at once */
	bool ascii, closed;
};

static void put_asked(struct plain *p)
{
	fwrite(p->asked.ptr != NULL ? p->asked.ptr : "", 1, p->asked.len, stdout);
	ks_buf_clear(&p->asked);
}

/* A line at a length that can be read, and how much is left out. */
static void cut_line(struct ks_buf *line)
{
	size_t kept = SHOWN_MAX;

	if (line->len <= SHOWN_MAX + 1) {
		return;
	}
	while (kept > 0 && ((unsigned char)line->ptr[kept] & 0xc0) == 0x80) {
		kept--;
	}
	size_t left_out = line->len - 1 - kept;
	ks_buf_truncate(line, kept);
	ks_buf_addf(line, " ... (%zu bytes left out)\n", left_out);
}

/* What a rule allows at once is not worth two lines: what is asked is held until
 * the next event. */
static void put_line(struct plain *p, const struct ks_event *event, const struct ks_buf *line)
{
	bool allowed = event->kind == KS_EV_PERMISSION_ANSWERED && event->by == KS_BY_ENGINE &&
		strncmp(ks_json_get_str(event->doc, "answer", ""), "allow", 5) == 0;

	if (allowed && p->asked.len > 0) {
		ks_buf_clear(&p->asked);
		return;
	}
	put_asked(p);
	if (event->kind == KS_EV_PERMISSION_ASKED) {
		ks_buf_addstr(&p->asked, ks_buf_str(line));
	} else {
		fwrite(line->ptr, 1, line->len, stdout);
	}
}

static void print_new(struct plain *p)
{
	struct ks_view_data *data = ks_fold_data(p->fold);
	struct ks_buf line = {0};

	data->now = ks_clock_wall_us();
	while ((p->how->until == 0 || ks_fold_done(p->fold) < p->how->until) &&
			ks_fold_step(p->fold, 1) == 1) {
		const struct ks_state *state = ks_fold_state(p->fold);
		const struct ks_event *event = data->event(data->ctx, state->seq);
		if (event != NULL && ks_view_line(state, event, p->ascii, &line)) {
			cut_line(&line);
			put_line(p, event, &line);
		}
		ks_buf_clear(&line);
	}
	put_asked(p);
	fflush(stdout);
	ks_buf_fini(&line);
}

static void refresh(struct plain *p, uint64_t limit)
{
	struct ks_err err = KS_ERR_INIT;

	(void)ks_follow_refresh(ks_fold_follow(p->fold), limit, NULL, &err);
	print_new(p);
}

static void on_reply(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	if (error != NULL) {
		fprintf(stderr, "kseek: ");
		ks_put(stderr, error, 0);
		fputc('\n', stderr);
	}
}

static void on_push(void *ctx, const char *name, const struct ks_json *doc)
{
	struct plain *p = ctx;

	if (strcmp(name, "log") == 0) {
		refresh(p, (uint64_t)ks_json_get_int(doc, "length", 0));
	} else if (strcmp(name, "progress") == 0 &&
			strcmp(ks_json_get_str(doc, "type", ""), "log_stopped") == 0) {
		on_reply(p, NULL, false, KS_EFULL,
			ks_json_get_str(doc, "error", "the log has stopped"));
	}
}

static void on_closed(void *ctx, const char *why)
{
	struct plain *p = ctx;

	refresh(p, KS_FOLLOW_ALL);
	p->closed = true;
	ks_loop_stop(p->loop);
}

static void say(struct plain *p, struct ks_str text)
{
	const struct ks_moment *m = ks_state_open_moment(ks_fold_state(p->fold));
	struct ks_buf args = {0};
	struct ks_jw w;
	struct ks_err err = KS_ERR_INIT;
	int offer = text.len == 1 ? text.ptr[0] - '0' : 0;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "via", "console");
	if (m != NULL) {
		ks_jw_int(&w, "moment", m->id);
	}
	if (m != NULL && offer >= 1 && offer <= m->n_offers) {
		ks_jw_str(&w, "text", m->offers[offer - 1].text);
		ks_jw_str(&w, "question", m->offers[offer - 1].question);
	} else {
		ks_jw_slice(&w, "text", text);
	}
	ks_jw_close(&w);
	(void)ks_client_send(p->client, "say", ks_buf_str(&args), on_reply, p, &err);
	ks_buf_fini(&args);
}

/* "y" or "n" alone answer what the agent asks for leave. */
static bool permit(struct plain *p, struct ks_str text)
{
	const struct ks_state *s = ks_fold_state(p->fold);
	bool yes = ks_str_is(text, "y"), no = ks_str_is(text, "n");
	struct ks_buf args = {0};
	struct ks_err err = KS_ERR_INIT;

	if (s->n_asks == 0 || s->asks[0].form || (!yes && !no)) {
		return false;
	}
	ks_buf_addf(&args, "{\"kind\":\"%s\"}", yes ? "allow_once" : "reject_once");
	(void)ks_client_send(p->client, "answer", ks_buf_str(&args), on_reply, p, &err);
	ks_buf_fini(&args);
	return true;
}

static void on_typed(void *ctx, unsigned events)
{
	struct plain *p = ctx;
	char chunk[4096];
	ssize_t n = read(0, chunk, sizeof(chunk));

	if (n <= 0) {
		ks_loop_stop(p->loop);
		return;
	}
	ks_buf_add(&p->typed, chunk, (size_t)n);
	for (;;) {
		ptrdiff_t at = ks_str_find(ks_buf_str(&p->typed), KS_STR("\n"));
		if (at < 0) {
			break;
		}
		struct ks_str line = ks_str_trim((struct ks_str){p->typed.ptr, (size_t)at});
		if (line.len > 0 && !permit(p, line)) {
			say(p, line);
		}
		ks_buf_drop(&p->typed, (size_t)at + 1);
	}
}

static void on_signal(void *ctx, int signum)
{
	struct plain *p = ctx;

	ks_loop_stop(p->loop);
}

static int follow(struct plain *p, struct ks_err *err)
{
	const struct ks_client_ops ops = {.push = on_push, .closed = on_closed, .ctx = p};
	enum ks_client_start start = p->how->unattended ? KS_CLIENT_UNATTENDED :
		p->how->agent ? KS_CLIENT_AGENT : KS_CLIENT_TRANSIENT;
	struct ks_signal *signals[2] = {NULL};
	struct ks_fdwatch *typed = NULL;
	int rc = ks_signal_new(&signals[0], p->loop, SIGINT, on_signal, p, err);

	if (rc == 0) {
		rc = ks_signal_new(&signals[1], p->loop, SIGTERM, on_signal, p, err);
	}
	if (rc == 0) {
		rc = ks_client_open(&p->client, p->loop, ks_fold_paths(p->fold), start, true, &ops,
			err);
	}
	if (rc < 0) {
		refresh(p, KS_FOLLOW_ALL);
	}
	if (rc == 0 && isatty(0) && !p->how->unattended) {
		rc = ks_fdwatch_new(&typed, p->loop, 0, KS_FD_READ, on_typed, p, err);
	}
	if (rc == 0) {
		refresh(p, KS_FOLLOW_ALL);
		if (!p->closed) {
			ks_loop_run(p->loop);
		}
	}
	ks_fdwatch_free(typed);
	ks_signal_free(signals[0]);
	ks_signal_free(signals[1]);
	ks_client_free(p->client);
	if (rc == 0 && !p->closed) {
		ks_steer_say_left(p->fold, KS_LEFT_RUNNING);
	}
	return rc;
}

int ks_steer_plain(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err)
{
	struct plain p = {.fold = fold, .how = how};
	int rc = 0;

	p.ascii = how->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	size_t lines = ks_follow_count(ks_fold_follow(fold));
	if (!how->read_only && lines > HISTORY_LINES) {
		(void)ks_fold_step(fold, lines - HISTORY_LINES);
	}
	print_new(&p);
	if (!how->read_only) {
		rc = ks_loop_new(&p.loop, err);
		if (rc == 0) {
			rc = follow(&p, err);
		}
		ks_loop_free(p.loop);
	}
	ks_buf_fini(&p.typed);
	ks_buf_fini(&p.asked);
	if (rc < 0) {
		return rc;
	}
	return ks_fold_state(fold)->goal_met ? 0 : 1;
}
