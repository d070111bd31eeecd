/* What the views want done: see struct ks_ui_cmd. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/console.h"
#include "app/drafts.h"
#include "base/file.h"
#include "export/export.h"

/* A message that the engine did not take goes back into the draft. */
static void on_said(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	struct ks_console *c = ctx;

	if (error != NULL) {
		ks_ui_unsent(&c->ui);
	}
	ks_console_on_reply(ctx, result, more, code, error);
}

static void on_word(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	struct ks_console *c = ctx;

	if (error == NULL) {
		c->ui.read_only = false;
		ks_ui_flash(&c->ui, false, "this console has the word");
		ks_console_draw_soon(c);
	} else {
		ks_console_on_reply(ctx, result, more, code, error);
	}
}

static void cmd_say(struct ks_console *c, const struct ks_ui_cmd *cmd)
{
	bool note = cmd->kind == KS_UI_NOTE;
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "text", cmd->text);
	ks_jw_str(&w, "via", "console");
	ks_jw_bool(&w, "note", note);
	ks_jw_bool(&w, "now", cmd->kind == KS_UI_NOW);
	ks_jw_bool(&w, "steer", cmd->kind == KS_UI_STEER);
	if (cmd->moment > 0) {
		ks_jw_int(&w, "moment", cmd->moment);
	}
	if (cmd->question[0] != 0) {
		ks_jw_str(&w, "question", cmd->question);
	}
	ks_jw_close(&w);
	if (!ks_console_send(c, "say", ks_buf_str(&args), note ? ks_console_on_reply : on_said) &&
			!note) {
		ks_ui_unsent(&c->ui);
	}
	ks_buf_fini(&args);
}

static void cmd_export(struct ks_console *c, const char *format)
{
	bool json = strcmp(format, "json") == 0 || strcmp(format, "jsonl") == 0;
	const struct ks_export_source source = {
		.final = ks_fold_state(c->fold), .data = ks_fold_data(c->fold)
	};
	struct ks_err err = KS_ERR_INIT;
	const char *root = ks_fold_paths(c->fold) != NULL ? ks_fold_paths(c->fold)->root : ".";
	const char *name = json ? "transcript.jsonl" : "transcript.md";
	char *path = ks_path_join(root, name);
	FILE *out = fopen(path, "we");

	if (out == NULL) {
		ks_ui_flash(&c->ui, true, "%s: %s", path, strerror(errno));
	} else if (ks_export(out, json ? KS_EXPORT_JSONL : KS_EXPORT_MD, &source, &err) < 0) {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
	} else {
		ks_ui_flash(&c->ui, false, "written: %s in %s", name, root);
	}
	if (out != NULL) {
		fclose(out);
	}
	free(path);
}

static void cmd_copy(struct ks_console *c, const char *text)
{
	const struct ks_campaign_paths *paths = ks_fold_paths(c->fold);
	bool sent = ks_term_copy(c->term, ks_str_of(text));
	struct ks_err err = KS_ERR_INIT;

	if (paths == NULL) {
		ks_ui_flash(&c->ui, !sent, sent ? "offered to the terminal's clipboard" :
			"the terminal takes no clipboard");
		return;
	}
	char *path = ks_path_join(paths->state, "copied.txt");
	bool written = ks_file_write(path, ks_str_of(text), 0600, &err) == 0;
	ks_ui_flash(&c->ui, !written, "%s%s%s", sent ? "offered to the terminal's clipboard; " : "",
		written ? "also in " : "not written: ", written ? path : err.msg);
	free(path);
}

static void cmd_mode(struct ks_console *c, enum ks_mode mode)
{
	struct ks_buf args = {0};

	ks_buf_addf(&args, "{\"mode\":\"%s\"}", ks_mode_name(mode));
	ks_console_send(c, "mode", ks_buf_str(&args), ks_console_on_reply);
	ks_buf_fini(&args);
}

static void cmd_act(struct ks_console *c, int64_t message, const char *act)
{
	struct ks_buf args = {0};

	ks_buf_addf(&args, "{\"message\":%lld,\"act\":\"%s\"}", (long long)message, act);
	ks_console_send(c, "act", ks_buf_str(&args), ks_console_on_reply);
	ks_buf_fini(&args);
}

static void cmd_agent_mode(struct ks_console *c, const char *mode)
{
	struct ks_buf args = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "mode", mode);
	ks_jw_close(&w);
	ks_console_send(c, "agent.mode", ks_buf_str(&args), ks_console_on_reply);
	ks_buf_fini(&args);
}

static void cmd_dismiss(struct ks_console *c, int64_t moment)
{
	struct ks_buf args = {0};

	ks_buf_addf(&args, "{\"moment\":%lld}", (long long)moment);
	ks_console_send(c, "dismiss", ks_buf_str(&args), ks_console_on_reply);
	ks_buf_fini(&args);
}

/* The draft in the person's own editor; the screen is the editor's meanwhile. */
static void edit_outside(struct ks_console *c)
{
	struct ks_err err = KS_ERR_INIT;

	ks_term_leave(c->term);
	int rc = ks_drafts_edit(ks_fold_paths(c->fold), &c->ui, &err);
	ks_term_enter(c->term);
	ks_term_resize(c->term);
	ks_console_fit(c);
	if (rc < 0) {
		ks_ui_flash(&c->ui, true, "%s", err.msg);
	}
}

void ks_console_do(struct ks_console *c, const struct ks_ui_cmd *cmd)
{
	struct ks_err err = KS_ERR_INIT;

	switch (cmd->kind) {
	case KS_UI_SAY: cmd_say(c, cmd); break;
	case KS_UI_NOTE: cmd_say(c, cmd); break;
	case KS_UI_NOW: cmd_say(c, cmd); break;
	case KS_UI_STEER: cmd_say(c, cmd); break;
	case KS_UI_REPLY:
		ks_console_send(c, "answer", ks_str_of(cmd->text), ks_console_on_reply);
		break;
	case KS_UI_REVISE:
		ks_console_send(c, "queue", ks_str_of(cmd->text), ks_console_on_reply);
		break;
	case KS_UI_AGENT_MODE: cmd_agent_mode(c, cmd->text); break;
	case KS_UI_EDITOR: edit_outside(c); break;
	case KS_UI_DISMISS: cmd_dismiss(c, cmd->moment); break;
	case KS_UI_ACT: cmd_act(c, cmd->message, cmd->text); break;
	case KS_UI_MODE: cmd_mode(c, cmd->mode); break;
	case KS_UI_INTERRUPT:
		ks_console_send(c, "interrupt", ks_str_of("{}"), ks_console_on_reply);
		break;
	case KS_UI_START:
		ks_console_send(c, "agent.start", ks_str_of("{}"), ks_console_on_reply);
		break;
	case KS_UI_STOP:
		ks_console_send(c, "stop", ks_str_of("{}"), ks_console_on_reply);
		if (cmd->leave) {
			c->stopped = !c->ui.lost;
			ks_console_leave(c);
		}
		break;
	case KS_UI_DETACH: ks_console_leave(c); break;
	case KS_UI_WORD: ks_console_send(c, "word", ks_str_of("{}"), on_word); break;
	case KS_UI_EXPORT: cmd_export(c, cmd->text); break;
	case KS_UI_COPY: cmd_copy(c, cmd->text); break;
	case KS_UI_THEME:
		if (ks_term_theme(c->term, cmd->text, &err) < 0) {
			ks_ui_flash(&c->ui, true, "%s", err.msg);
		}
		break;
	case KS_UI_REPAINT: ks_term_repaint(c->term); break;
	case KS_UI_SUSPEND:
		ks_term_suspend(c->term);
		ks_term_resize(c->term);
		ks_console_fit(c);
		break;
	case KS_UI_EVAL:
		ks_console_send(c, "eval", ks_str_of("{\"perf\":true}"), ks_console_on_reply);
		break;
	}
}
