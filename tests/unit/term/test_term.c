/*
 * The terminal against an emulator: what is checked is what a person would see,
 * and that everything is undone afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "canvas/draw.h"
#include "rig.h"

static void fill(struct ks_grid *g, int step)
{
	struct ks_rect in;
	int y;

	ks_grid_clear(g);
	in = ks_draw_box(g, ks_grid_all(g), "frame", KS_ROLE_BORDER, KS_ROLE_TITLE);
	for (y = 0; y < in.h; y++) {
		ks_grid_putf(g, in, (y + step) % 7, y, (unsigned)(y + step) % KS_ROLE_COUNT,
			"row %d 日本 é \033[31m │ step %d", y, step);
	}
}

static void what_is_drawn_is_seen(void **state)
{
	static const int sizes[][2] = {{80, 24}, {40, 10}, {120, 40}, {2, 1}, {681, 180}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct rig rig;
		struct ks_grid g;
		struct ks_term *t;
		int step;

		rig_init(&rig, sizes[i][0], sizes[i][1]);
		t = rig_open(&rig, "xterm-256color");
		ks_grid_init(&g, sizes[i][0], sizes[i][1]);
		for (step = 0; step < 3; step++) {
			fill(&g, step);
			assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
			rig_expect(&rig, &g);
		}
		ks_grid_fini(&g);
		ks_term_free(t);
		rig_fini(&rig);
	}
}

static void an_equal_frame_sends_nothing(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	size_t before, after;

	(void)state;
	rig_init(&rig, 80, 24);
	t = rig_open(&rig, "xterm-256color");
	ks_grid_init(&g, 80, 24);
	fill(&g, 1);
	ks_term_draw(t, &g, NULL);
	before = rig_sent(&rig);
	assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
	assert_int_equal(rig_sent(&rig), before);
	/* One cell: few bytes. */
	ks_grid_puts(&g, ks_grid_all(&g), 40, 12, "!", KS_ROLE_TEXT);
	ks_term_draw(t, &g, NULL);
	after = rig_sent(&rig);
	assert_true(after > before && after - before < 120);
	/* Asked for anew, everything comes. */
	ks_term_repaint(t);
	ks_term_draw(t, &g, NULL);
	assert_true(rig_sent(&rig) - after > 800);
	rig_expect(&rig, &g);
	ks_grid_fini(&g);
	ks_term_free(t);
	rig_fini(&rig);
}

static void paint_over_is_undone_by_a_repaint(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;

	(void)state;
	rig_init(&rig, 60, 12);
	t = rig_open(&rig, "xterm-256color");
	ks_grid_init(&g, 60, 12);
	fill(&g, 1);
	ks_term_draw(t, &g, NULL);
	rig_settle(&rig);
	assert_true(write(rig.slave, "\033[1;1HBroadcast message\r\n", 25) > 0);
	ks_term_repaint(t);
	ks_term_draw(t, &g, NULL);
	rig_expect(&rig, &g);
	ks_grid_fini(&g);
	ks_term_free(t);
	rig_fini(&rig);
}

static void stale_size_is_never_drawn(void **state)
{
	static const int sizes[][2] = {{2, 1}, {200, 50}, {1, 1}, {80, 24}, {41, 11}};
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	size_t i;

	(void)state;
	rig_init(&rig, 80, 24);
	t = rig_open(&rig, "xterm-256color");
	ks_grid_init(&g, 80, 24);
	fill(&g, 0);
	ks_term_draw(t, &g, NULL);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int w, h;
		size_t before = rig_sent(&rig);

		rig_size(&rig, sizes[i][0], sizes[i][1]);
		assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_RESIZED);
		assert_int_equal(rig_sent(&rig), before);
		ks_term_size(t, &w, &h);
		assert_int_equal(w, sizes[i][0]);
		assert_int_equal(h, sizes[i][1]);
		ks_grid_resize(&g, w, h);
		fill(&g, (int)i);
		assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
		rig_expect(&rig, &g);
	}
	ks_grid_fini(&g);
	ks_term_free(t);
	rig_fini(&rig);
}

static void expect_same_modes(const struct termios *a, const struct termios *b)
{
	assert_int_equal(a->c_iflag, b->c_iflag);
	assert_int_equal(a->c_oflag, b->c_oflag);
	assert_int_equal(a->c_cflag, b->c_cflag);
	assert_int_equal(a->c_lflag, b->c_lflag);
	assert_memory_equal(a->c_cc, b->c_cc, sizeof(a->c_cc));
}

static void modes_come_and_go(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	struct termios before, during, after;

	(void)state;
	rig_init(&rig, 80, 24);
	assert_int_equal(tcgetattr(rig.slave, &before), 0);
	t = rig_open(&rig, "xterm-256color");
	assert_int_equal(tcgetattr(rig.slave, &during), 0);
	assert_false(during.c_lflag & (ICANON | ECHO | ISIG));
	assert_true(rig_sent_text(&rig, "\033[?2004h"));
	assert_true(rig_sent_text(&rig, "\033[?1049h"));
	assert_false(rig_sent_text(&rig, "\033[?1000h"));
	ks_grid_init(&g, 80, 24);
	fill(&g, 0);
	ks_term_draw(t, &g, NULL);
	assert_true(rig_sent_text(&rig, "\033[?2026h"));
	assert_true(rig_sent_text(&rig, "\033[?2026l"));
	ks_term_title(t, "kseek \033]0;evil\a moment");
	assert_true(rig_sent_text(&rig, "\033]2;kseek "));
	assert_false(rig_sent_text(&rig, "\033]0;evil"));
	ks_term_free(t);
	assert_true(rig_sent_text(&rig, "\033[?2004l"));
	assert_true(rig_sent_text(&rig, "\033[?1049l"));
	assert_true(rig_sent_text(&rig, "\033[?25h"));
	assert_int_equal(tcgetattr(rig.slave, &after), 0);
	expect_same_modes(&before, &after);
	ks_grid_fini(&g);
	rig_fini(&rig);
}

static void crash_in(struct rig *rig, int sig)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct ks_grid g;
		struct ks_term *t;

		signal(sig, SIG_DFL); /* whoever started us may ignore it */
		t = rig_open(rig, "xterm-256color");
		ks_grid_init(&g, 80, 24);
		fill(&g, 0);
		ks_term_draw(t, &g, NULL);
		raise(sig);
		_exit(0);
	}
	rig_start(rig);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), sig);
}

static void a_crash_puts_the_terminal_back(void **state)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGTERM, SIGHUP, SIGBUS};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct rig rig;
		struct termios before, after;

		rig_make(&rig, 80, 24);
		tcgetattr(rig.slave, &before);
		crash_in(&rig, signals[i]);
		assert_true(rig_sent_text(&rig, "\033[?2026l\033[?2004l"));
		assert_true(rig_sent_text(&rig, "\033[?1049l"));
		tcgetattr(rig.slave, &after);
		expect_same_modes(&before, &after);
		rig_fini(&rig);
	}
}

static void unknown_type_falls_back(void **state)
{
	struct rig rig;
	struct ks_term *t;

	(void)state;
	rig_init(&rig, 80, 24);
	t = rig_open(&rig, "no-such-\033[1mterminal");
	assert_non_null(ks_term_notice(t));
	assert_non_null(strstr(ks_term_notice(t), "xterm-256color"));
	assert_null(strchr(ks_term_notice(t), '\033'));
	ks_term_free(t);
	rig_fini(&rig);
}

static void keys_and_hang_up_are_read(void **state)
{
	struct rig rig;
	struct ks_term *t;
	struct ks_key key;

	(void)state;
	rig_init(&rig, 80, 24);
	t = rig_open(&rig, "xterm-256color");
	assert_int_equal(ks_term_read(t, 0, NULL), 0);
	assert_true(write(rig.master, "q\033[A", 4) == 4);
	/* The system brings them to the other end when it comes to it. */
	assert_int_equal(poll(&(struct pollfd){.fd = rig.slave, .events = POLLIN}, 1, 60000), 1);
	assert_int_equal(ks_term_read(t, 0, NULL), 4);
	assert_true(ks_term_next(t, 0, &key));
	assert_int_equal(key.cp, 'q');
	assert_true(ks_term_next(t, 0, &key));
	assert_int_equal(key.kind, KS_KEY_UP);
	assert_false(ks_term_next(t, 0, &key));
	ks_term_free(t);
	rig_fini(&rig);
}

static void leaving_and_entering_again(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	struct termios during;

	(void)state;
	rig_init(&rig, 60, 10);
	t = rig_open(&rig, "xterm-256color");
	ks_grid_init(&g, 60, 10);
	fill(&g, 0);
	ks_term_draw(t, &g, NULL);
	ks_term_leave(t);
	assert_int_equal(tcgetattr(rig.slave, &during), 0);
	assert_true(during.c_lflag & ICANON);
	assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_BUSY);
	ks_term_enter(t);
	assert_int_equal(tcgetattr(rig.slave, &during), 0);
	assert_false(during.c_lflag & ICANON);
	assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
	rig_expect(&rig, &g);
	ks_grid_fini(&g);
	ks_term_free(t);
	rig_fini(&rig);
}

/* Whatever a shell left behind is put right again. */
static void resuming_sets_modes_anew(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	struct termios cooked, during, after;

	(void)state;
	rig_init(&rig, 60, 10);
	tcgetattr(rig.slave, &cooked);
	t = rig_open(&rig, "xterm-256color");
	ks_grid_init(&g, 60, 10);
	fill(&g, 0);
	ks_term_draw(t, &g, NULL);
	tcgetattr(rig.slave, &during);
	tcsetattr(rig.slave, TCSANOW, &cooked);
	assert_true(write(rig.slave, "\033[?2004l\033[?1049l\033[2J$ fg\r\n", 27) > 0);
	ks_term_resume(t);
	tcgetattr(rig.slave, &after);
	expect_same_modes(&during, &after);
	assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
	rig_expect(&rig, &g);
	ks_grid_fini(&g);
	ks_term_free(t);
	tcgetattr(rig.slave, &after);
	expect_same_modes(&cooked, &after);
	rig_fini(&rig);
}

static void no_color_sends_no_colour(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	int color;
	char seq[16];

	(void)state;
	setenv("NO_COLOR", "1", 1);
	rig_init(&rig, 60, 24);
	t = rig_open(&rig, "xterm-256color");
	unsetenv("NO_COLOR");
	ks_grid_init(&g, 60, 24);
	fill(&g, 0);
	ks_term_draw(t, &g, NULL);
	for (color = 30; color < 48; color++) {
		snprintf(seq, sizeof(seq), "\033[%dm", color);
		assert_true(color == 38 || color == 39 || !rig_sent_text(&rig, seq));
	}
	rig_expect(&rig, &g);
	ks_grid_fini(&g);
	ks_term_free(t);
	rig_fini(&rig);
}

/* The real cursor is at the caret, whatever else changed. */
static void cursor_sits_at_the_caret(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	int step;

	(void)state;
	rig_init(&rig, 60, 10);
	t = rig_open(&rig, "xterm-256color");
	ks_grid_init(&g, 60, 10);
	for (step = 0; step < 5; step++) {
		VTermPos pos;

		fill(&g, step);
		ks_grid_caret(&g, ks_grid_all(&g), 7 + step, 8);
		ks_term_draw(t, &g, NULL);
		rig_settle(&rig);
		vterm_state_get_cursorpos(vterm_obtain_state(rig.vt), &pos);
		assert_int_equal(pos.row, 8);
		assert_int_equal(pos.col, 7 + step);
	}
	ks_grid_fini(&g);
	ks_term_free(t);
	rig_fini(&rig);
}

static void locale_without_utf8_is_ascii(void **state)
{
	struct rig rig;
	struct ks_grid g;
	struct ks_term *t;
	size_t i;

	(void)state;
	setenv("LC_ALL", "C", 1);
	rig_init(&rig, 60, 10);
	/* A type without "repeat character": the emulator wraps too early after one
	 * that ends in the last column but one. */
	t = rig_open(&rig, "screen");
	setenv("LC_ALL", "C.UTF-8", 1);
	assert_true(ks_term_ascii(t));
	ks_grid_init(&g, 60, 10);
	g.ascii = true;
	fill(&g, 0);
	assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
	rig_expect(&rig, &g);
	for (i = 0; i < rig.raw.len; i++) {
		assert_true((unsigned char)rig.raw.ptr[i] < 0x80);
	}
	ks_grid_fini(&g);
	ks_term_free(t);
	rig_fini(&rig);
}

/* Few colours, few pairs, no colours: text is the same everywhere. */
static void poor_terminals_show_the_same_text(void **state)
{
	static const char *const types[] = {"xterm", "screen", "tmux-256color", "linux",
		"vt100", "ansi", "rxvt", "xterm-mono"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct rig rig;
		struct ks_grid g;
		struct ks_term *t;

		rig_init(&rig, 60, 12);
		t = rig_open(&rig, types[i]);
		ks_grid_init(&g, 60, 12);
		fill(&g, (int)i);
		assert_int_equal(ks_term_draw(t, &g, NULL), KS_TERM_DREW);
		rig_expect(&rig, &g);
		ks_grid_fini(&g);
		ks_term_free(t);
		rig_fini(&rig);
	}
}

static void hang_up_is_an_error(void **state)
{
	struct ks_term_opts opts = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_term *t = NULL;
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	int slave;

	(void)state;
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	opts.in_fd = opts.out_fd = slave;
	opts.term = "xterm-256color";
	assert_int_equal(ks_term_new(&t, &opts, &err), 0);
	close(master);
	assert_int_equal(ks_term_read(t, 0, &err), KS_EIO);
	ks_term_free(t);
	close(slave);
}

static void plain_files_are_refused(void **state)
{
	struct ks_term_opts opts = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_term *t = NULL;
	int fd = open("/dev/null", O_RDWR);

	(void)state;
	opts.in_fd = fd;
	opts.out_fd = fd;
	assert_int_equal(ks_term_new(&t, &opts, &err), KS_EUNSUPPORTED);
	assert_null(t);
	assert_non_null(strstr(err.msg, "--plain"));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_drawn_is_seen),
		cmocka_unit_test(an_equal_frame_sends_nothing),
		cmocka_unit_test(paint_over_is_undone_by_a_repaint),
		cmocka_unit_test(stale_size_is_never_drawn),
		cmocka_unit_test(modes_come_and_go),
		cmocka_unit_test(a_crash_puts_the_terminal_back),
		cmocka_unit_test(unknown_type_falls_back),
		cmocka_unit_test(keys_and_hang_up_are_read),
		cmocka_unit_test(leaving_and_entering_again),
		cmocka_unit_test(resuming_sets_modes_anew),
		cmocka_unit_test(no_color_sends_no_colour),
		cmocka_unit_test(cursor_sits_at_the_caret),
		cmocka_unit_test(locale_without_utf8_is_ascii),
		cmocka_unit_test(poor_terminals_show_the_same_text),
		cmocka_unit_test(hang_up_is_an_error),
		cmocka_unit_test(plain_files_are_refused),
	};

	setenv("LC_ALL", "C.UTF-8", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
