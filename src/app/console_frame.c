/*
 * When a frame is drawn: at once for a key, at most thirty times a second for
 * news, and when what is shown changes by time alone. What a key or the clock
 * draws makes no news wait.
 */
#include "app/console.h"
#include "base/clock.h"

#define FRAME_MS 33

void ks_console_fit(struct ks_console *c)
{
	int w, h;

	ks_term_size(c->term, &w, &h);
	c->ui.w = w;
	c->ui.h = h;
	ks_grid_resize(&c->grid, w, h);
}

static void wait_writable(struct ks_console *c)
{
	ks_fdwatch_set(c->writable, KS_FD_WRITE);
}

void ks_console_draw(struct ks_console *c)
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
			ks_console_fit(c);
			continue;
		}
		if (rc == KS_TERM_BUSY) {
			wait_writable(c);
		} else if (rc < 0) {
			ks_console_leave(c);
			return;
		}
		break;
	}
	ks_ui_title(&c->ui, state, title, sizeof(title));
	ks_term_title(c->term, title);
	ks_console_ask_diff(c);
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
	struct ks_console *c = ctx;

	c->news_ms = ks_clock_mono_us() / 1000;
	ks_console_draw(c);
}

static void on_clock(void *ctx)
{
	ks_console_draw(ctx);
}

static void on_writable(void *ctx, unsigned events)
{
	struct ks_console *c = ctx;

	ks_fdwatch_set(c->writable, 0);
	ks_console_draw(c);
}

void ks_console_draw_soon(struct ks_console *c)
{
	int64_t since = ks_clock_mono_us() / 1000 - c->news_ms;

	if (!ks_timer_armed(c->frame)) {
		ks_timer_arm(c->frame, since >= FRAME_MS ? 1 : FRAME_MS - since);
	}
}

static void on_search(void *ctx)
{
	struct ks_console *c = ctx;

	ks_ui_tick(&c->ui, ks_fold_state(c->fold), ks_fold_data(c->fold));
	ks_console_draw(c);
}

int ks_console_frame_open(struct ks_console *c, struct ks_err *err)
{
	c->frame = ks_timer_new(c->loop, on_frame, c);
	c->clock = ks_timer_new(c->loop, on_clock, c);
	c->search = ks_timer_new(c->loop, on_search, c);
	return ks_fdwatch_new(&c->writable, c->loop, 1, 0, on_writable, c, err);
}

void ks_console_frame_close(struct ks_console *c)
{
	ks_fdwatch_free(c->writable);
	ks_timer_free(c->frame);
	ks_timer_free(c->clock);
	ks_timer_free(c->search);
}
