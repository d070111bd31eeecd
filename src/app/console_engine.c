/*
 * What the log and the engine bring, and requests to it. The log is read in
 * slices, so that the first frame does not wait for a long one; an engine that
 * is lost is looked for again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/changes.h"
#include "app/console.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/sane.h"
#include "store/blob.h"

#define SLICE 1500 /* events folded between two looks at the keys: some ms */
#define AGAIN_MS 1000 /* between two looks whether an engine runs again */

static void ring(struct ks_console *c)
{
	const struct ks_state *state = ks_fold_state(c->fold);
	const struct ks_moment *m = ks_state_open_moment(state);
	int64_t asked = state->n_asks > 0 ? state->asks[state->n_asks - 1].seq : 0;

	if ((m != NULL && m->id > c->moment_rung) || asked > c->ask_rung) {
		c->moment_rung = m != NULL ? m->id : c->moment_rung;
		c->ask_rung = asked > c->ask_rung ? asked : c->ask_rung;
		ks_term_bell(c->term);
	}
}

static void refresh(struct ks_console *c, uint64_t limit)
{
	struct ks_err err = KS_ERR_INIT;
	int rc = c->reading ? ks_follow_refresh(ks_fold_follow(c->fold), limit, NULL, &err) :
		ks_fold_refresh(c->fold, limit, NULL, &err);

	if (rc < 0) {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
	}
	if (!c->reading) {
		ring(c);
		ks_console_draw_soon(c);
	}
}

/* What there is to say about the person's keys or terminal, once the views know the
 * campaign: a moment that they see for the first time takes a notice away. */
static void show_notice(struct ks_console *c)
{
	const char *notice = c->notice != NULL ? c->notice : ks_term_notice(c->term);

	if (notice != NULL) {
		ks_fold_data(c->fold)->now = ks_clock_wall_us();
		ks_ui_update(&c->ui, ks_fold_state(c->fold), ks_fold_data(c->fold));
		ks_ui_flash(&c->ui, c->notice != NULL, "%s", notice);
	}
}

void ks_console_read(struct ks_console *c)
{
	size_t all = ks_follow_count(ks_fold_follow(c->fold));
	size_t done = ks_fold_done(c->fold);

	if (c->how->until > 0 && c->how->until < all) {
		all = c->how->until;
	}
	if (done < all) {
		ks_fold_step(c->fold, all - done < SLICE ? all - done : SLICE);
		done = ks_fold_done(c->fold);
	}
	bool before = c->reading;
	c->reading = done < all;
	if (c->reading) {
		ks_ui_flash(&c->ui, false, "reading the log: %zu of %zu events", done, all);
		ks_timer_arm(c->reader, 0);
	} else {
		if (before) {
			c->ui.flash[0] = 0;
		}
		ring(c);
		show_notice(c);
	}
	ks_console_draw_soon(c);
}

static void show_progress(struct ks_console *c, const struct ks_json *doc)
{
	const char *type = ks_json_get_str(doc, "type", "");

	if (strcmp(type, "log_stopped") == 0) {
		ks_ui_flash(&c->ui, true, "the log has stopped: %s",
			ks_json_get_str(doc, "error", "no space"));
	} else if (strcmp(type, "log_resumed") == 0) {
		ks_ui_flash(&c->ui, false, "the log goes on");
	} else if (ks_json_get_int(doc, "n", 0) > 0) {
		c->ui.progress_eval = ks_json_get_int(doc, "eval", 0);
		c->ui.progress_i = (int)ks_json_get_int(doc, "i", 0) + 1;
		c->ui.progress_n = (int)ks_json_get_int(doc, "n", 0);
		ks_sane_into(c->ui.progress_phase, sizeof(c->ui.progress_phase),
			ks_str_of(ks_json_get_str(doc, "phase", "")), KS_SANE_ONE_LINE);
	}
	ks_console_draw_soon(c);
}

static const char *key_of(const struct ks_console *c, enum ks_do what, char out[24])
{
	return ks_keymap_name(&c->ui.keys, what, out, 24);
}

static void on_push(void *ctx, const char *name, const struct ks_json *doc)
{
	struct ks_console *c = ctx;
	char key[24];

	if (strcmp(name, "log") == 0) {
		refresh(c, (uint64_t)ks_json_get_int(doc, "length", 0));
	} else if (strcmp(name, "progress") == 0) {
		show_progress(c, doc);
	} else if (strcmp(name, "wait") == 0) {
		c->ui.wait_until = ks_json_get_int(doc, "until", 0);
		ks_console_draw_soon(c);
	} else if (strcmp(name, "word") == 0) {
		c->ui.read_only = !ks_json_get_bool(doc, "word", false);
		snprintf(c->ui.holder, sizeof(c->ui.holder), "another console");
		ks_ui_flash(&c->ui, false, c->ui.read_only ?
			"another console has taken the word; %s takes it back" :
			"the other console has left: this one has the word",
			key_of(c, KS_DO_WORD, key));
		ks_console_draw_soon(c);
	}
}

static void on_closed(void *ctx, const char *why)
{
	struct ks_console *c = ctx;
	char key[24];

	c->ui.lost = true;
	c->diff_asked = false;
	ks_ui_flash(&c->ui, true, "%s; 'kseek steer' elsewhere starts it again; %s leaves", why,
		key_of(c, KS_DO_QUIT, key));
	refresh(c, KS_FOLLOW_ALL);
	ks_timer_arm(c->again, AGAIN_MS);
}

/* Saying hello turns the loop, so it is done between two turns. */
static void on_again(void *ctx)
{
	struct ks_console *c = ctx;

	c->attach = true;
}

void ks_console_on_reply(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	struct ks_console *c = ctx;

	if (error != NULL) {
		ks_ui_flash(&c->ui, true, "%s", error);
		ks_console_draw_soon(c);
	}
}

bool ks_console_send(struct ks_console *c, const char *cmd, struct ks_str args,
	ks_client_reply *reply)
{
	struct ks_err err = KS_ERR_INIT;

	if (c->ui.greeting) {
		ks_grow(&c->held, &c->cap_held, c->n_held + 1, sizeof(*c->held));
		c->held[c->n_held++] = (struct ks_held){ks_strdup(cmd),
			ks_strndup(args.ptr, args.len), reply};
		return true;
	}
	if (c->client == NULL) {
		ks_ui_flash(&c->ui, true, "no engine: this is a recorded campaign");
		return false;
	}
	if (ks_client_send(c->client, cmd, args, reply, c, &err) < 0) {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
		return false;
	}
	return true;
}

static void on_diff(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	struct ks_console *c = ctx;
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;

	c->diff_asked = false;
	if (error != NULL) {
		ks_buf_adds(&text, error);
	} else if (ks_blob_get(&text, ks_fold_paths(c->fold)->blobs,
			ks_json_get_str(result, "blob", ""), 4u << 20, &err) < 0) {
		ks_buf_adds(&text, err.msg);
	}
	ks_fold_set_diff(c->fold, c->diff_a, c->diff_b, ks_buf_str(&text));
	ks_buf_fini(&text);
	ks_console_draw_soon(c);
}

/* Without an engine: of a campaign's folder that is only looked at. */
static void read_diff(struct ks_console *c)
{
	const struct ks_state *state = ks_fold_state(c->fold);
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	int a = ks_state_candidate_number(state, c->diff_a);
	int b = ks_state_candidate_number(state, c->diff_b);

	if (ks_fold_paths(c->fold) == NULL || a < 0 || b < 0) {
		ks_buf_adds(&text,
			"no sources here: they are in the campaign's repository, not in its log");
	} else if (ks_changes(&text, c->fold, a, b, &err) < 0) {
		ks_buf_adds(&text, err.msg);
	}
	ks_fold_set_diff(c->fold, c->diff_a, c->diff_b, ks_buf_str(&text));
	ks_buf_fini(&text);
	ks_console_draw_soon(c);
}

void ks_console_ask_diff(struct ks_console *c)
{
	struct ks_buf args = {0};

	if (c->diff_asked || !ks_fold_wants_diff(c->fold, &c->diff_a, &c->diff_b)) {
		return;
	}
	if (c->client == NULL && !c->ui.greeting) {
		read_diff(c);
		return;
	}
	ks_buf_addf(&args, "{\"a\":\"%d\",\"b\":\"%d\"}", c->diff_a, c->diff_b);
	c->diff_asked = ks_console_send(c, "diff", ks_buf_str(&args), on_diff);
	ks_buf_fini(&args);
}

static bool is_given_up(void *ctx)
{
	const struct ks_console *c = ctx;

	return c->leaving;
}

static int open_client(struct ks_console *c, enum ks_client_start start, struct ks_err *err)
{
	const struct ks_client_ops ops = {.push = on_push, .closed = on_closed,
		.given_up = is_given_up, .ctx = c};

	if (c->how->read_only) {
		c->ui.read_only = true;
		return 0;
	}
	int rc = ks_client_open(&c->client, c->loop, ks_fold_paths(c->fold), start, true, &ops,
		err);
	if (rc == 0) {
		const struct ks_json *hello = ks_client_hello(c->client);
		c->ui.wait_until = ks_json_get_int(hello, "wait_until", 0);
		if (ks_json_get_str(hello, "log_stopped", NULL) != NULL) {
			ks_ui_flash(&c->ui, true, "%s", ks_json_get_str(hello, "log_stopped", ""));
		}
		c->ui.read_only = !ks_json_get_bool(hello, "word", false);
		if (c->ui.read_only) {
			snprintf(c->ui.holder, sizeof(c->ui.holder), "process %lld",
				(long long)ks_json_get_int(hello, "word_pid", 0));
		}
	}
	return rc;
}

void ks_console_attach_again(struct ks_console *c)
{
	struct ks_client *old = c->client;
	struct ks_err err = KS_ERR_INIT;
	char key[24];

	c->attach = false;
	if (open_client(c, KS_CLIENT_ATTACH, &err) < 0) {
		ks_timer_arm(c->again, AGAIN_MS);
		return;
	}
	ks_client_free(old);
	c->ui.lost = false;
	ks_ui_flash(&c->ui, false, c->ui.read_only ?
		"attached to the new engine; another console has the word, %s takes it" :
		"attached to the new engine", key_of(c, KS_DO_WORD, key));
	refresh(c, KS_FOLLOW_ALL);
	ks_console_draw_soon(c);
}

static void on_reader(void *ctx)
{
	ks_console_read(ctx);
}

/* What was asked for before the engine had answered; without one it is refused, so that
 * no message is lost. */
static void send_held(struct ks_console *c)
{
	for (size_t i = 0; i < c->n_held; i++) {
		struct ks_held *h = &c->held[i];

		bool sent = c->client != NULL &&
			ks_console_send(c, h->cmd, ks_str_of(h->args), h->reply);
		if (!sent && h->reply != NULL) {
			h->reply(c, NULL, false, KS_EIO, "the engine did not answer");
		}
		free(h->cmd);
		free(h->args);
	}
	free(c->held);
	c->held = NULL;
	c->n_held = c->cap_held = 0;
}

int ks_console_engine_open(struct ks_console *c, struct ks_err *err)
{
	c->reader = ks_timer_new(c->loop, on_reader, c);
	c->again = ks_timer_new(c->loop, on_again, c);
	c->ui.greeting = !c->how->read_only;
	ks_console_read(c);
	ks_console_draw(c);
	int rc = open_client(c, KS_CLIENT_AGENT, err);
	c->ui.greeting = false;
	send_held(c);
	return rc;
}

void ks_console_engine_close(struct ks_console *c)
{
	/* A stop that was asked for on leaving has to reach the engine. What it
	 * pushes meanwhile still finds timers and terminal. */
	if (c->client != NULL && !c->ui.lost) {
		for (int i = 0; i < 4; i++) {
			ks_loop_turn(c->loop, 10);
		}
	}
	ks_client_free(c->client);
	ks_timer_free(c->reader);
	ks_timer_free(c->again);
}
