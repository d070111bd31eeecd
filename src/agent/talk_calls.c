/*
 * Tool calls: a table by id. A call is made at its first sight, wherever that
 * is. It is reported as begun when it is known what it does, or after HOLD_MS:
 * many agents tell of a call first and of its command a moment later. Ids of
 * calls that have ended are remembered for a while, since late and repeated
 * updates are common; some agents number their calls anew in every turn.
 */
#include <inttypes.h>
#include <stdio.h>

#include "agent/talk_impl.h"
#include "agent/textdiff.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "wire/toolword.h"

#define HOLD_MS 120
#define OPEN_MAX 1024
#define DONE_MAX 4096
#define ID_MAX 48       /* of our events; longer ones are shortened with a hash */
#define TEXT_MAX (256u * 1024)
#define TITLE_MAX 160
#define DIFF_SOURCE_MAX (4u * 1024 * 1024)

struct ks_talk_call {
	uint64_t hash;
	char id[80];         /* as in events */
	char *name, *kind, *title, *parent, *path;
	struct ks_buf text;
	bool begun;          /* reported */
	bool told;           /* with its text */
	int64_t t0;
	int64_t status;
	struct ks_clip output;
	bool has_diff;
	struct ks_textdiff counts;
	struct ks_buf diff;
};

struct ks_talk_done {
	uint64_t hash;       /* of its id */
	int64_t turn;        /* in which it ended */
};

static uint64_t hash_of(const char *id)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *id != '\0'; id++) {
		hash = (hash ^ (unsigned char)*id) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static void event_id(char *out, size_t size, const char *id)
{
	size_t len = strlen(id);

	if (len <= ID_MAX) {
		snprintf(out, size, "%s", id);
	} else {
		int head = (int)ks_utf8_cut(id, len, ID_MAX - 20);

		snprintf(out, size, "%.*s~%016" PRIx64, head, id, hash_of(id));
	}
}

void ks_talk_call_id(struct ks_jw *w, const char *key, const char *call)
{
	char id[80];

	event_id(id, sizeof(id), call);
	ks_jw_str(w, key, id);
}

static void call_free(struct ks_talk_call *call)
{
	free(call->name);
	free(call->kind);
	free(call->title);
	free(call->parent);
	free(call->path);
	ks_buf_fini(&call->text);
	ks_clip_fini(&call->output);
	ks_buf_fini(&call->diff);
	free(call);
}

void ks_talk_calls_fini(struct ks_talk *talk)
{
	for (size_t i = 0; i < talk->n_open; i++) {
		call_free(talk->open[i]);
	}
	free(talk->open);
	free(talk->done);
	talk->open = NULL;
	talk->done = NULL;
	talk->n_open = talk->cap_open = talk->n_done = 0;
}

/* ---- the table ---- */

static struct ks_talk_call *find(const struct ks_talk *talk, uint64_t hash)
{
	for (size_t i = talk->n_open; i > 0; i--) {
		if (talk->open[i - 1]->hash == hash) {
			return talk->open[i - 1];
		}
	}
	return NULL;
}

/* fresh: in this turn. */
static bool has_ended(const struct ks_talk *talk, uint64_t hash, bool fresh)
{
	size_t count = talk->n_done < DONE_MAX ? talk->n_done : DONE_MAX;

	for (size_t i = 0; i < count; i++) {
		if (talk->done[i].hash == hash && (!fresh || talk->done[i].turn == talk->turn)) {
			return true;
		}
	}
	return false;
}

static void remember(struct ks_talk *talk, uint64_t hash)
{
	if (talk->done == NULL) {
		talk->done = ks_zalloc(DONE_MAX, sizeof(*talk->done));
	}
	talk->done[talk->n_done++ % DONE_MAX] = (struct ks_talk_done){hash, talk->turn};
}

static void take_out(struct ks_talk *talk, struct ks_talk_call *call)
{
	size_t i = 0;

	while (talk->open[i] != call) {
		i++;
	}
	memmove(&talk->open[i], &talk->open[i + 1],
		(talk->n_open - i - 1) * sizeof(talk->open[0]));
	talk->n_open--;
	remember(talk, call->hash);
	call_free(call);
}

/* ---- reports ---- */

static const char *or_empty(const char *text)
{
	return text != NULL ? text : "";
}

/* "bash" says what a tool is; "echo hello" does not. */
static bool is_word(const char *title)
{
	size_t len = strlen(title);

	return len > 0 && len <= 24 &&
		strspn(title, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == len;
}

static const char *name_of(const struct ks_talk_call *call)
{
	if (call->name != NULL) {
		return call->name;
	}
	return call->kind != NULL ? call->kind : "tool";
}

/* Paths of the campaign's folder are shown from there. */
static struct ks_str inside(const struct ks_talk *talk, struct ks_str path)
{
	size_t len = strlen(talk->folder);

	if (path.len > len + 1 && strncmp(path.ptr, talk->folder, len) == 0 &&
		path.ptr[len] == '/') {
		return (struct ks_str){path.ptr + len + 1, path.len - len - 1};
	}
	return path;
}

static void put_title(struct ks_jw *w, const struct ks_talk_call *call, struct ks_str text)
{
	struct ks_str line = ks_str_of(or_empty(call->title)), first = {0};

	if (line.len == 0 || is_word(call->title)) {
		line = text.len > 0 ? text : line;
	}
	ks_str_next(&line, '\n', &first);
	first.len = ks_utf8_cut(first.ptr, first.len, TITLE_MAX);
	ks_jw_slice(w, "title", first);
}

/* Some agents give a command as the title and nowhere else. */
static struct ks_str text_of(const struct ks_talk_call *call)
{
	if (call->text.len == 0 && call->title != NULL && call->kind != NULL &&
		strcmp(call->kind, "execute") == 0 && !is_word(call->title)) {
		return ks_str_of(call->title);
	}
	return ks_buf_str(&call->text);
}

static void put_members(struct ks_talk *talk, const struct ks_talk_call *call, struct ks_jw *w)
{
	struct ks_str text = text_of(call);
	const char *word = ks_tool_word(or_empty(call->kind), or_empty(call->name), text);

	if (strcmp(word, "shell") != 0 && strcmp(word, "eval") != 0) {
		text = inside(talk, text);
	}
	if (strcmp(word, "edit") == 0 && call->has_diff && call->counts.removed == 0 &&
		call->name != NULL && strcmp(call->name, "write") == 0) {
		word = "write";
	}
	ks_jw_str(w, "tool", word);
	put_title(w, call, text);
	ks_jw_slice(w, "text", text);
	if (call->path != NULL) {
		ks_jw_slice(w, "path", inside(talk, ks_str_of(call->path)));
	}
	if (call->parent != NULL) {
		ks_talk_call_id(w, "parent", call->parent);
	}
}

static void report_begun(struct ks_talk *talk, struct ks_talk_call *call, enum ks_ev kind)
{
	struct ks_report r;

	ks_talk_flush(talk);
	if (kind == KS_EV_TOOL_STARTED) {
		call->begun = true;
		talk->calls += talk->in_turn;
		ks_buf_clear(&talk->last);
	}
	call->told = call->text.len > 0;
	ks_report_begin(&r);
	ks_jw_str(&r.w, "call", call->id);
	ks_jw_str(&r.w, "name", name_of(call));
	put_members(talk, call, &r.w);
	ks_report_send(&r, talk->agent, kind, KS_BY_AGENT);
}

static void report_ended(struct ks_talk *talk, struct ks_talk_call *call, bool ok,
	bool cancelled)
{
	struct ks_buf text = {0};
	struct ks_report r;

	if (!call->begun) {
		report_begun(talk, call, KS_EV_TOOL_STARTED);
	}
	ks_talk_flush(talk);
	ks_clip_text(&call->output, &text);
	ks_report_begin(&r);
	ks_jw_str(&r.w, "call", call->id);
	ks_jw_bool(&r.w, "ok", ok);
	ks_jw_int(&r.w, "status", call->status >= 0 ? call->status : ok ? 0 : 1);
	ks_jw_int(&r.w, "ms", (ks_clock_mono_us() - call->t0) / 1000);
	ks_jw_slice(&r.w, "text", ks_buf_str(&text));
	if (cancelled) {
		ks_jw_bool(&r.w, "cancelled", true);
	}
	if (call->has_diff) {
		ks_jw_int(&r.w, "added", (int64_t)call->counts.added);
		ks_jw_int(&r.w, "removed", (int64_t)call->counts.removed);
		ks_jw_slice(&r.w, "diff", ks_buf_str(&call->diff));
	}
	ks_buf_fini(&text);
	ks_report_send(&r, talk->agent, KS_EV_TOOL_ENDED, KS_BY_AGENT);
}

void ks_talk_calls_end(struct ks_talk *talk)
{
	while (talk->n_open > 0) {
		struct ks_talk_call *call = talk->open[0];

		report_ended(talk, call, false, true);
		take_out(talk, call);
	}
}

void ks_talk_hold_over(void *ctx)
{
	struct ks_talk *talk = ctx;

	ks_talk_announce(talk);
	for (size_t i = 0; i < talk->n_open; i++) {
		if (!talk->open[i]->begun) {
			report_begun(talk, talk->open[i], KS_EV_TOOL_STARTED);
		}
	}
}

/* ---- sights ---- */

static void replace(char **slot, const char *text)
{
	if (text != NULL && text[0] != '\0') {
		free(*slot);
		*slot = ks_strndup(text, ks_utf8_cut(text, strlen(text), 2048));
	}
}

static struct ks_talk_call *make(struct ks_talk *talk, const char *id, uint64_t hash)
{
	struct ks_talk_call *call = ks_zalloc(1, sizeof(*call));

	if (talk->n_open == OPEN_MAX) {
		report_ended(talk, talk->open[0], false, true);
		take_out(talk, talk->open[0]);
	}
	call->hash = hash;
	call->status = -1;
	call->t0 = ks_clock_mono_us();
	event_id(call->id, sizeof(call->id), id);
	ks_grow(&talk->open, &talk->cap_open, talk->n_open + 1, sizeof(*talk->open));
	talk->open[talk->n_open++] = call;
	return call;
}

static void take_diff(struct ks_talk *talk, struct ks_talk_call *call,
	const struct ks_sight *sight)
{
	struct ks_str before = ks_str_of(sight->before), after = ks_str_of(sight->after);

	if (before.len > DIFF_SOURCE_MAX || after.len > DIFF_SOURCE_MAX) {
		return;
	}
	call->has_diff = true;
	ks_buf_clear(&call->diff);
	call->counts = ks_textdiff(&call->diff,
		call->path != NULL ? inside(talk, ks_str_of(call->path)).ptr : "file", before,
		after, KS_AGENT_DIFF_MAX);
}

static void merge(struct ks_talk *talk, struct ks_talk_call *call, const struct ks_sight *sight)
{
	if (call->title == NULL && sight->title != NULL && sight->name == NULL &&
		call->name == NULL && is_word(sight->title)) {
		replace(&call->name, sight->title);
	}
	replace(&call->name, sight->name);
	replace(&call->kind, sight->kind);
	replace(&call->title, sight->title);
	replace(&call->parent, sight->parent);
	replace(&call->path, sight->path);
	if (sight->text.len > 0) {
		ks_buf_clear(&call->text);
		ks_buf_add(&call->text, sight->text.ptr,
			ks_utf8_cut(sight->text.ptr, sight->text.len, TEXT_MAX));
	}
	if (sight->status >= 0) {
		call->status = sight->status;
	}
	if (sight->has_output) {
		if (!sight->more) {
			ks_clip_fini(&call->output);
		}
		ks_clip_add(&call->output, sight->output);
	}
	if (sight->has_diff) {
		take_diff(talk, call, sight);
	}
}

void ks_talk_sight(struct ks_talk *talk, const struct ks_sight *sight)
{
	uint64_t hash = hash_of(sight->call);
	struct ks_talk_call *call = find(talk, hash);

	ks_talk_announce(talk);
	if (call == NULL) {
		if (has_ended(talk, hash, sight->fresh)) {
			return;
		}
		call = make(talk, sight->call, hash);
	}
	merge(talk, call, sight);
	if (!call->begun && (call->text.len > 0 || sight->begun)) {
		report_begun(talk, call, KS_EV_TOOL_STARTED);
	} else if (call->begun && !call->told && call->text.len > 0) {
		report_begun(talk, call, KS_EV_TOOL_UPDATED);
	} else if (!call->begun) {
		ks_timer_arm_sooner(talk->hold, HOLD_MS);
	}
	if (sight->ended) {
		report_ended(talk, call, sight->ok, false);
		take_out(talk, call);
	}
}

void ks_talk_call_members(struct ks_talk *talk, const char *id, struct ks_jw *w)
{
	struct ks_talk_call *call = find(talk, hash_of(id));

	ks_talk_call_id(w, "call", id);
	if (call != NULL) {
		put_members(talk, call, w);
	}
}
