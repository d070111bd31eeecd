/* See rig.h. */
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "canvas/write.h"

/* ncurses keeps one small block of its own for the life of the program. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:new_prescr\n";
}

static void *drain(void *arg)
{
	struct rig *rig = arg;
	char bytes[4096];
	ssize_t n;

	while ((n = read(rig->master, bytes, sizeof(bytes))) > 0) {
		pthread_mutex_lock(&rig->lock);
		ks_buf_add(&rig->raw, bytes, (size_t)n);
		vterm_input_write(rig->vt, bytes, (size_t)n);
		pthread_mutex_unlock(&rig->lock);
	}
	return NULL;
}

void rig_size(struct rig *rig, int w, int h)
{
	struct winsize ws;

	memset(&ws, 0, sizeof(ws));
	ws.ws_col = (unsigned short)w;
	ws.ws_row = (unsigned short)h;
	assert_int_equal(ioctl(rig->slave, TIOCSWINSZ, &ws), 0);
	pthread_mutex_lock(&rig->lock);
	vterm_set_size(rig->vt, h, w);
	rig->w = w;
	rig->h = h;
	pthread_mutex_unlock(&rig->lock);
}

void rig_make(struct rig *rig, int w, int h)
{
	memset(rig, 0, sizeof(*rig));
	unsetenv("COLUMNS"); /* of whoever runs us: they would stand for the terminal's */
	unsetenv("LINES");
	pthread_mutex_init(&rig->lock, NULL);
	rig->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(rig->master >= 0);
	assert_int_equal(grantpt(rig->master), 0);
	assert_int_equal(unlockpt(rig->master), 0);
	rig->slave = open(ptsname(rig->master), O_RDWR | O_NOCTTY);
	assert_true(rig->slave >= 0);
	rig->vt = vterm_new(h, w);
	vterm_set_utf8(rig->vt, 1);
	rig->screen = vterm_obtain_screen(rig->vt);
	vterm_screen_enable_altscreen(rig->screen, 1);
	vterm_screen_reset(rig->screen, 1);
	rig_size(rig, w, h);
}

void rig_start(struct rig *rig)
{
	assert_int_equal(pthread_create(&rig->thread, NULL, drain, rig), 0);
}

void rig_init(struct rig *rig, int w, int h)
{
	rig_make(rig, w, h);
	rig_start(rig);
}

void rig_fini(struct rig *rig)
{
	close(rig->slave);
	pthread_join(rig->thread, NULL);
	close(rig->master);
	vterm_free(rig->vt);
	ks_buf_fini(&rig->raw);
	pthread_mutex_destroy(&rig->lock);
}

/* Waits until the emulator has had everything. */
/* A harmless request that is written behind everything else: once it came out
 * at the other end, so did all before it. */
static const char fence[] = "\033[6n";

static bool fence_came(struct rig *rig)
{
	size_t len = sizeof(fence) - 1;
	bool came;

	pthread_mutex_lock(&rig->lock);
	came = rig->raw.len >= len &&
		memcmp(rig->raw.ptr + rig->raw.len - len, fence, len) == 0;
	if (came) {
		ks_buf_truncate(&rig->raw, rig->raw.len - len);
	}
	pthread_mutex_unlock(&rig->lock);
	return came;
}

void rig_settle(struct rig *rig)
{
	int waits = 0;

	assert_int_equal(write(rig->slave, fence, sizeof(fence) - 1), sizeof(fence) - 1);
	while (!fence_came(rig)) {
		assert_true(waits++ < 30000);
		poll(NULL, 0, 1);
	}
}

void rig_seen(struct rig *rig, struct ks_buf *out)
{
	int x, y;

	rig_settle(rig);
	pthread_mutex_lock(&rig->lock);
	for (y = 0; y < rig->h; y++) {
		size_t end = out->len;

		for (x = 0; x < rig->w; x++) {
			VTermPos pos = {y, x};
			VTermScreenCell cell;
			char bytes[4];
			int i;

			vterm_screen_get_cell(rig->screen, pos, &cell);
			if (cell.chars[0] == (uint32_t)-1) {
				continue;
			}
			if (cell.chars[0] == 0) {
				ks_buf_addc(out, ' ');
				continue;
			}
			for (i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++) {
				ks_buf_add(out, bytes, ks_utf8_encode(
					(int32_t)cell.chars[i], bytes));
			}
			if (cell.chars[0] != ' ') {
				end = out->len;
			}
		}
		ks_buf_truncate(out, end);
		ks_buf_addc(out, '\n');
	}
	pthread_mutex_unlock(&rig->lock);
}

void rig_expect(struct rig *rig, const struct ks_grid *g)
{
	struct ks_buf got = {0}, want = {0};

	rig_seen(rig, &got);
	ks_write_plain(g, &want);
	assert_string_equal(got.ptr, want.ptr);
	ks_buf_fini(&got);
	ks_buf_fini(&want);
}

size_t rig_sent(struct rig *rig)
{
	size_t len;

	rig_settle(rig);
	pthread_mutex_lock(&rig->lock);
	len = rig->raw.len;
	pthread_mutex_unlock(&rig->lock);
	return len;
}

struct ks_term *rig_open(struct rig *rig, const char *type)
{
	struct ks_term_opts opts = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_term *t = NULL;

	opts.in_fd = rig->slave;
	opts.out_fd = rig->slave;
	opts.term = type;
	if (ks_term_new(&t, &opts, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	return t;
}

/* The raw bytes hold this text. */
bool rig_sent_text(struct rig *rig, const char *text)
{
	bool found;

	rig_settle(rig);
	pthread_mutex_lock(&rig->lock);
	found = ks_str_find(ks_buf_str(&rig->raw), ks_str_of(text)) >= 0;
	pthread_mutex_unlock(&rig->lock);
	return found;
}

