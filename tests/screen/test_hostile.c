/*
 * Everything that comes from an agent, a tool, a kernel or a file holds what a
 * terminal would obey. Nothing of it may reach the terminal, and no frame may
 * be broken, in any view.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "canvas/write.h"
#include "fixture.h"
#include "rig.h"

static const char *const evil[] = {
	"\033]52;c;QUJD\a after", "\033]0;title\033\\x", "\033]8;;http://x\033\\link",
	"\033Pq#0;2;0\033\\x", "\033_app\033\\x", "\033^pm\033\\x", "\033[2J\033[1;1Hcleared",
	"\xc2\x9b" "31mred \xc2\x9d" "52;c;x\xc2\x9c", "unterminated \033]0;rest",
	"left\roverwritten", "10%\r20%\r100%", "bs\b\b\b\bspace", "tab\there\vdown\fform",
	"\xe2\x80\xae" "desrever\xe2\x80\xac", "zero\xe2\x80\x8bwidth\xef\xbb\xbf",
	"👩‍👩‍👧‍👦 family 🇩🇪🇫🇷 flags ❤️ heart 👍🏽 thumb", "│ ┃ frame ─ look-alike ┐",
	"e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86\xcc\x87 marks", "\xff\xfe\x80 bytes",
	"①②③ ambiguous ◯ width", "日本語日本語日本語日本語日本語日本語日本語日本語日本語",
	"\033[?1049l\033[?2004l\033c reset", "\033[200~paste\033[201~", "line\nline\nline",
};
#define EVIL (sizeof(evil) / sizeof(evil[0]))

/* JSON members of one field. */
static void add_text(struct fixture *f, const char *kind, const char *by,
	const char *before, const char *key, const char *text)
{
	struct ks_buf fields = {0};
	struct ks_jw jw;

	ks_jw_init(&jw, &fields);
	ks_jw_open(&jw, NULL);
	ks_jw_str(&jw, key, text);
	ks_jw_close(&jw);
	fixture_add(f, 1, kind, by, "%s%.*s", before, (int)fields.len - 2, fields.ptr + 1);
	ks_buf_fini(&fields);
}

/* The text in every place that an event can bring it to. */
static void poison(struct fixture *f, const char *text)
{
	add_text(f, "agent.said", "agent", "", "text", text);
	add_text(f, "tool.started", "agent", "\"call\":\"e\",\"name\":\"shell\",\"tool\":"
		"\"shell\",", "text", text);
	add_text(f, "tool.ended", "agent", "\"call\":\"e\",\"ok\":true,", "text", text);
	add_text(f, "tool.started", "agent", "\"call\":\"n\",\"title\":\"t\",", "name", text);
	add_text(f, "message.sent", "human", "\"id\":9,\"via\":\"console\",", "text", text);
	add_text(f, "file.changed", "other", "\"added\":1,\"removed\":1,", "path", text);
	add_text(f, "eval.failed", "evaluator", "\"eval\":99,\"stage\":\"build\",", "text",
		text);
	add_text(f, "eval.evidence", "evaluator", "\"eval\":1,", "scenario", text);
	add_text(f, "notice", "engine", "\"level\":\"warn\",", "text", text);
	add_text(f, "agent.started", "engine", "\"driver\":\"acp\",", "label", text);
	add_text(f, "scenario.declared", "engine", "\"i\":20,\"set\":\"edge\",", "name", text);
	add_text(f, "scenario.declared", "engine", "\"i\":21,\"name\":\"x\",", "set", text);
	add_text(f, "unheard.of", "other", "", "text", text);
	add_text(f, "goal.computed", "engine", "\"candidate\":1,\"n_met\":0,\"n\":1,", "met",
		text);
	add_text(f, "moment.raised", "engine", "\"moment\":5,\"moment_kind\":\"limit\","
		"\"offers\":[{\"question\":\"H-02\",\"layer\":\"H\",\"text\":\"q\"}],",
		"evidence", text);
}

/* Bytes that only an attack would send: ncurses and the terminal's own modes
 * use CSI and charset sequences, nothing else. */
static void expect_clean(struct rig *rig)
{
	static const char *const never[] = {
		"\033]", "\033P", "\033_", "\033^", "\033X", "\a", "\xc2\x9b", "\xc2\x9d",
		"\xc2\x90", "\xe2\x80\xae", "\xe2\x80\x8b", "\xef\xbb\xbf", "\033c",
		"\033[200~", "\xe2\x80\x8d",
	};
	size_t i;

	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		if (rig_sent_text(rig, never[i])) {
			fail_msg("sequence %zu reached the terminal", i);
		}
	}
}

/* The columns where the emulator shows frame strokes are those of the grid. */
static void expect_frames(struct rig *rig, const struct ks_grid *g)
{
	int x, y;

	rig_settle(rig);
	for (y = 0; y < g->h; y++) {
		for (x = 0; x < g->w; x++) {
			const struct ks_cell *cell = ks_grid_at(g, x, y);
			VTermPos pos = {y, x};
			VTermScreenCell shown;

			if ((cell->style & KS_STYLE_ROLE) != KS_ROLE_BORDER) {
				continue;
			}
			vterm_screen_get_cell(rig->screen, pos, &shown);
			if (shown.chars[0] < 0x2500 || shown.chars[0] > 0x257f) {
				fail_msg("frame broken at %d,%d", x, y);
			}
		}
	}
}

static void one_view(struct fixture *f, struct rig *rig, struct ks_term *t,
	const char *keys)
{
	struct ks_grid g;

	fixture_press(f, keys);
	fixture_draw(f, &g);
	assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
	expect_frames(rig, &g);
	ks_grid_fini(&g);
}

static void nothing_reaches_the_terminal(void **state)
{
	static const char *const views[] = {"", "a", "esc s", "S", "esc c", "esc d", "esc o",
		"esc m", "enter", "esc esc k enter", "esc k enter", "esc ?"};
	size_t i, k;

	(void)state;
	for (i = 0; i < EVIL; i++) {
		struct fixture f;
		struct rig rig;
		struct ks_term *t;

		fixture_campaign(&f);
		poison(&f, evil[i]);
		f.diff = evil[i];
		f.blob = strdup(evil[i]);
		fixture_size(&f, 110, 30);
		rig_init(&rig, 110, 30);
		t = rig_open(&rig, "xterm-256color");
		for (k = 0; k < sizeof(views) / sizeof(views[0]); k++) {
			one_view(&f, &rig, t, views[k]);
		}
		fixture_press(&f, "esc esc esc");
		fixture_paste(&f, evil[i]);
		one_view(&f, &rig, t, "");
		ks_ui_flash(&f.ui, true, "%s", evil[i]);
		one_view(&f, &rig, t, "");
		expect_clean(&rig);
		ks_term_free(t);
		rig_fini(&rig);
		fixture_fini(&f);
	}
}

static void progress_shows_its_last_state(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_campaign(&f);
	fixture_size(&f, 100, 30);
	fixture_say(&f, "10%\r20%\r100% done");
	text = fixture_screen(&f);
	assert_non_null(strstr(text, "100% done"));
	assert_null(strstr(text, "20%"));
	free(text);
	fixture_fini(&f);
}

static void reordered_line_is_flagged(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_campaign(&f);
	fixture_size(&f, 100, 30);
	f.diff = "@@ -1 +1 @@\n-\tok\n+\tif (admin\xe2\x80\xae) {\n";
	fixture_press(&f, "d");
	text = fixture_screen(&f);
	assert_non_null(strstr(text, "⚠ +"));
	assert_non_null(strstr(text, "<U+202E>"));
	assert_null(strstr(text, "⚠ -"));
	free(text);
	fixture_fini(&f);
}

static void printed_lines_are_neutral(void **state)
{
	size_t i, row;

	(void)state;
	for (i = 0; i < EVIL; i++) {
		struct fixture f;
		struct ks_buf out = {0};

		fixture_campaign(&f);
		poison(&f, evil[i]);
		for (row = 1; row <= f.n; row++) {
			ks_view_line(&f.state, f.data.event(&f, (int64_t)row), false, &out);
		}
		assert_null(strpbrk(out.ptr, "\033\a\b\r\v\f"));
		assert_null(strstr(out.ptr, "\xe2\x80\xae"));
		assert_null(strstr(out.ptr, "\xc2\x9b"));
		ks_buf_fini(&out);
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_reaches_the_terminal),
		cmocka_unit_test(progress_shows_its_last_state),
		cmocka_unit_test(reordered_line_is_flagged),
		cmocka_unit_test(printed_lines_are_neutral),
	};

	setenv("TZ", "UTC", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
