#ifndef KSEEK_TESTS_AGENT_API_RIG_H
#define KSEEK_TESTS_AGENT_API_RIG_H
/* Shared by the tests of the built-in agent: it speaks to the scripted model server
 * (tests/agents). */
#include "scene.h"

#include <sys/stat.h>
#include <unistd.h>

#include "agent/api.h"
#include "loop/child.h"

#define KEY "sk-unit-0123456789abcdef"
#define REPLIES(list) "{\"replies\":[" list "]}"

struct rig {
	struct record *r;
	struct ks_child *server;
	struct ks_buf server_says;
	int port;
	const char *session; /* to be taken up */
};

static inline int set_up(void **state)
{
	struct rig *rig = ks_zalloc(1, sizeof(*rig));

	assert_int_equal(record_setup((void **)&rig->r), 0);
	setenv("UNIT_KEY", KEY, 1);
	*state = rig;
	return 0;
}

static inline int tear_down(void **state)
{
	struct rig *rig = *state;
	void *record = rig->r;

	ks_agent_free(rig->r->agent);
	rig->r->agent = NULL;
	ks_child_free(rig->server);
	ks_buf_fini(&rig->server_says);
	free(rig);
	return record_teardown(&record);
}

static inline void on_server(void *ctx, int fd, struct ks_str line, bool cut)
{
	struct rig *rig = ctx;

	if (fd == 1) {
		rig->port = (int)strtol(line.ptr, NULL, 10);
	} else {
		ks_buf_addstr(&rig->server_says, line);
	}
}

static inline void serve(struct rig *rig, const char *scene)
{
	char *path = ks_path_join(rig->r->tools, "scene.json");
	char *log = ks_path_join(rig->r->tools, "requests");
	const char *argv[] = {getenv("MODEL_SERVER"), "--scene", path, "--log", log, "--key", KEY,
		NULL};
	const struct ks_child_spec spec = {.argv = argv, .line_max = 1000, .output = on_server,
		.ctx = rig};

	record_put(rig->r->tools, "scene.json", scene, 0644);
	assert_int_equal(ks_child_start(&rig->server, rig->r->loop, &spec, NULL), 0);
	if (!record_spin(rig->r, &rig->port, 1, 20000)) {
		fail_msg("the server does not start: %s", ks_buf_str(&rig->server_says).ptr);
	}
	free(path);
	free(log);
}

/* Starts the agent; more: further members of its configuration, with a comma. */
static inline int start(struct rig *rig, const char *argument, const char *more, struct ks_err *err)
{
	struct record *r = rig->r;
	char *kseek = ks_path_join(r->tools, "kseek");
	char *config = ks_asprintf("{\"driver\":\"api\",\"base_url\":\"http://127.0.0.1:%d/v1\","
		"\"key_env\":\"UNIT_KEY\",\"retry_ms\":1%s}", rig->port, more);
	struct ks_agent_setup setup = {.loop = r->loop, .folder = r->dir,
		.exec = getenv("KSEEK_EXEC"), .kseek = kseek, .argument = argument,
		.env = (const char *const[]){"EXTRA=x", NULL}, .mark = "test",
		.config = ks_str_of(config), .session = rig->session, .keep = r->tools};
	struct ks_sink sink = {r, record_observed, record_gone};
	int rc;

	record_put(r->tools, "kseek", "#!/bin/sh\necho \"ran $*\"\n", 0755);
	r->inside = true;
	rc = ks_driver_find("api")->start(&r->agent, &setup, &sink, err);
	r->inside = false;
	free(kseek);
	free(config);
	return rc;
}

static inline void play(struct rig *rig, const char *argument, const char *scene, const char *more)
{
	struct ks_err err = KS_ERR_INIT;

	serve(rig, scene);
	if (start(rig, argument, more, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_true(scene_until(rig->r, KS_EV_AGENT_SESSION, 1));
}

/* What the server was sent, one request a line. */
static inline char *requests(const struct rig *rig)
{
	char *path = ks_path_join(rig->r->tools, "requests");
	struct ks_buf text = {0};

	assert_int_equal(ks_file_read(&text, path, 64u << 20, NULL), 0);
	free(path);
	return ks_buf_take(&text);
}

static inline int request_count(const struct rig *rig)
{
	char *text = requests(rig);
	int n = 0;

	for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++) {
		n++;
	}
	free(text);
	return n;
}

/* The last request holds this. */
static inline void assert_asked(const struct rig *rig, const char *text)
{
	char *all = requests(rig), *last = all + strlen(all) - 1;

	*last = '\0';
	last = strrchr(all, '\n');
	last = last != NULL ? last : all;
	if (strstr(last, text) == NULL) {
		fail_msg("not in the last request: %s\n... %s", text,
			last + (strlen(last) > 600 ? strlen(last) - 600 : 0));
	}
	free(all);
}

static inline void put(const struct rig *rig, const char *name, const char *text)
{
	record_put(rig->r->dir, name, text, 0644);
}

static inline void assert_file(const struct rig *rig, const char *name, const char *expected)
{
	char *path = ks_path_join(rig->r->dir, name);
	struct ks_buf text = {0};

	assert_int_equal(ks_file_read(&text, path, 1u << 20, NULL), 0);
	assert_string_equal(ks_buf_str(&text).ptr, expected);
	ks_buf_fini(&text);
	free(path);
}

/* Answers every question with this kind until the turn has ended. */
static inline void turn(struct rig *rig, const char *kind)
{
	struct record *r = rig->r;
	int turns = r->turns_ended, asked = record_count(r, KS_EV_PERMISSION_ASKED);
	int64_t end = ks_clock_mono_us() + 60 * 1000000;

	scene_prompt(r, 7);
	while (r->turns_ended == turns && ks_clock_mono_us() < end) {
		ks_loop_turn(r->loop, 20);
		if (record_count(r, KS_EV_PERMISSION_ASKED) > asked) {
			scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, asked, "ask"), NULL,
				kind, "");
			asked++;
		}
	}
	assert_int_equal(r->turns_ended, turns + 1);
}

/* Nothing that left the agent holds the key. */
static inline void assert_no_key(const struct rig *rig)
{
	for (int i = 0; i < rig->r->count; i++) {
		struct ks_buf text = {0};

		ks_json_print(rig->r->events[i].fields, &text);
		assert_null(strstr(text.ptr, KEY));
		assert_null(strstr(text.ptr, "0123456789"));
		ks_buf_fini(&text);
	}
}

static inline bool noticed(const struct rig *rig, const char *text)
{
	for (int i = 0; i < rig->r->count; i++) {
		if (rig->r->events[i].kind == KS_EV_NOTICE &&
			strstr(ks_json_get_str(rig->r->events[i].fields, "text", ""),
			text) != NULL) {
			return true;
		}
	}
	return false;
}

/* The engine is gone at once, and another one starts the agent anew. */
static inline void restart(struct rig *rig, const char *argument, const char *session)
{
	struct ks_err err = KS_ERR_INIT;
	int sessions = record_count(rig->r, KS_EV_AGENT_SESSION);

	ks_agent_free(rig->r->agent);
	rig->r->agent = NULL;
	rig->r->turns_ended = record_count(rig->r, KS_EV_TURN_ENDED);
	rig->session = session;
	if (start(rig, argument, "", &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_true(scene_until(rig->r, KS_EV_AGENT_SESSION, sessions + 1));
}

#endif
