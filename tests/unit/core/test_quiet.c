/* Quiet notes, and the replay that finds moments and notes again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

#include "core/replay.h"

/* A replay finds the same moments in a log whose moments it does not read. */
static void test_replay_finds_them_again(void **state)
{
	struct rig r;
	struct ks_replay replay;
	struct ks_str rest, line;
	int kinds[8] = {0};

	rig_working(&r);
	rig_limit(&r);
	rig_say(&r, "Which bytes?");
	rig_eval(&r, 5);
	rig_turn_end(&r, "ended");
	ks_replay_init(&replay, &r.policy);
	rest = ks_buf_str(&r.log);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_event e;
		struct ks_replay_found found;

		if (line.len == 0 || ks_event_parse(&e, line, NULL) < 0) {
			continue;
		}
		if (ks_replay_step(&replay, &e, &found)) {
			kinds[found.moment.kind]++;
		}
		ks_event_fini(&e);
	}
	for (int k = KS_MOMENT_START; k <= KS_MOMENT_BREAK; k++) {
		assert_int_equal(kinds[k], rig_moments(&r, (enum ks_moment_kind)k));
	}
	ks_replay_fini(&replay);
	rig_fini(&r);
}

/* The quiet notes in the log that say what. */
static int notes(const struct rig *r, const char *about)
{
	struct ks_str rest = ks_buf_str(&r->log), line;
	char member[40];
	int count = 0;

	snprintf(member, sizeof(member), "\"about\":\"%s\"", about);
	while (ks_str_next(&rest, '\n', &line)) {
		count += ks_str_find(line, ks_str_of(member)) >= 0;
	}
	return count;
}

static void edit(struct rig *r, const char *path)
{
	rig_see(r, KS_BY_AGENT, "tool.started",
		"\"call\":\"e\",\"name\":\"edit\",\"tool\":\"edit\","
		"\"title\":\"%s\",\"path\":\"%s\"", path, path);
	rig_see(r, KS_BY_AGENT, "tool.ended", "\"call\":\"e\",\"ok\":true,\"diff\":\"@@ -1 +1 "
		"@@\\n+ x += y;\"");
}

static void test_quiet_notes(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	for (int i = 0; i < 5; i++) {
		edit(&r, "kernel.c");
	}
	assert_int_equal(notes(&r, "edits"), 0);
	rig_tool(&r, "shell", "perf stat ./bench");
	for (int i = 0; i < 5; i++) {
		edit(&r, "kernel.c");
	}
	assert_int_equal(notes(&r, "edits"), 0); /* something was measured between */
	edit(&r, "kernel.c");
	assert_int_equal(notes(&r, "edits"), 1);
	edit(&r, "kernel.c");
	assert_int_equal(notes(&r, "edits"), 1); /* it rests */
	edit(&r, "problem/definition.json");
	assert_int_equal(notes(&r, "sealed"), 1);
	edit(&r, "problem/seed.c");
	assert_int_equal(notes(&r, "sealed"), 1);
	rig_calls(&r, 50);
	edit(&r, "/x/problem/seed.c");
	assert_int_equal(notes(&r, "sealed"), 2);
	rig_fini(&r);
}

/* The same sources again and again, as an agent does that hopes for a high one. */
static void test_quiet_note_of_repeats(void **state)
{
	static const char *const names[] = {"fast", "wide", "odd"};
	struct rig r;

	rig_init(&r, "human");
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	rig_eval(&r, 0.9);
	for (int look = 2; look <= 4; look++) {
		rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":%d,\"candidate\":1,"
			"\"confirm\":false,\"perf\":true,\"total\":3", 5000 + look);
		for (int i = 0; i < 3; i++) {
			rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":%d,\"i\":%d,"
				"\"name\":\"%s\",\"correct\":true,\"measured\":true,"
				"\"seed_us\":100,\"cand_us\":110,\"speedup\":0.9,\"lo\":0.89,"
				"\"hi\":0.91", 5000 + look, i, names[i]);
		}
		rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":%d,\"candidate\":1,"
			"\"correct\":3,\"scenarios\":3,\"geomean\":0.9,\"geo_lo\":0.89,"
			"\"geo_hi\":0.91,\"worst\":0.9,\"worst_name\":\"odd\"", 5000 + look);
		assert_int_equal(notes(&r, "repeat"), look >= 3);
	}
	rig_fini(&r);
}

static void test_quiet_note_of_rereading(void **state)
{
	struct rig r;
	char text[3001];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	rig_init(&r, "human");
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	for (int i = 0; i < 20; i++) {
		bool own = i % 4 != 0;

		rig_see(&r, KS_BY_AGENT, "tool.started", "\"call\":\"r\",\"name\":\"read\","
			"\"tool\":\"read\",\"title\":\"x\",\"path\":\"%s\"",
			own ? "kernel.c" : "notes.txt");
		rig_see(&r, KS_BY_AGENT, "tool.ended", "\"call\":\"r\",\"ok\":true,\"text\":\"%s\"",
			text);
	}
	assert_int_equal(notes(&r, "reread"), 1);
	rig_fini(&r);
}

/* A replay notes what was noted, whatever the log's own notices say. */
static void test_replay_finds_notes_again(void **state)
{
	struct rig r;
	struct ks_replay replay;
	struct ks_str rest, line;

	rig_working(&r);
	r.policy.quiet_edits = 3;
	for (int i = 0; i < 4; i++) {
		edit(&r, "kernel.c");
	}
	assert_int_equal(notes(&r, "edits"), 1);
	ks_replay_init(&replay, &r.policy);
	rest = ks_buf_str(&r.log);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_event e;
		struct ks_replay_found found;

		if (line.len > 0 && ks_event_parse(&e, line, NULL) == 0) {
			if (ks_replay_step(&replay, &e, &found) && found.noted) {
				assert_int_equal(found.note.kind, KS_QUIET_EDITS);
			}
			ks_event_fini(&e);
		}
	}
	assert_int_equal(replay.notes, 1);
	ks_replay_fini(&replay);
	rig_fini(&r);
	(void)state;
}

/* Moments of a kind that a replay of the log finds, with the usual numbers where the
 * log holds none. */
static int replayed(const struct rig *r, enum ks_moment_kind kind)
{
	struct ks_str rest = ks_buf_str(&r->log), line;
	struct ks_policy usual;
	struct ks_replay replay;
	int count = 0;

	ks_policy_default(&usual);
	usual.claims = r->claims;
	ks_replay_init(&replay, &usual);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_event e;
		struct ks_replay_found found;

		if (line.len == 0 || ks_event_parse(&e, line, NULL) < 0) {
			continue;
		}
		count += ks_replay_step(&replay, &e, &found) && found.moment.kind == kind;
		ks_event_fini(&e);
	}
	ks_replay_fini(&replay);
	return count;
}

static void start_engine(struct rig *r)
{
	struct ks_buf numbers = {0};
	struct ks_jw w;

	ks_jw_members(&w, &numbers);
	ks_policy_write(&r->policy, &w);
	rig_see(r, KS_BY_ENGINE, "engine.started", "\"pid\":2,\"policy\":{%s}", numbers.ptr);
	ks_buf_fini(&numbers);
}

static void test_replay_has_the_numbers_of_its_log(void **state)
{
	struct rig r;

	rig_working(&r);
	assert_true(ks_policy_set(&r.policy, "plateau_evals", 2));
	start_engine(&r);
	rig_agent(&r);
	rig_turn(&r);
	rig_eval(&r, 1.0);
	rig_eval(&r, 1.0);
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 1);
	assert_int_equal(replayed(&r, KS_MOMENT_PLATEAU), 1);
	rig_fini(&r);
	/* An engine that does not say: the usual ones, hence no plateau yet. */
	rig_working(&r);
	assert_true(ks_policy_set(&r.policy, "plateau_evals", 2));
	rig_eval(&r, 1.0);
	rig_eval(&r, 1.0);
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 1);
	assert_int_equal(replayed(&r, KS_MOMENT_PLATEAU), 0);
	/* The next engine has its own from there on. */
	r.policy.plateau_evals = 100000;
	start_engine(&r);
	rig_agent(&r);
	rig_turn(&r);
	for (int i = 0; i < 8; i++) {
		rig_eval(&r, 1.0);
	}
	assert_int_equal(replayed(&r, KS_MOMENT_PLATEAU), 0);
	rig_fini(&r);
}

/* Numbers of a log are foreign: each is taken in its range or not at all. */
static void test_numbers_of_a_policy(void **state)
{
	struct ks_policy usual, other;
	struct ks_json *doc = NULL;
	const char *odd = "{\"plateau_evals\":-1,\"plateau_calls\":1e18,\"plateau_min\":\"x\","
		"\"moment_calls\":2.5,\"quiet_edits\":9,\"human_wait_s\":1,\"new\":3}";

	ks_policy_default(&usual);
	ks_policy_default(&other);
	assert_int_equal(ks_json_parse(&doc, odd, strlen(odd), NULL), 0);
	ks_policy_read(&other, doc);
	ks_json_free(doc);
	assert_int_equal(other.quiet_edits, 9);
	other.quiet_edits = usual.quiet_edits;
	assert_memory_equal(&other, &usual, sizeof(usual));
	assert_true(ks_policy_set(&other, "plateau_min", 3));
	assert_true(other.plateau_ms == 180000);
	assert_true(ks_policy_set(&other, "fresh_eval", 0));
	assert_false(other.fresh_eval);
	assert_false(ks_policy_set(&other, "plateau", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay_finds_them_again),
		cmocka_unit_test(test_quiet_notes),
		cmocka_unit_test(test_quiet_note_of_repeats),
		cmocka_unit_test(test_quiet_note_of_rereading),
		cmocka_unit_test(test_replay_finds_notes_again),
		cmocka_unit_test(test_replay_has_the_numbers_of_its_log),
		cmocka_unit_test(test_numbers_of_a_policy),
	};

	return cmocka_run_group_tests_name("quiet", tests, NULL, NULL);
}
