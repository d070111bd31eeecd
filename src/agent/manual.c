/*
 * The agent `manual`: a person, or any program, works in the campaign's folder.
 * No process is ours and there are no turns. Source files are watched; what
 * changes is reported with counts and a diff against what was there before.
 *
 * A save is several events (truncate, write, rename), so a file is looked at
 * only when it has been quiet for SETTLE_MS.
 */
#include "agent/internal.h"
#include "agent/textdiff.h"
#include "base/file.h"
#include "base/mem.h"
#include "loop/watch.h"

#define LABEL "manual"
#define SETTLE_MS 200
#define SOURCE_MAX (4u * 1024 * 1024)

struct source {
	char *name;          /* relative to the folder */
	char *path;
	struct ks_buf text;  /* as last reported */
	bool there;
	struct ks_watch *watch;
};

struct manual {
	struct ks_agent agent;
	struct source *sources;
	size_t count;
	struct ks_timer *settle;
	bool stopping;
};

/* What the file holds now; a missing or unreadable one is empty. */
static bool source_read(const struct source *source, struct ks_buf *out)
{
	bool there = ks_file_read(out, source->path, SOURCE_MAX, NULL) == 0;

	if (!there) {
		ks_buf_clear(out);
	}
	return there;
}

static void source_look(struct manual *m, struct source *source)
{
	struct ks_buf now = {0}, diff = {0};
	bool there = source_read(source, &now);
	struct ks_textdiff counts;
	struct ks_report r;

	if (there == source->there && ks_str_eq(ks_buf_str(&now), ks_buf_str(&source->text))) {
		ks_buf_fini(&now);
		return;
	}
	counts = ks_textdiff(&diff, source->name, ks_buf_str(&source->text),
		ks_buf_str(&now), KS_AGENT_DIFF_MAX);
	ks_buf_fini(&source->text);
	source->text = now;
	source->there = there;
	ks_report_begin(&r);
	ks_jw_str(&r.w, "path", source->name);
	ks_jw_int(&r.w, "added", (int64_t)counts.added);
	ks_jw_int(&r.w, "removed", (int64_t)counts.removed);
	ks_jw_slice(&r.w, "diff", ks_buf_str(&diff));
	ks_buf_fini(&diff);
	ks_report_send(&r, &m->agent, KS_EV_FILE_CHANGED, KS_BY_OTHER);
}

static void settled(void *ctx)
{
	struct manual *m = ctx;

	for (size_t i = 0; i < m->count && !m->stopping; i++) {
		source_look(m, &m->sources[i]);
	}
}

static void changed(void *ctx, const char *name)
{
	struct manual *m = ctx;

	ks_timer_arm(m->settle, SETTLE_MS);
}

static void started(void *ctx)
{
	ks_report_started(ctx, LABEL, 0);
}

static void manual_free(struct ks_agent *agent)
{
	struct manual *m = (struct manual *)agent;

	ks_loop_undefer(m->agent.loop, m);
	ks_timer_free(m->settle);
	for (size_t i = 0; i < m->count; i++) {
		ks_watch_free(m->sources[i].watch);
		ks_buf_fini(&m->sources[i].text);
		free(m->sources[i].name);
		free(m->sources[i].path);
	}
	free(m->sources);
	free(m);
}

static int source_init(struct manual *m, struct source *source, const char *folder,
	const char *name, struct ks_err *err)
{
	source->name = ks_strdup(name);
	source->path = ks_path_join(folder, name);
	source->there = source_read(source, &source->text);
	return ks_watch_new(&source->watch, m->agent.loop, source->path, changed, m, err);
}

static int manual_start(struct ks_agent **out, const struct ks_agent_setup *setup,
	const struct ks_sink *sink, struct ks_err *err)
{
	struct manual *m = ks_zalloc(1, sizeof(*m));
	size_t count = 0;
	int rc = 0;

	while (setup->files != NULL && setup->files[count] != NULL) {
		count++;
	}
	m->agent = (struct ks_agent){&ks_driver_manual, setup->loop, *sink};
	m->settle = ks_timer_new(setup->loop, settled, m);
	m->sources = count > 0 ? ks_zalloc(count, sizeof(*m->sources)) : NULL;
	for (size_t i = 0; i < count && rc == 0; i++) {
		m->count = i + 1;
		rc = source_init(m, &m->sources[i], setup->folder, setup->files[i], err);
	}
	if (rc < 0) {
		manual_free(&m->agent);
		return rc;
	}
	ks_loop_defer(setup->loop, started, m);
	*out = &m->agent;
	return 0;
}

/* Messages are in the log, where the person reads them. */
static int manual_prompt(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err)
{
	const struct manual *m = (const struct manual *)agent;

	return m->stopping ? ks_err_set(err, KS_ENOTFOUND, "the agent is ending") : 0;
}

static void manual_cancel(struct ks_agent *agent)
{
}

static void left(void *ctx)
{
	struct manual *m = ctx;
	struct ks_sink sink = m->agent.sink;

	ks_report_exited(&m->agent, 0, 0, (struct ks_str){0});
	sink.gone(sink.ctx);
}

static void manual_stop(struct ks_agent *agent)
{
	struct manual *m = (struct manual *)agent;

	if (m->stopping) {
		return;
	}
	m->stopping = true;
	ks_timer_cancel(m->settle);
	ks_loop_defer(m->agent.loop, left, m);
}

static bool manual_owns(const struct ks_agent *agent, pid_t pid)
{
	return false;
}

const struct ks_driver ks_driver_manual = {
	.name = "manual", .start = manual_start, .prompt = manual_prompt,
	.cancel = manual_cancel, .stop = manual_stop, .owns = manual_owns,
	.free = manual_free,
};
