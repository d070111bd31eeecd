#ifndef KSEEK_TEST_FIXTURE_H
#define KSEEK_TEST_FIXTURE_H
/*
 * A campaign for tests of the views: events are appended as JSON text, folded
 * into a state, and served back through view_data, as the console's own are.
 */
#include "canvas/grid.h"
#include "view/ui.h"

#define FIXTURE_T0 1764511200000000 /* 2025-11-30T14:00:00Z */

struct fixture {
	struct ks_buf log;
	size_t *at;      /* offset of each line; n + 1 of them */
	size_t n, cap;
	int64_t t;       /* of the last event */
	struct ks_state state;
	struct ks_view_data data;
	struct ks_bank *bank;
	struct ks_ui ui;
	struct ks_ui_out out;
	struct ks_event lent[8];
	unsigned next_lent;
	size_t asked;    /* how many events were asked for */
	const char *diff; /* text that data.diff gives, NULL: not here yet */
	char *blob;       /* what every blob holds, or NULL */
};

/* An empty campaign, and the one that the goldens show. */
void fixture_init(struct fixture *f);
void fixture_campaign(struct fixture *f);
void fixture_fini(struct fixture *f);
/* The goldens' campaign at 120x40 before each test, and its end, for cmocka's
 * cmocka_unit_test_prestate_setup_teardown: *state is the program's fixture. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);
/* Appends an event `seconds` after the last: by is "agent" etc., fields are JSON
 * members without braces. */
void fixture_add(struct fixture *f, double seconds, const char *kind, const char *by,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* An evaluation of a new candidate with one speedup a scenario. */
void fixture_eval(struct fixture *f, int number, const double *speedups, size_t count);
void fixture_say(struct fixture *f, const char *text);
void fixture_moment(struct fixture *f, int id, const char *kind, const char *evidence);
/* Presses keys by name, separated by blanks; "'text" types text. */
void fixture_press(struct fixture *f, const char *keys);
void fixture_paste(struct fixture *f, const char *text);
void fixture_wait(struct fixture *f, double seconds);
void fixture_size(struct fixture *f, int w, int h);
/* Draws and gives the plain text. */
char *fixture_screen(struct fixture *f);
bool fixture_shows(struct fixture *f, const char *text);
void fixture_draw(struct fixture *f, struct ks_grid *g);
/* Forgets commands that came out. */
void fixture_forget(struct fixture *f);

#endif
