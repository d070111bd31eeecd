#ifndef KSEEK_BASE_JSON_H
#define KSEEK_BASE_JSON_H
/*
 * JSON. Reading is by cJSON (the only user), made strict and safe: depth at
 * most 64, size at most what the caller allows, invalid UTF-8 replaced by
 * U+FFFD and "\u0000" by U+FFFD before parsing (cJSON cuts strings there),
 * duplicate keys refused, trailing bytes refused. Numbers are doubles: whole
 * numbers are exact up to 2^53; larger ids and hashes are strings by rule.
 * Writing is a streaming writer into a buffer that always yields valid JSON.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ks_json; /* a node; lent until its document is freed */

enum ks_json_type {
	KS_JSON_NULL, KS_JSON_BOOL, KS_JSON_NUMBER, KS_JSON_STRING,
	KS_JSON_ARRAY, KS_JSON_OBJECT
};

/* Parses a document; gives *out (ks_json_free). KS_EINVAL with the byte offset
 * and what was expected. */
int ks_json_parse(struct ks_json **out, const char *text, size_t len,
	struct ks_err *err);
void ks_json_free(struct ks_json *doc);
/* A node with all below it as a document of its own (ks_json_free); NULL for NULL,
 * and where there is no memory. */
struct ks_json *ks_json_copy(const struct ks_json *node);

enum ks_json_type ks_json_type(const struct ks_json *node);/* NULL node: NULL */
/* Child by key, or NULL (also when node is NULL or no object). */
const struct ks_json *ks_json_get(const struct ks_json *node, const char *key);
size_t ks_json_count(const struct ks_json *node); /* array or object, else 0 */
/* First child of an array or object, and the next sibling; NULL at the end. */
const struct ks_json *ks_json_first(const struct ks_json *node);
const struct ks_json *ks_json_next(const struct ks_json *node);
const char *ks_json_key(const struct ks_json *node); /* of an object's member */
const struct ks_json *ks_json_at(const struct ks_json *array, size_t index);

/* Values with a default for a missing or other-typed node. */
const char *ks_json_str(const struct ks_json *node, const char *fallback);
double ks_json_num(const struct ks_json *node, double fallback);
/* A whole number with |n| <= 2^53, else the fallback. */
int64_t ks_json_int(const struct ks_json *node, int64_t fallback);
bool ks_json_bool(const struct ks_json *node, bool fallback);
/* Whether a number node is a whole number with |n| <= 2^53. */
bool ks_json_is_int(const struct ks_json *node);

/* Shorthands: value of a member. */
const char *ks_json_get_str(const struct ks_json *n, const char *key, const char *fb);
double ks_json_get_num(const struct ks_json *n, const char *key, double fb);
int64_t ks_json_get_int(const struct ks_json *n, const char *key, int64_t fb);
bool ks_json_get_bool(const struct ks_json *n, const char *key, bool fb);

/* Appends the compact text of a node. */
void ks_json_print(const struct ks_json *node, struct ks_buf *out);

/* ---- writer ---- */
#define KS_JW_DEPTH 32
struct ks_jw {
	struct ks_buf *out;
	unsigned depth;
	bool comma[KS_JW_DEPTH];
	bool pretty; /* two-space indent, for files people edit */
};

void ks_jw_init(struct ks_jw *w, struct ks_buf *out);
/* For the members of an object without its braces (fields of an event). */
void ks_jw_members(struct ks_jw *w, struct ks_buf *out);
/* key is NULL inside arrays and at the top. */
void ks_jw_open(struct ks_jw *w, const char *key);       /* {  */
void ks_jw_close(struct ks_jw *w);                       /* }  */
void ks_jw_open_array(struct ks_jw *w, const char *key); /* [  */
void ks_jw_close_array(struct ks_jw *w);                 /* ]  */
void ks_jw_str(struct ks_jw *w, const char *key, const char *value); /* NULL: null */
void ks_jw_slice(struct ks_jw *w, const char *key, struct ks_str value);
void ks_jw_int(struct ks_jw *w, const char *key, int64_t value);
/* Shortest text that reads back equal; NaN and infinities become null. */
void ks_jw_num(struct ks_jw *w, const char *key, double value);
void ks_jw_bool(struct ks_jw *w, const char *key, bool value);
void ks_jw_null(struct ks_jw *w, const char *key);
/* Raw, already valid JSON. */
void ks_jw_raw(struct ks_jw *w, const char *key, struct ks_str json);
void ks_jw_node(struct ks_jw *w, const char *key, const struct ks_json *node);
/* Appends JSON text, of a value or of members, with `new` for each `old` in its strings.
 * Names of members, figures and words stay. Both hold nothing that JSON escapes. */
void ks_json_add_replaced(struct ks_buf *out, struct ks_str json, struct ks_str old,
	struct ks_str new);

#endif
