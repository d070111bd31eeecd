/*
 * The console: terminal, views, log and socket wired together. It holds no
 * logic: keys go to the views, commands to the engine, and a frame is drawn
 * when something changed, at once for a key and at most thirty times a second
 * for the rest. What a key or the clock draws makes no news wait.
 */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/client.h"
#include "app/common.h"
#include "app/drafts.h"
#include "app/steer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sane.h"
#include "export/export.h"
#include "loop/watch.h"
#include "store/blob.h"
#include "term/term.h"
#include "view/ui.h"

#define FRAME_MS 33
#define SLICE 1500 /* events folded between two looks at the keys: some ms */
#define IDLE_MS 3600000 /* a turn of the loop without any event */
#define AGAIN_MS 1000 /* between two looks whether an engine runs again */
#define SIGNALS 5

struct console {
	struct ks_fold *fold;
	const struct ks_steer *how;
	struct ks_loop *loop;
	struct ks_client *client;
	struct ks_term *term;
	struct ks_fdwatch *keys, *writable;
	struct ks_signal *signals[SIGNALS];
	struct ks_timer *frame, *clock, *deadline, *search, *touch, *reader, *again;
	int64_t news_ms;      /* when the last frame with news was, monotonic */
	bool reading;         /* the log is not folded to its end yet */
	struct ks_grid grid;
	struct ks_ui ui;
	int64_t moment_rung;  /* the moment that the bell was rung for */
	int64_t ask_rung;     /* and seq of what the agent asked       */
	int64_t opened_ms;    /* when the console was there */
	int64_t touched_ms;   /* when the engine was last told of a key */
	bool leaving, gone;
	bool attach;          /* time to look for an engine again       */
	int diff_a, diff_b;
	char word_pid[32];
};

static int64_t now_mono(void)
{
	return ks_clock_mono_us();
}

/* ---- drawing ---- */

static void on_writable(void *ctx, unsigned events);

static void leave(struct console *c)
{
	c->leaving = true;
	ks_loop_stop(c->loop);
}

static void fit_grid(struct console *c)
{
	int w, h;

	ks_term_size(c->term, &w, &h);
	c->ui.w = w;
	c->ui.h = h;
	ks_grid_resize(&c->grid, w, h);
}

static void wait_writable(struct console *c)
{
	ks_fdwatch_set(c->writable, KS_FD_WRITE);
}

static void ask_diff(struct console *c);

static void draw(struct console *c)
{
	const struct ks_state *state = ks_fold_state(c->fold);
	struct ks_view_data *data = ks_fold_data(c->fold);
	struct ks_err err = KS_ERR_INIT;
	char title[128];

	data->now = ks_clock_wall_us();
	if (ks_timer_armed(c->frame)) {
		ks_timer_cancel(c->frame); /* this frame shows its news */
		c->news_ms = ks_clock_mono_us() / 1000;
	}
	for (int tries = 0; tries < 3; tries++) {
		ks_ui_update(&c->ui, state, data);
		ks_ui_draw(&c->ui, state, data, &c->grid);
		int rc = ks_term_draw(c->term, &c->grid, &err);
		if (rc == KS_TERM_RESIZED) {
			fit_grid(c);
			continue;
		}
		if (rc == KS_TERM_BUSY) {
			wait_writable(c);
		} else if (rc < 0) {
			c->gone = true;
			leave(c);
			return;
		}
		break;
	}
	ks_ui_title(&c->ui, state, title, sizeof(title));
	ks_term_title(c->term, title);
	ask_diff(c);
	int64_t next = ks_ui_next_change(&c->ui, state, data->now);
	if (next >= 0) {
		ks_timer_arm(c->clock, next > data->now ? (next - data->now) / 1000 + 1 : 1);
	} else {
		ks_timer_cancel(c->clock);
	}
	if (ks_ui_busy(&c->ui)) {
		ks_timer_arm_sooner(c->search, 1);
	}
}

static void on_frame(void *ctx)
{
	struct console *c = ctx;

	c->news_ms = ks_clock_mono_us() / 1000;
	draw(c);
}

static void on_clock(void *ctx)
{
	draw(ctx);
}

static void on_writable(void *ctx, unsigned events)
{
	struct console *c = ctx;

	ks_fdwatch_set(c->writable, 0);
	draw(c);
}

/* News: at most one frame in FRAME_MS, and at once when none had any for as long. */
static void draw_soon(struct console *c)
{
	int64_t since = ks_clock_mono_us() / 1000 - c->news_ms;

	if (!ks_timer_armed(c->frame)) {
		ks_timer_arm(c->frame, since >= FRAME_MS ? 1 : FRAME_MS - since);
	}
}

static void on_search(void *ctx)
{
	struct console *c = ctx;

	ks_ui_tick(&c->ui, ks_fold_state(c->fold), ks_fold_data(c->fold));
	draw(c);
}

/* ---- the engine ---- */

static void ring(struct console *c)
{
	const struct ks_moment *m = ks_state_open_moment(ks_fold_state(c->fold));

	const struct ks_state *state = ks_fold_state(c->fold);
	int64_t asked = state->n_asks > 0 ? state->asks[state->n_asks - 1].seq : 0;

	if ((m != NULL && m->id > c->moment_rung) || asked > c->ask_rung) {
		c->moment_rung = m != NULL ? m->id : c->moment_rung;
		c->ask_rung = asked > c->ask_rung ? asked : c->ask_rung;
		ks_term_bell(c->term);
	}
}

static void refresh(struct console *c, uint64_t limit)
{
	struct ks_err err = KS_ERR_INIT;
	int rc = c->reading ? ks_follow_refresh(ks_fold_follow(c->fold), limit, NULL, &err) :
		ks_fold_refresh(c->fold, limit, NULL, &err);

	if (rc < 0) {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
	}
	if (!c->reading) {
		ring(c);
		draw_soon(c);
	}
}

/* What the terminal has to say, once the views know the campaign: a moment that
 * they see for the first time takes a notice away. */
static void show_notice(struct console *c)
{
	if (ks_term_notice(c->term) != NULL) {
		ks_fold_data(c->fold)->now = ks_clock_wall_us();
		ks_ui_update(&c->ui, ks_fold_state(c->fold), ks_fold_data(c->fold));
		ks_ui_flash(&c->ui, false, "%s", ks_term_notice(c->term));
	}
}

/* Folds the next slice of a log that was there when the console came. */
static void read_some(void *ctx)
{
	struct console *c = ctx;
	size_t all = ks_follow_count(ks_fold_follow(c->fold));
	size_t done = ks_fold_done(c->fold);

	if (c->how->until > 0 && c->how->until < all) {
		all = c->how->until;
	}
	if (done < all) {
		ks_fold_step(c->fold, all - done < SLICE ? all - done : SLICE);
		done = ks_fold_done(c->fold);
	}
	c->reading = done < all;
	if (c->reading) {
		ks_ui_flash(&c->ui, false, "reading the log: %zu of %zu events", done, all);
		ks_timer_arm(c->reader, 0);
	} else {
		c->ui.flash[0] = 0;
		ring(c);
		show_notice(c);
	}
	draw_soon(c);
}

static void show_progress(struct console *c, const struct ks_json *doc)
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
	draw_soon(c);
}

static void on_push(void *ctx, const char *name, const struct ks_json *doc)
{
	struct console *c = ctx;

	if (strcmp(name, "log") == 0) {
		refresh(c, (uint64_t)ks_json_get_int(doc, "length", 0));
	} else if (strcmp(name, "progress") == 0) {
		show_progress(c, doc);
	} else if (strcmp(name, "word") == 0) {
		c->ui.read_only = !ks_json_get_bool(doc, "word", false);
		snprintf(c->ui.holder, sizeof(c->ui.holder), "another console");
		ks_ui_flash(&c->ui, false, c->ui.read_only ?
			"another console has taken the word; W takes it back" :
			"the other console has left: this one has the word");
		draw_soon(c);
	}
}

static void on_closed(void *ctx, const char *why)
{
	struct console *c = ctx;

	c->ui.lost = true;
	ks_ui_flash(&c->ui, true, "%s; 'kseek steer' elsewhere starts it again; q leaves", why);
	refresh(c, KS_FOLLOW_ALL);
	ks_timer_arm(c->again, AGAIN_MS);
}

/* Saying hello turns the loop, so it is done between two turns. */
static void on_again(void *ctx)
{
	struct console *c = ctx;

	c->attach = true;
}

static void on_reply(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	struct console *c = ctx;

	if (error != NULL) {
		ks_ui_flash(&c->ui, true, "%s", error);
		draw_soon(c);
	}
}

/* A message that the engine did not take goes back into the draft. */
static void on_said(void *ctx, const struct ks_json *result, bool more, int code, const char *error)
{
	struct console *c = ctx;

	if (error != NULL) {
		ks_ui_unsent(&c->ui);
	}
	on_reply(ctx, result, more, code, error);
}

static void on_word(void *ctx, const struct ks_json *result, bool more, int code, const char *error)
{
	struct console *c = ctx;

	if (error == NULL) {
		c->ui.read_only = false;
		ks_ui_flash(&c->ui, false, "this console has the word");
		draw_soon(c);
	} else {
		on_reply(ctx, result, more, code, error);
	}
}

static void send_cmd(struct console *c, const char *cmd, struct ks_str args, ks_client_reply *reply)
{
	struct ks_err err = KS_ERR_INIT;

	if (c->client == NULL) {
		ks_ui_flash(&c->ui, true, "no engine: this is a recorded campaign");
	} else if (ks_client_send(c->client, cmd, args, reply, c, &err) >= 0) {
		return;
	} else {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
	}
	if (reply == on_said) {
		ks_ui_unsent(&c->ui);
	}
}

static void on_diff(void *ctx, const struct ks_json *result, bool more, int code, const char *error)
{
	struct console *c = ctx;
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;

	if (error != NULL) {
		ks_buf_adds(&text, error);
	} else if (ks_blob_get(&text, ks_fold_paths(c->fold)->blobs,
			ks_json_get_str(result, "blob", ""), 4u << 20, &err) < 0) {
		ks_buf_adds(&text, err.msg);
	}
	ks_fold_set_diff(c->fold, c->diff_a, c->diff_b, ks_buf_str(&text));
	ks_buf_fini(&text);
	draw_soon(c);
}

/* A view wants a diff that is not here. */
static void ask_diff(struct console *c)
{
	struct ks_buf args = {0};

	if (!ks_fold_wants_diff(c->fold, &c->diff_a, &c->diff_b)) {
		return;
	}
	if (c->client == NULL) {
		ks_fold_set_diff(c->fold, c->diff_a, c->diff_b,
			ks_str_of("the sources are in the campaign's repository, which a log alone does not have"));
		draw_soon(c);
		return;
	}
	ks_buf_addf(&args, "{\"a\":\"%d\",\"b\":\"%d\"}", c->diff_a, c->diff_b);
	send_cmd(c, "diff", ks_buf_str(&args), on_diff);
	ks_buf_fini(&args);
}

/* ---- commands of the views ---- */

static void cmd_say(struct console *c, const struct ks_ui_cmd *cmd)
{
	bool note = cmd->kind == KS_UI_NOTE;
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "text", cmd->text);
	ks_jw_str(&w, "via", "console");
	ks_jw_bool(&w, "note", note);
	ks_jw_bool(&w, "now", cmd->kind == KS_UI_NOW);
	ks_jw_bool(&w, "steer", cmd->kind == KS_UI_STEER);
	if (cmd->moment > 0) {
		ks_jw_int(&w, "moment", cmd->moment);
	}
	if (cmd->question[0] != 0) {
		ks_jw_str(&w, "question", cmd->question);
	}
	ks_jw_close(&w);
	send_cmd(c, "say", ks_buf_str(&args), note ? on_reply : on_said);
	ks_buf_fini(&args);
}

static void cmd_export(struct console *c, const char *format)
{
	bool json = strcmp(format, "json") == 0 || strcmp(format, "jsonl") == 0;
	const struct ks_export_source source = {
		.final = ks_fold_state(c->fold), .data = ks_fold_data(c->fold)
	};
	struct ks_err err = KS_ERR_INIT;
	const char *root = ks_fold_paths(c->fold) != NULL ? ks_fold_paths(c->fold)->root : ".";
	char *path = ks_path_join(root, json ? "transcript.jsonl" : "transcript.md");
	FILE *out = fopen(path, "we");

	if (out == NULL) {
		ks_ui_flash(&c->ui, true, "%s: %s", path, strerror(errno));
	} else if (ks_export(out, json ? KS_EXPORT_JSONL : KS_EXPORT_MD, &source, &err) < 0) {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
	} else {
		ks_ui_flash(&c->ui, false, "written: %s", path);
	}
	if (out != NULL) {
		fclose(out);
	}
	free(path);
}

static void cmd_copy(struct console *c, const char *text)
{
	const struct ks_campaign_paths *paths = ks_fold_paths(c->fold);
	bool sent = ks_term_copy(c->term, ks_str_of(text));
	struct ks_err err = KS_ERR_INIT;

	if (paths == NULL) {
		ks_ui_flash(&c->ui, !sent, sent ? "offered to the terminal's clipboard" :
			"the terminal takes no clipboard");
		return;
	}
	char *path = ks_path_join(paths->state, "copied.txt");
	bool written = ks_file_write(path, ks_str_of(text), 0600, &err) == 0;
	ks_ui_flash(&c->ui, !written, "%s%s%s", sent ? "offered to the terminal's clipboard; " : "",
		written ? "also in " : "not written: ", written ? path : err.msg);
	free(path);
}

static void cmd_mode(struct console *c, enum ks_mode mode)
{
	struct ks_buf args = {0};

	ks_buf_addf(&args, "{\"mode\":\"%s\"}", ks_mode_name(mode));
	send_cmd(c, "mode", ks_buf_str(&args), on_reply);
	ks_buf_fini(&args);
}

static void cmd_act(struct console *c, int64_t message, const char *act)
{
	struct ks_buf args = {0};

	ks_buf_addf(&args, "{\"message\":%lld,\"act\":\"%s\"}", (long long)message, act);
	send_cmd(c, "act", ks_buf_str(&args), on_reply);
	ks_buf_fini(&args);
}

static void cmd_agent_mode(struct console *c, const char *mode)
{
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "mode", mode);
	ks_jw_close(&w);
	send_cmd(c, "agent.mode", ks_buf_str(&args), on_reply);
	ks_buf_fini(&args);
}

static void cmd_dismiss(struct console *c, int64_t moment)
{
	struct ks_buf args = {0};

	ks_buf_addf(&args, "{\"moment\":%lld}", (long long)moment);
	send_cmd(c, "dismiss", ks_buf_str(&args), on_reply);
	ks_buf_fini(&args);
}

/* The draft in the person's own editor; the screen is the editor's meanwhile. */
static void edit_outside(struct console *c)
{
	struct ks_err err = KS_ERR_INIT;

	ks_term_leave(c->term);
	int rc = ks_drafts_edit(ks_fold_paths(c->fold), &c->ui, &err);
	ks_term_enter(c->term);
	ks_term_resize(c->term);
	fit_grid(c);
	if (rc < 0) {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
	}
}

static void carry_out(struct console *c, const struct ks_ui_cmd *cmd)
{
	struct ks_err err = KS_ERR_INIT;

	switch (cmd->kind) {
	case KS_UI_SAY: cmd_say(c, cmd); break;
	case KS_UI_NOTE: cmd_say(c, cmd); break;
	case KS_UI_NOW: cmd_say(c, cmd); break;
	case KS_UI_STEER: cmd_say(c, cmd); break;
	case KS_UI_REPLY: send_cmd(c, "answer", ks_str_of(cmd->text), on_reply); break;
	case KS_UI_REVISE: send_cmd(c, "queue", ks_str_of(cmd->text), on_reply); break;
	case KS_UI_AGENT_MODE: cmd_agent_mode(c, cmd->text); break;
	case KS_UI_EDITOR: edit_outside(c); break;
	case KS_UI_DISMISS: cmd_dismiss(c, cmd->moment); break;
	case KS_UI_ACT: cmd_act(c, cmd->message, cmd->text); break;
	case KS_UI_MODE: cmd_mode(c, cmd->mode); break;
	case KS_UI_INTERRUPT: send_cmd(c, "interrupt", ks_str_of("{}"), on_reply); break;
	case KS_UI_START: send_cmd(c, "agent.start", ks_str_of("{}"), on_reply); break;
	case KS_UI_STOP:
		send_cmd(c, "stop", ks_str_of("{}"), on_reply);
		if (cmd->leave) {
			leave(c);
		}
		break;
	case KS_UI_DETACH: leave(c); break;
	case KS_UI_WORD: send_cmd(c, "word", ks_str_of("{}"), on_word); break;
	case KS_UI_EXPORT: cmd_export(c, cmd->text); break;
	case KS_UI_COPY: cmd_copy(c, cmd->text); break;
	case KS_UI_THEME:
		if (ks_term_theme(c->term, cmd->text, &err) < 0) {
			ks_ui_flash(&c->ui, true, "%s", err.msg);
		}
		break;
	case KS_UI_REPAINT: ks_term_repaint(c->term); break;
	case KS_UI_SUSPEND:
		ks_term_suspend(c->term);
		ks_term_resize(c->term);
		fit_grid(c);
		break;
	case KS_UI_EVAL: send_cmd(c, "eval", ks_str_of("{\"perf\":true}"), on_reply); break;
	}
}

/* ---- keys ---- */

#define TOUCH_MS 5000
#define FRESH_MS 30000 /* a console without a key yet puts the bank off as long */

/* The bank's timer starts anew while somebody types, while somebody reads the
 * banner or has a draft open, and while who has just come reads the screen. */
static void touch(struct console *c)
{
	const struct ks_state *state = ks_fold_state(c->fold);
	int64_t now = ks_loop_now_ms(c->loop);

	if (state->draft_until > 0 && c->client != NULL && !c->ui.read_only &&
			now - c->touched_ms > 1000) {
		c->touched_ms = now;
		send_cmd(c, "touch", ks_str_of("{}"), NULL);
	}
}

static void on_touch(void *ctx)
{
	struct console *c = ctx;

	if (c->ui.fresh && ks_loop_now_ms(c->loop) - c->opened_ms >= FRESH_MS) {
		c->ui.fresh = false;
		draw_soon(c);
	}
	if (c->ui.fresh || c->ui.on_moment || c->ui.typing == KS_TYPING_SAY) {
		touch(c);
		ks_timer_arm(c->touch, TOUCH_MS);
	}
}

static void take_keys(struct console *c)
{
	struct ks_key key;
	bool any = false;

	while (!c->leaving && ks_term_next(c->term, now_mono(), &key)) {
		struct ks_ui_out out;
		ks_ui_out_init(&out);
		ks_fold_data(c->fold)->now = ks_clock_wall_us();
		ks_ui_key(&c->ui, ks_fold_state(c->fold), ks_fold_data(c->fold), &key, &out);
		for (size_t i = 0; i < out.n; i++) {
			carry_out(c, &out.cmds[i]);
		}
		ks_ui_out_fini(&out);
		any = true;
	}
	int64_t deadline = ks_term_deadline(c->term);
	if (deadline >= 0) {
		int64_t wait = (deadline - now_mono()) / 1000 + 1;
		ks_timer_arm(c->deadline, wait > 0 ? wait : 1);
	}
	if (any && !c->leaving) {
		c->ui.fresh = false;
		touch(c);
		ks_timer_arm(c->touch, TOUCH_MS);
		draw(c);
	}
}

static void on_keys(void *ctx, unsigned events)
{
	struct console *c = ctx;
	struct ks_err err = KS_ERR_INIT;

	if (ks_term_read(c->term, now_mono(), &err) < 0) {
		c->gone = true;
		leave(c);
		return;
	}
	take_keys(c);
}

static void on_deadline(void *ctx)
{
	take_keys(ctx);
}

static void on_signal(void *ctx, int signum)
{
	struct console *c = ctx;

	if (signum == SIGWINCH) {
		if (ks_term_resize(c->term)) {
			fit_grid(c);
		}
		draw(c);
		return;
	}
	if (signum == SIGCONT) {
		ks_term_resume(c->term);
		ks_term_resize(c->term);
		fit_grid(c);
		draw(c);
		return;
	}
	c->gone = signum == SIGHUP;
	leave(c);
}

/* ---- set-up ---- */

static int open_term(struct console *c, struct ks_err *err)
{
	const struct ks_term_opts opts = {
		.in_fd = 0, .out_fd = 1, .theme = c->how->theme, .ascii = c->how->ascii,
		.no_color = c->how->no_color
	};
	int rc = ks_term_new(&c->term, &opts, err);

	if (rc == 0) {
		c->ui.ascii = ks_term_ascii(c->term);
		c->grid.ascii = c->ui.ascii;
		fit_grid(c);
	}
	return rc;
}

static int open_loop(struct console *c, struct ks_err *err)
{
	static const int numbers[SIGNALS] = {SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGINT};
	int rc = ks_loop_new(&c->loop, err);

	if (rc < 0) {
		return rc;
	}
	c->frame = ks_timer_new(c->loop, on_frame, c);
	c->clock = ks_timer_new(c->loop, on_clock, c);
	c->deadline = ks_timer_new(c->loop, on_deadline, c);
	c->search = ks_timer_new(c->loop, on_search, c);
	c->touch = ks_timer_new(c->loop, on_touch, c);
	c->reader = ks_timer_new(c->loop, read_some, c);
	c->again = ks_timer_new(c->loop, on_again, c);
	for (int i = 0; rc == 0 && i < SIGNALS; i++) {
		rc = ks_signal_new(&c->signals[i], c->loop, numbers[i], on_signal, c, err);
	}
	return rc;
}

static int open_client(struct console *c, enum ks_client_start start, struct ks_err *err)
{
	const struct ks_client_ops ops = {.push = on_push, .closed = on_closed, .ctx = c};

	if (c->how->read_only) {
		c->ui.read_only = true;
		return 0;
	}
	int rc = ks_client_open(&c->client, c->loop, ks_fold_paths(c->fold), start, true, &ops, err);
	if (rc == 0) {
		const struct ks_json *hello = ks_client_hello(c->client);
		c->ui.read_only = !ks_json_get_bool(hello, "word", false);
		if (c->ui.read_only) {
			snprintf(c->ui.holder, sizeof(c->ui.holder), "process %lld",
				(long long)ks_json_get_int(hello, "word_pid", 0));
		}
	}
	return rc;
}

/* An engine that somebody started since the last one was lost. */
static void attach_again(struct console *c)
{
	struct ks_client *old = c->client;
	struct ks_err err = KS_ERR_INIT;

	c->attach = false;
	if (open_client(c, KS_CLIENT_ATTACH, &err) < 0) {
		ks_timer_arm(c->again, AGAIN_MS);
		return;
	}
	ks_client_free(old);
	c->ui.lost = false;
	ks_ui_flash(&c->ui, false, c->ui.read_only ?
		"attached to the new engine; another console has the word, W takes it" :
		"attached to the new engine");
	refresh(c, KS_FOLLOW_ALL);
	draw_soon(c);
}

static void close_all(struct console *c)
{
	ks_fdwatch_free(c->keys);
	ks_fdwatch_free(c->writable);
	for (int i = 0; i < SIGNALS; i++) {
		ks_signal_free(c->signals[i]);
	}
	/* A stop that was asked for on leaving has to reach the engine. What it
	 * pushes meanwhile still finds timers and terminal. */
	if (c->client != NULL && c->loop != NULL && c->term != NULL && !c->ui.lost) {
		for (int i = 0; i < 4; i++) {
			ks_loop_turn(c->loop, 10);
		}
	}
	ks_client_free(c->client);
	ks_timer_free(c->frame);
	ks_timer_free(c->clock);
	ks_timer_free(c->deadline);
	ks_timer_free(c->search);
	ks_timer_free(c->touch);
	ks_timer_free(c->reader);
	ks_timer_free(c->again);
	ks_term_free(c->term);
	ks_loop_free(c->loop);
	ks_grid_fini(&c->grid);
	ks_ui_fini(&c->ui);
}

int ks_steer_console(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err)
{
	struct console c = {.fold = fold, .how = how};
	int rc = 0;

	ks_ui_init(&c.ui);
	ks_grid_init(&c.grid, 80, 24);
	if (rc == 0) {
		rc = open_loop(&c, err);
	}
	if (rc == 0) {
		rc = open_client(&c, KS_CLIENT_AGENT, err);
	}
	if (rc == 0) {
		rc = open_term(&c, err);
	}
	if (rc == 0) {
		rc = ks_fdwatch_new(&c.keys, c.loop, ks_term_fd(c.term), KS_FD_READ, on_keys, &c, err);
	}
	if (rc == 0) {
		rc = ks_fdwatch_new(&c.writable, c.loop, 1, 0, on_writable, &c, err);
	}
	if (rc == 0) {
		ks_drafts_load(ks_fold_paths(fold), &c.ui);
		(void)ks_follow_refresh(ks_fold_follow(fold), KS_FOLLOW_ALL, NULL, err);
		read_some(&c);
		draw(&c);
		rc = ks_fold_bank(fold, err);
	}
	if (rc == 0) {
		c.ui.fresh = c.client != NULL;
		c.opened_ms = ks_loop_now_ms(c.loop);
		ks_timer_arm(c.touch, TOUCH_MS);
		while (!c.leaving) {
			ks_loop_turn(c.loop, IDLE_MS);
			if (c.attach && !c.leaving) {
				attach_again(&c);
			}
		}
		ks_drafts_save(how->read_only ? NULL : ks_fold_paths(fold), &c.ui);
	}
	close_all(&c);
	return rc;
}
