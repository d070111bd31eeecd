/*
 * Requests through libcurl's multi interface, driven by somebody else's loop.
 *
 * libcurl must not be entered from its own callbacks, and a call may be
 * cancelled in any of ours. So callbacks of libcurl mark a call `dead` and
 * return an error to it; whoever entered libcurl (`drive`) then takes finished
 * and dead calls out. `depth` says that libcurl is on the stack.
 */
#include "http/http.h"

#include <curl/curl.h>

#include "base/clock.h"
#include "base/mem.h"

#define CONNECT_MS 20000
#define IDLE_MS 120000
#define TOTAL_MS (30 * 60 * 1000)
#define BODY_MAX (64u * 1024 * 1024)
#define HEADERS_MAX (64u * 1024)
#define ALWAYS_LOCAL "localhost,127.0.0.1,::1"

struct ks_http {
	struct ks_http_host host;
	CURLM *multi;
	struct ks_http_call *calls;
	int depth;
};

struct ks_http_call {
	struct ks_http *http;
	struct ks_http_call *prev, *next;
	CURL *easy;
	struct curl_slist *headers;
	char *body, *secret;
	char error[CURL_ERROR_SIZE];
	void (*head)(void *ctx, const struct ks_http_head *head);
	void (*take)(void *ctx, struct ks_str bytes);
	void (*done)(void *ctx, const struct ks_http_end *end);
	void *ctx;
	struct ks_http_head answer;
	bool head_given, dead;
	int limit;             /* a limit of ours that was passed, or 0 */
	size_t header_bytes, body_bytes, body_max;
	int64_t idle_s;
};

/* ---- the end of a call ---- */

static void wipe(char *text)
{
	if (text != NULL) {
		explicit_bzero(text, strlen(text));
		free(text);
	}
}

static void call_free(struct ks_http_call *call)
{
	if (call->prev != NULL) {
		call->prev->next = call->next;
	} else {
		call->http->calls = call->next;
	}
	if (call->next != NULL) {
		call->next->prev = call->prev;
	}
	curl_multi_remove_handle(call->http->multi, call->easy);
	curl_easy_cleanup(call->easy);
	for (struct curl_slist *at = call->headers; at != NULL; at = at->next) {
		explicit_bzero(at->data, strlen(at->data));
	}
	curl_slist_free_all(call->headers);
	wipe(call->secret);
	free(call->body);
	free(call);
}

static int code_of(const struct ks_http_call *call, CURLcode result)
{
	if (call->limit != 0) {
		return call->limit;
	}
	switch (result) {
	case CURLE_OPERATION_TIMEDOUT:
		return KS_ETIME;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return KS_EINVAL;
	default:
		return KS_EIO;
	}
}

static void say_failure(const struct ks_http_call *call, CURLcode result, struct ks_buf *out)
{
	const char *text = call->error[0] != '\0' ? call->error : curl_easy_strerror(result);
	struct ks_buf line = {0};

	if (call->limit == KS_ELIMIT) {
		ks_buf_addf(&line, "the answer passes %zu bytes", call->body_max);
	} else if (result == CURLE_OPERATION_TIMEDOUT && strstr(text, "too slow") != NULL) {
		ks_buf_addf(&line, "the server sent nothing for %lld s", (long long)call->idle_s);
	} else {
		ks_buf_adds(&line, text);
	}
	ks_http_redact(out, ks_buf_str(&line), call->secret);
	ks_buf_fini(&line);
}

static void give_head(struct ks_http_call *call)
{
	long status = 0;

	if (call->head_given) {
		return;
	}
	call->head_given = true;
	curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
	call->answer.status = (int)status;
	if (call->head != NULL) {
		call->head(call->ctx, &call->answer);
	}
}

static void call_end(struct ks_http_call *call, CURLcode result)
{
	struct ks_buf text = {0};
	struct ks_http_end end = {0};
	long sent = 0;

	curl_easy_getinfo(call->easy, CURLINFO_REQUEST_SIZE, &sent);
	end.sent = sent > 0;
	if (result != CURLE_OK || call->limit != 0) {
		end.code = code_of(call, result);
		say_failure(call, result, &text);
	}
	end.text = ks_buf_str(&text).ptr;
	call->http->depth++; /* a cancel inside does not free it under us */
	if (end.code == 0) {
		give_head(call);
	}
	if (!call->dead) {
		call->dead = true;
		call->done(call->ctx, &end);
	}
	call->http->depth--;
	ks_buf_fini(&text);
	call_free(call);
}

/* Takes out what has ended; not while libcurl is on the stack. */
static void collect(struct ks_http *http)
{
	struct ks_http_call *next;
	CURLMsg *msg;
	int left;

	if (http->depth > 0) {
		return;
	}
	while ((msg = curl_multi_info_read(http->multi, &left)) != NULL) {
		struct ks_http_call *call = NULL;
		CURLcode result = msg->data.result;

		if (msg->msg != CURLMSG_DONE) {
			continue;
		}
		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&call);
		if (!call->dead) {
			call_end(call, result);
		} else {
			call_free(call);
		}
	}
	for (struct ks_http_call *call = http->calls; call != NULL; call = next) {
		next = call->next;
		if (call->dead) {
			call_free(call);
		}
	}
}

static void drive(struct ks_http *http, curl_socket_t fd, int mask)
{
	int running;

	http->depth++;
	curl_multi_socket_action(http->multi, fd, mask, &running);
	http->depth--;
	collect(http);
}

void ks_http_ready(struct ks_http *http, int fd, unsigned events)
{
	drive(http, fd, ((events & KS_HTTP_READ) != 0 ? CURL_CSELECT_IN : 0) |
		((events & KS_HTTP_WRITE) != 0 ? CURL_CSELECT_OUT : 0));
}

void ks_http_timeout(struct ks_http *http)
{
	drive(http, CURL_SOCKET_TIMEOUT, 0);
}

void ks_http_cancel(struct ks_http_call *call)
{
	if (call == NULL || call->dead) {
		return;
	}
	call->dead = true;
	if (call->http->depth == 0) {
		call_free(call);
	}
}

/* ---- libcurl's callbacks ---- */

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *mine)
{
	struct ks_http *http = ctx;
	unsigned events = what == CURL_POLL_IN ? KS_HTTP_READ : what == CURL_POLL_OUT
		? KS_HTTP_WRITE : what == CURL_POLL_INOUT ? KS_HTTP_READ | KS_HTTP_WRITE : 0;

	http->host.watch(http->host.ctx, fd, events);
	return 0;
}

static int on_timer(CURLM *multi, long ms, void *ctx)
{
	struct ks_http *http = ctx;

	http->host.timer(http->host.ctx, ms);
	return 0;
}

/* A header's value where the line is that header. */
static bool header_is(struct ks_str line, const char *name, struct ks_str *out)
{
	size_t len = strlen(name);

	if (line.len <= len || line.ptr[len] != ':' || strncasecmp(line.ptr, name, len) != 0) {
		return false;
	}
	*out = ks_str_trim((struct ks_str){line.ptr + len + 1, line.len - len - 1});
	return true;
}

static void take_type(struct ks_http_head *head, struct ks_str value)
{
	size_t n = 0;

	while (n < value.len && n + 1 < sizeof(head->type) && value.ptr[n] != ';' &&
		value.ptr[n] != ' ') {
		char c = value.ptr[n];

		head->type[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	head->type[n] = '\0';
}

static size_t on_header(char *bytes, size_t size, size_t count, void *ctx)
{
	struct ks_http_call *call = ctx;
	struct ks_str line = {bytes, size * count}, value;
	long long ms;

	call->header_bytes += line.len;
	if (call->dead || call->header_bytes > HEADERS_MAX) {
		call->limit = call->dead ? 0 : KS_ELIMIT;
		return 0;
	}
	if (ks_str_starts(line, "HTTP/")) {
		call->answer = (struct ks_http_head){.retry_after_ms = -1};
	} else if (header_is(line, "retry-after", &value) && call->answer.retry_after_ms < 0) {
		call->answer.retry_after_ms = ks_http_retry_after(value,
			ks_clock_wall_us() / 1000000);
	} else if (header_is(line, "retry-after-ms", &value) && value.len < 10) {
		ms = strtoll(value.ptr, NULL, 10);
		call->answer.retry_after_ms = ms >= 0 ? ms : -1;
	} else if (header_is(line, "content-type", &value)) {
		take_type(&call->answer, value);
	}
	return line.len;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
	struct ks_http_call *call = ctx;
	size_t len = size * count;

	call->body_bytes += len;
	if (!call->dead && call->body_bytes > call->body_max) {
		call->limit = KS_ELIMIT;
		return 0;
	}
	if (!call->dead) {
		give_head(call);
	}
	if (!call->dead) {
		call->take(call->ctx, (struct ks_str){bytes, len});
	}
	return call->dead ? 0 : len;
}

/* ---- making calls ---- */

static bool header_ok(const char *line)
{
	size_t len = strlen(line);

	if (len == 0 || len > 4096 || strchr(line, ':') == NULL) {
		return false;
	}
	for (size_t i = 0; i < len; i++) {
		if (line[i] < ' ' || line[i] > '~') {
			return false;
		}
	}
	return true;
}

static int make_headers(struct ks_http_call *call, const struct ks_http_request *r,
	struct ks_err *err)
{
	/* Without the first, libcurl asks for leave to send a long body. */
	call->headers = curl_slist_append(NULL, "Expect:");
	for (const char *const *at = r->headers; at != NULL && *at != NULL; at++) {
		if (!header_ok(*at)) {
			return ks_err_set(err, KS_EINVAL, "a header of the request is not \"Name: "
				"value\" in plain ASCII");
		}
		call->headers = curl_slist_append(call->headers, *at);
	}
	if (r->secret != NULL) {
		char *line;

		if (!ks_http_secret_ok(r->secret)) {
			return ks_err_set(err, KS_EINVAL, "the key holds characters that no key "
				"has (blanks, quotes or others than printable ASCII)");
		}
		call->secret = ks_strdup(r->secret);
		line = ks_asprintf("%s: %s%s", r->secret_header, r->secret_prefix, r->secret);
		call->headers = curl_slist_append(call->headers, line);
		wipe(line);
	}
	return 0;
}

static void set_limits(struct ks_http_call *call, const struct ks_http_request *r)
{
	CURL *easy = call->easy;

	call->idle_s = ((r->idle_ms > 0 ? r->idle_ms : IDLE_MS) + 999) / 1000;
	call->body_max = r->body_max > 0 ? r->body_max : BODY_MAX;
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
		(long)(r->connect_ms > 0 ? r->connect_ms : CONNECT_MS));
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
		(long)(r->total_ms > 0 ? r->total_ms : TOTAL_MS));
	/* Fewer than a byte a second for so long is silence. */
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)call->idle_s);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
}

/* A proxy of the environment is used, but never for this machine. */
static void set_proxy(CURL *easy)
{
	const char *not = getenv("no_proxy");
	char *list;

	if (not == NULL) {
		not = getenv("NO_PROXY");
	}
	list = not != NULL && *not != '\0' ? ks_asprintf("%s," ALWAYS_LOCAL, not)
					   : ks_strdup(ALWAYS_LOCAL);
	curl_easy_setopt(easy, CURLOPT_NOPROXY, list);
	free(list);
}

static void set_up(struct ks_http_call *call, const struct ks_http_request *r)
{
	CURL *easy = call->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->error);
	curl_easy_setopt(easy, CURLOPT_URL, r->url);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "kseek/" KSEEK_VERSION);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
	if (!r->get) {
		call->body = ks_strndup(r->body.ptr != NULL ? r->body.ptr : "", r->body.len);
		curl_easy_setopt(easy, CURLOPT_POST, 1L);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body);
	}
	set_limits(call, r);
	set_proxy(easy);
}

int ks_http_start(struct ks_http_call **out, struct ks_http *http,
	const struct ks_http_request *request, struct ks_err *err)
{
	struct ks_buf origin = {0};
	struct ks_http_call *call;
	int rc = ks_http_origin(&origin, request->url, err);

	ks_buf_fini(&origin);
	if (rc < 0) {
		return rc;
	}
	call = ks_zalloc(1, sizeof(*call));
	call->http = http;
	call->answer.retry_after_ms = -1;
	call->head = request->head;
	call->take = request->take;
	call->done = request->done;
	call->ctx = request->ctx;
	call->next = http->calls;
	if (call->next != NULL) {
		call->next->prev = call;
	}
	http->calls = call;
	call->easy = curl_easy_init();
	rc = call->easy == NULL ? ks_err_set(err, KS_EIO, "libcurl makes no request")
				: make_headers(call, request, err);
	if (rc == 0) {
		set_up(call, request);
		if (curl_multi_add_handle(http->multi, call->easy) != CURLM_OK) {
			rc = ks_err_set(err, KS_EIO, "libcurl takes no request");
		}
	}
	if (rc < 0) {
		call_free(call);
		return rc;
	}
	*out = call;
	return 0;
}

int ks_http_new(struct ks_http **out, const struct ks_http_host *host, struct ks_err *err)
{
	struct ks_http *http;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		return ks_err_set(err, KS_EIO, "libcurl does not start");
	}
	http = ks_zalloc(1, sizeof(*http));
	http->host = *host;
	http->multi = curl_multi_init();
	if (http->multi == NULL) {
		free(http);
		return ks_err_set(err, KS_EIO, "libcurl does not start");
	}
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	*out = http;
	return 0;
}

void ks_http_free(struct ks_http *http)
{
	if (http == NULL) {
		return;
	}
	while (http->calls != NULL) {
		call_free(http->calls);
	}
	curl_multi_cleanup(http->multi);
	free(http);
}
