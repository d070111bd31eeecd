/*
 * Long bodies: a member of an event that is longer than its preview goes to a
 * content-addressed blob; the event keeps the preview, the hash and the
 * length. The whole line stays below KS_EVENT_LINE_MAX whatever a driver gives.
 */
#include "base/hash.h"
#include "base/utf8.h"
#include "engine/internal.h"

#define OTHER_MAX 2048 /* any member but the body */
#define HEAD 2048      /* of agent text: first and last */

static bool is_body(const char *key)
{
	return strcmp(key, "text") == 0 || strcmp(key, "diff") == 0;
}

/* What stays of a long body. Detectors read the end of what an agent says. */
static void preview(struct ks_buf *out, enum ks_ev kind, const char *text, size_t len)
{
	size_t head = ks_utf8_cut(text, len, kind == KS_EV_AGENT_SAID ? HEAD : KS_EVENT_PREVIEW);

	ks_buf_add(out, text, head);
	if (kind == KS_EV_AGENT_SAID) {
		size_t from = len - HEAD;
		while (from < len && ((unsigned char)text[from] & 0xc0) == 0x80) {
			from++;
		}
		ks_buf_adds(out, "\n[...]\n");
		ks_buf_add(out, text + from, len - from);
	}
}

static void put_body(struct ks_engine *e, struct ks_jw *w, enum ks_ev kind, const char *key,
	const char *text)
{
	size_t len = strlen(text);
	struct ks_buf cut = {0};
	char hash[KS_HASH_HEX];
	struct ks_err err = KS_ERR_INIT;

	/* Core bounds messages and sends a queued one from the state. */
	if (len <= KS_EVENT_PREVIEW || kind == KS_EV_MESSAGE_QUEUED
		|| kind == KS_EV_MESSAGE_SENT) {
		ks_jw_str(w, key, text);
		return;
	}
	preview(&cut, kind, text, len);
	ks_jw_slice(w, key, ks_buf_str(&cut));
	ks_buf_fini(&cut);
	if (strcmp(key, "text") != 0) {
		return;
	}
	if (ks_blob_put(e->paths.blobs, (struct ks_str){text, len}, hash, &err) == 0) {
		ks_jw_str(w, "blob", hash);
	} else {
		ks_jw_str(w, "blob_error", err.msg);
	}
	ks_jw_int(w, "bytes", (int64_t)len);
}

static void put_member(struct ks_engine *e, struct ks_jw *w, enum ks_ev kind,
	const struct ks_json *node)
{
	const char *key = ks_json_key(node);
	const char *text = ks_json_str(node, "");

	if (ks_json_type(node) != KS_JSON_STRING) {
		ks_jw_node(w, key, node);
	} else if (is_body(key)) {
		put_body(e, w, kind, key, text);
	} else {
		ks_jw_slice(w, key,
			(struct ks_str){text, ks_utf8_cut(text, strlen(text), OTHER_MAX)});
	}
}

void ks_engine_cut_bodies(struct ks_engine *e, enum ks_ev kind, struct ks_str fields,
	struct ks_buf *out)
{
	struct ks_buf whole = {0};
	struct ks_json *doc = NULL;
	struct ks_err err = KS_ERR_INIT;
	struct ks_jw w;

	if (fields.len <= OTHER_MAX) {
		ks_buf_addstr(out, fields);
		return;
	}
	ks_buf_addf(&whole, "{");
	ks_buf_addstr(&whole, fields);
	ks_buf_addc(&whole, '}');
	ks_jw_members(&w, out);
	if (ks_json_parse(&doc, whole.ptr, whole.len, &err) < 0) {
		ks_jw_str(&w, "broken", err.msg);
	}
	for (const struct ks_json *n = ks_json_first(doc); n != NULL; n = ks_json_next(n)) {
		put_member(e, &w, kind, n);
	}
	ks_json_free(doc);
	ks_buf_fini(&whole);
}
