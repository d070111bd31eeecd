/*
 * The terminal. ncurses draws; everything it does not do (size, keys,
 * synchronised output, paste, title) is done here by direct reads and writes.
 * Order matters: ncurses keeps its output in a buffer of its own, so direct
 * writes come before its first byte of a frame or after doupdate returned.
 */
#include "term/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "term/cells.h"
#include "term/keydec.h"
#include "term/mode.h"

#define READ_MAX 65536
#define PAIRS_MAX 63 /* what the poorest colour terminals have */
#define COPY_MAX 74994 /* what most terminals and tmux take, as base64 */

struct ks_term {
	int in_fd, out_fd;
	FILE *out, *in;
	SCREEN *screen;
	char *notice;
	char *type;           /* name of the terminal's type in use */
	bool utf8, ascii, color;
	bool modern;          /* takes xterm's private modes and titles */
	bool away;            /* given away */
	int w, h;
	const struct ks_theme *theme;
	struct ks_grid shown; /* the last frame */
	bool shown_valid;
	cchar_t *row;
	short pairs[PAIRS_MAX][2]; /* colours of the pairs that were made */
	int n_pairs;
	struct ks_keydec keys;
	char *title;
};

/* ---- set-up ---- */

static bool starts_with_any(const char *s, const char *const *list)
{
	for (; *list != NULL; list++) {
		if (strncmp(s, *list, strlen(*list)) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_modern(const char *type)
{
	static const char *const names[] = {
		"xterm", "tmux", "screen", "foot", "alacritty", "kitty",
		"wezterm", "ghostty", "rxvt", "st-", "konsole", "gnome", "vte",
		"contour", "mintty", "iterm", NULL};

	return starts_with_any(type, names);
}

static void read_size(struct ks_term *t, int *w, int *h)
{
	struct winsize ws;

	*w = 80;
	*h = 24;
	if (ioctl(t->out_fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0 &&
	    ws.ws_row > 0) {
		*w = ws.ws_col;
		*h = ws.ws_row;
	}
	*w = *w > KS_GRID_MAX ? KS_GRID_MAX : *w;
	*h = *h > KS_GRID_MAX ? KS_GRID_MAX : *h;
}

/* ncurses takes over these signals where nobody has them; they stay ours. */
static const int kept_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define KEPT (sizeof(kept_signals) / sizeof(kept_signals[0]))

static SCREEN *try_screen(struct ks_term *t, const char *type)
{
	struct sigaction old[KEPT];
	SCREEN *screen;
	size_t i;

	for (i = 0; i < KEPT; i++) {
		sigaction(kept_signals[i], NULL, &old[i]);
	}
	screen = newterm((char *)(uintptr_t)type, t->out, t->in);
	for (i = 0; i < KEPT; i++) {
		sigaction(kept_signals[i], &old[i], NULL);
	}
	return screen;
}

/* A string capability without its padding ("$<5>"), or NULL. Gives. */
static char *get_cap(const char *cap)
{
	char name[8];
	const char *bytes;
	const char *pad;

	snprintf(name, sizeof(name), "%s", cap);
	bytes = tigetstr(name);
	if (bytes == NULL || bytes == (const char *)-1) {
		return NULL;
	}
	pad = strstr(bytes, "$<");
	return pad != NULL ? ks_strndup(bytes, (size_t)(pad - bytes)) :
		ks_strdup(bytes);
}

static int open_screen(struct ks_term *t, const char *want, struct ks_err *err)
{
	static const char *const others[] = {
		"xterm-256color", "xterm", "vt100", "ansi", NULL};
	const char *type = want;
	char *place;
	size_t i;

	t->screen = want[0] != '\0' ? try_screen(t, want) : NULL;
	for (i = 0; t->screen == NULL && others[i] != NULL; i++) {
		type = others[i];
		t->screen = try_screen(t, type);
	}
	if (t->screen == NULL) {
		return ks_err_set(err, KS_EUNSUPPORTED, "no description of terminal "
			"type \"%s\" nor of xterm, vt100 or ansi; install ncurses-base "
			"or use --plain", want);
	}
	t->type = ks_strdup(type);
	if (type != want) {
		struct ks_buf name = {0};

		ks_sane(&name, ks_str_of(want), KS_SANE_ONE_LINE | KS_SANE_ASCII);
		t->notice = ks_asprintf("terminal type \"%s\" is not known here; "
			"using %s", name.len > 0 ? name.ptr : "", type);
		ks_buf_fini(&name);
	}
	place = get_cap("cup");
	if (place == NULL) {
		return ks_err_set(err, KS_EUNSUPPORTED, "terminal type \"%s\" cannot "
			"place a cursor; use --plain or set TERM", type);
	}
	free(place);
	return 0;
}

static void learn_keys(struct ks_term *t)
{
	static const struct {
		const char *cap;
		enum ks_key_kind kind;
	} list[] = {
		{"kcuu1", KS_KEY_UP}, {"kcud1", KS_KEY_DOWN},
		{"kcub1", KS_KEY_LEFT}, {"kcuf1", KS_KEY_RIGHT},
		{"khome", KS_KEY_HOME}, {"kend", KS_KEY_END},
		{"kpp", KS_KEY_PGUP}, {"knp", KS_KEY_PGDN},
		{"kdch1", KS_KEY_DELETE}, {"kich1", KS_KEY_INSERT},
	};
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		char *bytes = get_cap(list[i].cap);

		ks_keydec_learn(&t->keys, bytes, list[i].kind);
		free(bytes);
	}
}

static void set_locale(struct ks_term *t, const struct ks_term_opts *opts)
{
	const char *codeset;

	setlocale(LC_CTYPE, "");
	codeset = nl_langinfo(CODESET);
	t->utf8 = codeset != NULL && (strcmp(codeset, "UTF-8") == 0 ||
		strcmp(codeset, "utf8") == 0);
	/* Frames of two columns a stroke would tear every line. */
	t->ascii = opts->ascii || !t->utf8 || wcwidth(0x2500) != 1 ||
		wcwidth(0x2588) != 1;
}

static void set_modes(void)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	scrollok(stdscr, FALSE);
	leaveok(stdscr, FALSE);
}

static void set_colors(struct ks_term *t, bool wanted)
{
	t->color = wanted && t->theme->color && has_colors() &&
		start_color() == OK && use_default_colors() == OK;
}

/* Number of the colour pair for fg and bg; 0, the terminal's own colours, where
 * the terminal has no more pairs. */
static short pair_of(struct ks_term *t, short fg, short bg)
{
	int i;

	for (i = 0; i < t->n_pairs; i++) {
		if (t->pairs[i][0] == fg && t->pairs[i][1] == bg) {
			return (short)(i + 1);
		}
	}
	if (i == PAIRS_MAX || i + 1 >= COLOR_PAIRS ||
	    init_pair((short)(i + 1), fg, bg) != OK) {
		return 0;
	}
	t->pairs[i][0] = fg;
	t->pairs[i][1] = bg;
	t->n_pairs++;
	return (short)(i + 1);
}

static short color_of(int color, int *attrs)
{
	if (color >= 8 && COLORS < 16) {
		*attrs |= KS_ATTR_BOLD;
		return (short)(color - 8);
	}
	return (short)color;
}

static int open_files(struct ks_term *t, struct ks_err *err)
{
	int fd = fcntl(t->out_fd, F_DUPFD_CLOEXEC, 3);

	t->out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (t->out == NULL) {
		if (fd >= 0) {
			close(fd);
		}
		return ks_err_sys(err, errno, "cannot open the terminal for writing");
	}
	fd = fcntl(t->in_fd, F_DUPFD_CLOEXEC, 3);
	t->in = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (t->in == NULL) {
		if (fd >= 0) {
			close(fd);
		}
		return ks_err_sys(err, errno, "cannot open the terminal for reading");
	}
	return 0;
}

static void direct(struct ks_term *t, const char *bytes)
{
	ks_mode_write(t->out_fd, bytes, strlen(bytes));
}

static void enter_modes(struct ks_term *t)
{
	ks_mode_active(true);
	if (t->modern) {
		direct(t, "\033[22;2t\033[?2004h");
	}
	t->shown_valid = false;
	t->away = false;
}

static bool no_color_env(void)
{
	const char *value = getenv("NO_COLOR");

	return value != NULL && value[0] != '\0';
}

static int set_up(struct ks_term *t, const struct ks_term_opts *opts,
	struct ks_err *err)
{
	const char *type = opts->term != NULL ? opts->term : getenv("TERM");
	char *leave;
	int rc;

	if (!isatty(t->in_fd) || !isatty(t->out_fd)) {
		return ks_err_set(err, KS_EUNSUPPORTED, "the console needs a terminal "
			"for input and output; use --plain for a log of lines");
	}
	rc = open_files(t, err);
	if (rc != 0) {
		return rc;
	}
	set_locale(t, opts);
	read_size(t, &t->w, &t->h);
	/* Before ncurses changes the line discipline. */
	if (!ks_mode_save(t->in_fd, t->out_fd)) {
		return ks_err_sys(err, errno, "cannot read the terminal's modes");
	}
	rc = open_screen(t, type != NULL ? type : "", err);
	if (rc != 0) {
		return rc;
	}
	leave = get_cap("rmcup");
	ks_mode_add_undo(leave);
	free(leave);
	t->modern = is_modern(t->type);
	ks_mode_add_undo(t->modern ? "\033[23;2t" : NULL);
	learn_keys(t);
	set_modes();
	set_colors(t, !opts->no_color && !no_color_env());
	if (!t->color) {
		t->theme = ks_theme_find("mono");
	}
	resize_term(t->h, t->w);
	wclear(stdscr);
	wnoutrefresh(stdscr);
	doupdate();
	enter_modes(t);
	return 0;
}

int ks_term_new(struct ks_term **out, const struct ks_term_opts *opts,
	struct ks_err *err)
{
	struct ks_term *t;
	int rc;

	if (ks_theme_find(opts->theme) == NULL) {
		return ks_err_set(err, KS_EINVAL, "no theme \"%s\"; there are default, "
			"light, contrast and mono", opts->theme);
	}
	t = ks_zalloc(1, sizeof(*t));
	t->in_fd = opts->in_fd;
	t->out_fd = opts->out_fd;
	t->theme = ks_theme_find(opts->theme);
	ks_keydec_init(&t->keys);
	ks_grid_init(&t->shown, 0, 0);
	ks_mem_on_abort(ks_term_emergency);
	rc = set_up(t, opts, err);
	if (rc != 0) {
		ks_term_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void ks_term_free(struct ks_term *t)
{
	if (t == NULL) {
		return;
	}
	if (t->screen != NULL) {
		ks_term_leave(t);
		delscreen(t->screen);
	}
	ks_mode_forget();
	ks_mem_on_abort(NULL);
	if (t->out != NULL) {
		fclose(t->out);
	}
	if (t->in != NULL) {
		fclose(t->in);
	}
	ks_keydec_fini(&t->keys);
	ks_grid_fini(&t->shown);
	free(t->row);
	free(t->notice);
	free(t->type);
	free(t->title);
	free(t);
}

const char *ks_term_notice(const struct ks_term *t)
{
	return t->notice;
}

bool ks_term_ascii(const struct ks_term *t)
{
	return t->ascii;
}

void ks_term_size(const struct ks_term *t, int *out_w, int *out_h)
{
	*out_w = t->w;
	*out_h = t->h;
}

bool ks_term_resize(struct ks_term *t)
{
	int w, h;

	read_size(t, &w, &h);
	if (w == t->w && h == t->h) {
		return false;
	}
	t->w = w;
	t->h = h;
	resize_term(h, w);
	ks_term_repaint(t);
	return true;
}

/* ---- drawing ---- */

void ks_term_repaint(struct ks_term *t)
{
	t->shown_valid = false;
}

int ks_term_theme(struct ks_term *t, const char *name, struct ks_err *err)
{
	const struct ks_theme *theme = ks_theme_find(name);

	if (theme == NULL) {
		return ks_err_set(err, KS_EINVAL, "no theme \"%s\"; there are default, "
			"light, contrast and mono", name);
	}
	if (t->color || !theme->color) {
		t->theme = theme;
	}
	ks_term_repaint(t);
	return 0;
}

static void look_to_curses(struct ks_term *t, unsigned style, attr_t *attrs,
	short *pair)
{
	struct ks_paint look = ks_theme_paint(t->theme, style);
	int attr = look.attr;

	*pair = 0;
	if (t->color && (look.fg >= 0 || look.bg >= 0)) {
		short fg = color_of(look.fg, &attr);
		short bg = color_of(look.bg, &attr);

		*pair = pair_of(t, fg, bg);
	}
	*attrs = A_NORMAL;
	*attrs |= attr & KS_ATTR_BOLD ? A_BOLD : 0;
	*attrs |= attr & KS_ATTR_DIM ? A_DIM : 0;
	*attrs |= attr & KS_ATTR_UNDERLINE ? A_UNDERLINE : 0;
	*attrs |= attr & KS_ATTR_REVERSE ? A_REVERSE : 0;
}

static void put_span(struct ks_term *t, const struct ks_grid *g, struct ks_span span)
{
	unsigned style = ~0u;
	attr_t attrs = A_NORMAL;
	short pair = 0;
	int n = 0;
	int x;

	for (x = span.x; x < span.x + span.len; x++) {
		const struct ks_cell *cell = ks_grid_at(g, x, span.y);
		wchar_t text[KS_CELL_WCHARS];
		int pad;

		if (cell->width == 0) {
			continue;
		}
		if (cell->style != style) {
			style = cell->style;
			look_to_curses(t, style, &attrs, &pair);
		}
		ks_cell_wide(cell, t->utf8, text, &pad);
		setcchar(&t->row[n++], text, attrs, pair, NULL);
		while (pad-- > 0) {
			setcchar(&t->row[n++], L" ", attrs, pair, NULL);
		}
	}
	mvwadd_wchnstr(stdscr, span.y, span.x, t->row, n);
}

static bool takes_bytes(const struct ks_term *t)
{
	struct pollfd p = {t->out_fd, POLLOUT, 0};

	return poll(&p, 1, 0) > 0;
}

/* Puts changed cells into ncurses' screen; whether anything has to be sent. */
static bool put_changes(struct ks_term *t, const struct ks_grid *g)
{
	struct ks_diff diff;
	struct ks_span span;
	bool any = !t->shown_valid || g->caret != t->shown.caret ||
		g->cx != t->shown.cx || g->cy != t->shown.cy;

	ks_diff_init(&diff, t->shown_valid ? &t->shown : NULL, g);
	while (ks_diff_next(&diff, &span)) {
		put_span(t, g, span);
		any = true;
	}
	return any;
}

int ks_term_draw(struct ks_term *t, const struct ks_grid *grid, struct ks_err *err)
{
	bool ok;

	if (t->away) {
		return KS_TERM_BUSY;
	}
	if (ks_term_resize(t) || grid->w != t->w || grid->h != t->h) {
		return KS_TERM_RESIZED;
	}
	if (!takes_bytes(t)) {
		return KS_TERM_BUSY;
	}
	t->row = ks_realloc(t->row, (size_t)grid->w + 1, sizeof(*t->row));
	if (!put_changes(t, grid)) {
		return KS_TERM_DREW;
	}
	if (!t->shown_valid) {
		clearok(curscr, TRUE);
	}
	curs_set(grid->caret ? 1 : 0);
	wmove(stdscr, grid->caret ? grid->cy : grid->h - 1, grid->caret ? grid->cx : 0);
	fflush(t->out);
	ok = !t->modern || ks_mode_write(t->out_fd, "\033[?2026h", 8);
	wnoutrefresh(stdscr);
	ok = doupdate() == OK && ok;
	ok = (!t->modern || ks_mode_write(t->out_fd, "\033[?2026l", 8)) && ok;
	if (!ok) {
		return ks_err_set(err, KS_EIO, "the terminal is gone");
	}
	ks_grid_copy(&t->shown, grid);
	t->shown_valid = true;
	return KS_TERM_DREW;
}

/* ---- keys ---- */

int ks_term_fd(const struct ks_term *t)
{
	return t->in_fd;
}

int ks_term_read(struct ks_term *t, int64_t now_us, struct ks_err *err)
{
	struct pollfd p = {t->in_fd, POLLIN, 0};
	char *bytes;
	ssize_t n;

	if (poll(&p, 1, 0) <= 0) {
		return 0;
	}
	bytes = ks_alloc(READ_MAX);
	n = read(t->in_fd, bytes, READ_MAX);
	if (n > 0) {
		ks_keydec_feed(&t->keys, bytes, (size_t)n, now_us);
	}
	free(bytes);
	if (n > 0) {
		return (int)n;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		return 0;
	}
	return ks_err_set(err, KS_EIO, "the terminal is gone");
}

bool ks_term_next(struct ks_term *t, int64_t now_us, struct ks_key *key)
{
	return ks_keydec_next(&t->keys, now_us, key);
}

int64_t ks_term_deadline(const struct ks_term *t)
{
	return ks_keydec_deadline(&t->keys);
}

/* ---- attention, clipboard ---- */

void ks_term_title(struct ks_term *t, const char *title)
{
	struct ks_buf text = {0};

	if (!t->modern || t->away || (t->title != NULL && title != NULL &&
	    strcmp(t->title, title) == 0)) {
		return;
	}
	free(t->title);
	t->title = ks_strdup(title);
	ks_buf_adds(&text, "\033]2;");
	ks_sane(&text, ks_str_of(title), KS_SANE_ONE_LINE | (t->utf8 ? 0 : KS_SANE_ASCII));
	ks_buf_truncate(&text, ks_utf8_cut(text.ptr, text.len, 200));
	ks_buf_addc(&text, '\a');
	ks_mode_write(t->out_fd, text.ptr, text.len);
	ks_buf_fini(&text);
}

void ks_term_bell(struct ks_term *t)
{
	if (!t->away) {
		ks_mode_write(t->out_fd, "\a", 1);
	}
}

static void add_base64(struct ks_buf *out, struct ks_str s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	for (i = 0; i < s.len; i += 3) {
		size_t left = s.len - i;
		unsigned b0 = (unsigned char)s.ptr[i];
		unsigned b1 = left > 1 ? (unsigned char)s.ptr[i + 1] : 0;
		unsigned b2 = left > 2 ? (unsigned char)s.ptr[i + 2] : 0;
		unsigned n = b0 << 16 | b1 << 8 | b2;

		ks_buf_addc(out, digits[n >> 18]);
		ks_buf_addc(out, digits[n >> 12 & 63]);
		ks_buf_addc(out, left > 1 ? digits[n >> 6 & 63] : '=');
		ks_buf_addc(out, left > 2 ? digits[n & 63] : '=');
	}
}

bool ks_term_copy(struct ks_term *t, struct ks_str text)
{
	struct ks_buf bytes = {0};
	bool ok = false;

	if (!t->modern || t->away) {
		return false;
	}
	ks_buf_adds(&bytes, "\033]52;c;");
	add_base64(&bytes, text);
	ks_buf_addc(&bytes, '\a');
	if (bytes.len <= COPY_MAX) {
		ok = ks_mode_write(t->out_fd, bytes.ptr, bytes.len);
	}
	ks_buf_fini(&bytes);
	return ok;
}

/* ---- giving it away ---- */

void ks_term_leave(struct ks_term *t)
{
	if (t->away) {
		return;
	}
	/* Reports off and input drained before echo comes back. */
	ks_mode_plain(t->out_fd);
	if (t->modern) {
		direct(t, "\033[23;2t");
	}
	tcflush(t->in_fd, TCIFLUSH);
	endwin();
	fflush(t->out);
	ks_mode_active(false);
	t->away = true;
}

void ks_term_enter(struct ks_term *t)
{
	char *title = t->title;

	if (!t->away) {
		return;
	}
	ks_term_resize(t);
	reset_prog_mode();
	set_modes();
	wclear(stdscr);
	wnoutrefresh(stdscr);
	doupdate();
	enter_modes(t);
	t->title = NULL;
	if (title != NULL) {
		ks_term_title(t, title);
	}
	free(title);
}

void ks_term_suspend(struct ks_term *t)
{
	struct sigaction dfl, old;

	ks_term_leave(t);
	memset(&dfl, 0, sizeof(dfl));
	dfl.sa_handler = SIG_DFL;
	sigaction(SIGTSTP, &dfl, &old);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &old, NULL);
	ks_term_enter(t);
}

void ks_term_resume(struct ks_term *t)
{
	if (!t->away) {
		ks_term_leave(t);
		ks_term_enter(t);
	}
}

void ks_term_emergency(void)
{
	ks_mode_restore();
}
