/*
 * Reading JSON. One scan (json_scan.c) checks the whole grammar and repairs what
 * cJSON would cut or refuse; only then cJSON builds the tree. A walk over the
 * tree refuses duplicate keys, which only decoded strings can show, and marks
 * each member with its key's hash, so that a look-up compares whole numbers.
 * Trees are at most KS_JSON_DEPTH deep, so walks keep their path in a fixed array.
 *
 * Invariant: valueint of an object's member is the hash of its key, whatever its
 * type (a number's value is its valuedouble; nothing else here reads valueint).
 */
#include "base/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53 */
#define MEMBERS_MAX 4096
#define FEW 48

static const cJSON *peel(const struct ks_json *node)
{
	return (const cJSON *)(const void *)node;
}

static const struct ks_json *wrap(const cJSON *item)
{
	return (const struct ks_json *)(const void *)item;
}

static bool is(const struct ks_json *node, int type)
{
	return node && (peel(node)->type & 0xff) == type;
}

/* ---- keys ---- */

static int hash_of(const char *key)
{
	unsigned hash = 0;

	for (; *key != '\0'; key++) {
		hash = hash * 31 + (unsigned char)*key;
	}
	return (int)hash;
}

/* From this member on; NULL: none has the key. */
static const cJSON *find_key(const cJSON *member, const char *key, int hash)
{
	while (member && (member->valueint != hash || strcmp(member->string, key) != 0)) {
		member = member->next;
	}
	return member;
}

/* ---- the check of a tree ---- */

static int by_key(const void *a, const void *b)
{
	return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

static const char *duplicate_of_many(const cJSON *object, size_t count)
{
	const cJSON **sorted = ks_zalloc(count, sizeof(const cJSON *));
	const char *found = NULL;
	const cJSON *item;
	size_t i = 0;

	for (item = object->child; item; item = item->next) {
		sorted[i++] = item;
	}
	qsort(sorted, count, sizeof(*sorted), by_key);
	for (i = 1; i < count && !found; i++) {
		if (strcmp(sorted[i - 1]->string, sorted[i]->string) == 0) {
			found = sorted[i]->string;
		}
	}
	free(sorted);
	return found;
}

static const char *duplicate_of_few(const cJSON *object)
{
	for (const cJSON *item = object->child; item; item = item->next) {
		if (find_key(item->next, item->string, item->valueint)) {
			return item->string;
		}
	}
	return NULL;
}

static int check_object(cJSON *object, struct ks_err *err)
{
	const char *twice;
	cJSON *item;
	size_t count = 0;

	for (item = object->child; item; item = item->next) {
		item->valueint = hash_of(item->string);
		count++;
	}
	if (count > MEMBERS_MAX) {
		return ks_err_set(err, KS_ELIMIT, "JSON: an object has more than %d members",
			MEMBERS_MAX);
	}
	twice = count <= FEW ? duplicate_of_few(object) : duplicate_of_many(object, count);
	if (twice) {
		return ks_err_set(err, KS_EINVAL,
			"JSON: the key \"%.64s\" stands twice in an object", twice);
	}
	return KS_OK;
}

/* The next node in document order. path holds the open parents. */
static cJSON *step(cJSON *item, cJSON **path, size_t *depth)
{
	if (item->child) {
		path[(*depth)++] = item;
		return item->child;
	}
	while (*depth > 0 && !item->next) {
		item = path[--*depth];
	}
	return *depth > 0 ? item->next : NULL;
}

static int check_tree(cJSON *root, struct ks_err *err)
{
	cJSON *path[KS_JSON_DEPTH];
	cJSON *item = root;
	size_t depth = 0;

	while (item) {
		int type = item->type & 0xff;

		if (type == cJSON_Object) {
			int rc = check_object(item, err);

			if (rc < 0) {
				return rc;
			}
		} else if (type == cJSON_Number && !isfinite(item->valuedouble)) {
			return ks_err_set(err, KS_EINVAL, "JSON: a number is out of range");
		}
		item = step(item, path, &depth);
	}
	return KS_OK;
}

int ks_json_parse(struct ks_json **out, const char *text, size_t len, struct ks_err *err)
{
	struct ks_buf repaired = {0};
	cJSON *root;
	int rc;

	rc = ks_json_scan(text, len, &repaired, err);
	if (rc < 0) {
		ks_buf_fini(&repaired);
		return rc;
	}
	if (repaired.len > 0) {
		text = repaired.ptr;
		len = repaired.len;
	}
	root = cJSON_ParseWithLengthOpts(text, len, NULL, 0);
	ks_buf_fini(&repaired);
	if (!root) {
		return ks_err_set(err, KS_EINVAL, "JSON: the parser refused %zu bytes", len);
	}
	rc = check_tree(root, err);
	if (rc < 0) {
		cJSON_Delete(root);
		return rc;
	}
	*out = (struct ks_json *)(void *)root;
	return KS_OK;
}

void ks_json_free(struct ks_json *doc)
{
	cJSON_Delete((cJSON *)(void *)doc);
}

struct ks_json *ks_json_copy(const struct ks_json *node)
{
	return (struct ks_json *)(void *)cJSON_Duplicate(peel(node), true);
}

/* ---- nodes ---- */

enum ks_json_type ks_json_type(const struct ks_json *node)
{
	switch (node ? peel(node)->type & 0xff : cJSON_NULL) {
	case cJSON_False:
	case cJSON_True:
		return KS_JSON_BOOL;
	case cJSON_Number:
		return KS_JSON_NUMBER;
	case cJSON_String:
		return KS_JSON_STRING;
	case cJSON_Array:
		return KS_JSON_ARRAY;
	case cJSON_Object:
		return KS_JSON_OBJECT;
	default:
		return KS_JSON_NULL;
	}
}

static bool is_container(const struct ks_json *node)
{
	return node && (peel(node)->type & (cJSON_Array | cJSON_Object)) != 0;
}

const struct ks_json *ks_json_get(const struct ks_json *node, const char *key)
{
	return is(node, cJSON_Object)
		? wrap(find_key(peel(node)->child, key, hash_of(key))) : NULL;
}

size_t ks_json_count(const struct ks_json *node)
{
	const struct ks_json *item;
	size_t count = 0;

	for (item = ks_json_first(node); item; item = ks_json_next(item)) {
		count++;
	}
	return count;
}

const struct ks_json *ks_json_first(const struct ks_json *node)
{
	return is_container(node) ? wrap(peel(node)->child) : NULL;
}

const struct ks_json *ks_json_next(const struct ks_json *node)
{
	return node ? wrap(peel(node)->next) : NULL;
}

const char *ks_json_key(const struct ks_json *node)
{
	return node ? peel(node)->string : NULL;
}

const struct ks_json *ks_json_at(const struct ks_json *array, size_t index)
{
	const struct ks_json *item = NULL;

	if (is(array, cJSON_Array)) {
		item = ks_json_first(array);
	}
	while (item && index > 0) {
		item = ks_json_next(item);
		index--;
	}
	return item;
}

const char *ks_json_str(const struct ks_json *node, const char *fallback)
{
	return is(node, cJSON_String) ? peel(node)->valuestring : fallback;
}

double ks_json_num(const struct ks_json *node, double fallback)
{
	return is(node, cJSON_Number) ? peel(node)->valuedouble : fallback;
}

bool ks_json_is_int(const struct ks_json *node)
{
	double n = ks_json_num(node, 0.5);

	return fabs(n) <= WHOLE_MAX && n == trunc(n);
}

int64_t ks_json_int(const struct ks_json *node, int64_t fallback)
{
	return ks_json_is_int(node) ? (int64_t)peel(node)->valuedouble : fallback;
}

bool ks_json_bool(const struct ks_json *node, bool fallback)
{
	return is(node, cJSON_True) || (fallback && !is(node, cJSON_False));
}

const char *ks_json_get_str(const struct ks_json *n, const char *key, const char *fb)
{
	return ks_json_str(ks_json_get(n, key), fb);
}

double ks_json_get_num(const struct ks_json *n, const char *key, double fb)
{
	return ks_json_num(ks_json_get(n, key), fb);
}

int64_t ks_json_get_int(const struct ks_json *n, const char *key, int64_t fb)
{
	return ks_json_int(ks_json_get(n, key), fb);
}

bool ks_json_get_bool(const struct ks_json *n, const char *key, bool fb)
{
	return ks_json_bool(ks_json_get(n, key), fb);
}
