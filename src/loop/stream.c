/*
 * Unix-domain sockets with lines.
 *
 * A stream has two lives: its handle, which libuv closes in its own time, and
 * its owner's hold. The memory goes when both have ended. `dead` says that no
 * callback of the owner may be called any more.
 */
#include "loop/stream.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/internal.h"

#define LINE_MAX_DEFAULT (1024u * 1024)
#define QUEUE_MAX_DEFAULT (16u * 1024 * 1024)
#define END_WAIT_MS 1000

struct ks_stream {
	uv_pipe_t uv;
	struct ks_loop *loop;
	struct ks_stream_ops ops;
	void *ctx;
	struct ks_peer peer;
	struct ks_lines lines;
	struct ks_wq wq;
	uv_shutdown_t shutdown;
	struct ks_timer *end_timer;
	struct ks_err why;    /* given to `closed` */
	bool started, paused;
	bool ending;          /* close when the queue is empty */
	bool dead;            /* the owner has freed it or knows it is closed */
	bool broken;          /* `closed` is due or was called */
	bool handle_closed, released;
};

struct ks_listener {
	uv_pipe_t uv;
	struct ks_loop *loop;
	char *path;
	struct stat made; /* of the socket file, to remove no other */
	void (*accepted)(void *ctx, struct ks_stream *stream);
	void *ctx;
};

static void stream_memory(struct ks_stream *stream)
{
	if (stream->handle_closed && stream->released) {
		ks_lines_fini(&stream->lines);
		ks_wq_fini(&stream->wq);
		free(stream);
	}
}

static void stream_handle_closed(uv_handle_t *handle)
{
	struct ks_stream *stream = handle->data;

	stream->handle_closed = true;
	stream_memory(stream);
}

static void stream_report(void *ctx)
{
	struct ks_stream *stream = ctx;

	if (!stream->dead) {
		stream->dead = true;
		stream->ops.closed(stream->ctx, &stream->why);
	}
}

/* Closes the handle; the owner hears of it in the next turn. */
static void stream_break(struct ks_stream *stream)
{
	if (stream->broken) {
		return;
	}
	stream->broken = true;
	ks_timer_free(stream->end_timer);
	stream->end_timer = NULL;
	uv_close((uv_handle_t *)&stream->uv, stream_handle_closed);
	ks_loop_defer(stream->loop, stream_report, stream);
}

static void stream_shut(uv_shutdown_t *req, int status)
{
}

static void stream_end_late(void *ctx)
{
	stream_break(ctx);
}

/* Everything is sent: tell the peer, and give it time to close its side, since
 * closing with unread input would take our last words from it. */
static void stream_say_end(struct ks_stream *stream)
{
	if (stream->broken || stream->end_timer != NULL) {
		return;
	}
	if (uv_shutdown(&stream->shutdown, (uv_stream_t *)&stream->uv, stream_shut) < 0) {
		stream_break(stream);
		return;
	}
	stream->end_timer = ks_timer_new(stream->loop, stream_end_late, stream);
	ks_timer_arm(stream->end_timer, END_WAIT_MS);
}

static void stream_wrote(void *ctx, int status)
{
	struct ks_stream *stream = ctx;

	if (stream->broken) {
		return;
	}
	if (status < 0) {
		if (status != UV_EPIPE && status != UV_ECONNRESET) {
			ks_loop_err(&stream->why, status, "cannot write to the socket");
		}
		stream_break(stream);
		return;
	}
	if (ks_wq_queued(&stream->wq) > 0) {
		return;
	}
	if (stream->ending) {
		stream_say_end(stream);
	} else if (!stream->dead && stream->ops.drained != NULL) {
		stream->ops.drained(stream->ctx);
	}
}

/* Gives out the lines that are here. */
static void stream_lines(struct ks_stream *stream)
{
	struct ks_str line;
	bool cut;

	while (!stream->dead && !stream->broken && !stream->paused &&
		ks_lines_next(&stream->lines, &line, &cut)) {
		if (cut) {
			ks_err_set(&stream->why, KS_EPROTO,
				"a line of the peer passes %zu bytes", stream->ops.line_max);
			stream_break(stream);
			return;
		}
		stream->ops.line(stream->ctx, line);
	}
}

static void stream_read(uv_stream_t *uv, ssize_t n, const uv_buf_t *buf)
{
	struct ks_stream *stream = uv->data;

	if (n == 0 || stream->broken) {
		return;
	}
	if (n < 0) {
		if (n != UV_EOF && n != UV_ECONNRESET) {
			ks_loop_err(&stream->why, (int)n, "cannot read from the socket");
		}
		stream_break(stream);
		return;
	}
	if (stream->ending) {
		return;
	}
	ks_lines_add(&stream->lines, buf->base, (size_t)n);
	stream_lines(stream);
}

static void stream_resume(void *ctx)
{
	struct ks_stream *stream = ctx;

	if (stream->dead || stream->broken || stream->paused) {
		return;
	}
	stream_lines(stream);
	if (!stream->dead && !stream->broken && !stream->paused) {
		uv_read_start((uv_stream_t *)&stream->uv, ks_loop_scratch, stream_read);
	}
}

void ks_stream_pause(struct ks_stream *stream, bool paused)
{
	if (stream->paused == paused || stream->broken) {
		return;
	}
	stream->paused = paused;
	if (paused) {
		uv_read_stop((uv_stream_t *)&stream->uv);
	} else {
		ks_loop_defer(stream->loop, stream_resume, stream);
	}
}

static struct ks_stream *stream_new(struct ks_loop *loop)
{
	struct ks_stream *stream = ks_zalloc(1, sizeof(*stream));

	stream->loop = loop;
	uv_pipe_init(&loop->uv, &stream->uv, 0);
	stream->uv.data = stream;
	ks_wq_init(&stream->wq, (uv_stream_t *)&stream->uv, stream_wrote, stream);
	return stream;
}

static int stream_learn_peer(struct ks_stream *stream, struct ks_err *err)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	uv_os_fd_t fd = -1;

	if (uv_fileno((uv_handle_t *)&stream->uv, &fd) < 0 ||
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0) {
		return ks_err_sys(err, errno, "cannot learn who is at the socket");
	}
	stream->peer = (struct ks_peer){cred.pid, cred.uid, cred.gid};
	return 0;
}

int ks_stream_start(struct ks_stream *stream, const struct ks_stream_ops *ops,
	void *ctx, struct ks_err *err)
{
	int status;

	stream->ops = *ops;
	if (stream->ops.line_max == 0) {
		stream->ops.line_max = LINE_MAX_DEFAULT;
	}
	if (stream->ops.queue_max == 0) {
		stream->ops.queue_max = QUEUE_MAX_DEFAULT;
	}
	stream->ctx = ctx;
	stream->lines.max = stream->ops.line_max;
	status = uv_read_start((uv_stream_t *)&stream->uv, ks_loop_scratch, stream_read);
	if (status < 0) {
		return ks_loop_err(err, status, "cannot read from the socket");
	}
	stream->started = true;
	return 0;
}

void ks_stream_write(struct ks_stream *stream, struct ks_str bytes)
{
	int status;

	if (stream->broken || stream->dead || stream->ending) {
		return;
	}
	if (ks_wq_queued(&stream->wq) + bytes.len > stream->ops.queue_max) {
		ks_err_set(&stream->why, KS_ELIMIT,
			"the peer does not read: %zu bytes wait for it",
			ks_wq_queued(&stream->wq));
		stream_break(stream);
		return;
	}
	status = ks_wq_add(&stream->wq, bytes);
	if (status < 0) {
		stream_wrote(stream, status);
	}
}

void ks_stream_end(struct ks_stream *stream)
{
	if (stream->broken || stream->ending) {
		return;
	}
	stream->ending = true;
	ks_stream_pause(stream, false);
	if (ks_wq_queued(&stream->wq) == 0) {
		stream_say_end(stream);
	}
}

const struct ks_peer *ks_stream_peer(const struct ks_stream *stream)
{
	return &stream->peer;
}

void ks_stream_free(struct ks_stream *stream)
{
	if (stream == NULL) {
		return;
	}
	stream->dead = true;
	stream->released = true;
	ks_loop_undefer(stream->loop, stream);
	if (!stream->broken) {
		stream->broken = true;
		ks_timer_free(stream->end_timer);
		uv_close((uv_handle_t *)&stream->uv, stream_handle_closed);
	} else {
		stream_memory(stream);
	}
}

/* ---- making sockets ---- */

static int socket_address(struct sockaddr_un *out, const char *path, struct ks_err *err)
{
	size_t len = strlen(path);

	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (len >= sizeof(out->sun_path)) {
		return ks_err_set(err, KS_ELIMIT,
			"%s: too long for a socket (at most %zu bytes); "
			"set XDG_RUNTIME_DIR to a shorter folder",
			path, sizeof(out->sun_path) - 1);
	}
	memcpy(out->sun_path, path, len + 1);
	return 0;
}

static int socket_new(struct ks_err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd >= 0 ? fd : ks_err_sys(err, errno, "cannot make a socket");
}

/* A connected descriptor, or a negative code. */
static int socket_connect(const char *path, struct ks_err *err)
{
	struct sockaddr_un address;
	int fd, rc = socket_address(&address, path, err);

	if (rc < 0) {
		return rc;
	}
	fd = socket_new(err);
	if (fd < 0) {
		return fd;
	}
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		char what[KS_SOCKET_PATH_MAX + 32];

		snprintf(what, sizeof(what), "%s: cannot connect", path);
		rc = ks_loop_err(err, -errno, what);
		close(fd);
		return rc;
	}
	return fd;
}

int ks_stream_connect(struct ks_stream **out, struct ks_loop *loop, const char *path,
	const struct ks_stream_ops *ops, void *ctx, struct ks_err *err)
{
	int fd = socket_connect(path, err);
	struct ks_stream *stream;
	int status, rc;

	if (fd < 0) {
		return fd;
	}
	stream = stream_new(loop);
	status = uv_pipe_open(&stream->uv, fd);
	if (status < 0) {
		close(fd);
		ks_stream_free(stream);
		return ks_loop_err(err, status, "cannot use the socket");
	}
	rc = stream_learn_peer(stream, err);
	if (rc == 0) {
		rc = ks_stream_start(stream, ops, ctx, err);
	}
	if (rc < 0) {
		ks_stream_free(stream);
		return rc;
	}
	*out = stream;
	return 0;
}

/* ---- listening ---- */

static void listener_came(uv_stream_t *uv, int status)
{
	struct ks_listener *listener = uv->data;
	struct ks_stream *stream;

	if (status < 0) {
		return;
	}
	stream = stream_new(listener->loop);
	if (uv_accept(uv, (uv_stream_t *)&stream->uv) < 0 ||
		stream_learn_peer(stream, NULL) < 0) {
		ks_stream_free(stream);
		return;
	}
	listener->accepted(listener->ctx, stream);
}

/* Binds under a umask, so that the file never has a wider mode. */
static int bind_private(int fd, const struct sockaddr_un *address)
{
	mode_t before = umask(0177);
	int rc = bind(fd, (const struct sockaddr *)address, sizeof(*address));
	int sys = errno;

	umask(before);
	errno = sys;
	return rc;
}

static int listener_bind(const char *path, struct ks_err *err)
{
	struct sockaddr_un address;
	int fd, probe, rc = socket_address(&address, path, err);

	if (rc < 0) {
		return rc;
	}
	fd = socket_new(err);
	if (fd < 0) {
		return fd;
	}
	rc = bind_private(fd, &address);
	if (rc < 0 && errno == EADDRINUSE) {
		probe = socket_connect(path, NULL);
		if (probe >= 0 || probe == KS_EBUSY) {
			if (probe >= 0) {
				close(probe);
			}
			close(fd);
			return ks_err_set(err, KS_EBUSY, "%s: somebody serves this socket", path);
		}
		unlink(path);
		rc = bind_private(fd, &address);
	}
	if (rc < 0) {
		rc = ks_err_sys(err, errno, "%s: cannot make this socket", path);
		close(fd);
		return rc;
	}
	return fd;
}

static void listener_closed(uv_handle_t *handle)
{
	struct ks_listener *listener = handle->data;

	free(listener->path);
	free(listener);
}

int ks_listener_new(struct ks_listener **out, struct ks_loop *loop, const char *path,
	void (*accepted)(void *ctx, struct ks_stream *stream), void *ctx,
	struct ks_err *err)
{
	int fd = listener_bind(path, err);
	struct ks_listener *listener;
	int status;

	if (fd < 0) {
		return fd;
	}
	listener = ks_zalloc(1, sizeof(*listener));
	listener->loop = loop;
	listener->path = ks_strdup(path);
	listener->accepted = accepted;
	listener->ctx = ctx;
	if (lstat(path, &listener->made) < 0) {
		listener->made = (struct stat){0};
	}
	uv_pipe_init(&loop->uv, &listener->uv, 0);
	listener->uv.data = listener;
	status = uv_pipe_open(&listener->uv, fd);
	if (status < 0) {
		close(fd);
	} else {
		status = uv_listen((uv_stream_t *)&listener->uv, 64, listener_came);
	}
	if (status < 0) {
		ks_listener_free(listener);
		return ks_loop_err(err, status, "cannot listen at the socket");
	}
	*out = listener;
	return 0;
}

void ks_listener_free(struct ks_listener *listener)
{
	struct stat now;

	if (listener == NULL) {
		return;
	}
	if (lstat(listener->path, &now) == 0 && now.st_ino == listener->made.st_ino &&
		now.st_dev == listener->made.st_dev) {
		unlink(listener->path);
	}
	uv_close((uv_handle_t *)&listener->uv, listener_closed);
}
