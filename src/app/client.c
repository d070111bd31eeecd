/* The client's end of the socket: see client.h. */
#include "app/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include "app/paths.h"
#include "base/file.h"
#include "base/mem.h"
#include "loop/stream.h"
#include "wire/frame.h"

#define HELLO_MS 10000
#define READY_MS 20000
#define BUSY_WAIT_MS 100
#define BUSY_TRIES 50
#define LEAVING_TRIES 5

extern char **environ;

struct waiting {
	struct waiting *next;
	int64_t id;
	ks_client_reply *reply;
	void *ctx;
};

struct ks_client {
	struct ks_loop *loop;
	struct ks_stream *stream;
	struct ks_client_ops ops;
	struct waiting *waiting;
	struct ks_json *hello;
	int64_t next_id;
	bool console;
	bool started;   /* by us: not again, when it has ended already */
	bool closed;
	char why[256];
};

/* ---- frames ---- */

static void got_reply(struct ks_client *c, const struct ks_frame *frame)
{
	struct waiting **at = &c->waiting;

	while (*at != NULL && (*at)->id != frame->id) {
		at = &(*at)->next;
	}
	struct waiting *w = *at;
	if (w == NULL) {
		return;
	}
	bool more = frame->ok && frame->more;
	if (!more) {
		*at = w->next;
	}
	if (w->reply != NULL) {
		w->reply(w->ctx, frame->ok ? frame->result : NULL, more,
			frame->ok ? 0 : frame->code, frame->ok ? NULL : frame->error);
	}
	if (!more) {
		free(w);
	}
}

static void on_line(void *ctx, struct ks_str line)
{
	struct ks_client *c = ctx;
	struct ks_frame frame;
	struct ks_err err = KS_ERR_INIT;

	if (ks_frame_parse(&frame, line, &err) < 0) {
		return;
	}
	if (frame.kind == KS_FRAME_REPLY) {
		got_reply(c, &frame);
	} else if (frame.kind == KS_FRAME_PUSH && c->ops.push != NULL) {
		c->ops.push(c->ops.ctx, frame.push, frame.doc);
	}
	ks_frame_fini(&frame);
}

static void on_closed(void *ctx, const struct ks_err *err)
{
	struct ks_client *c = ctx;

	c->closed = true;
	snprintf(c->why, sizeof(c->why), "%.250s", err != NULL && err->code != 0 ? err->msg :
		"the engine has stopped");
	while (c->waiting != NULL) {
		struct waiting *w = c->waiting;
		c->waiting = w->next;
		if (w->reply != NULL) {
			w->reply(w->ctx, NULL, false, KS_EIO, c->why);
		}
		free(w);
	}
	if (c->ops.closed != NULL && c->hello != NULL) {
		c->ops.closed(c->ops.ctx, c->why);
	}
}

/* ---- waiting ---- */

static bool is_given_up(const struct ks_client *c)
{
	return c->hello == NULL && c->ops.given_up != NULL && c->ops.given_up(c->ops.ctx);
}

static int say_given_up(struct ks_err *err)
{
	return ks_err_set(err, KS_ETIME, "left before the engine answered");
}

/* The loop turns for so long, or until nobody waits any more. */
static void wait_ms(struct ks_client *c, int ms)
{
	int64_t start = ks_loop_now_ms(c->loop), left = ms;

	while (left > 0 && !is_given_up(c)) {
		ks_loop_turn(c->loop, (int)left);
		left = ms - (ks_loop_now_ms(c->loop) - start);
	}
}

/* ---- starting an engine ---- */

static void on_ready(void *ctx, unsigned events)
{
	/* The turn of the loop ends; who waits reads. */
}

/* Reads the engine's one line as it comes; *len of it are here. */
static bool read_ready(int fd, char *line, size_t size, size_t *len)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (*len < size - 1 && poll(&p, 1, 0) > 0) {
		ssize_t got = read(fd, line + *len, size - 1 - *len);
		if (got <= 0) {
			return true;
		}
		*len += (size_t)got;
		if (memchr(line, '\n', *len) != NULL) {
			return true;
		}
	}
	return *len >= size - 1;
}

/* Waits for the engine's one line. */
static int wait_ready(struct ks_client *c, int fd, struct ks_err *err)
{
	char line[600];
	size_t n = 0;
	struct ks_fdwatch *watch = NULL;
	int64_t start = ks_loop_now_ms(c->loop);
	int rc = ks_fdwatch_new(&watch, c->loop, fd, KS_FD_READ, on_ready, NULL, err);

	while (rc == 0 && !read_ready(fd, line, sizeof(line), &n) && !is_given_up(c) &&
			ks_loop_now_ms(c->loop) - start < READY_MS) {
		ks_loop_turn(c->loop, 1000);
	}
	ks_fdwatch_free(watch);
	if (rc < 0 || is_given_up(c)) {
		return rc < 0 ? rc : say_given_up(err);
	}
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	if (strcmp(line, "ready") == 0) {
		return 0;
	}
	if (n == 0) {
		return ks_err_set(err, KS_EIO, "the engine did not start; see .kseek/engine.log");
	}
	return ks_err_set(err, strstr(line, "another process") != NULL ? KS_EBUSY : KS_EIO, "%s",
		line);
}

static int open_engine_log(const struct ks_campaign_paths *paths, struct ks_err *err)
{
	char *path = ks_path_join(paths->state, "engine.log");
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0) {
		fd = ks_err_sys(err, errno, "%s: cannot be written", path);
	}
	free(path);
	return fd;
}

/* log: where the engine's output goes. */
static int spawn_engine(const struct ks_campaign_paths *paths, enum ks_client_start how,
	int log, int ready[2], struct ks_err *err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	char *program = NULL;
	char fd_text[16];
	const char *argv[10] = {"kseek-engine", "run", paths->root, "--ready-fd", fd_text};
	int n = 5;
	pid_t pid;
	int rc = ks_paths_program(&program, "kseek-engine", err);

	if (rc < 0) {
		return rc;
	}
	snprintf(fd_text, sizeof(fd_text), "%d", ready[1]);
	if (how == KS_CLIENT_TRANSIENT) {
		argv[n++] = "--transient";
	} else {
		argv[n++] = "--agent";
	}
	if (how == KS_CLIENT_UNATTENDED) {
		argv[n++] = "--unattended";
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, log, 1);
	posix_spawn_file_actions_adddup2(&actions, log, 2);
	posix_spawn_file_actions_addclose(&actions, ready[0]);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	int sys = posix_spawn(&pid, program, &actions, &attr, (char *const *)argv, environ);
	if (sys != 0) {
		rc = ks_err_sys(err, sys, "%s", program);
	}
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	free(program);
	return rc;
}

static int start_engine(struct ks_client *c, const struct ks_campaign_paths *paths,
	enum ks_client_start how, struct ks_err *err)
{
	int ready[2];

	int rc = ks_campaign_make_state(paths, err);
	if (rc < 0) {
		return rc;
	}
	int log = open_engine_log(paths, err);
	if (log < 0) {
		return log;
	}
	if (pipe2(ready, 0) < 0) {
		rc = ks_err_sys(err, errno, "starting the engine");
		close(log);
		return rc;
	}
	fcntl(ready[0], F_SETFD, FD_CLOEXEC);
	rc = spawn_engine(paths, how, log, ready, err);
	close(log);
	close(ready[1]);
	if (rc == 0) {
		rc = wait_ready(c, ready[0], err);
	}
	close(ready[0]);
	return rc;
}

static int connect_once(struct ks_client *c, const struct ks_campaign_paths *paths,
	struct ks_err *err)
{
	const struct ks_stream_ops ops = {.line = on_line, .closed = on_closed};
	struct ks_buf name = {0};
	int rc = ks_file_read(&name, paths->engine, 4096, err);

	if (rc == 0) {
		struct ks_str path = ks_str_trim(ks_buf_str(&name));
		char *socket = ks_strndup(path.ptr, path.len);
		rc = ks_stream_connect(&c->stream, c->loop, socket, &ops, c, err);
		free(socket);
	} else {
		ks_err_clear(err);
		rc = ks_err_set(err, KS_ENOTFOUND,
			"%s: no engine runs; start it with 'kseek steer'", paths->root);
	}
	ks_buf_fini(&name);
	return rc;
}

static int say_hello(struct ks_client *c, bool console, struct ks_err *err)
{
	c->console = console;
	return ks_client_call(c, "hello", ks_str_of(""), NULL, NULL, HELLO_MS, &c->hello, err);
}

/* One that was there and left, an agent that could not start behind it: another
 * would do the same. */
static int say_ended(struct ks_err *err)
{
	ks_err_clear(err);
	return ks_err_set(err, KS_EIO,
		"the engine was started and has ended at once; the log's last "
		"lines say why ('kseek export', .kseek/engine.log)");
}

/* Somebody may start an engine at the same time, whose socket is not there yet,
 * or one that is leaving may still hold the log: tries again for a while. */
static int connect_or_start(struct ks_client *c, const struct ks_campaign_paths *paths,
	enum ks_client_start how, struct ks_err *err)
{
	int rc = KS_EBUSY;

	for (int i = 0; i < BUSY_TRIES && rc == KS_EBUSY && !is_given_up(c); i++) {
		if (i > 0) {
			wait_ms(c, BUSY_WAIT_MS);
		}
		ks_err_clear(err);
		rc = start_engine(c, paths, how, err);
		c->started = c->started || rc == 0;
		if (rc == 0 || rc == KS_EBUSY) {
			ks_err_clear(err);
			rc = connect_once(c, paths, err);
			rc = rc != KS_ENOTFOUND ? rc : c->started ? say_ended(err) : KS_EBUSY;
		}
	}
	if (rc == KS_EBUSY && !is_given_up(c)) {
		ks_err_clear(err);
		rc = ks_err_set(err, KS_EBUSY, "%s: an engine holds this campaign and does not "
			"answer: it starts or leaves; try again in a moment", paths->root);
	}
	return rc;
}

/* A copied folder names the original's socket. Bytes of another encoding come changed,
 * and say nothing then. */
static int look_whose(struct ks_client *c, const struct ks_campaign_paths *paths,
	struct ks_err *err)
{
	const char *folder = ks_json_get_str(c->hello, "folder", paths->root);

	if (strcmp(folder, paths->root) == 0 || access(folder, F_OK) != 0) {
		return 0;
	}
	return ks_err_set(err, KS_EDENIED, "this folder is a copy of %.200s, whose engine answers "
		"here; stop that first ('kseek stop' there), or make a campaign of its own with "
		"'kseek new'", folder);
}

static int greet(struct ks_client *c, const struct ks_campaign_paths *paths,
	enum ks_client_start how, bool console, struct ks_err *err)
{
	int rc = connect_once(c, paths, err);

	if (rc == KS_ENOTFOUND && how != KS_CLIENT_ATTACH) {
		rc = c->started ? say_ended(err) : connect_or_start(c, paths, how, err);
	}
	rc = rc == 0 ? say_hello(c, console, err) : rc;
	return rc == 0 ? look_whose(c, paths, err) : rc;
}

int ks_client_open(struct ks_client **out, struct ks_loop *loop,
	const struct ks_campaign_paths *paths, enum ks_client_start how, bool console,
	const struct ks_client_ops *ops, struct ks_err *err)
{
	struct ks_client *c = ks_zalloc(1, sizeof(*c));

	c->loop = loop;
	c->next_id = 1;
	if (ops != NULL) {
		c->ops = *ops;
	}
	int rc = greet(c, paths, how, console, err);
	/* Closed before it said hello: it was leaving, and has done nothing. */
	for (int i = 0; i < LEAVING_TRIES && rc < 0 && c->closed && !c->started &&
		!is_given_up(c); i++) {
		ks_stream_free(c->stream);
		c->stream = NULL;
		c->closed = false;
		wait_ms(c, BUSY_WAIT_MS);
		ks_err_clear(err);
		rc = greet(c, paths, how, console, err);
	}
	if (rc < 0 && c->closed && c->started) {
		rc = say_ended(err);
	}
	if (rc < 0) {
		ks_client_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void ks_client_free(struct ks_client *c)
{
	if (c == NULL) {
		return;
	}
	while (c->waiting != NULL) {
		struct waiting *w = c->waiting;
		c->waiting = w->next;
		free(w);
	}
	if (c->stream != NULL) {
		ks_stream_free(c->stream);
	}
	ks_json_free(c->hello);
	free(c);
}

bool ks_client_is_closed(const struct ks_client *client)
{
	return client->closed;
}

const struct ks_json *ks_client_hello(const struct ks_client *client)
{
	return client->hello;
}

int ks_client_send(struct ks_client *c, const char *cmd, struct ks_str args,
	ks_client_reply *reply, void *ctx, struct ks_err *err)
{
	struct ks_buf frame = {0};
	int64_t id = c->next_id++;

	if (c->closed) {
		return ks_err_set(err, KS_EIO, "%s", c->why);
	}
	int rc = strcmp(cmd, "hello") == 0 ?
		ks_frame_hello(&frame, id, c->console ? "console" : "cli", err) :
		ks_frame_request(&frame, id, cmd, args, err);
	if (rc == 0) {
		struct waiting *w = ks_zalloc(1, sizeof(*w));
		*w = (struct waiting){.next = c->waiting, .id = id, .reply = reply, .ctx = ctx};
		c->waiting = w;
		ks_stream_write(c->stream, ks_buf_str(&frame));
	}
	ks_buf_fini(&frame);
	return rc;
}

struct call {
	ks_client_reply *more;
	void *ctx;
	bool done;
	struct ks_json *result;
	int code;
	char error[512];
};

static void on_call_reply(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	struct call *call = ctx;

	if (more) {
		if (call->more != NULL) {
			call->more(call->ctx, result, more, code, error);
		}
		return;
	}
	call->done = true;
	call->code = code;
	if (code < 0) {
		snprintf(call->error, sizeof(call->error), "%s", error != NULL ? error : "refused");
	} else if (result != NULL) {
		struct ks_buf text = {0};
		struct ks_err err = KS_ERR_INIT;
		ks_json_print(result, &text);
		(void)ks_json_parse(&call->result, text.ptr, text.len, &err);
		ks_buf_fini(&text);
	}
}

/* A reply that comes after the caller gave up finds nobody. */
static void forget(struct ks_client *c, const void *ctx)
{
	for (struct waiting *w = c->waiting; w != NULL; w = w->next) {
		if (w->ctx == ctx) {
			w->reply = NULL;
		}
	}
}

int ks_client_call(struct ks_client *c, const char *cmd, struct ks_str args,
	ks_client_reply *more, void *ctx, int64_t timeout_ms, struct ks_json **out,
	struct ks_err *err)
{
	struct call call = {.more = more, .ctx = ctx};
	int64_t start = ks_loop_now_ms(c->loop);
	int rc = ks_client_send(c, cmd, args, on_call_reply, &call, err);

	while (rc == 0 && !call.done) {
		ks_loop_turn(c->loop, timeout_ms > 0 ? 50 : 1000);
		if (!call.done && is_given_up(c)) {
			forget(c, &call);
			return say_given_up(err);
		}
		if (!call.done && timeout_ms > 0 && ks_loop_now_ms(c->loop) - start > timeout_ms) {
			forget(c, &call);
			return ks_err_set(err, KS_ETIME, "%s: no answer within %.1f s", cmd,
				(double)timeout_ms / 1000);
		}
	}
	if (rc == 0 && call.code < 0) {
		rc = ks_err_set(err, call.code, "%s", call.error);
	}
	if (rc == 0 && out != NULL) {
		*out = call.result;
	} else {
		ks_json_free(call.result);
	}
	return rc;
}
