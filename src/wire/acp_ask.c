/*
 * ACP: permissions, forms, plans.
 */
#include "wire/acp.h"

#include <string.h>

#include "wire/bound.h"

/* ---- permissions ---- */

void ks_acp_options_write(struct ks_jw *w, const struct ks_json *options)
{
	size_t left = KS_BOUND_ALL;

	ks_jw_open_array(w, "options");
	for (const struct ks_json *at = ks_json_first(options); at != NULL;
		at = ks_json_next(at)) {
		const char *id = ks_json_get_str(at, "optionId", "");

		if (!ks_bound_fits(id, left)) {
			continue;
		}
		ks_jw_open(w, NULL);
		ks_bound_str(w, "id", id, left, &left);
		ks_bound_str(w, "name", ks_json_get_str(at, "name", id), 300, &left);
		ks_bound_str(w, "kind", ks_json_get_str(at, "kind", "other"), 40, &left);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static const char *by_member(const struct ks_json *options, const char *key, const char *value)
{
	for (const struct ks_json *at = ks_json_first(options); at != NULL;
		at = ks_json_next(at)) {
		if (strcmp(ks_json_get_str(at, key, ""), value) == 0) {
			return ks_json_get_str(at, "optionId", NULL);
		}
	}
	return NULL;
}

const char *ks_acp_option(const struct ks_json *options, const char *id, const char *kind)
{
	const char *found;

	if (id != NULL) {
		return by_member(options, "optionId", id);
	}
	if (kind == NULL) {
		return NULL;
	}
	found = by_member(options, "kind", kind);
	if (found == NULL && strcmp(kind, "allow_always") == 0) {
		found = by_member(options, "kind", "allow_once");
	} else if (found == NULL && strcmp(kind, "reject_always") == 0) {
		found = by_member(options, "kind", "reject_once");
	} else if (found == NULL && strcmp(kind, "reject_once") == 0) {
		found = by_member(options, "kind", "reject_always");
	}
	return found;
}

bool ks_acp_allows(const struct ks_json *options, const char *id)
{
	for (const struct ks_json *at = ks_json_first(options); at != NULL && id != NULL;
		at = ks_json_next(at)) {
		if (strcmp(ks_json_get_str(at, "optionId", ""), id) == 0) {
			return strncmp(ks_json_get_str(at, "kind", ""), "allow", 5) == 0;
		}
	}
	return false;
}

void ks_acp_permit(struct ks_buf *out, const char *option)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_open(&w, "outcome");
	ks_jw_str(&w, "outcome", option != NULL ? "selected" : "cancelled");
	if (option != NULL) {
		ks_jw_str(&w, "optionId", option);
	}
	ks_jw_close(&w);
	ks_jw_close(&w);
}

/* ---- forms ---- */

static void choices(struct ks_jw *w, const struct ks_json *schema, size_t *left)
{
	const struct ks_json *list = ks_json_get(schema, "oneOf");

	if (list == NULL) {
		list = ks_json_get(schema, "anyOf");
	}
	if (list == NULL) {
		list = ks_json_get(schema, "enum");
	}
	ks_jw_open_array(w, "options");
	for (const struct ks_json *at = ks_json_first(list); at != NULL; at = ks_json_next(at)) {
		const char *id = ks_json_str(at, ks_json_get_str(at, "const", ""));

		if (!ks_bound_fits(id, *left)) {
			continue;
		}
		ks_jw_open(w, NULL);
		ks_bound_str(w, "id", id, *left, left);
		ks_bound_str(w, "name", ks_json_get_str(at, "title", id), 300, left);
		ks_bound_str(w, "text", ks_json_get_str(at, "description", ""), 500, left);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static bool has_choices(const struct ks_json *schema)
{
	return ks_json_get(schema, "oneOf") != NULL || ks_json_get(schema, "anyOf") != NULL ||
		ks_json_get(schema, "enum") != NULL;
}

static const char *field_type(const struct ks_json *schema, const struct ks_json **out_choices)
{
	const char *type = ks_json_get_str(schema, "type", "string");

	if (strcmp(type, "array") == 0) {
		*out_choices = ks_json_get(schema, "items");
		return "choices";
	}
	if (has_choices(schema)) {
		*out_choices = schema;
		return "choice";
	}
	if (strcmp(type, "boolean") == 0) {
		return "bool";
	}
	return strcmp(type, "number") == 0 || strcmp(type, "integer") == 0 ? "number" : "text";
}

static bool is_required(const struct ks_json *schema, const char *key)
{
	for (const struct ks_json *at = ks_json_first(ks_json_get(schema, "required")); at != NULL;
		at = ks_json_next(at)) {
		if (strcmp(ks_json_str(at, ""), key) == 0) {
			return true;
		}
	}
	return false;
}

void ks_acp_form_write(struct ks_jw *w, const struct ks_json *schema)
{
	const struct ks_json *at = ks_json_first(ks_json_get(schema, "properties"));
	size_t left = KS_BOUND_ALL;

	ks_jw_open_array(w, "fields");
	for (; at != NULL; at = ks_json_next(at)) {
		const char *key = ks_json_key(at);
		const struct ks_json *list = NULL;

		if (key == NULL || !ks_bound_fits(key, left)) {
			continue;
		}
		ks_jw_open(w, NULL);
		ks_bound_str(w, "id", key, left, &left);
		ks_bound_str(w, "title", ks_json_get_str(at, "title", key), 300, &left);
		ks_bound_str(w, "text", ks_json_get_str(at, "description", ""), 500, &left);
		ks_jw_str(w, "type", field_type(at, &list));
		ks_jw_bool(w, "required", is_required(schema, key));
		if (list != NULL) {
			choices(w, list, &left);
		}
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

void ks_acp_elicited(struct ks_buf *out, const char *action, struct ks_str values)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "action", action);
	if (strcmp(action, "accept") == 0) {
		ks_jw_raw(&w, "content", values.len > 0 ? values : KS_STR("{}"));
	}
	ks_jw_close(&w);
}

/* ---- plans ---- */

void ks_acp_plan_write(struct ks_jw *w, const struct ks_json *update)
{
	size_t left = KS_BOUND_ALL;

	ks_jw_open_array(w, "entries");
	for (const struct ks_json *at = ks_json_first(ks_json_get(update, "entries"));
		at != NULL && left > 0; at = ks_json_next(at)) {
		ks_jw_open(w, NULL);
		ks_bound_str(w, "text", ks_json_get_str(at, "content", ""), 300, &left);
		ks_bound_str(w, "status", ks_json_get_str(at, "status", "pending"), 20, &left);
		ks_bound_str(w, "priority", ks_json_get_str(at, "priority", ""), 20, &left);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}
