/*
 * The console from its start to its end, its keys and its signals: see
 * console.h.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/common.h"
#include "app/console.h"
#include "app/drafts.h"
#include "app/paths.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#define IDLE_MS 3600000 /* a turn of the loop without any event */
#define TOUCH_MS 5000
#define KEYS_MAX (64u * 1024) /* bytes of a person's key file */
#define FRESH_MS 30000 /* a console without a key yet puts the bank off as long */

void ks_console_leave(struct ks_console *c)
{
	c->leaving = true;
	ks_loop_stop(c->loop);
}

/* ---- keys ---- */

/* The bank's timer starts anew while somebody types, while somebody reads the
 * banner or has a draft open, and while who has just come reads the screen. */
static void touch(struct ks_console *c)
{
	const struct ks_state *state = ks_fold_state(c->fold);
	int64_t now = ks_loop_now_ms(c->loop);

	if (state->draft_until > 0 && c->client != NULL && !c->ui.read_only &&
			now - c->touched_ms > 1000) {
		c->touched_ms = now;
		ks_console_send(c, "touch", ks_str_of("{}"), NULL);
	}
}

static void on_touch(void *ctx)
{
	struct ks_console *c = ctx;

	if (c->ui.fresh && ks_loop_now_ms(c->loop) - c->opened_ms >= FRESH_MS) {
		c->ui.fresh = false;
		ks_console_draw_soon(c);
	}
	if (c->ui.fresh || c->ui.on_moment || c->ui.typing == KS_TYPING_SAY) {
		touch(c);
		ks_timer_arm(c->touch, TOUCH_MS);
	}
}

static void take_keys(struct ks_console *c)
{
	struct ks_key key;
	bool any = false;

	while (!c->leaving && ks_term_next(c->term, ks_clock_mono_us(), &key)) {
		struct ks_ui_out out;
		ks_ui_out_init(&out);
		ks_fold_data(c->fold)->now = ks_clock_wall_us();
		ks_ui_key(&c->ui, ks_fold_state(c->fold), ks_fold_data(c->fold), &key, &out);
		for (size_t i = 0; i < out.n; i++) {
			ks_console_do(c, &out.cmds[i]);
		}
		ks_ui_out_fini(&out);
		any = true;
	}
	int64_t deadline = ks_term_deadline(c->term);
	if (deadline >= 0) {
		int64_t wait = (deadline - ks_clock_mono_us()) / 1000 + 1;
		ks_timer_arm(c->deadline, wait > 0 ? wait : 1);
	}
	if (any && !c->leaving) {
		c->ui.fresh = false;
		touch(c);
		ks_timer_arm(c->touch, TOUCH_MS);
		ks_console_draw(c);
	}
}

static void on_keys(void *ctx, unsigned events)
{
	struct ks_console *c = ctx;
	struct ks_err err = KS_ERR_INIT;

	if (ks_term_read(c->term, ks_clock_mono_us(), &err) < 0) {
		ks_console_leave(c);
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
	struct ks_console *c = ctx;

	if (signum == SIGWINCH) {
		if (ks_term_resize(c->term)) {
			ks_console_fit(c);
		}
		ks_console_draw(c);
		return;
	}
	if (signum == SIGCONT) {
		ks_term_resume(c->term);
		ks_term_resize(c->term);
		ks_console_fit(c);
		ks_console_draw(c);
		return;
	}
	ks_console_leave(c);
}

/* ---- from start to end ---- */

static int open_term(struct ks_console *c, struct ks_err *err)
{
	const struct ks_term_opts opts = {
		.in_fd = 0, .out_fd = 1, .theme = c->how->theme, .ascii = c->how->ascii,
		.no_color = c->how->no_color
	};
	int rc = ks_term_new(&c->term, &opts, err);

	if (rc == 0) {
		c->ui.ascii = ks_term_ascii(c->term);
		c->grid.ascii = c->ui.ascii;
		ks_console_fit(c);
	}
	return rc;
}

static int open_loop(struct ks_console *c, struct ks_err *err)
{
	static const int numbers[KS_CONSOLE_SIGNALS] = {
		SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGINT};
	int rc = ks_loop_new(&c->loop, err);

	if (rc < 0) {
		return rc;
	}
	c->deadline = ks_timer_new(c->loop, on_deadline, c);
	c->touch = ks_timer_new(c->loop, on_touch, c);
	rc = ks_console_frame_open(c, err);
	for (int i = 0; rc == 0 && i < KS_CONSOLE_SIGNALS; i++) {
		rc = ks_signal_new(&c->signals[i], c->loop, numbers[i], on_signal, c, err);
	}
	return rc;
}

/* A person's own keys. A file that is wrong keeps nobody out: it is said in the
 * console, and above it, where it can still be read afterwards. */
static void read_keys(struct ks_console *c)
{
	char *path = ks_paths_config("keys");
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	int rc = 0;

	if (path != NULL && ks_file_exists(path)) {
		rc = ks_file_read(&text, path, KEYS_MAX, &err);
		if (rc == 0) {
			rc = ks_keymap_read(&c->ui.keys, ks_buf_str(&text), &err);
			ks_err_prefix(&err, "%s", path);
		}
	}
	if (rc < 0) {
		fprintf(stderr, "kseek: %s (your keys are not in use)\n", err.msg);
		c->notice = ks_asprintf("your keys are not in use: %s",
			strncmp(err.msg, path, strlen(path)) == 0 ?
			err.msg + strlen(path) + 2 : err.msg);
	}
	ks_buf_fini(&text);
	free(path);
}

static int open_all(struct ks_console *c, struct ks_err *err)
{
	int rc = open_loop(c, err);

	read_keys(c);
	if (rc == 0) {
		rc = open_term(c, err);
	}
	if (rc == 0) {
		rc = ks_fdwatch_new(&c->keys, c->loop, ks_term_fd(c->term), KS_FD_READ, on_keys, c,
			err);
	}
	/* The loop turns while the console says hello: signals, keys, and what the engine
	 * pushes, find the terminal there. */
	if (rc == 0) {
		ks_drafts_load(ks_fold_paths(c->fold), &c->ui);
		rc = ks_console_engine_open(c, err);
	}
	if (rc == 0) {
		(void)ks_follow_refresh(ks_fold_follow(c->fold), KS_FOLLOW_ALL, NULL, err);
		ks_console_read(c);
		ks_console_draw(c);
		rc = ks_fold_bank(c->fold, err);
	}
	return rc;
}

static void close_all(struct ks_console *c)
{
	ks_fdwatch_free(c->keys);
	for (int i = 0; i < KS_CONSOLE_SIGNALS; i++) {
		ks_signal_free(c->signals[i]);
	}
	ks_console_engine_close(c);
	ks_console_frame_close(c);
	ks_timer_free(c->deadline);
	ks_timer_free(c->touch);
	ks_term_free(c->term);
	ks_loop_free(c->loop);
	ks_grid_fini(&c->grid);
	ks_ui_fini(&c->ui);
	free(c->notice);
}

int ks_steer_console(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err)
{
	struct ks_console c = {.fold = fold, .how = how};

	ks_ui_init(&c.ui);
	ks_grid_init(&c.grid, 80, 24);
	int rc = open_all(&c, err);
	if (rc == 0) {
		c.ui.fresh = c.client != NULL;
		c.opened_ms = ks_loop_now_ms(c.loop);
		ks_timer_arm(c.touch, TOUCH_MS);
		while (!c.leaving) {
			ks_loop_turn(c.loop, IDLE_MS);
			if (c.attach && !c.leaving) {
				ks_console_attach_again(&c);
			}
		}
	}
	if (c.leaving) { /* also while the engine had not answered */
		ks_err_clear(err);
		rc = 0;
	}
	if (c.keys != NULL) {
		ks_drafts_save(how->read_only ? NULL : ks_fold_paths(fold), &c.ui);
	}
	enum ks_left left = c.stopped ? KS_LEFT_STOPPED :
		c.ui.lost ? KS_LEFT_LOST : KS_LEFT_RUNNING;
	close_all(&c);
	if (rc == 0 && !how->read_only) {
		ks_steer_say_left(fold, left);
	}
	return rc;
}
