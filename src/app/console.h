#ifndef KSEEK_APP_CONSOLE_H
#define KSEEK_APP_CONSOLE_H
/*
 * The console: terminal, views, log and socket wired together, and what its
 * rooms share. It holds no logic: keys go to the views, commands to the engine.
 *
 *	console.c         from its start to its end: keys, signals
 *	console_frame.c   when a frame is drawn
 *	console_engine.c  what the log and the engine bring, requests to it
 *	console_do.c      what the views want done
 */
#include <sys/types.h>

#include "app/client.h"
#include "app/fold.h"
#include "app/steer.h"
#include "loop/watch.h"
#include "term/term.h"
#include "view/ui.h"

#define KS_CONSOLE_SIGNALS 5

struct ks_held {
	char *cmd, *args;
	ks_client_reply *reply;
};

struct ks_console {
	struct ks_fold *fold;
	const struct ks_steer *how;
	struct ks_loop *loop;
	struct ks_client *client;
	struct ks_term *term;
	struct ks_fdwatch *keys, *writable;
	struct ks_signal *signals[KS_CONSOLE_SIGNALS];
	struct ks_timer *frame, *clock, *deadline, *search, *touch, *reader, *again;
	int64_t news_ms;      /* when the last frame with news was, monotonic */
	bool reading;         /* the log is not folded to its end yet */
	struct ks_grid grid;
	struct ks_ui ui;
	int64_t moment_rung;  /* the moment that the bell was rung for */
	int64_t ask_rung;     /* and seq of what the agent asked       */
	int64_t opened_ms;    /* when the console was there */
	int64_t touched_ms;   /* when the engine was last told of a key */
	char *notice;         /* to be shown once the log is read, or NULL */
	struct ks_held *held; /* requests of the time before the engine has answered */
	size_t n_held, cap_held;
	bool leaving;
	bool stopped;         /* on leaving, the engine was told to end */
	bool attach;          /* time to look for an engine again       */
	int diff_a, diff_b;   /* the difference that was asked for last */
	bool diff_asked;      /* and is not here yet                    */
};

/* The loop ends after this turn. */
void ks_console_leave(struct ks_console *c);

/* ---- frames ---- */
int ks_console_frame_open(struct ks_console *c, struct ks_err *err);
void ks_console_frame_close(struct ks_console *c);
/* The terminal's size for grid and views. */
void ks_console_fit(struct ks_console *c);
void ks_console_draw(struct ks_console *c);
/* For news: at most one frame in 33 ms, and soon when none had any for as long. */
void ks_console_draw_soon(struct ks_console *c);

/* ---- the log and the engine ---- */
/* Connects, or waits for nothing where the console only reads. Meanwhile the log is
 * read and shown, and keys are taken; what they ask of the engine is sent once it
 * has answered. */
int ks_console_engine_open(struct ks_console *c, struct ks_err *err);
void ks_console_engine_close(struct ks_console *c);
/* Folds the next slice of a log that was there when the console came; the rest
 * follows by timer. */
void ks_console_read(struct ks_console *c);
/* Looks for an engine that somebody started since the last one was lost; between
 * two turns of the loop, because saying hello turns it. */
void ks_console_attach_again(struct ks_console *c);
/* A request; false, and shown, when it cannot be sent. reply: whatever comes back,
 * NULL for nobody; ctx is the console. */
bool ks_console_send(struct ks_console *c, const char *cmd, struct ks_str args,
	ks_client_reply *reply);
/* The reply to most: shows a refusal. */
void ks_console_on_reply(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error);
/* Asks for the difference that a view wants and that is not here. */
void ks_console_ask_diff(struct ks_console *c);

/* ---- commands of the views ---- */
void ks_console_do(struct ks_console *c, const struct ks_ui_cmd *cmd);

#endif
