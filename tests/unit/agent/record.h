#ifndef KSEEK_TESTS_AGENT_RECORD_H
#define KSEEK_TESTS_AGENT_RECORD_H
/* Shared by the tests of drivers: a sink that keeps what it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/driver.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#define EVENTS_MAX 4096

struct seen_event {
	enum ks_ev kind;
	enum ks_by by;
	struct ks_json *fields;
};

struct record {
	struct ks_loop *loop;
	char *dir, *tools;       /* campaign; folder of script and fake programs */
	struct ks_agent *agent;
	struct seen_event events[EVENTS_MAX];
	int count, turns_ended, gone;
	bool inside;             /* a call of the driver runs */
	enum ks_ev stop_at;      /* stops the agent at this kind */
};

static inline void record_observed(void *ctx, enum ks_ev kind, enum ks_by by,
	struct ks_str fields)
{
	struct record *r = ctx;
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	struct seen_event *event = &r->events[r->count];

	assert_false(r->inside);
	assert_true(r->count < EVENTS_MAX);
	ks_buf_addf(&text, "{%.*s}", KS_FMT(fields));
	if (ks_json_parse(&event->fields, text.ptr, text.len, &err) < 0) {
		fail_msg("%s: %s", text.ptr, err.msg);
	}
	ks_buf_fini(&text);
	event->kind = kind;
	event->by = by;
	r->count++;
	r->turns_ended += kind == KS_EV_TURN_ENDED;
	if (r->stop_at != KS_EV_UNKNOWN && kind == r->stop_at) {
		ks_agent_stop(r->agent);
	}
}

static inline void record_gone(void *ctx)
{
	struct record *r = ctx;

	r->gone++;
	ks_agent_free(r->agent);
	r->agent = NULL;
}

static inline int record_setup(void **state)
{
	struct record *r = ks_zalloc(1, sizeof(*r));
	char dir[] = "/tmp/kseek-agent-XXXXXX", tools[] = "/tmp/kseek-tools-XXXXXX";

	assert_int_equal(ks_loop_new(&r->loop, NULL), 0);
	r->dir = ks_strdup(mkdtemp(dir));
	r->tools = ks_strdup(mkdtemp(tools));
	*state = r;
	return 0;
}

static inline int record_teardown(void **state)
{
	struct record *r = *state;

	ks_agent_free(r->agent);
	ks_loop_free(r->loop);
	for (int i = 0; i < r->count; i++) {
		ks_json_free(r->events[i].fields);
	}
	ks_file_remove_tree(r->dir, NULL);
	ks_file_remove_tree(r->tools, NULL);
	free(r->dir);
	free(r->tools);
	free(r);
	return 0;
}

static inline void record_put(const char *dir, const char *name, const char *text, mode_t mode)
{
	char *path = ks_path_join(dir, name);

	assert_int_equal(ks_file_write(path, ks_str_of(text), mode, NULL), 0);
	free(path);
}

static inline bool record_spin(struct record *r, const int *flag, int want, int64_t ms)
{
	int64_t end = ks_clock_mono_us() + ms * 1000;

	while (*flag < want && ks_clock_mono_us() < end) {
		ks_loop_turn(r->loop, 20);
	}
	return *flag >= want;
}

static inline void record_start(struct record *r, const char *driver,
	const char *const *files)
{
	char *script = ks_path_join(r->tools, "script.json");
	char *kseek = ks_path_join(r->tools, "kseek");
	struct ks_agent_setup setup = {.loop = r->loop, .folder = r->dir, .files = files,
		.exec = getenv("KSEEK_EXEC"), .kseek = kseek, .argument = script,
		.env = (const char *const[]){"EXTRA=x", NULL}, .mark = "test"};
	struct ks_sink sink = {r, record_observed, record_gone};
	struct ks_err err = KS_ERR_INIT;

	r->inside = true;
	if (ks_driver_find(driver)->start(&r->agent, &setup, &sink, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	r->inside = false;
	free(script);
	free(kseek);
	assert_true(record_spin(r, &r->count, 1, 20000));
	assert_int_equal(r->events[0].kind, KS_EV_AGENT_STARTED);
}

static inline int record_prompt(struct record *r, int64_t id, const char *question, char layer)
{
	struct ks_prompt prompt = {id, KS_STR("text"), question, layer};
	int rc;

	r->inside = true;
	rc = ks_agent_prompt(r->agent, &prompt, NULL);
	r->inside = false;
	return rc;
}

/* The n-th event of a kind, from 0. */
static inline const struct ks_json *record_nth(const struct record *r, enum ks_ev kind, int n)
{
	for (int i = 0; i < r->count; i++) {
		if (r->events[i].kind == kind && n-- == 0) {
			return r->events[i].fields;
		}
	}
	fail_msg("no event %d of kind %d", n, (int)kind);
	return NULL;
}

static inline const char *text_at(const struct record *r, enum ks_ev kind, int n,
	const char *key)
{
	return ks_json_get_str(record_nth(r, kind, n), key, "(none)");
}

static inline int64_t int_at(const struct record *r, enum ks_ev kind, int n, const char *key)
{
	return ks_json_get_int(record_nth(r, kind, n), key, -99);
}

static inline int record_count(const struct record *r, enum ks_ev kind)
{
	int n = 0;

	for (int i = 0; i < r->count; i++) {
		n += r->events[i].kind == kind;
	}
	return n;
}

#endif
