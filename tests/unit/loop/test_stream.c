/* Unix sockets with lines: framing, bounds, who is there, closing. */
#include "spin.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "loop/stream.h"

struct side {
	struct ks_loop *loop;
	struct ks_stream *stream;
	struct ks_stream_ops ops;
	struct ks_buf got;   /* lines, each with '|' behind it */
	int lines, closed, drained, accepted;
	int code;            /* of the error that closed it */
	bool free_in_line, pause_in_line;
};

struct fixture {
	struct ks_loop *loop;
	char *dir, *path;
	struct ks_listener *listener;
	struct side server, client;
};

static void on_line(void *ctx, struct ks_str line)
{
	struct side *side = ctx;

	side->lines++;
	if (line.len < 100) {
		ks_buf_addstr(&side->got, line);
	}
	ks_buf_addc(&side->got, '|');
	if (side->free_in_line) {
		ks_stream_free(side->stream);
		side->stream = NULL;
	} else if (side->pause_in_line) {
		ks_stream_pause(side->stream, true);
	}
}

static void on_closed(void *ctx, const struct ks_err *err)
{
	struct side *side = ctx;

	side->closed++;
	side->code = err->code;
}

static void on_drained(void *ctx)
{
	((struct side *)ctx)->drained++;
}

static void on_accept(void *ctx, struct ks_stream *stream)
{
	struct side *side = ctx;
	struct ks_err err = KS_ERR_INIT;

	side->stream = stream;
	side->accepted++;
	assert_int_equal(ks_stream_start(stream, &side->ops, side, &err), 0);
}

static void side_init(struct side *side, struct ks_loop *loop)
{
	*side = (struct side){.loop = loop};
	side->ops = (struct ks_stream_ops){.line = on_line, .closed = on_closed,
		.drained = on_drained, .line_max = 1000, .queue_max = 1 << 20};
}

static int setup(void **state)
{
	struct fixture *f = ks_zalloc(1, sizeof(*f));
	char name[] = "/tmp/kseek-stream-XXXXXX";
	struct ks_err err = KS_ERR_INIT;

	f->loop = loop_or_fail();
	f->dir = ks_strdup(mkdtemp(name));
	f->path = ks_path_join(f->dir, "socket");
	side_init(&f->server, f->loop);
	side_init(&f->client, f->loop);
	assert_int_equal(ks_listener_new(&f->listener, f->loop, f->path, on_accept,
		&f->server, &err), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ks_stream_free(f->server.stream);
	ks_stream_free(f->client.stream);
	ks_listener_free(f->listener);
	ks_loop_free(f->loop);
	ks_buf_fini(&f->server.got);
	ks_buf_fini(&f->client.got);
	assert_int_equal(ks_file_remove_tree(f->dir, NULL), 0);
	free(f->dir);
	free(f->path);
	free(f);
	return 0;
}

static void join(struct fixture *f)
{
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_stream_connect(&f->client.stream, f->loop, f->path,
		&f->client.ops, &f->client, &err), 0);
	assert_true(spin(f->loop, &f->server.accepted, 1));
}

static void test_lines_both_ways(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	assert_int_equal(lstat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	join(f);
	assert_int_equal(ks_stream_peer(f->server.stream)->pid, getpid());
	assert_int_equal(ks_stream_peer(f->server.stream)->uid, getuid());
	ks_stream_write(f->client.stream, KS_STR("on"));
	spin_for(f->loop, 20);
	assert_int_equal(f->server.lines, 0);
	ks_stream_write(f->client.stream, KS_STR("e\ntwo\n\nthr"));
	ks_stream_write(f->client.stream, KS_STR("ee\nrest"));
	assert_true(spin(f->loop, &f->server.lines, 4));
	assert_string_equal(f->server.got.ptr, "one|two||three|");
	ks_stream_write(f->server.stream, KS_STR("back\n"));
	assert_true(spin(f->loop, &f->client.lines, 1));
	assert_true(f->server.drained > 0);
	ks_stream_free(f->client.stream);
	f->client.stream = NULL;
	assert_true(spin(f->loop, &f->server.closed, 1));
	assert_int_equal(f->server.code, 0);
	assert_int_equal(f->server.lines, 4); /* a torn last line is not a line */
	assert_int_equal(f->client.closed, 0);
	ks_stream_write(f->server.stream, KS_STR("to nobody\n"));
}

static void test_line_too_long(void **state)
{
	struct fixture *f = *state;
	char bytes[1001];

	join(f);
	memset(bytes, 'a', sizeof(bytes));
	bytes[1000] = '\n';
	ks_stream_write(f->client.stream, (struct ks_str){bytes, 1001});
	assert_true(spin(f->loop, &f->server.lines, 1));
	bytes[1000] = 'a';
	ks_stream_write(f->client.stream, (struct ks_str){bytes, 1001});
	assert_true(spin(f->loop, &f->server.closed, 1));
	assert_int_equal(f->server.code, KS_EPROTO);
	assert_true(spin(f->loop, &f->client.closed, 1));
	assert_int_equal(f->server.lines, 1);
}

static void test_slow_peer(void **state)
{
	struct fixture *f = *state;
	char *chunk = ks_zalloc(1, 256 * 1024);

	join(f);
	ks_stream_pause(f->client.stream, true);
	for (int i = 0; i < 16 && f->server.closed == 0; i++) {
		ks_stream_write(f->server.stream, (struct ks_str){chunk, 256 * 1024});
		ks_loop_turn(f->loop, 1);
	}
	assert_true(spin(f->loop, &f->server.closed, 1));
	assert_int_equal(f->server.code, KS_ELIMIT);
	free(chunk);
}

static void test_pause_holds_lines(void **state)
{
	struct fixture *f = *state;

	join(f);
	f->server.pause_in_line = true;
	ks_stream_write(f->client.stream, KS_STR("1\n2\n3\n"));
	assert_true(spin(f->loop, &f->server.lines, 1));
	spin_for(f->loop, 30);
	assert_string_equal(f->server.got.ptr, "1|");
	f->server.pause_in_line = false;
	ks_stream_pause(f->server.stream, false);
	assert_true(spin(f->loop, &f->server.lines, 3));
	assert_string_equal(f->server.got.ptr, "1|2|3|");
}

static void test_free_inside_callback(void **state)
{
	struct fixture *f = *state;

	join(f);
	f->server.free_in_line = true;
	ks_stream_write(f->client.stream, KS_STR("a\nb\nc\n"));
	assert_true(spin(f->loop, &f->client.closed, 1));
	assert_int_equal(f->server.lines, 1);
	assert_int_equal(f->server.closed, 0);
}

static void test_end_sends_everything(void **state)
{
	struct fixture *f = *state;
	struct ks_buf big = {0};

	join(f);
	for (int i = 0; i < 40000; i++) {
		ks_buf_addf(&big, "line %d\n", i);
	}
	/* Unread input at our side must not take the words from the peer. */
	ks_stream_write(f->client.stream, KS_STR("unread\n"));
	ks_stream_write(f->server.stream, ks_buf_str(&big));
	ks_stream_end(f->server.stream);
	ks_stream_write(f->server.stream, KS_STR("too late\n"));
	assert_true(spin(f->loop, &f->client.lines, 40000));
	assert_true(spin(f->loop, &f->client.closed, 1));
	assert_true(spin(f->loop, &f->server.closed, 1));
	assert_int_equal(f->client.lines, 40000);
	assert_int_equal(f->client.code, 0);
	ks_buf_fini(&big);
}

static void test_stale_and_served_socket(void **state)
{
	struct fixture *f = *state;
	struct ks_listener *second = NULL;
	struct ks_err err = KS_ERR_INIT;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char *stale = ks_path_join(f->dir, "stale");
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(ks_listener_new(&second, f->loop, f->path, on_accept, &f->server,
		&err), KS_EBUSY);
	ks_err_clear(&err);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", stale);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(ks_stream_connect(&f->client.stream, f->loop, stale,
		&f->client.ops, &f->client, &err), KS_ENOTFOUND);
	assert_null(f->client.stream);
	assert_int_equal(ks_listener_new(&second, f->loop, stale, on_accept, &f->server,
		NULL), 0);
	ks_listener_free(second);
	assert_false(ks_file_exists(stale));
	free(stale);
}

static void test_bad_paths(void **state)
{
	struct fixture *f = *state;
	struct ks_listener *listener = NULL;
	struct ks_err err = KS_ERR_INIT;
	char path[300];

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[299] = '\0';
	assert_int_equal(ks_listener_new(&listener, f->loop, path, on_accept, &f->server,
		&err), KS_ELIMIT);
	assert_non_null(strstr(err.msg, "too long for a socket"));
	ks_err_clear(&err);
	assert_int_equal(ks_stream_connect(&f->client.stream, f->loop, "/nowhere/socket",
		&f->client.ops, &f->client, &err), KS_ENOTFOUND);
	assert_non_null(strstr(err.msg, "/nowhere/socket"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_lines_both_ways), T(test_line_too_long), T(test_slow_peer),
		T(test_pause_holds_lines), T(test_free_inside_callback),
		T(test_end_sends_everything), T(test_stale_and_served_socket),
		T(test_bad_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
