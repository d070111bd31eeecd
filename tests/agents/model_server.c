/*
 * A model server that plays a scene (model_scene.h), for tests of agents: Anthropic
 * Messages, chat completions, Responses and Gemini, on 127.0.0.1 at a port of the
 * system's choice, which is printed.
 *
 *   model_server [--scene FILE] [--key KEY] [--log FILE]
 *
 * With a key, requests that do not carry it get status 401 and a body that
 * quotes what they carried. The log gets one line a request: its path and body.
 * Requests without tools (titles, summaries) take no reply from the scene.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model_scene.h"

#define REQUEST_MAX (64u * 1024 * 1024)

struct server {
	uv_loop_t loop;
	uv_tcp_t tcp;
	struct scene scene;
	const char *key;
	FILE *log;
	size_t requests;
};

struct conn {
	uv_tcp_t tcp;
	uv_timer_t timer;
	struct server *server;
	struct ks_buf in;
	bool answered, closing;
	int handles;
	/* what is to be written: the head, then events */
	struct ks_buf out;      /* bytes that may go now */
	size_t fragment;
	struct scene_events events;
	size_t next_event;
	int64_t delay_ms;
	bool writing;
};

struct write {
	uv_write_t req;
	struct ks_buf bytes;
};

static void conn_closed(uv_handle_t *handle)
{
	struct conn *c = handle->data;

	if (--c->handles == 0) {
		ks_buf_fini(&c->in);
		ks_buf_fini(&c->out);
		scene_events_fini(&c->events);
		free(c);
	}
}

static void conn_close(struct conn *c)
{
	if (!c->closing) {
		c->closing = true;
		uv_close((uv_handle_t *)&c->tcp, conn_closed);
		uv_close((uv_handle_t *)&c->timer, conn_closed);
	}
}

static void go_on(struct conn *c);

static void on_wrote(uv_write_t *req, int status)
{
	struct write *w = (struct write *)req;
	struct conn *c = req->data;

	ks_buf_fini(&w->bytes);
	free(w);
	c->writing = false;
	if (status < 0) {
		conn_close(c);
	} else if (!c->closing) {
		go_on(c);
	}
}

static void write_out(struct conn *c)
{
	size_t n = c->fragment > 0 && c->out.len > c->fragment ? c->fragment : c->out.len;
	struct write *w = ks_zalloc(1, sizeof(*w));
	uv_buf_t buf;

	ks_buf_add(&w->bytes, c->out.ptr, n);
	ks_buf_drop(&c->out, n);
	buf = uv_buf_init(w->bytes.ptr, (unsigned)w->bytes.len);
	w->req.data = c;
	c->writing = true;
	if (uv_write(&w->req, (uv_stream_t *)&c->tcp, &buf, 1, on_wrote) < 0) {
		ks_buf_fini(&w->bytes);
		free(w);
		conn_close(c);
	}
}

static void on_timer(uv_timer_t *timer)
{
	struct conn *c = timer->data;

	if (c->next_event < c->events.count) {
		ks_buf_addstr(&c->out, ks_buf_str(&c->events.list[c->next_event++]));
	}
	if (!c->writing) {
		go_on(c);
	}
}

/* Writes what may go; then the next event, at once or later; then the end. */
static void go_on(struct conn *c)
{
	while (c->out.len == 0 && c->next_event < c->events.count) {
		if (c->delay_ms > 0) {
			uv_timer_start(&c->timer, on_timer, (uint64_t)c->delay_ms, 0);
			return;
		}
		ks_buf_addstr(&c->out, ks_buf_str(&c->events.list[c->next_event++]));
	}
	if (c->out.len > 0) {
		write_out(c);
	} else {
		conn_close(c);
	}
}

static void head(struct conn *c, int status, const char *type, const char *retry_after)
{
	ks_buf_addf(&c->out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nConnection: close\r\n", status,
		status == 200 ? "OK" : "No", type);
	if (retry_after != NULL) {
		ks_buf_addf(&c->out, "Retry-After: %s\r\n", retry_after);
	}
}

static void simple(struct conn *c, int status, const char *body, const char *retry_after)
{
	head(c, status, "application/json", retry_after);
	ks_buf_addf(&c->out, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
	go_on(c);
}

/* ---- requests ---- */

/* A header's value out of the request, cut into `out`; false without one. */
static bool header(struct ks_str head_text, const char *name, char *out, size_t size)
{
	struct ks_str line;
	size_t len = strlen(name);

	while (ks_str_next(&head_text, '\n', &line)) {
		if (line.len > len && line.ptr[len] == ':' &&
				strncasecmp(line.ptr, name, len) == 0) {
			struct ks_str value = ks_str_trim((struct ks_str){line.ptr + len + 1,
				line.len - len - 1});

			snprintf(out, size, "%.*s", KS_FMT(value));
			return true;
		}
	}
	return false;
}

static bool key_fits(const struct conn *c, struct ks_str head_text, char *given, size_t size)
{
	const char *key = c->server->key;
	char value[600];

	given[0] = '\0';
	if (header(head_text, "x-api-key", given, size) ||
		header(head_text, "x-goog-api-key", given, size)) {
		return key == NULL || strcmp(given, key) == 0;
	}
	if (header(head_text, "authorization", value, sizeof(value)) &&
		strncasecmp(value, "bearer ", 7) == 0) {
		snprintf(given, size, "%s", value + 7);
	}
	return key == NULL || strcmp(given, key) == 0;
}

static void log_request(struct server *s, const char *path, struct ks_str body)
{
	struct ks_buf line = {0};

	if (s->log == NULL) {
		return;
	}
	ks_buf_addf(&line, "{\"n\":%zu,\"path\":\"%s\",\"body\":", s->requests, path);
	ks_buf_addstr(&line, body.len > 0 ? body : KS_STR("null"));
	ks_buf_adds(&line, "}\n");
	fwrite(line.ptr, 1, line.len, s->log);
	fflush(s->log);
	ks_buf_fini(&line);
}

static void play(struct conn *c, enum scene_api api, bool stream, const struct ks_json *request)
{
	struct server *s = c->server;
	bool main_talk = ks_json_count(ks_json_get(request, "tools")) > 0;
	const struct ks_json *reply = main_talk ? scene_next(&s->scene, request) : NULL;
	const struct ks_json *body = ks_json_get(reply, "body");
	int status = (int)ks_json_get_int(reply, "status", 200);
	struct ks_buf text = {0};

	c->fragment = (size_t)ks_json_get_int(reply, "fragment", 0);
	if (status != 200 || ks_json_get_bool(reply, "json", false) || !stream) {
		if (body != NULL && ks_json_type(body) != KS_JSON_STRING) {
			ks_json_print(body, &text);
		} else if (status != 200) {
			ks_buf_adds(&text, ks_json_str(body, ""));
		} else {
			scene_answer(&text, api, ks_json_get_str(reply, "text", "Done."));
		}
		simple(c, status, ks_buf_str(&text).ptr,
			ks_json_get_str(reply, "retry_after", NULL));
		ks_buf_fini(&text);
		return;
	}
	scene_stream(&c->events, api, reply, request, s->requests);
	c->delay_ms = ks_json_get_int(reply, "delay_ms", 0);
	head(c, 200, "text/event-stream; charset=utf-8", NULL);
	ks_buf_adds(&c->out, "\r\n");
	if (ks_json_get_int(reply, "first_ms", 0) > 0) {
		uv_timer_start(&c->timer, on_timer,
			(uint64_t)ks_json_get_int(reply, "first_ms", 0), 0);
	} else {
		go_on(c);
	}
}

static void handle(struct conn *c, struct ks_str head_text, struct ks_str body)
{
	static const struct {
		const char *end;
		enum scene_api api;
	} paths[] = {
		{"/messages", SCENE_MESSAGES}, {"/chat/completions", SCENE_CHAT},
		{"/responses", SCENE_RESPONSES}, {":streamGenerateContent", SCENE_GEMINI},
		{":generateContent", SCENE_GEMINI},
	};
	const size_t n_paths = sizeof(paths) / sizeof(paths[0]);
	struct ks_str line = head_text, method = {0}, path = {0};
	char given[600], name[200];
	struct ks_json *request = NULL;
	size_t i = 0;

	c->answered = true;
	ks_str_next(&line, ' ', &method);
	ks_str_next(&line, ' ', &path);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path.ptr, "? \r\n"), path.ptr);
	c->server->requests++;
	log_request(c->server, name, ks_str_is(method, "POST") ? body : KS_STR(""));
	while (i < n_paths && (strlen(name) < strlen(paths[i].end) ||
		strcmp(name + strlen(name) - strlen(paths[i].end), paths[i].end) != 0)) {
		i++;
	}
	if (i == n_paths || !ks_str_is(method, "POST")) {
		simple(c, 200, "{\"data\":[],\"input_tokens\":100,\"totalTokens\":100}", NULL);
	} else if (!key_fits(c, head_text, given, sizeof(given))) {
		char text[800];

		snprintf(text, sizeof(text), "{\"error\":{\"type\":\"authentication_error\","
			"\"message\":\"Incorrect API key provided: %s.\"}}", given);
		simple(c, 401, text, NULL);
	} else if (ks_json_parse(&request, body.ptr, body.len, NULL) < 0) {
		simple(c, 400, "{\"error\":{\"message\":\"the body is not JSON\"}}", NULL);
	} else {
		play(c, paths[i].api, ks_json_get_bool(request, "stream", false) ||
			strcmp(paths[i].end, ":streamGenerateContent") == 0, request);
	}
	ks_json_free(request);
}

static void look(struct conn *c)
{
	struct ks_str all = ks_buf_str(&c->in), head_text;
	ptrdiff_t end = ks_str_find(all, KS_STR("\r\n\r\n"));
	char length[24];
	size_t want = 0;

	if (c->answered || end < 0) {
		return;
	}
	head_text = (struct ks_str){all.ptr, (size_t)end};
	if (header(head_text, "content-length", length, sizeof(length))) {
		want = strtoul(length, NULL, 10);
	}
	if (all.len - (size_t)end - 4 >= want) {
		handle(c, head_text, (struct ks_str){all.ptr + end + 4, want});
	}
}

static void on_alloc(uv_handle_t *handle, size_t want, uv_buf_t *buf)
{
	buf->base = ks_alloc(want);
	buf->len = want;
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct conn *c = stream->data;

	if (n > 0 && c->in.len + (size_t)n <= REQUEST_MAX) {
		ks_buf_add(&c->in, buf->base, (size_t)n);
		look(c);
	} else if (n < 0) {
		conn_close(c);
	}
	free(buf->base);
}

static void on_connect(uv_stream_t *stream, int status)
{
	struct server *s = stream->data;
	struct conn *c = ks_zalloc(1, sizeof(*c));

	c->server = s;
	c->handles = 2;
	uv_tcp_init(&s->loop, &c->tcp);
	uv_timer_init(&s->loop, &c->timer);
	c->tcp.data = c->timer.data = c;
	if (uv_accept(stream, (uv_stream_t *)&c->tcp) < 0) {
		conn_close(c);
		return;
	}
	uv_tcp_nodelay(&c->tcp, 1);
	uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
}

static int serve(struct server *s)
{
	struct sockaddr_in at;
	int len = sizeof(at), rc;

	uv_loop_init(&s->loop);
	uv_tcp_init(&s->loop, &s->tcp);
	s->tcp.data = s;
	uv_ip4_addr("127.0.0.1", 0, &at);
	rc = uv_tcp_bind(&s->tcp, (struct sockaddr *)&at, 0);
	rc = rc < 0 ? rc : uv_listen((uv_stream_t *)&s->tcp, 32, on_connect);
	rc = rc < 0 ? rc : uv_tcp_getsockname(&s->tcp, (struct sockaddr *)&at, &len);
	if (rc < 0) {
		fprintf(stderr, "model_server: cannot listen: %s\n", uv_strerror(rc));
		return 1;
	}
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	return 0;
}

int main(int argc, char **argv)
{
	struct server s = {0};
	struct ks_err err = KS_ERR_INIT;
	const char *scene = NULL;

	signal(SIGPIPE, SIG_IGN);
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--scene") == 0) {
			scene = argv[i + 1];
		} else if (strcmp(argv[i], "--key") == 0) {
			s.key = argv[i + 1];
		} else if (strcmp(argv[i], "--log") == 0) {
			s.log = fopen(argv[i + 1], "ae");
		}
	}
	if (scene_read(&s.scene, scene, &err) < 0) {
		fprintf(stderr, "model_server: %s: %s\n", scene, err.msg);
		return 2;
	}
	return serve(&s);
}
