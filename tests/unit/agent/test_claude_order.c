/*
 * Whose result is it: the driver of Claude Code in every order in which prompts,
 * interrupts, what the agent repeats and its results can come. Rows up to "a version
 * that tells no ids" were seen of 2.1.197 or 2.1.332, or differ from one that was in a
 * single line.
 *
 * A row's scene is the agent. Its steps are ours: p prompt, k prompt "/cost", s words
 * into the turn, c interrupt, e wait for the turn's end, 2 wait until two things were
 * said. What has to come of it is written so: [MESSAGE said... how], text that came
 * outside a turn stands outside.
 */
#include "scene.h"

#define ANSWER(more) "send {\"type\":\"control_response\",\"response\":{\"subtype\":\"success\"," \
	"\"request_id\":$id" more "}}\n"
#define SESSION "send {\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"u-1\"}\n"
#define WANT(name) "want \"type\":\"user\"\nkeep " name "\n"
#define ECHO(name) "send {\"type\":\"user\",\"message\":{\"role\":\"user\"," \
	"\"content\":\"other\"}," \
	"\"isReplay\":true,\"uuid\":$" name "}\n"
#define LIFE(name, state) "send {\"type\":\"command_lifecycle\",\"command_uuid\":$" name "," \
	"\"state\":\"" state "\",\"uuid\":\"x\"}\n"
#define SAY(text) "send {\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":" \
	"\"text\",\"text\":\"" text "\"}]}}\n"
#define END "send {\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false," \
	"\"result\":\"x\"}\n"
#define ABORTED "send {\"type\":\"result\",\"subtype\":\"error_during_execution\"," \
	"\"is_error\":true,\"terminal_reason\":\"aborted_streaming\"}\n"
#define REFUSED "want cancel_async_message\nsend {\"type\":\"control_response\",\"response\":" \
	"{\"subtype\":\"error\",\"request_id\":$id,\"error\":\"Unsupported\"}}\n"
#define KEPT "want cancel_async_message\n" ANSWER(",\"response\":{\"cancelled\":false}")
#define GONE "want cancel_async_message\n" ANSWER(",\"response\":{\"cancelled\":true}")
#define STOPPED "want \"interrupt\"\n" ANSWER("")
#define TURN(name, text) WANT(name) SESSION ECHO(name) SAY(text) END

static const struct row {
	const char *name, *scene, *steps, *want;
} rows[] = {
	{"one after the other", TURN("a", "One.") TURN("b", "Two."), "pepe",
		"[1 One. ended][2 Two. ended]"},
	{"its own turn before ours, and after it", TURN("a", "One.") SESSION SAY("Own.") WANT("b")
		END SESSION ECHO("b") SAY("Two.") END SESSION SAY("Own.") END TURN("c", "Three."),
		"pe2pe4pe", "[1 One. ended]Own. [2 Two. ended]Own. [3 Three. ended]"},
	{"ours is given into its own turn", TURN("a", "One.") SESSION SAY("Own.") WANT("b")
		ECHO("b") SAY("Two.") END, "pe2pe", "[1 One. ended]Own. [2 Two. ended]"},
	{"interrupted at work", WANT("a") SESSION ECHO("a") SAY("One.") STOPPED ABORTED
		LIFE("a", "cancelled") TURN("b", "Two."), "p1cepe",
		"[1 One. cancelled][2 Two. ended]"},
	{"an interrupt crosses the end", WANT("a") SESSION ECHO("a") SAY("One.") "want interrupt\n"
		END ANSWER("") TURN("b", "Two."), "p1cepe", "[1 One. cancelled][2 Two. ended]"},
	{"the first is interrupted before it is taken up", WANT("a") KEPT STOPPED SESSION
		ECHO("a") ABORTED TURN("b", "Two."), "pcepe", "[1 cancelled][2 Two. ended]"},
	{"the same, and its end is all that comes", WANT("a") KEPT STOPPED SESSION ABORTED
		TURN("b", "Two."), "pcepe", "[1 cancelled][2 Two. ended]"},
	{"the first is given up without a result", WANT("a") KEPT LIFE("a", "cancelled") STOPPED
		TURN("b", "Two."), "pcepe", "[1 cancelled][2 Two. ended]"},
	{"one that waits is taken back", TURN("a", "One.") SESSION SAY("Own.") WANT("b") GONE
		STOPPED ABORTED TURN("c", "Three."), "pe2pcepe",
		"[1 One. ended]Own. [2 cancelled][3 Three. ended]"},
	{"the same, which is told twice", TURN("a", "One.") SESSION SAY("Own.") WANT("b")
		LIFE("b", "cancelled") GONE STOPPED ABORTED TURN("c", "Three."), "pe2pcepe",
		"[1 One. ended]Own. [2 cancelled][3 Three. ended]"},
	{"one that waits comes all the same, before the next", TURN("a", "One.") SESSION
		SAY("Own.") WANT("b") REFUSED STOPPED ABORTED WANT("c") SESSION ECHO("b")
		SAY("Two, late.") END SESSION ECHO("c") SAY("Three.") END, "pe2pcepe",
		"[1 One. ended]Own. [2 cancelled][3 Two, late. Three. ended]"},
	{"one that waits is joined to the next", TURN("a", "One.") SESSION SAY("Own.") WANT("b")
		REFUSED STOPPED ABORTED WANT("c") ECHO("b") LIFE("b", "started")
		LIFE("c", "started") SESSION ECHO("c") SAY("Both.") END LIFE("b", "completed")
		LIFE("c", "completed"), "pe2pcepe",
		"[1 One. ended]Own. [2 cancelled][3 Both. ended]"},
	{"one that waits is never heard of again", TURN("a", "One.") SESSION SAY("Own.") WANT("b")
		REFUSED STOPPED ABORTED TURN("c", "Three."), "pe2pcepe",
		"[1 One. ended]Own. [2 cancelled][3 Three. ended]"},
	{"given up by the agent itself", WANT("a") LIFE("a", "cancelled") TURN("b", "Two."),
		"pepe", "[1 cancelled][2 Two. ended]"},
	{"a command that is not repeated", TURN("a", "One.") WANT("b") SESSION SAY("Cost.") END,
		"peke", "[1 One. ended][2 Cost. ended]"},
	{"the same behind its own turn", TURN("a", "One.") SESSION SAY("Own.") WANT("b") END
		SESSION SAY("Cost.") END, "pe2ke", "[1 One. ended]Own. [2 Cost. ended]"},
	{"what is repeated is not ours", TURN("a", "One.") WANT("b") "send {\"type\":\"user\","
		"\"message\":{\"content\":\"<local-command-stdout>Set</local-command-stdout>\"},"
		"\"isReplay\":true,\"uuid\":\"y\"}\n" END ECHO("b") SAY("Two.") END, "pepe",
		"[1 One. ended][2 Two. ended]"},
	{"words into the turn", WANT("a") SESSION ECHO("a") SAY("One.") WANT("b") ECHO("b")
		SAY("More.") END, "p1se", "[1 One. More. ended]"},
	{"words that come too late begin a turn", WANT("a") SESSION ECHO("a") SAY("One.")
		WANT("b") END SESSION ECHO("b") SAY("More.") END, "p1see",
		"[1 One. ended][2 More. ended]"},
	{"words that wait join what follows an interrupt", WANT("a") SESSION ECHO("a")
		SAY("One.") WANT("b") STOPPED ABORTED WANT("c") ECHO("b") SESSION ECHO("c")
		SAY("Both.") END, "p1scepe", "[1 One. cancelled][3 Both. ended]"},
	{"words that are given up begin none", WANT("a") SESSION ECHO("a") SAY("One.") WANT("b")
		LIFE("b", "cancelled") END SESSION SAY("Own.") END TURN("c", "Three."), "p1se2pe",
		"[1 One. ended]Own. [3 Three. ended]"},
	{"a version that tells no ids", WANT("a") SESSION "send {\"type\":\"user\",\"message\":"
		"{\"content\":\"x\"},"
		"\"isReplay\":true}\n" SAY("One.") END WANT("b") SAY("Two.") END,
		"pepe", "[1 One. ended][2 Two. ended]"},
	{"the same with words that come too late", WANT("a") SESSION SAY("One.") WANT("b") END
		SESSION SAY("More.") END, "p1see", "[1 One. ended][2 More. ended]"},
};

static void say(struct record *r, char step, int64_t id)
{
	struct ks_prompt prompt = {id, ks_str_of(step == 'k' ? "/cost" : "words"), "", 0};
	struct ks_err err = KS_ERR_INIT;
	int rc;

	r->inside = true;
	rc = step == 's' ? ks_agent_steer(r->agent, &prompt, &err) :
		ks_agent_prompt(r->agent, &prompt, &err);
	r->inside = false;
	if (rc < 0) {
		fail_msg("%s", err.msg);
	}
}

static bool take_steps(struct record *r, const char *steps)
{
	int ended = 0;
	int64_t id = 0;
	bool ok = true;

	for (; *steps != '\0' && ok; steps++) {
		if (*steps == 'c') {
			scene_cancel(r);
		} else if (*steps == 'e') {
			ok = record_spin(r, &r->turns_ended, ++ended, 20000);
		} else if (*steps >= '1' && *steps <= '9') {
			ok = scene_until(r, KS_EV_AGENT_SAID, *steps - '0');
		} else {
			say(r, *steps, ++id);
		}
	}
	return ok;
}

static void write_story(const struct record *r, struct ks_buf *out)
{
	for (int i = 0; i < r->count; i++) {
		const struct ks_json *fields = r->events[i].fields;

		if (r->events[i].kind == KS_EV_TURN_STARTED) {
			ks_buf_addf(out, "[%d ", (int)ks_json_get_int(fields, "message", 0));
		} else if (r->events[i].kind == KS_EV_AGENT_SAID) {
			ks_buf_addf(out, "%s ", ks_json_get_str(fields, "text", ""));
		} else if (r->events[i].kind == KS_EV_TURN_ENDED) {
			ks_buf_addf(out, "%s]", ks_json_get_str(fields, "how", ""));
		}
	}
}

static void run_row(void **state, const struct row *row)
{
	struct record *r = *state;
	struct ks_buf story = {0};
	char *scene = ks_asprintf("want initialize\n" ANSWER("") "%s", row->scene);

	scene_play(r, "claude", scene);
	bool done = take_steps(r, row->steps);
	write_story(r, &story);
	if (!done || strcmp(story.ptr, row->want) != 0) {
		fail_msg("%s:\n  came     %s%s\n  expected %s", row->name, story.ptr,
			done ? "" : " and then nothing", row->want);
	}
	ks_buf_fini(&story);
	free(scene);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *one = NULL;

		record_setup(&one);
		run_row(&one, &rows[i]);
		record_teardown(&one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
