/*
 * The conversation on disk: a file of lines in the campaign's own folder, the
 * head first, then what was said, appended as it comes. An engine that is killed
 * leaves it as it was after the last step; the call that ran then has no result,
 * and the model is told so. The key is never in it.
 *
 *   {"kseek_session":1,"id":"api-...","api":"anthropic","model":"..."}
 *   {"by":"user","part":"text","text":"..."} ...      (wire/chat.h)
 *   {"cost":0.125}                                    so far, USD
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/api.h"
#include "base/file.h"
#include "base/mem.h"

#define NAME "api-session.jsonl"
#define FILE_MAX (64u * 1024 * 1024)
#define LOST "interrupted: kseek ended while this ran. It may have done a part of its work; look " \
	"before you go on."

/* ---- taking one up ---- */

static int take_line(struct ks_api *a, const struct ks_json *line, bool same_api,
	struct ks_err *err)
{
	const char *part = ks_json_get_str(line, "part", "");

	if (ks_json_get(line, "cost") != NULL) {
		a->cost = a->session.cost = ks_json_get_num(line, "cost", 0);
		a->cost_known = true;
		return 0;
	}
	/* What a server signed or hid is for that server only. */
	if (!same_api && (strcmp(part, "thought") == 0 || strcmp(part, "hidden") == 0)) {
		return 0;
	}
	return ks_chat_take(&a->chat, line, LOST, err);
}

static int take_head(const struct ks_json *head, const char *id, struct ks_err *err)
{
	if (ks_json_get_int(head, "kseek_session", 0) != 1) {
		return ks_err_set(err, KS_EINVAL, "%s: not a conversation of this version", NAME);
	}
	if (strcmp(ks_json_get_str(head, "id", ""), id) != 0) {
		return ks_err_set(err, KS_ENOTFOUND, "%s holds another one", NAME);
	}
	return 0;
}

static const char *api_word(const struct ks_api *a)
{
	return a->config.api == KS_MODEL_ANTHROPIC ? "anthropic" : "openai";
}

/* Lines that are none are passed over: the last may be torn. */
static int take_text(struct ks_api *a, struct ks_str text, const char *id, struct ks_err *err)
{
	bool head = true, same_api = false;
	struct ks_str line;

	while (ks_str_next(&text, '\n', &line)) {
		struct ks_json *doc = NULL;
		int rc = 0;

		if (ks_json_parse(&doc, line.ptr, line.len, NULL) < 0 && !head) {
			continue;
		}
		if (head) {
			rc = take_head(doc, id, err);
			same_api = strcmp(ks_json_get_str(doc, "api", ""), api_word(a)) == 0;
			head = false;
		} else {
			(void)take_line(a, doc, same_api, NULL);
		}
		ks_json_free(doc);
		if (rc < 0) {
			return rc;
		}
	}
	ks_chat_mend(&a->chat, LOST);
	return a->chat.count > 0 ? 0 : ks_err_set(err, KS_EINVAL, "%s: nothing is in it", NAME);
}

void ks_api_session_open(struct ks_api *a, const struct ks_agent_setup *setup)
{
	struct ks_api_session *s = &a->session;
	struct ks_buf text = {0};

	s->path = setup->keep != NULL ? ks_path_join(setup->keep, NAME) : NULL;
	if (setup->session != NULL && s->path != NULL && strlen(setup->session) < sizeof(s->id)) {
		s->resumed = ks_file_read(&text, s->path, FILE_MAX, &s->lost) == 0 &&
			take_text(a, ks_buf_str(&text), setup->session, &s->lost) == 0;
	}
	ks_buf_fini(&text);
	if (s->resumed) {
		snprintf(s->id, sizeof(s->id), "%s", setup->session);
		return;
	}
	ks_chat_fini(&a->chat);
	snprintf(s->id, sizeof(s->id), "api-%d-%lld", (int)getpid(),
		(long long)ks_loop_now_ms(a->agent.loop));
}

/* ---- keeping it ---- */

static void write_head(struct ks_buf *out, const struct ks_api *a)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "kseek_session", 1);
	ks_jw_str(&w, "id", a->session.id);
	ks_jw_str(&w, "api", api_word(a));
	ks_jw_str(&w, "model", a->config.model);
	ks_jw_close(&w);
	ks_buf_addc(out, '\n');
}

/* The key, as it would stand in a line, is taken out. */
static void hide_key(const struct ks_api *a, const struct ks_buf *lines, struct ks_buf *out)
{
	struct ks_buf quoted = {0};
	struct ks_str key;
	struct ks_jw w;

	ks_jw_init(&w, &quoted);
	ks_jw_str(&w, NULL, a->config.key != NULL ? a->config.key : "");
	key = (struct ks_str){quoted.ptr + 1, quoted.len - 2};
	if (key.len > 0) {
		ks_buf_add_replaced(out, ks_buf_str(lines), key, KS_STR("[key]"));
	} else {
		ks_buf_addstr(out, ks_buf_str(lines));
	}
	if (quoted.ptr != NULL) {
		explicit_bzero(quoted.ptr, quoted.len);
	}
	ks_buf_fini(&quoted);
}

/* Appends what is new, or writes the whole file anew. */
static int keep(struct ks_api *a, struct ks_err *err)
{
	struct ks_api_session *s = &a->session;
	struct ks_chat_mark mark = s->kept;
	struct ks_buf lines = {0}, clean = {0};
	bool anew = s->failing || ks_chat_edited(&a->chat, &mark) ||
		(mark.message == 0 && mark.piece == 0);
	int rc = 0;

	if (anew) {
		mark = (struct ks_chat_mark){0};
		write_head(&lines, a);
	}
	ks_chat_lines(&lines, &a->chat, &mark);
	if (a->cost_known && (anew || a->cost > s->cost)) {
		ks_buf_addf(&lines, "{\"cost\":%.6f}\n", a->cost);
	}
	if (lines.len > 0) {
		hide_key(a, &lines, &clean);
		rc = anew ? ks_file_write(s->path, ks_buf_str(&clean), 0600, err) :
			ks_file_append(s->path, ks_buf_str(&clean), 0600, err);
	}
	if (rc == 0) {
		s->kept = mark;
		s->cost = a->cost;
	}
	ks_buf_fini(&lines);
	ks_buf_fini(&clean);
	return rc;
}

void ks_api_session_keep(struct ks_api *a)
{
	struct ks_err err = KS_ERR_INIT;
	bool failed;

	if (a->session.path == NULL || a->chat.count == 0) {
		return;
	}
	failed = keep(a, &err) < 0;
	if (failed && !a->session.failing) {
		ks_talk_notice(&a->talk, "warn", "the conversation cannot be kept (%s): after a "
			"restart the agent would begin without it", err.msg);
	}
	a->session.failing = failed;
}
