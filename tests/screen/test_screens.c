/*
 * Whole screens against goldens, at the sizes that matter, and each of them
 * through the terminal into an emulator: what was drawn is what is seen.
 * KSEEK_REGEN=1 writes the goldens anew; review them as a diff.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "canvas/write.h"
#include "fixture.h"
#include "rig.h"

static const char bank_text[] =
	"{\"format\":1,\"kind\":\"core\",\"group\":\"H\",\"title\":\"Host launch path\","
	"\"about\":\"Fixed costs.\",\"entries\":[{\"id\":\"H-01\",\"question\":\"How long does "
	"the same call take with an empty kernel, against the floor of a bare launch?\","
	"\"targets\":[\"cuda\",\"cpu\"],\"points\":[\"plateau\",\"limit\"],\"cues\":[{\"kind\":"
	"\"stale\",\"layer\":\"H\"}],\"evidence\":{\"quantity\":\"microseconds per call\","
	"\"tools\":[\"hand_count\"],\"must_report\":[\"value\",\"unit\",\"command\","
	"\"scenario\"],\"stale_when\":[\"kernel_changed\"]},\"bound\":\"empty_launch_floor\","
	"\"arch_params\":[],\"cost\":\"low\",\"needs\":[],\"resources\":[],\"provenance\":"
	"[\"H07\"],\"status\":\"linted\"}]}";

static const char diff_text[] =
	"diff --git a/kernel.c b/kernel.c\n--- a/kernel.c\n+++ b/kernel.c\n"
	"@@ -10,5 +10,6 @@ static void scores(float *s)\n \tint i;\n-\tfor (i = 0; i < n; i++) {\n"
	"+\tfor (i = 0; i < n; i += 8) {\n+\t\t/* \xe2\x80\xae" "reordered\xe2\x80\xac */\n"
	" \t\ts[i] = 0;\n \t}\n";

struct screen {
	const char *name;
	int w, h;
	bool moment;
	const char *keys;
	bool ascii;
};

static const struct screen screens[] = {
	{"main", 80, 24, false, "", false},
	{"main", 120, 40, false, "", false},
	{"main", 200, 50, false, "", false},
	{"main", 40, 10, false, "", false},
	{"main", 681, 180, false, "", false},
	{"main-ascii", 80, 24, true, "", true},
	{"too-small", 39, 10, false, "", false},
	{"moment", 80, 24, true, "", false},
	{"moment", 120, 40, true, "", false},
	{"moment", 40, 10, true, "", false},
	{"moment-focus", 80, 24, true, "a down", false},
	{"moment-focus", 120, 40, true, "a down", false},
	{"moment-chosen", 120, 40, true, "i 'a_draft esc a 2", false},
	{"prompt", 80, 24, false, "i 'one_line alt-enter 'and_another,_日本", false},
	{"note", 80, 24, false, "r 'seen_before", false},
	{"held", 120, 40, false, "k k", false},
	{"words", 80, 24, false, "f", false},
	{"scenarios", 80, 24, false, "s", false},
	{"scenarios", 120, 40, false, "s j S / 'real enter", false},
	{"candidates", 80, 24, false, "c", false},
	{"candidates", 120, 40, false, "c j space", false},
	{"diff", 80, 24, false, "d", false},
	{"diff", 120, 40, false, "d", false},
	{"bank", 120, 40, true, "b", false},
	{"bank", 80, 24, false, "b", false},
	{"goal", 80, 24, false, "o", false},
	{"moments", 80, 24, true, "m", false},
	{"item", 80, 24, false, "k k k k enter", false},
	{"help", 80, 24, false, "?", false},
	{"help-search", 120, 40, false, "? / 'moment", false},
	{"leave", 80, 24, false, "q", false},
	{"command", 80, 24, false, ": 'nonsense enter", false},
};

static void build(struct fixture *f, const struct screen *s)
{
	struct ks_err err = KS_ERR_INIT;

	fixture_campaign(f);
	if (ks_bank_load(f->bank, KS_STR(bank_text), "test", &err) != 0) {
		fail_msg("%s", err.msg);
	}
	f->ui.ascii = s->ascii;
	f->diff = diff_text;
	fixture_size(f, s->w, s->h);
	if (s->moment) {
		fixture_moment(f, 1, "limit", "\\\"hardware limit\\\"; host launch path not "
			"measured for 143 calls");
	}
	fixture_wait(f, 1);
	fixture_press(f, s->keys);
}

static void compare_golden(const struct screen *s, struct ks_str got)
{
	struct ks_buf want = {0};
	struct ks_err err = KS_ERR_INIT;
	char path[512];

	snprintf(path, sizeof(path), GOLDEN_DIR "/%s-%dx%d.txt", s->name, s->w, s->h);
	if (getenv("KSEEK_REGEN") != NULL) {
		assert_int_equal(ks_file_write(path, got, 0644, &err), 0);
	}
	if (ks_file_read(&want, path, 1 << 22, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	if (want.len != got.len || memcmp(want.ptr, got.ptr, got.len) != 0) {
		print_error("%s:\n%.*s\n", path, KS_FMT(got));
		fail_msg("%s differs; KSEEK_REGEN=1 writes it anew", path);
	}
	ks_buf_fini(&want);
}

/* Rows of blanks at the end are cut in both, so that a golden stays short. */
static void goldens(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct fixture f;
		char *text;

		build(&f, &screens[i]);
		text = fixture_screen(&f);
		compare_golden(&screens[i], ks_str_of(text));
		free(text);
		fixture_fini(&f);
	}
}

static void emulator_shows_what_was_drawn(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct fixture f;
		struct ks_grid g;
		struct rig rig;
		struct ks_term *t;

		build(&f, &screens[i]);
		fixture_draw(&f, &g);
		rig_init(&rig, g.w, g.h);
		t = rig_open(&rig, "xterm-256color");
		assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
		rig_expect(&rig, &g);
		ks_term_free(t);
		rig_fini(&rig);
		ks_grid_fini(&g);
		fixture_fini(&f);
	}
}

/* Every size from nothing to large draws inside its grid (the grid asserts). */
static void every_size_is_drawn(void **state)
{
	static const char *const views[] = {"", "s", "c", "d", "b", "o", "m", "?", "a",
		"i 'text", "q", "k enter"};
	size_t i;
	int w, h;

	(void)state;
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		struct screen s = {"any", 80, 24, true, "", false};
		struct fixture f;

		s.keys = views[i];
		build(&f, &s);
		for (w = 1; w < 130; w += 7) {
			for (h = 1; h < 45; h += 3) {
				struct ks_grid g;

				fixture_size(&f, w, h);
				fixture_draw(&f, &g);
				assert_int_equal(g.w, w);
				assert_int_equal(g.h, h);
				ks_grid_fini(&g);
			}
		}
		fixture_fini(&f);
	}
}

/* Without colour, pass and fail are told by marks. */
static void marks_tell_without_colour(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	build(&f, &screens[1]);
	text = fixture_screen(&f);
	assert_non_null(strstr(text, "✓ every scenario correct"));
	assert_non_null(strstr(text, "✗ every speedup >= 1.00"));
	free(text);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goldens),
		cmocka_unit_test(emulator_shows_what_was_drawn),
		cmocka_unit_test(every_size_is_drawn),
		cmocka_unit_test(marks_tell_without_colour),
	};

	setenv("TZ", "UTC", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
