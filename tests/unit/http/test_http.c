/*
 * Requests against a server in the same loop that plays prepared bytes: streams
 * in pieces, limits, silence, cut connections, redirects, and where the key may
 * and may not be.
 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/net.h"
#include "base/mem.h"

#define KEY "sk-test-0123456789abcdef"

struct rig {
	struct ks_loop *loop;
	struct ks_net *net;
	/* the server */
	int listener, conn;
	int port;
	struct ks_fdwatch *accepting, *reading;
	struct ks_buf request;
	const char *const *pieces; /* what it answers, NULL-terminated */
	size_t flood;              /* bytes of 'x' behind them */
	bool hold;                 /* stays silent behind that */
	int accepted;
	/* the client */
	struct ks_http_call *call;
	struct ks_buf got;
	struct ks_http_head head;
	int heads, takes, dones, code;
	const int *until;          /* above 0: this is over */
	bool sent;
	char text[256];
	bool cancel_in_head, cancel_in_take;
};

static void server_close(struct rig *rig)
{
	ks_fdwatch_free(rig->reading);
	rig->reading = NULL;
	if (rig->conn >= 0) {
		close(rig->conn);
		rig->conn = -1;
	}
}

static void send_all(struct rig *rig, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = send(rig->conn, bytes, len, MSG_NOSIGNAL);

		if (n <= 0) {
			return; /* the client has gone, or takes no more: as it should */
		}
		bytes += n;
		len -= (size_t)n;
		/* so that a piece arrives as a piece */
		ks_loop_turn(rig->loop, 0);
		if (rig->conn < 0) {
			return;
		}
	}
}

static void server_answer(struct rig *rig)
{
	char x[4096];

	for (const char *const *at = rig->pieces; *at != NULL && rig->conn >= 0; at++) {
		send_all(rig, *at, strlen(*at));
	}
	memset(x, 'x', sizeof(x));
	for (size_t n = 0; n < rig->flood && rig->conn >= 0 && rig->dones == 0; n += sizeof(x)) {
		send_all(rig, x, sizeof(x));
	}
	if (!rig->hold) {
		server_close(rig);
	}
}

/* The server answers once the whole request has come. It runs outside of the
 * loop's callbacks, since it turns the loop itself. */
static bool request_whole(const struct rig *rig)
{
	const char *end = rig->request.ptr != NULL ? strstr(rig->request.ptr, "\r\n\r\n") : NULL;
	const char *length = rig->request.ptr != NULL
		? strcasestr(rig->request.ptr, "content-length:") : NULL;
	size_t want = length != NULL ? strtoul(length + 15, NULL, 10) : 0;

	return end != NULL && strlen(end + 4) >= want;
}

static void on_request(void *ctx, unsigned events)
{
	struct rig *rig = ctx;
	char bytes[8192];
	ssize_t n = recv(rig->conn, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n > 0) {
		ks_buf_add(&rig->request, bytes, (size_t)n);
	} else if (n == 0) {
		server_close(rig);
	}
}

static void on_accept(void *ctx, unsigned events)
{
	struct rig *rig = ctx;

	server_close(rig);
	rig->conn = accept4(rig->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	assert_true(rig->conn >= 0);
	rig->accepted++;
	ks_buf_clear(&rig->request);
	assert_int_equal(ks_fdwatch_new(&rig->reading, rig->loop, rig->conn, KS_FD_READ,
		on_request, rig, NULL), 0);
}

static int set_up(void **state)
{
	struct rig *rig = ks_zalloc(1, sizeof(*rig));
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(at);

	assert_int_equal(ks_loop_new(&rig->loop, NULL), 0);
	assert_int_equal(ks_net_new(&rig->net, rig->loop, NULL), 0);
	rig->conn = -1;
	rig->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(rig->listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(rig->listener, 4), 0);
	assert_int_equal(getsockname(rig->listener, (struct sockaddr *)&at, &len), 0);
	rig->port = ntohs(at.sin_port);
	assert_int_equal(ks_fdwatch_new(&rig->accepting, rig->loop, rig->listener, KS_FD_READ,
		on_accept, rig, NULL), 0);
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	ks_net_free(rig->net);
	server_close(rig);
	ks_fdwatch_free(rig->accepting);
	close(rig->listener);
	ks_loop_free(rig->loop);
	ks_buf_fini(&rig->request);
	ks_buf_fini(&rig->got);
	free(rig);
	return 0;
}

static void on_head(void *ctx, const struct ks_http_head *head)
{
	struct rig *rig = ctx;

	rig->head = *head;
	rig->heads++;
	if (rig->cancel_in_head) {
		ks_http_cancel(rig->call);
	}
}

static void on_take(void *ctx, struct ks_str bytes)
{
	struct rig *rig = ctx;

	ks_buf_addstr(&rig->got, bytes);
	rig->takes++;
	if (rig->cancel_in_take) {
		ks_http_cancel(rig->call);
	}
}

static void on_done(void *ctx, const struct ks_http_end *end)
{
	struct rig *rig = ctx;

	rig->dones++;
	rig->code = end->code;
	rig->sent = end->sent;
	snprintf(rig->text, sizeof(rig->text), "%s", end->text);
}

static struct ks_http_request request_of(struct rig *rig, char *url, size_t size)
{
	static const char *const headers[] = {"Content-Type: application/json", NULL};

	snprintf(url, size, "http://127.0.0.1:%d/v1/messages", rig->port);
	return (struct ks_http_request){
		.url = url, .headers = headers, .secret_header = "Authorization",
		.secret_prefix = "Bearer ", .secret = KEY, .body = KS_STR("{\"a\":1}"),
		.head = on_head, .take = on_take, .done = on_done, .ctx = rig,
	};
}

/* Until the call has ended, or what is waited for has come; the server answers when it
 * was asked. */
static void play(struct rig *rig, int64_t patience_ms)
{
	int64_t end = ks_loop_now_ms(rig->loop) + patience_ms;
	bool answered = false;

	while (rig->dones == 0 && (rig->until == NULL || *rig->until == 0) &&
			ks_loop_now_ms(rig->loop) < end) {
		ks_loop_turn(rig->loop, 20);
		if (!answered && rig->conn >= 0 && request_whole(rig)) {
			answered = true;
			server_answer(rig);
		}
	}
}

static void test_stream(void **state)
{
	static const char *const pieces[] = {
		"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n",
		"Connection: close\r\n\r\n", "data: a\n", "\nda", "ta: b\n\n", NULL
	};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	rig->pieces = pieces;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	assert_int_equal(rig->dones, 0);
	play(rig, 20000);
	assert_int_equal(rig->dones, 1);
	assert_int_equal(rig->heads, 1);
	assert_int_equal(rig->code, 0);
	assert_int_equal(rig->head.status, 200);
	assert_string_equal(rig->head.type, "text/event-stream");
	assert_int_equal(rig->head.retry_after_ms, -1);
	assert_string_equal(rig->got.ptr, "data: a\n\ndata: b\n\n");
	assert_true(rig->sent);
	/* what the server saw */
	assert_int_equal(strncmp(rig->request.ptr, "POST /v1/messages HTTP/1.1\r\n", 28), 0);
	assert_non_null(strstr(rig->request.ptr, "\r\nAuthorization: Bearer " KEY "\r\n"));
	assert_non_null(strstr(rig->request.ptr, "\r\n\r\n{\"a\":1}"));
	assert_null(strcasestr(rig->request.ptr, "\r\nexpect:"));
}

static void test_refused_with_a_time(void **state)
{
	static const char *const pieces[] = {
		"HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nwait", NULL
	};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	rig->pieces = pieces;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 20000);
	assert_int_equal(rig->code, 0);
	assert_int_equal(rig->head.status, 429);
	assert_int_equal(rig->head.retry_after_ms, 7000);
	assert_string_equal(rig->got.ptr, "wait");
}

/* The head is told also where no body follows. */
static void test_no_body(void **state)
{
	static const char *const pieces[] = {
		"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", NULL
	};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	rig->pieces = pieces;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 20000);
	assert_int_equal(rig->heads, 1);
	assert_int_equal(rig->head.status, 503);
	assert_int_equal(rig->dones, 1);
}

/* A redirect is an answer like any other: the key goes nowhere else. */
static void test_no_redirect(void **state)
{
	static const char *const pieces[] = {
		"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:1/\r\nContent-Length: 0\r\n\r\n",
		NULL
	};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	rig->pieces = pieces;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 20000);
	assert_int_equal(rig->code, 0);
	assert_int_equal(rig->head.status, 302);
	assert_int_equal(rig->accepted, 1);
}

static void test_cut(void **state)
{
	static const char *const pieces[] = {
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", NULL
	};
	static const char *const nothing[] = {NULL};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	rig->pieces = pieces;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 20000);
	assert_int_equal(rig->code, KS_EIO);
	assert_string_equal(rig->got.ptr, "half");
	rig->pieces = nothing;
	rig->dones = 0;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 20000);
	assert_int_equal(rig->dones, 1);
	assert_int_equal(rig->code, KS_EIO);
	assert_true(rig->sent);
	assert_null(strstr(rig->text, KEY));
}

static void test_nobody_listens(void **state)
{
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	ks_fdwatch_free(rig->accepting);
	rig->accepting = NULL;
	close(rig->listener);
	rig->listener = -1;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 20000);
	assert_int_equal(rig->code, KS_EIO);
	assert_false(rig->sent);
	assert_int_equal(rig->heads, 0);
	assert_true(rig->text[0] != '\0');
}

static void test_limits(void **state)
{
	static const char *const big[] = {"HTTP/1.1 200 OK\r\n\r\n", NULL};
	static const char *const silent[] = {"HTTP/1.1 200 OK\r\n\r\ndata", NULL};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	r.body_max = 10000;
	rig->pieces = big;
	rig->flood = 1000000;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 20000);
	assert_int_equal(rig->code, KS_ELIMIT);
	assert_true(rig->got.len <= 10000);
	assert_string_equal(rig->text, "the answer passes 10000 bytes");
	rig->dones = 0;
	rig->flood = 0;
	rig->pieces = silent;
	rig->hold = true;
	r.idle_ms = 1000;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 30000);
	assert_int_equal(rig->code, KS_ETIME);
	assert_string_equal(rig->text, "the server sent nothing for 1 s");
	rig->dones = 0;
	r.idle_ms = 0;
	r.total_ms = 200;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 30000);
	assert_int_equal(rig->code, KS_ETIME);
}

static void test_cancel(void **state)
{
	static const char *const pieces[] = {
		"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "one", "two", "three", NULL
	};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));

	rig->pieces = pieces;
	for (int round = 0; round < 3; round++) {
		ks_buf_clear(&rig->got);
		rig->heads = 0;
		rig->cancel_in_head = round == 1;
		rig->cancel_in_take = round == 2;
		assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
		if (round == 0) {
			ks_http_cancel(rig->call);
		}
		rig->until = round == 1 ? &rig->heads : round == 2 ? &rig->takes : NULL;
		play(rig, round == 0 ? 100 : 20000);
		rig->until = NULL;
		play(rig, 100); /* and nothing behind it */
		assert_int_equal(rig->dones, 0);
		assert_int_equal(rig->heads, round == 0 ? 0 : 1);
		assert_int_equal(rig->got.len > 0, round == 2);
	}
	/* and one that runs when everything is freed */
	rig->hold = true;
	rig->cancel_in_take = false;
	assert_int_equal(ks_http_start(&rig->call, ks_net_http(rig->net), &r, NULL), 0);
	play(rig, 50);
	ks_http_cancel(NULL);
}

static void test_bad_requests(void **state)
{
	static const char *const newline[] = {"X: a\r\nY: b", NULL};
	static const char *const urls[] = {
		"", "ftp://host/x", "file:///etc/passwd", "http://", "host", "http://u:p@host/",
	};
	struct rig *rig = *state;
	char url[64];
	struct ks_http_request r = request_of(rig, url, sizeof(url));
	struct ks_http_call *call = NULL;

	r.headers = newline;
	assert_int_equal(ks_http_start(&call, ks_net_http(rig->net), &r, NULL), KS_EINVAL);
	r.headers = NULL;
	r.secret = "a\r\nX: b";
	assert_int_equal(ks_http_start(&call, ks_net_http(rig->net), &r, NULL), KS_EINVAL);
	r.secret = KEY;
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct ks_err err = KS_ERR_INIT;

		r.url = urls[i];
		assert_int_equal(ks_http_start(&call, ks_net_http(rig->net), &r, &err), KS_EINVAL);
		assert_null(strstr(err.msg, KEY));
	}
	assert_null(call);
}

static void assert_redacted(const char *text, const char *expected)
{
	struct ks_buf out = {0};

	ks_http_redact(&out, ks_str_of(text), KEY);
	assert_string_equal(out.ptr, expected);
	ks_buf_fini(&out);
}

static void test_redact(void **state)
{
	assert_redacted("key " KEY "!", "key [key]!");
	assert_redacted(KEY KEY, "[key][key]");
	assert_redacted("Incorrect API key: sk-test-***cdef", "Incorrect API key: [key]***cdef");
	assert_redacted("tail 89abcdef", "tail [key]");
	assert_redacted("sk-tes and 0123", "sk-tes and 0123");
	assert_true(ks_http_secret_ok(KEY));
	assert_false(ks_http_secret_ok(""));
	assert_false(ks_http_secret_ok(NULL));
	assert_false(ks_http_secret_ok("a b"));
	assert_false(ks_http_secret_ok("a\nb"));
	assert_false(ks_http_secret_ok("a\"b"));
}

static void test_urls(void **state)
{
	struct ks_buf out = {0};

	assert_int_equal(ks_http_origin(&out, "HTTPS://Api.Example.com/v1?x=y", NULL), 0);
	assert_string_equal(out.ptr, "https://api.example.com:443");
	ks_buf_fini(&out);
	assert_true(ks_http_is_local("http://127.0.0.1:80/"));
	assert_true(ks_http_is_local("http://localhost/v1"));
	assert_true(ks_http_is_local("http://[::1]:8080"));
	assert_false(ks_http_is_local("http://127.0.0.1.example.com/"));
	assert_false(ks_http_is_local("http://localhost.example.com/"));
	assert_false(ks_http_is_local("https://10.0.0.1/"));
}

static void test_retry_after(void **state)
{
	assert_int_equal(ks_http_retry_after(KS_STR("0"), 0), 0);
	assert_int_equal(ks_http_retry_after(KS_STR(" 12 "), 0), 12000);
	assert_int_equal(ks_http_retry_after(KS_STR("1.5"), 0), 2000);
	assert_int_equal(ks_http_retry_after(KS_STR("999999999"), 0), 24 * 3600 * 1000);
	assert_int_equal(ks_http_retry_after(KS_STR("99999999999999999999999"), 0),
		24 * 3600 * 1000);
	assert_int_equal(ks_http_retry_after(KS_STR("-3"), 0), -1);
	assert_int_equal(ks_http_retry_after(KS_STR("soon"), 0), -1);
	assert_int_equal(ks_http_retry_after(KS_STR(""), 0), -1);
	assert_int_equal(ks_http_retry_after(KS_STR("3 s"), 0), -1);
	assert_int_equal(ks_http_retry_after(KS_STR("Thu, 01 Jan 1970 00:01:00 GMT"), 20), 40000);
	assert_int_equal(ks_http_retry_after(KS_STR("Thu, 01 Jan 1970 00:01:00 GMT"), 100), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_stream), T(test_refused_with_a_time), T(test_no_body), T(test_no_redirect),
		T(test_cut), T(test_nobody_listens), T(test_limits), T(test_cancel),
		T(test_bad_requests), cmocka_unit_test(test_redact), cmocka_unit_test(test_urls),
		cmocka_unit_test(test_retry_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
