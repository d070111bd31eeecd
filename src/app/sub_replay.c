/* kseek replay: a recorded campaign, read-only. */
#include <unistd.h>

#include "app/common.h"
#include "app/steer.h"
#include "app/subs.h"
#include "base/file.h"
#include "canvas/write.h"
#include "view/ui.h"

/* "120x36" */
static int
parse_size(const char *text, int *out_w, int *out_h, struct ks_err *err)
{
	char *end = NULL;
	long w = strtol(text, &end, 10);
	long h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;

	if (*end != 0 || w < 40 || w > 681 || h < 10 || h > 180) {
		return ks_err_set(err, KS_EINVAL, "--size %.20s: use COLUMNSxROWS, 40x10 to 681x180", text);
	}
	*out_w = (int)w;
	*out_h = (int)h;
	return 0;
}

/* The console's screen as it stood after the folded events. */
static int
picture(struct ks_fold *fold, const char *path, const char *size, struct ks_err *err)
{
	const struct ks_theme *theme = ks_theme_find("default");
	struct ks_grid grid;
	struct ks_ui ui;
	struct ks_buf svg = {0};
	int w = 0, h = 0;
	int rc = parse_size(size, &w, &h, err);

	if (rc < 0) {
		return rc;
	}
	rc = ks_fold_bank(fold, err);
	ks_ui_init(&ui);
	ks_grid_init(&grid, w, h);
	if (rc == 0) {
		ui.w = w;
		ui.h = h;
		ks_fold_data(fold)->now = ks_fold_state(fold)->t;
		ks_ui_update(&ui, ks_fold_state(fold), ks_fold_data(fold));
		ks_ui_draw(&ui, ks_fold_state(fold), ks_fold_data(fold), &grid);
		ks_write_svg(&grid, theme, "The console of kseek", &svg);
		rc = ks_file_write(path, ks_buf_str(&svg), 0644, err);
	}
	ks_buf_fini(&svg);
	ks_grid_fini(&grid);
	ks_ui_fini(&ui);
	return rc;
}

static int
show(struct ks_fold *fold, const struct ks_steer *how, const char *svg, const char *size,
	long at, struct ks_err *err)
{
	if (at > 0 || svg != NULL || !how->plain) {
		ks_fold_step(fold, at > 0 ? (size_t)at : SIZE_MAX);
	}
	return svg != NULL ? picture(fold, svg, size, err) : ks_steer_run(fold, how, err);
}

static int
run(const struct ks_sub *sub, int argc, char **argv)
{
	struct ks_steer how = {.read_only = true};
	const char *log[1] = {NULL}, *svg = NULL, *size = "120x36";
	long at = 0;
	const struct ks_opt opts[] = {
		{"plain", KS_OPT_FLAG, &how.plain, NULL, "lines instead of a screen"},
		{"at", KS_OPT_INT, &at, "SEQ", "as it stood after this event"},
		{"svg", KS_OPT_TEXT, &svg, "FILE", "write a picture of the console instead"},
		{"size", KS_OPT_TEXT, &size, "WxH", "size of the picture; else 120x36"},
		{"ascii", KS_OPT_FLAG, &how.ascii, NULL, "ASCII only"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, log, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	how.plain = how.plain || !isatty(0) || !isatty(1);
	int rc = n == 1 && !ks_file_is_dir(log[0]) ? ks_fold_open_log(&fold, log[0], &err) :
		ks_fold_open_unread(&fold, log[0], &err);
	if (rc == 0) {
		rc = show(fold, &how, svg, size, at, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_replay = {
	"replay", "[LOG|FOLDER] [--at SEQ] [--plain] [--ascii] [--svg FILE [--size WxH]]", "show a recorded campaign, read-only",
	"A log file alone, or a campaign's folder. Nothing is started.", run
};
