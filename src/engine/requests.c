/*
 * Requests of clients. A table says for each command who may give it: an agent
 * (any process that the engine started) may evaluate and read; everything that
 * steers is for people.
 */
#include <unistd.h>

#include "base/mem.h"
#include "engine/internal.h"

struct request {
	const char *cmd;
	bool for_agent;   /* an agent may */
	bool needs_word;  /* of two consoles only the one with the word may */
	int (*run)(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err);
};

static void reply_ok(struct ks_conn *conn, int64_t id)
{
	ks_server_reply(conn, id, ks_str_of("{}"), false);
}

static int req_hello(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	struct ks_engine *e = conn->engine;
	struct ks_buf out = {0};
	struct ks_jw w;

	if (frame->protocol != KS_FRAME_PROTOCOL) {
		return ks_err_set(err, KS_EPROTO,
			"this engine speaks protocol %d, the client %d; use one version of kseek, "
			"or stop the engine with 'kseek stop'", KS_FRAME_PROTOCOL, frame->protocol);
	}
	conn->hello = true;
	conn->console = strcmp(frame->role, "console") == 0;
	if (conn->console && e->word == NULL && !conn->by_agent) {
		e->word = conn;
	}
	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "protocol", KS_FRAME_PROTOCOL);
	ks_jw_str(&w, "version", KSEEK_VERSION);
	ks_jw_int(&w, "pid", getpid());
	ks_jw_str(&w, "folder", e->paths.root);
	ks_jw_bool(&w, "word", e->word == conn);
	ks_jw_int(&w, "word_pid", e->word != NULL ? e->word->pid : 0);
	ks_jw_bool(&w, "agent", e->agent != NULL);
	ks_jw_str(&w, "log_stopped", ks_log_stopped(e->log)); /* why, or null */
	ks_jw_int(&w, "wait_until", e->wait_until);
	ks_jw_int(&w, "seq", ks_log_last_seq(e->log));
	ks_jw_int(&w, "length", ks_log_length(e->log));
	ks_jw_close(&w);
	ks_server_reply(conn, frame->id, ks_buf_str(&out), false);
	ks_buf_fini(&out);
	return 0;
}

/* Commands that decide carries out, with the arguments as they came. */
static int pass_on(struct ks_conn *conn, const struct ks_frame *frame, enum ks_cmd kind,
	struct ks_err *err)
{
	struct ks_buf args = {0};

	if (frame->args != NULL) {
		ks_json_print(frame->args, &args);
	} else {
		ks_buf_adds(&args, "{}");
	}
	int rc = ks_engine_command(conn->engine, kind, KS_BY_HUMAN, ks_buf_str(&args), err);
	ks_buf_fini(&args);
	if (rc == 0) {
		reply_ok(conn, frame->id);
	}
	return rc;
}

static int req_say(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	bool note = ks_json_get_bool(frame->args, "note", false);
	const char *text = ks_json_get_str(frame->args, "text", "");

	if (ks_str_trim(ks_str_of(text)).len == 0) {
		return ks_err_set(err, KS_EINVAL, "say: the text is empty; give some words");
	}
	return pass_on(conn, frame, note ? KS_CMD_NOTE : KS_CMD_SAY, err);
}

static int req_dismiss(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_DISMISS, err);
}

static int req_mode(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_MODE, err);
}

static int req_act(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_ACT, err);
}

static int req_interrupt(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_INTERRUPT, err);
}

static int req_touch(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_TOUCH, err);
}

static int req_agent_start(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_AGENT_START, err);
}

/* A person named an agent for an engine that may run one. */
static int req_agent_use(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	int rc = ks_engine_use_agent(conn->engine, ks_json_get_str(frame->args, "agent", ""), err);

	if (rc == 0) {
		reply_ok(conn, frame->id);
	}
	return rc;
}

static int req_answer(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_ANSWER, err);
}

static int req_agent_mode(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_AGENT_MODE, err);
}

static int req_queue(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	return pass_on(conn, frame, KS_CMD_UNQUEUE, err);
}

/* What the stop hook of a foreign agent decided. */
static int req_hook(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	const char *decision = ks_json_get_str(frame->args, "decision", "");
	struct ks_buf fields = {0};
	struct ks_jw w;

	if (strcmp(decision, "block") != 0 && strcmp(decision, "allow") != 0) {
		return ks_err_set(err, KS_EINVAL, "hook: \"%.20s\" is neither block nor allow",
			decision);
	}
	ks_jw_members(&w, &fields);
	ks_jw_str(&w, "session", ks_json_get_str(frame->args, "session", ""));
	ks_jw_str(&w, "decision", decision);
	ks_jw_int(&w, "count", ks_json_get_int(frame->args, "count", 0));
	ks_jw_str(&w, "text", ks_json_get_str(frame->args, "text", ""));
	if (ks_json_get(frame->args, "question") != NULL) {
		ks_jw_str(&w, "question", ks_json_get_str(frame->args, "question", ""));
	}
	ks_engine_observe(conn->engine, KS_EV_HOOK_RAN, KS_BY_OTHER, ks_buf_str(&fields));
	ks_buf_fini(&fields);
	reply_ok(conn, frame->id);
	return 0;
}

static int req_agent_stop(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	int rc = ks_engine_command(conn->engine, KS_CMD_STOP, KS_BY_HUMAN,
		ks_str_of("{\"why\":\"asked for\",\"engine\":false}"), err);

	if (rc == 0) {
		reply_ok(conn, frame->id);
	}
	return rc;
}

static int req_stop(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	struct ks_err why = KS_ERR_INIT;

	reply_ok(conn, frame->id);
	/* A log that takes nothing keeps no engine from ending. */
	if (ks_engine_command(conn->engine, KS_CMD_STOP, KS_BY_HUMAN,
			ks_str_of("{\"why\":\"asked for\"}"), &why) < 0) {
		ks_engine_stop(conn->engine);
	}
	return 0;
}

static int req_word(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	struct ks_engine *e = conn->engine;
	struct ks_buf frame_out = {0};

	if (!conn->console) {
		return ks_err_set(err, KS_EINVAL, "word: only a console can hold it");
	}
	if (e->word != NULL && e->word != conn &&
			ks_frame_push(&frame_out, "word", ks_str_of("\"word\":false"), err) == 0) {
		ks_stream_write(e->word->stream, ks_buf_str(&frame_out));
	}
	ks_buf_fini(&frame_out);
	e->word = conn;
	ks_server_reply(conn, frame->id, ks_str_of("{\"word\":true}"), false);
	return 0;
}

static int req_diff(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	struct ks_engine *e = conn->engine;
	const char *names[2] = {
		ks_json_get_str(frame->args, "a", "seed"),
		ks_json_get_str(frame->args, "b", "champion")
	};
	int index[2];
	struct ks_buf text = {0}, out = {0};
	struct ks_repo_diff_stat stat = {0};
	char hash[KS_HASH_HEX];
	struct ks_jw w;

	for (int i = 0; i < 2; i++) {
		index[i] = ks_state_candidate(&e->state, names[i]);
		if (index[i] < 0) {
			return ks_err_set(err, KS_EINVAL, "diff: no candidate '%.60s'; "
				"see 'kseek candidates'", names[i]);
		}
	}
	int rc = ks_engine_repo(e, err);
	if (rc == 0) {
		rc = ks_repo_diff(e->repo, e->state.candidates[index[0]].commit,
			e->state.candidates[index[1]].commit, &text, &stat, err);
	}
	if (rc == 0) {
		rc = ks_blob_put(e->paths.blobs, ks_buf_str(&text), hash, err);
	}
	if (rc == 0) {
		ks_jw_init(&w, &out);
		ks_jw_open(&w, NULL);
		ks_jw_int(&w, "a", e->state.candidates[index[0]].number);
		ks_jw_int(&w, "b", e->state.candidates[index[1]].number);
		ks_jw_str(&w, "blob", hash);
		ks_jw_int(&w, "bytes", (int64_t)text.len);
		ks_jw_int(&w, "added", (int64_t)stat.added);
		ks_jw_int(&w, "removed", (int64_t)stat.removed);
		ks_jw_bool(&w, "cut", stat.cut);
		ks_jw_close(&w);
		ks_server_reply(conn, frame->id, ks_buf_str(&out), false);
	}
	ks_buf_fini(&text);
	ks_buf_fini(&out);
	return rc;
}

/* An evaluation of exactly these sources that runs or waits: asked again by
 * somebody whose first call timed out. */
static struct ks_evaluation *same_running(struct ks_engine *e, const struct ks_repo_file *files,
	size_t count, const struct ks_json *args)
{
	char hash[65];
	bool partial = ks_json_count(ks_json_get(args, "only")) > 0 ||
		ks_json_get(args, "set") != NULL;

	ks_snapshot_hash(files, count, hash);
	for (struct ks_evaluation *ev = e->evals; ev != NULL; ev = ev->next) {
		if (strcmp(ev->hash, hash) == 0 && ev->partial == partial && !partial &&
				!ev->confirm && !ev->abandoned &&
				ev->perf == ks_json_get_bool(args, "perf", true)) {
			return ev;
		}
	}
	return NULL;
}

/* The result that nobody took, once. */
static char *take_undelivered(struct ks_engine *e, const struct ks_repo_file *files, size_t count,
	const struct ks_json *args)
{
	char hash[65];
	char *result = e->undelivered.result;

	if (result == NULL || ks_json_count(ks_json_get(args, "only")) > 0 ||
			ks_json_get(args, "set") != NULL ||
			e->undelivered.perf != ks_json_get_bool(args, "perf", true)) {
		return NULL;
	}
	ks_snapshot_hash(files, count, hash);
	if (strcmp(hash, e->undelivered.hash) != 0) {
		return NULL;
	}
	e->undelivered.result = NULL;
	return result;
}

static int req_eval(struct ks_conn *conn, const struct ks_frame *frame, struct ks_err *err)
{
	struct ks_engine *e = conn->engine;
	const char *source = ks_json_get_str(frame->args, "source", NULL);
	struct ks_repo_file *files = NULL;
	size_t count = 0;
	int64_t id = 0;

	if (conn->eval_id != 0) {
		return ks_err_set(err, KS_EBUSY, "eval: this connection already waits for one");
	}
	/* the built-in agent's commands are shut in, and we are not */
	bool shut_in = conn->by_agent && e->campaign.driver != NULL &&
		strcmp(e->campaign.driver, "api") == 0;
	int rc = ks_snapshot(&files, &count, e, source, shut_in, err);
	if (rc < 0) {
		return rc;
	}
	char *ready = take_undelivered(e, files, count, frame->args);
	if (ready != NULL) {
		ks_repo_files_free(files, count);
		ks_server_reply(conn, frame->id, ks_str_of(ready), false);
		free(ready);
		return 0;
	}
	struct ks_evaluation *same = same_running(e, files, count, frame->args);
	if (same != NULL) {
		ks_repo_files_free(files, count);
		conn->eval_id = same->id;
		conn->eval_request = frame->id;
		return 0;
	}
	rc = ks_engine_eval(e, conn->by_agent ? KS_BY_AGENT : KS_BY_HUMAN, files, count,
		frame->args, &id, err);
	if (rc == 0) {
		conn->eval_id = id;
		conn->eval_request = frame->id;
	}
	return rc;
}

static const struct request requests[] = {
	{"hello", true, false, req_hello},
	{"eval", true, false, req_eval},
	{"diff", true, false, req_diff},
	{"say", false, true, req_say},
	{"dismiss", false, true, req_dismiss},
	{"mode", false, true, req_mode},
	{"act", false, true, req_act},
	{"interrupt", false, true, req_interrupt},
	{"touch", false, false, req_touch},
	{"agent.start", false, true, req_agent_start},
	{"agent.use", false, true, req_agent_use},
	{"agent.stop", false, true, req_agent_stop},
	{"agent.mode", false, true, req_agent_mode},
	{"answer", false, true, req_answer},
	{"hook", false, false, req_hook},
	{"queue", false, true, req_queue},
	{"stop", false, true, req_stop},
	{"word", false, false, req_word},
};

static int allowed(const struct ks_conn *conn, const struct request *r, struct ks_err *err)
{
	if (r->run != req_hello && !conn->hello) {
		return ks_err_set(err, KS_EPROTO, "say hello first");
	}
	if (conn->by_agent && !r->for_agent) {
		return ks_err_set(err, KS_EDENIED,
			"%s: an agent may only evaluate and read", r->cmd);
	}
	if (r->needs_word && conn->console && conn->engine->word != conn) {
		return ks_err_set(err, KS_EDENIED,
			"%s: another console has the word; take it with W", r->cmd);
	}
	return 0;
}

static void log_refusal(struct ks_conn *conn, const char *cmd, const char *why)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_jw_str(&w, "cmd", cmd);
	ks_jw_str(&w, "why", why);
	ks_jw_int(&w, "pid", conn->pid);
	ks_engine_observe(conn->engine, KS_EV_COMMAND_REFUSED, KS_BY_AGENT, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

void ks_engine_request(struct ks_conn *conn, const struct ks_frame *frame)
{
	struct ks_err err = KS_ERR_INIT;
	int rc = KS_EINVAL;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		const struct request *r = &requests[i];
		if (strcmp(frame->cmd, r->cmd) != 0) {
			continue;
		}
		rc = allowed(conn, r, &err);
		if (rc == KS_EDENIED && conn->by_agent) {
			log_refusal(conn, r->cmd, err.msg);
		}
		if (rc == 0) {
			rc = r->run(conn, frame, &err);
		}
		if (rc < 0) {
			ks_server_refuse(conn, frame->id, rc, err.msg);
		}
		return;
	}
	ks_err_set(&err, KS_EINVAL, "%.40s: not a command of this engine", frame->cmd);
	ks_server_refuse(conn, frame->id, rc, err.msg);
}
