/*
 * The socket: who connects, what they may ask, and what is pushed to them.
 * Commands only; events are read from the log by everybody for themselves.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "engine/internal.h"
#include "loop/proc.h"

#define CONNS_MAX 64
#define AGENT_CONNS_MAX 32 /* of them, so that an agent keeps nobody out */

int ks_engine_socket(char **out, const char *id, struct ks_err *err)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	const char *tmp = getenv("TMPDIR");
	char *dir;
	struct stat st;

	if (run != NULL && run[0] == '/' && access(run, W_OK) == 0) {
		dir = ks_asprintf("%s/kseek", run);
	} else {
		dir = ks_asprintf("%s/kseek-%u", tmp != NULL && tmp[0] == '/' ? tmp : "/tmp",
			(unsigned)getuid());
	}
	int rc = ks_file_mkdirs(dir, 0700, err);
	/* Somebody else could have made the folder first in a shared place. */
	if (rc == 0 && (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode) ||
			st.st_uid != getuid() || (st.st_mode & 077) != 0)) {
		rc = ks_err_set(err, KS_EDENIED,
			"%s: not a private folder of this user; remove it or set XDG_RUNTIME_DIR",
			dir);
	}
	if (rc == 0) {
		*out = ks_asprintf("%s/%s.sock", dir, id);
	}
	free(dir);
	return rc;
}

void ks_server_reply(struct ks_conn *conn, int64_t id, struct ks_str result, bool more)
{
	struct ks_buf frame = {0};
	struct ks_err err = KS_ERR_INIT;

	if (conn->dead) {
		return;
	}
	if (ks_frame_reply(&frame, id, result, more, &err) < 0) {
		ks_frame_refuse(&frame, id, err.code, err.msg);
	}
	ks_stream_write(conn->stream, ks_buf_str(&frame));
	ks_buf_fini(&frame);
}

void ks_server_refuse(struct ks_conn *conn, int64_t id, int code, const char *text)
{
	struct ks_buf frame = {0};

	if (conn->dead) {
		return;
	}
	ks_frame_refuse(&frame, id, code, text);
	ks_stream_write(conn->stream, ks_buf_str(&frame));
	ks_buf_fini(&frame);
}

static void push_all(struct ks_engine *e, const char *name, struct ks_str members,
	bool consoles_only)
{
	struct ks_buf frame = {0};
	struct ks_err err = KS_ERR_INIT;

	if (ks_frame_push(&frame, name, members, &err) == 0) {
		for (struct ks_conn *c = e->conns; c != NULL; c = c->next) {
			if (c->hello && !c->dead && (c->console || !consoles_only)) {
				ks_stream_write(c->stream, ks_buf_str(&frame));
			}
		}
	}
	ks_buf_fini(&frame);
}

static void push_now(void *ctx)
{
	struct ks_engine *e = ctx;
	struct ks_buf members = {0};

	e->push_due = false;
	ks_buf_addf(&members, "\"seq\":%lld,\"length\":%lld", (long long)ks_log_last_seq(e->log),
		(long long)ks_log_length(e->log));
	push_all(e, "log", ks_buf_str(&members), false);
	ks_buf_fini(&members);
}

void ks_server_push_log(struct ks_engine *e)
{
	if (!e->push_due) {
		e->push_due = true;
		ks_loop_defer(e->loop, push_now, e);
	}
}

void ks_server_push_progress(struct ks_engine *e, struct ks_str members)
{
	push_all(e, "progress", members, true);
	for (struct ks_conn *c = e->conns; c != NULL; c = c->next) {
		if (c->eval_id != 0 && e->evals != NULL && c->eval_id == e->evals->id) {
			struct ks_buf result = {0};
			ks_buf_addf(&result, "{%.*s}", KS_FMT(members));
			ks_server_reply(c, c->eval_request, ks_buf_str(&result), true);
			ks_buf_fini(&result);
		}
	}
}

void ks_server_push_wait(struct ks_engine *e)
{
	struct ks_buf members = {0};

	ks_buf_addf(&members, "\"until\":%lld", (long long)e->wait_until);
	push_all(e, "wait", ks_buf_str(&members), true);
	ks_buf_fini(&members);
}

void ks_server_eval_done(struct ks_engine *e, const struct ks_evaluation *ev, int exit_status)
{
	struct ks_buf result = {0};
	struct ks_jw w;

	ks_jw_init(&w, &result);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_int(&w, "candidate", ev->candidate);
	ks_jw_bool(&w, "partial", ev->partial);
	ks_jw_bool(&w, "perf", ev->perf);
	ks_jw_int(&w, "exit", exit_status);
	if (ev->fail_text != NULL) {
		ks_jw_str(&w, "text", ev->fail_text);
	}
	if (ev->strays.len > 0) {
		ks_jw_slice(&w, "strays", ks_buf_str(&ev->strays));
	}
	if (ev->notes.len > 0) {
		struct ks_str rest = ks_str_trim(ks_buf_str(&ev->notes)), line;
		ks_jw_open_array(&w, "notes");
		while (ks_str_next(&rest, '\n', &line)) {
			ks_jw_slice(&w, NULL, line);
		}
		ks_jw_close_array(&w);
	}
	ks_jw_close(&w);
	bool delivered = ev->confirm || ev->partial || ev->abandoned;
	for (struct ks_conn *c = e->conns; c != NULL; c = c->next) {
		if (c->eval_id == ev->id && ev->id != 0 && !c->dead) {
			ks_server_reply(c, c->eval_request, ks_buf_str(&result), false);
			c->eval_id = 0;
			delivered = true;
		}
	}
	if (!delivered) {
		snprintf(e->undelivered.hash, sizeof(e->undelivered.hash), "%s", ev->hash);
		e->undelivered.perf = ev->perf;
		free(e->undelivered.result);
		e->undelivered.result = ks_buf_take(&result);
	}
	ks_buf_fini(&result);
}

static void reap_conns(void *ctx)
{
	struct ks_engine *e = ctx;
	struct ks_conn **at = &e->conns;

	while (*at != NULL) {
		struct ks_conn *c = *at;
		if (!c->dead) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		ks_stream_free(c->stream);
		free(c);
	}
	ks_engine_check_end(e);
}

/* A console that leaves hands the word to the next one. */
static void pass_word(struct ks_engine *e)
{
	struct ks_buf frame = {0};
	struct ks_err err = KS_ERR_INIT;

	e->word = NULL;
	for (struct ks_conn *c = e->conns; c != NULL; c = c->next) {
		if (c->console && !c->dead && !c->by_agent && !e->stopping) {
			e->word = c;
		}
	}
	if (e->word != NULL &&
			ks_frame_push(&frame, "word", ks_str_of("\"word\":true"), &err) == 0) {
		ks_stream_write(e->word->stream, ks_buf_str(&frame));
	}
	ks_buf_fini(&frame);
}

static void conn_end(struct ks_conn *conn)
{
	struct ks_engine *e = conn->engine;

	if (conn->dead) {
		return;
	}
	conn->dead = true;
	if (e->word == conn) {
		pass_word(e);
	}
	ks_loop_defer(e->loop, reap_conns, e);
}

static void on_closed(void *ctx, const struct ks_err *err)
{
	conn_end(ctx);
}

static void on_line(void *ctx, struct ks_str line)
{
	struct ks_conn *conn = ctx;
	struct ks_frame frame;
	struct ks_err err = KS_ERR_INIT;

	if (conn->dead) {
		return;
	}
	if (ks_frame_parse(&frame, line, &err) < 0) {
		ks_server_refuse(conn, 1, KS_EPROTO, err.msg);
		ks_stream_end(conn->stream);
		return;
	}
	if (conn->refused) {
		ks_server_refuse(conn, frame.id > 0 ? frame.id : 1, KS_EBUSY,
			"too many clients are connected to this engine; close some and try again");
		ks_stream_end(conn->stream);
	} else if (frame.kind == KS_FRAME_REQUEST) {
		ks_engine_request(conn, &frame);
	}
	ks_frame_fini(&frame);
}

bool ks_server_full(const struct ks_engine *e, bool by_agent)
{
	size_t all = 0, agents = 0;

	for (const struct ks_conn *c = e->conns; c != NULL; c = c->next) {
		all += !c->refused;
		agents += !c->refused && c->by_agent;
	}
	return all >= CONNS_MAX || (by_agent && agents >= AGENT_CONNS_MAX);
}

/* Those that are told so at their hello are some; more are closed at once. */
static bool is_flooded(const struct ks_engine *e)
{
	size_t refused = 0;

	for (const struct ks_conn *c = e->conns; c != NULL; c = c->next) {
		refused += c->refused;
	}
	return refused >= CONNS_MAX;
}

static void on_accept(void *ctx, struct ks_stream *stream)
{
	struct ks_engine *e = ctx;
	const struct ks_peer *peer = ks_stream_peer(stream);
	const struct ks_stream_ops ops = {.line = on_line, .closed = on_closed};
	struct ks_err err = KS_ERR_INIT;

	if ((peer->uid != getuid() && peer->uid != 0) || is_flooded(e)) {
		ks_stream_free(stream);
		return;
	}
	struct ks_conn *conn = ks_zalloc(1, sizeof(*conn));
	conn->engine = e;
	conn->stream = stream;
	conn->pid = peer->pid;
	/* What this engine started, and what that started, is the agent: judge
	 * and worker do not connect. */
	conn->by_agent = ks_proc_descends(peer->pid, getpid()) ||
		ks_proc_marked(peer->pid, e->mark) ||
		(e->agent != NULL && ks_agent_owns(e->agent, peer->pid));
	if (ks_stream_start(stream, &ops, conn, &err) < 0) {
		ks_stream_free(stream);
		free(conn);
		return;
	}
	conn->refused = ks_server_full(e, conn->by_agent);
	conn->next = e->conns;
	e->conns = conn;
	if (e->linger != NULL) {
		ks_timer_cancel(e->linger);
	}
}

int ks_server_start(struct ks_engine *e, struct ks_err *err)
{
	int rc = ks_engine_socket(&e->socket_path, e->campaign.id, err);

	if (rc == 0) {
		rc = ks_listener_new(&e->listener, e->loop, e->socket_path, on_accept, e, err);
	}
	if (rc == KS_EBUSY) { /* this folder's log is ours, so it is no engine of this folder */
		ks_err_clear(err);
		ks_err_set(err, rc,
			"the engine of another folder serves this campaign, so one is a copy "
			"of the other: 'kseek stop' there, then go on here");
	}
	if (rc == 0) {
		rc = ks_file_write(e->paths.engine, ks_str_of(e->socket_path), 0600, err);
	}
	return rc;
}

void ks_server_stop(struct ks_engine *e)
{
	if (e->listener == NULL) {
		return;
	}
	push_all(e, "stopping", ks_str_of(""), false);
	ks_listener_free(e->listener);
	e->listener = NULL;
	for (struct ks_conn *c = e->conns; c != NULL; c = c->next) {
		if (!c->dead) {
			ks_stream_end(c->stream);
		}
	}
}
