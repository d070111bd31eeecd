/* Drafts and history: see drafts.h. */
#include "app/drafts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#define HISTORY_MAX (256u * 1024) /* bytes of the file; older ones go */

static char *history_path(const struct ks_campaign_paths *paths)
{
	return ks_path_join(paths->state, "history");
}

static void load_history(const struct ks_campaign_paths *paths, struct ks_ui *ui)
{
	char *path = history_path(paths);
	struct ks_buf text = {0};
	struct ks_str rest, line;
	struct ks_err err = KS_ERR_INIT;

	if (ks_file_read(&text, path, 4 * HISTORY_MAX, &err) == 0) {
		rest = ks_buf_str(&text);
		while (ks_str_next(&rest, '\n', &line)) {
			struct ks_json *doc = NULL;
			if (line.len > 0 && ks_json_parse(&doc, line.ptr, line.len, &err) == 0) {
				ks_edit_remember(&ui->draft, ks_str_of(ks_json_str(doc, "")));
			}
			ks_json_free(doc);
		}
	}
	ks_buf_fini(&text);
	free(path);
}

static void save_history(const struct ks_campaign_paths *paths, const struct ks_ui *ui)
{
	char *path = history_path(paths);
	struct ks_buf text = {0};
	struct ks_jw w;
	struct ks_err err = KS_ERR_INIT;
	size_t first = ui->draft.n_history, bytes = 0;

	while (first > 0 && bytes + strlen(ui->draft.history[first - 1]) < HISTORY_MAX) {
		bytes += strlen(ui->draft.history[--first]);
	}
	for (size_t i = first; i < ui->draft.n_history; i++) {
		ks_jw_init(&w, &text);
		ks_jw_str(&w, NULL, ui->draft.history[i]);
		ks_buf_addc(&text, '\n');
	}
	if (text.len > 0) {
		(void)ks_file_write(path, ks_buf_str(&text), 0600, &err);
	}
	ks_buf_fini(&text);
	free(path);
}

void ks_drafts_load(const struct ks_campaign_paths *paths, struct ks_ui *ui)
{
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;

	if (paths == NULL) {
		return;
	}
	load_history(paths, ui);
	if (ks_file_read(&text, paths->draft, 1024 * 1024, &err) == 0) {
		ks_ui_restore(ui, ks_buf_str(&text));
	}
	ks_buf_fini(&text);
}

void ks_drafts_save(const struct ks_campaign_paths *paths, const struct ks_ui *ui)
{
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;

	if (paths == NULL) {
		return;
	}
	save_history(paths, ui);
	ks_ui_draft(ui, &text);
	if (text.len > 0) {
		(void)ks_file_write(paths->draft, ks_buf_str(&text), 0600, &err);
	} else {
		unlink(paths->draft);
	}
	ks_buf_fini(&text);
}

/* ---- an editor ---- */

/* The value may hold arguments ("code -w"), so a shell takes it apart; the path
 * is an argument of its own. */
static int run_editor(const char *editor, const char *path, struct ks_err *err)
{
	char *line = ks_asprintf("%s \"$1\"", editor);
	char *const argv[] = {(char *)"sh", (char *)"-c", line, (char *)"sh", (char *)path, NULL};
	int status = 0, rc = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execv("/bin/sh", argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		rc = ks_err_set(err, KS_ENOTFOUND,
			"%.60s is not there; set VISUAL or EDITOR to another", editor);
	} else if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		rc = ks_err_set(err, KS_EIO, "%.60s did not end well; the draft is as it was",
			editor);
	}
	free(line);
	return rc;
}

int ks_drafts_edit(const struct ks_campaign_paths *paths, struct ks_ui *ui, struct ks_err *err)
{
	const char *editor = getenv("VISUAL");
	struct ks_buf text = {0};
	int rc = 0;

	if (editor == NULL || editor[0] == 0) {
		editor = getenv("EDITOR");
	}
	if (editor == NULL || editor[0] == 0 || paths == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "no editor: set VISUAL or EDITOR");
	}
	char *path = ks_path_join(paths->state, "message.md");
	ks_edit_text(&ui->draft, &text);
	rc = ks_file_write(path, ks_buf_str(&text), 0600, err);
	if (rc == 0) {
		rc = run_editor(editor, path, err);
	}
	ks_buf_clear(&text);
	if (rc == 0) {
		rc = ks_file_read(&text, path, KS_EDIT_MAX, err);
	}
	if (rc == 0) {
		struct ks_str left = ks_buf_str(&text);
		while (left.len > 0 && left.ptr[left.len - 1] == '\n') {
			left.len--;
		}
		ks_edit_set(&ui->draft, left);
	}
	unlink(path);
	ks_buf_fini(&text);
	free(path);
	return rc;
}
