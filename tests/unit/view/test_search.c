/*
 * Search in each view that offers it: it finds what stands on the screen, puts
 * the cursor there, and goes once around.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "view/view.h"

static struct fixture f;

static int set_up(void **state)
{
	static const double speeds[] = {1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8};
	int i;

	(void)state;
	fixture_campaign(&f);
	for (i = 3; i <= 10; i++) {
		fixture_eval(&f, i, speeds, 8);
	}
	fixture_size(&f, 80, 24);
	return 0;
}

static int candidate_at_cursor(void)
{
	return ks_candidates_at(&f.ui, &f.state, f.ui.place[KS_SCREEN_CANDIDATES].cursor);
}

static void a_candidate_is_found_by_its_name(void **state)
{
	(void)state;
	fixture_press(&f, "c / 'c5 enter");
	assert_int_equal(candidate_at_cursor(), 5);
	fixture_press(&f, "space");
	assert_int_equal(f.ui.marked, 5);
	/* Above the cursor: once around, and it says so. */
	fixture_press(&f, "/ 'c10 enter");
	assert_int_equal(candidate_at_cursor(), 10);
	assert_true(fixture_shows(&f, "\"c10\": from the top again"));
	fixture_press(&f, "n");
	assert_int_equal(candidate_at_cursor(), 10);
	assert_true(fixture_shows(&f, "no other line matches \"c10\""));
	fixture_press(&f, "/ 'c77 enter");
	assert_int_equal(candidate_at_cursor(), 10);
	assert_true(fixture_shows(&f, "no line matches \"c77\""));
	/* The order on the screen counts, and N goes up. */
	fixture_press(&f, "S / 'seed enter");
	assert_int_equal(candidate_at_cursor(), 0);
	fixture_press(&f, "/ 'c2 enter N");
	assert_int_equal(candidate_at_cursor(), 2);
}

static void moments_and_waiting_messages_are_found(void **state)
{
	(void)state;
	fixture_moment(&f, 1, "limit", "the first one");
	fixture_add(&f, 1, "moment.dismissed", "human", "\"moment\":1");
	fixture_moment(&f, 2, "plateau", "the second one");
	fixture_press(&f, "m / 'first_one enter");
	assert_int_equal(f.ui.place[KS_SCREEN_MOMENTS].cursor, 1);
	fixture_add(&f, 1, "message.queued", "human", "\"id\":91,\"text\":\"mind the tail\"");
	fixture_add(&f, 1, "message.queued", "human", "\"id\":92,\"text\":\"and the head\"");
	fixture_press(&f, "u / 'head enter");
	assert_int_equal(f.ui.place[KS_SCREEN_QUEUE].cursor, 1);
	fixture_press(&f, "/ 'tail enter");
	assert_int_equal(f.ui.place[KS_SCREEN_QUEUE].cursor, 0);
}

static void the_line_that_was_found_is_marked(void **state)
{
	(void)state;
	/* Everything is on one page: the mark tells where. */
	fixture_press(&f, "o / 'geomean enter");
	assert_int_equal(f.ui.hit[KS_SCREEN_GOAL], 10);
	assert_false(fixture_shows(&f, "no line matches"));
	f.diff = "--- a/kernel.c\n+++ b/kernel.c\n+int one;\n+int two;\n+int one;\n";
	fixture_press(&f, "d / 'one enter");
	assert_int_equal(f.ui.hit[KS_SCREEN_DIFF], 3);
	fixture_press(&f, "n");
	assert_int_equal(f.ui.hit[KS_SCREEN_DIFF], 5);
	fixture_press(&f, "n");
	assert_int_equal(f.ui.hit[KS_SCREEN_DIFF], 3);
	assert_true(fixture_shows(&f, "\"one\": from the top again"));
	fixture_press(&f, "N");
	assert_int_equal(f.ui.hit[KS_SCREEN_DIFF], 5);
	fixture_press(&f, "/ 'kernel enter");
	assert_int_equal(f.ui.hit[KS_SCREEN_DIFF], 1);
}

static void the_live_view_goes_around(void **state)
{
	size_t first;

	(void)state;
	fixture_press(&f, "/ 'champion enter");
	first = f.ui.live.cursor;
	assert_int_equal(f.state.rows[first].kind, KS_EV_CHAMPION_CHANGED);
	fixture_press(&f, "/ 'remaining_gap enter");
	assert_true(f.ui.live.cursor > first);
	assert_true(fixture_shows(&f, "from the end again"));
}

#define T(name) cmocka_unit_test_prestate_setup_teardown(name, set_up, \
	fixture_tear_down, &f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_candidate_is_found_by_its_name),
		T(moments_and_waiting_messages_are_found),
		T(the_line_that_was_found_is_marked),
		T(the_live_view_goes_around),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
