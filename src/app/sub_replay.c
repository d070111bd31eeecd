/* kseek replay: a recorded campaign, read-only. */
#include <unistd.h>

#include "app/common.h"
#include "app/steer.h"
#include "app/subs.h"
#include "base/file.h"
#include "canvas/style.h"
#include "canvas/write.h"
#include "view/ui.h"

#define FRAME_US 100000
#define PAUSE_US 1500000

/* "120x36" */
static int parse_size(const char *text, int *out_w, int *out_h, struct ks_err *err)
{
	char *end = NULL;
	long w = strtol(text, &end, 10);
	long h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;

	if (*end != 0 || w < 40 || w > 681 || h < 10 || h > 180) {
		return ks_err_set(err, KS_EINVAL,
			"--size %.20s: use COLUMNSxROWS, 40x10 to 681x180", text);
	}
	*out_w = (int)w;
	*out_h = (int)h;
	return 0;
}

struct screen {
	struct ks_grid grid;
	struct ks_ui ui;
};

static void screen_init(struct screen *s, int w, int h, bool ascii)
{
	ks_ui_init(&s->ui);
	ks_grid_init(&s->grid, w, h);
	s->ui.w = w;
	s->ui.h = h;
	s->ui.ascii = ascii;
}

static void screen_fini(struct screen *s)
{
	ks_grid_fini(&s->grid);
	ks_ui_fini(&s->ui);
}

/* The console as it stood after the folded events. */
static void screen_draw(struct screen *s, struct ks_fold *fold)
{
	ks_fold_data(fold)->now = ks_fold_state(fold)->t;
	ks_ui_update(&s->ui, ks_fold_state(fold), ks_fold_data(fold));
	ks_ui_draw(&s->ui, ks_fold_state(fold), ks_fold_data(fold), &s->grid);
}

/* A recording for asciinema: a frame for what happened within FRAME_US, and no
 * pause longer than PAUSE_US. */
static void write_cast(struct screen *s, struct ks_fold *fold, const struct ks_theme *theme,
	struct ks_buf *out)
{
	struct ks_grid before;
	int64_t last = 0, at = 0;
	bool any = false;

	ks_grid_init(&before, s->ui.w, s->ui.h);
	ks_write_cast_head(s->ui.w, s->ui.h, "kseek", out);
	while (ks_fold_step(fold, 1) == 1) {
		int64_t gap = ks_fold_state(fold)->t - last;
		if (any && gap < FRAME_US) {
			continue;
		}
		at += !any ? 0 : gap < PAUSE_US ? gap : PAUSE_US;
		last = ks_fold_state(fold)->t;
		screen_draw(s, fold);
		ks_write_cast_frame(any ? &before : NULL, &s->grid, theme, at, out);
		ks_grid_copy(&before, &s->grid);
		any = true;
	}
	screen_draw(s, fold);
	ks_write_cast_frame(any ? &before : NULL, &s->grid, theme, at + FRAME_US, out);
	ks_grid_fini(&before);
}

struct picture { /* what to make instead of a console */
	const char *svg, *cast, *size;
	bool print;
	long at;
};

static const struct ks_theme *theme_of(const struct ks_steer *how)
{
	return ks_theme_find(how->no_color || getenv("NO_COLOR") != NULL ? "mono" :
		how->theme != NULL ? how->theme : "default");
}

static int make_picture(struct ks_fold *fold, const struct ks_steer *how,
	const struct picture *p, struct ks_err *err)
{
	const struct ks_theme *theme = theme_of(how);
	struct screen s;
	struct ks_buf out = {0};
	int w = 120, h = 36, cols = p->print ? ks_columns(stdout) : 0;
	int rc = p->size != NULL ? parse_size(p->size, &w, &h, err) : 0;

	w = p->size == NULL && cols > 0 && cols < w ? cols : w;

	if (rc == 0) {
		rc = ks_fold_bank(fold, err);
	}
	if (rc < 0) {
		return rc;
	}
	screen_init(&s, w, h, how->ascii);
	if (p->cast != NULL) {
		write_cast(&s, fold, theme, &out);
		rc = ks_file_write(p->cast, ks_buf_str(&out), 0644, err);
	} else if (p->svg != NULL) {
		screen_draw(&s, fold);
		ks_write_svg(&s.grid, theme, "The console of kseek", &out);
		rc = ks_file_write(p->svg, ks_buf_str(&out), 0644, err);
	} else {
		screen_draw(&s, fold);
		if (isatty(1)) {
			ks_write_ansi(&s.grid, theme, &out);
		} else {
			ks_write_plain(&s.grid, &out);
		}
		fwrite(out.ptr, 1, out.len, stdout);
	}
	ks_buf_fini(&out);
	screen_fini(&s);
	return rc;
}

static int check_picture(const struct picture *p, struct ks_err *err)
{
	int wanted = (p->svg != NULL) + (p->cast != NULL) + p->print;

	return wanted < 2 ? 0 : ks_err_set(err, KS_EINVAL,
		"--svg, --cast and --print each make something else; give one of them");
}

static int show(struct ks_fold *fold, const struct ks_steer *how, const struct picture *p,
	struct ks_err *err)
{
	bool picture = p->svg != NULL || p->cast != NULL || p->print;

	if (picture && p->cast == NULL) {
		ks_fold_step(fold, how->until > 0 ? how->until : SIZE_MAX);
	}
	return picture ? make_picture(fold, how, p, err) : ks_steer_run(fold, how, err);
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct ks_steer how = {.read_only = true};
	struct picture p = {0};
	const char *log[1] = {NULL};
	const struct ks_opt opts[] = {
		{"plain", KS_OPT_FLAG, &how.plain, NULL, "lines instead of a screen"},
		{"at", KS_OPT_INT, &p.at, "SEQ", "as it stood after this event"},
		{"svg", KS_OPT_TEXT, &p.svg, "FILE", "write a picture of the console instead"},
		{"cast", KS_OPT_TEXT, &p.cast, "FILE", "write a recording for asciinema instead"},
		{"print", KS_OPT_FLAG, &p.print, NULL,
			"print the last screen; colours at a terminal only"},
		{"size", KS_OPT_TEXT, &p.size, "WxH",
			"size of the picture; else 120x36, or the terminal's width"},
		{"theme", KS_OPT_TEXT, &how.theme, "NAME", "default, light, contrast or mono"},
		{"ascii", KS_OPT_FLAG, &how.ascii, NULL, "ASCII only"},
		{"no-color", KS_OPT_FLAG, &how.no_color, NULL, "no colours (as NO_COLOR)"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, log, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	how.plain = how.plain || !isatty(0) || !isatty(1);
	int rc = check_picture(&p, &err);
	if (rc == 0) {
		rc = ks_steer_check(&how, &err);
	}
	if (rc == 0) {
		rc = ks_fold_open_any(&fold, log[0], &err);
	}
	how.until = p.at > 0 ? (size_t)p.at : 0;
	if (rc == 0) {
		rc = show(fold, &how, &p, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_replay = {
	"replay", "[LOG|FOLDER] [--at SEQ] [--plain] [--svg FILE | --cast FILE | --print] [...]",
	"show a recorded campaign, read-only",
	"A log file alone, or a campaign's folder. Nothing is started.", run
};
