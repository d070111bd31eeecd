/* Making a campaign: see create.h. */
#include "app/create.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "app/common.h"
#include "app/paths.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/utf8.h"
#include "loop/child.h"

#define WAIT_S 5          /* how often it is told that it still works */

#define CLEAR_MS 15000    /* to end a compiler, and to clear up */

struct making {
	struct ks_loop *loop;
	struct ks_timer *wait;
	int waited_s;
	struct ks_buf errors;
	struct ks_child *child;
	struct ks_child_exit how;
	struct ks_signal *signals[2];
};

static void on_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct making *m = ctx;

	if (fd == 1) {
		ks_put_block(stdout, bytes);
		fflush(stdout);
	} else if (m->errors.len < 65536) {
		ks_buf_addstr(&m->errors, bytes);
		ks_buf_addc(&m->errors, '\n');
	}
}

static void on_wait(void *ctx)
{
	struct making *m = ctx;

	m->waited_s += WAIT_S;
	fprintf(stderr, "at work for %d s\n", m->waited_s);
	ks_timer_arm(m->wait, WAIT_S * 1000);
}

/* The engine program clears up what it has made so far. */
static void on_signal(void *ctx, int signum)
{
	struct making *m = ctx;

	ks_child_stop(m->child);
}

static int watch_signals(struct making *m, struct ks_err *err)
{
	int rc = ks_signal_new(&m->signals[0], m->loop, SIGINT, on_signal, m, err);

	return rc == 0 ? ks_signal_new(&m->signals[1], m->loop, SIGTERM, on_signal, m, err) : rc;
}

static void on_exited(void *ctx, const struct ks_child_exit *how)
{
	struct making *m = ctx;

	m->how = *how;
	ks_loop_stop(m->loop);
}

static char *absolute(const char *path)
{
	char cwd[PATH_MAX];

	return path[0] == '/' || getcwd(cwd, sizeof(cwd)) == NULL ? ks_strdup(path) :
		ks_path_join(cwd, path);
}

static void put_path(struct ks_jw *w, const char *key, const char *path)
{
	if (path != NULL) {
		char *whole = absolute(path);
		ks_jw_str(w, key, whole);
		free(whole);
	}
}

char *ks_create_agent(const char *agent)
{
	if (strncmp(agent, "script:", 7) != 0) {
		return ks_strdup(agent);
	}
	char *path = absolute(agent + 7);
	char *spec = ks_asprintf("script:%s", path);
	free(path);
	return spec;
}

static void put_agent(struct ks_jw *w, const char *agent)
{
	if (agent != NULL) {
		char *spec = ks_create_agent(agent);
		ks_jw_str(w, "agent", spec);
		free(spec);
	}
}

static void put_list(struct ks_jw *w, const char *key, const struct ks_list *list)
{
	ks_jw_open_array(w, key);
	for (size_t i = 0; i < list->count; i++) {
		ks_jw_str(w, NULL, list->item[i]);
	}
	ks_jw_close_array(w);
}

static void write_spec(struct ks_buf *out, const struct ks_create *c)
{
	const struct {
		const char *key, *value;
	} texts[] = {{"mode", c->mode}, {"name", c->name}, {"target", c->target}, {"arch", c->arch},
		{"flags", c->flags},
		{"yardstick_flags", c->yardstick_flags}, {"base_url", c->base_url},
			{"key_env", c->key_env}};
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	put_path(&w, "dir", c->dir);
	ks_jw_open_array(&w, "problem");
	for (int i = 0; i < 2 && c->problem[i] != NULL; i++) {
		ks_jw_str(&w, NULL, c->problem[i]);
	}
	ks_jw_close_array(&w);
	put_list(&w, "goal", &c->goal);
	put_list(&w, "set", &c->set);
	put_list(&w, "permit", &c->permit);
	ks_jw_bool(&w, "no_shim", c->no_shim);
	put_agent(&w, c->agent);
	put_path(&w, "held_out", c->held_out);
	put_path(&w, "yardstick", c->yardstick);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].value != NULL) {
			ks_jw_str(&w, texts[i].key, texts[i].value);
		}
	}
	ks_jw_int(&w, "threads", c->threads);
	ks_jw_close(&w);
}

static int check_options(const struct ks_create *c, struct ks_err *err)
{
	if (c->mode != NULL && strcmp(c->mode, "human") != 0 && strcmp(c->mode, "bank") != 0 &&
			strcmp(c->mode, "none") != 0) {
		return ks_err_set(err, KS_EINVAL, "--mode %.40s: use human, bank or none", c->mode);
	}
	if (c->target != NULL && strcmp(c->target, "cpu") != 0 && strcmp(c->target, "cuda") != 0) {
		return ks_err_set(err, KS_EINVAL, "--target %.40s: use cpu or cuda", c->target);
	}
	if (c->arch != NULL && (c->target == NULL || strcmp(c->target, "cuda") != 0)) {
		return ks_err_set(err, KS_EINVAL, "--arch %.40s: only with --target cuda", c->arch);
	}
	if (c->threads < 1 || c->threads > 1024) {
		return ks_err_set(err, KS_EINVAL, "--threads %ld: use 1 to 1024", c->threads);
	}
	return 0;
}

static void warn_of_threads(const struct ks_create *c)
{
	long has = sysconf(_SC_NPROCESSORS_ONLN);

	if (has > 0 && c->threads > has) {
		fprintf(stderr, "warning: --threads %ld: this machine has %ld processor%s\n",
			c->threads, has, ks_s(has));
	}
}

int ks_create_campaign(const struct ks_create *create, struct ks_err *err)
{
	struct making m = {0};
	struct ks_buf spec_text = {0};
	char *program = NULL;
	struct ks_env *env = ks_env_full();
	int rc = check_options(create, err);

	if (rc == 0) {
		rc = ks_paths_program(&program, "kseek-engine", err);
	}
	if (rc == 0) {
		rc = ks_loop_new(&m.loop, err);
	}
	if (rc == 0) {
		const char *argv[] = {program, "create", NULL};
		warn_of_threads(create);
		write_spec(&spec_text, create);
		const struct ks_child_spec spec = {
			.argv = argv, .env = ks_env_list(env), .in = KS_CHILD_IN_TEXT,
			.in_text = ks_buf_str(&spec_text), .line_max = 65536,
			.grace_ms = CLEAR_MS,
			.output = on_output, .exited = on_exited, .ctx = &m
		};
		rc = ks_child_start(&m.child, m.loop, &spec, err);
		m.wait = ks_timer_new(m.loop, on_wait, &m);
		ks_timer_arm(m.wait, WAIT_S * 1000);
	}
	rc = rc == 0 ? watch_signals(&m, err) : rc;
	if (rc == 0) {
		ks_loop_run(m.loop);
		if (m.how.stopped && (m.how.status != 0 || m.how.signal != 0)) {
			rc = ks_err_set(err, KS_EIO, "stopped; nothing was made");
		} else if (m.how.status != 0) {
			struct ks_str text = ks_str_trim(ks_buf_str(&m.errors));
			rc = ks_err_set(err, m.how.status == KS_EXIT_USAGE ? KS_EINVAL :
				m.how.status == KS_EXIT_BUILD ? KS_EBUILD : KS_EIO, "%.*s",
				(int)ks_utf8_cut(text.ptr != NULL ? text.ptr : "", text.len, 480),
				text.len > 0 ? text.ptr :
				"the engine program ended without a word");
		}
	}
	ks_signal_free(m.signals[0]);
	ks_signal_free(m.signals[1]);
	ks_child_free(m.child);
	ks_timer_free(m.wait);
	ks_loop_free(m.loop);
	ks_env_free(env);
	ks_buf_fini(&spec_text);
	ks_buf_fini(&m.errors);
	free(program);
	return rc;
}

void ks_create_fini(struct ks_create *create)
{
	free(create->problem[0]);
	free(create->problem[1]);
	create->problem[0] = create->problem[1] = NULL;
}
