#ifndef KSEEK_TESTS_AGENT_SCENE_H
#define KSEEK_TESTS_AGENT_SCENE_H
/* Shared by the tests of drivers that talk to a program: the program plays a
 * scene (tests/agents/scene.c), and what it read is in a log. */
#include "record.h"

struct scene_how {
	const char *session, *mode, *config, *agents;
	bool no_forms;
	int64_t stall_ms, turns;
};

/* Starts a scene; does not wait. */
static inline int scene_start(struct record *r, const char *driver, const char *scene,
	const struct scene_how *how, struct ks_err *err)
{
	char *path = ks_path_join(r->tools, "scene"), *log = ks_path_join(r->tools, "log");
	char *argument = ks_asprintf("%s '%s'", getenv("SCENE"), path);
	char *env = ks_asprintf("SCENE_LOG=%s", log);
	struct ks_agent_setup setup = {.loop = r->loop, .folder = r->dir,
		.exec = getenv("KSEEK_EXEC"), .argument = argument, .mark = "test",
		.env = (const char *const[]){env, NULL}, .session = how->session,
		.mode = how->mode, .forms = !how->no_forms, .stall_ms = how->stall_ms,
		.turns = how->turns, .config = ks_str_of(how->config), .agents = how->agents};
	struct ks_sink sink = {r, record_observed, record_gone};
	int rc;

	record_put(r->tools, "scene", scene, 0644);
	r->inside = true;
	rc = ks_driver_find(driver)->start(&r->agent, &setup, &sink, err);
	r->inside = false;
	free(path);
	free(log);
	free(argument);
	free(env);
	return rc;
}

static inline bool scene_until(struct record *r, enum ks_ev kind, int want)
{
	int64_t end = ks_clock_mono_us() + 20 * 1000000;

	while (record_count(r, kind) < want && ks_clock_mono_us() < end) {
		ks_loop_turn(r->loop, 20);
	}
	return record_count(r, kind) >= want;
}

/* Starts a scene and waits until the agent is ready. */
static inline void scene_play(struct record *r, const char *driver, const char *scene)
{
	struct scene_how how = {0};
	struct ks_err err = KS_ERR_INIT;

	if (scene_start(r, driver, scene, &how, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
}

static inline void scene_prompt(struct record *r, int64_t id)
{
	assert_int_equal(record_prompt(r, id, "", 0), 0);
}

/* A prompt, and its turn's end. */
static inline void scene_turn(struct record *r, int64_t id)
{
	int turns = r->turns_ended;

	scene_prompt(r, id);
	assert_true(record_spin(r, &r->turns_ended, turns + 1, 20000));
}

/* Whether the program read this; waits for it. */
static inline bool scene_read(struct record *r, const char *text)
{
	char *path = ks_path_join(r->tools, "log");
	int64_t end = ks_clock_mono_us() + 20 * 1000000;
	bool found = false;

	while (!found && ks_clock_mono_us() < end) {
		struct ks_buf log = {0};

		ks_loop_turn(r->loop, 10);
		found = ks_file_read(&log, path, 64u << 20, NULL) == 0 && log.ptr != NULL &&
			strstr(log.ptr, text) != NULL;
		ks_buf_fini(&log);
	}
	free(path);
	return found;
}

static inline void scene_answer(struct record *r, const char *ask, const char *option,
	const char *kind, const char *values)
{
	struct ks_answer answer = {.ask = ask, .option = option, .kind = kind,
		.values = ks_str_of(values)};
	struct ks_err err = KS_ERR_INIT;
	int rc;

	r->inside = true;
	rc = ks_agent_answer(r->agent, &answer, &err);
	r->inside = false;
	if (rc < 0) {
		fail_msg("%s", err.msg);
	}
}

static inline void scene_cancel(struct record *r)
{
	r->inside = true;
	ks_agent_cancel(r->agent);
	r->inside = false;
}

static inline void scene_stop(struct record *r)
{
	r->inside = true;
	ks_agent_stop(r->agent);
	r->inside = false;
	assert_true(record_spin(r, &r->gone, 1, 20000));
}

#endif
