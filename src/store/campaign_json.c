/*
 * campaign.json. A table says which keys there are and how each is read; every
 * error names the file and the path of the value. Strings come from people and
 * go into argument lists, so control characters are refused.
 */
#include "store/campaign.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"

#define CONFIG_MAX (1024u * 1024)
#define STRINGS_MAX 1024
#define STRING_MAX 4096
#define THREADS_MAX 1024

struct reader {
	const char *file;
	struct ks_campaign *c;
	struct ks_err *err;
};

/* Prefix of an error: "campaign.json: $.goal[2]: ...". */
static int bad(const struct reader *r, const char *path, const char *what)
{
	return ks_err_set(r->err, KS_EINVAL, "%s: $.%s: %s", r->file, path, what);
}

static bool has_control(const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f) {
			return true;
		}
	}
	return false;
}

/* Checks one string; NULL when it is fine, else what is wrong with it. */
static const char *fault_of(const struct ks_json *node)
{
	const char *text = ks_json_str(node, NULL);

	if (!text) {
		return "expected a string";
	}
	if (text[0] == '\0') {
		return "the string is empty";
	}
	if (strlen(text) > STRING_MAX) {
		return "the string is longer than 4096 bytes";
	}
	return has_control(text) ? "the string holds a control character" : NULL;
}

static int read_string(const struct reader *r, const char *path, const struct ks_json *node,
	char **out)
{
	const char *fault = fault_of(node);

	if (fault) {
		return bad(r, path, fault);
	}
	free(*out);
	*out = ks_strdup(ks_json_str(node, ""));
	return KS_OK;
}

static int read_strings(const struct reader *r, const char *path, const struct ks_json *node,
	struct ks_strings *out)
{
	const struct ks_json *item;
	size_t i = 0;

	if (ks_json_type(node) != KS_JSON_ARRAY) {
		return bad(r, path, "expected a list of strings");
	}
	if (ks_json_count(node) > STRINGS_MAX) {
		return bad(r, path, "the list has more than 1024 entries");
	}
	ks_strings_fini(out);
	for (item = ks_json_first(node); item; item = ks_json_next(item), i++) {
		const char *fault = fault_of(item);

		if (fault) {
			return ks_err_set(r->err, KS_EINVAL, "%s: $.%s[%zu]: %s", r->file, path, i,
				fault);
		}
		ks_strings_add(out, ks_json_str(item, ""));
	}
	return KS_OK;
}

static int read_count(const struct reader *r, const char *path, const struct ks_json *node,
	int64_t low, int64_t high, int64_t *out)
{
	int64_t value = ks_json_int(node, low - 1);

	if (value < low || value > high) {
		return ks_err_set(r->err, KS_EINVAL,
			"%s: $.%s: expected a whole number from %lld to %lld", r->file, path,
			(long long)low, (long long)high);
	}
	*out = value;
	return KS_OK;
}

static int read_amount(const struct reader *r, const char *path, const struct ks_json *node,
	double *out)
{
	double value = ks_json_num(node, -1);

	if (!(value >= 0) || value > 1e9) {
		return bad(r, path, "expected a number from 0 to 1e9");
	}
	*out = value;
	return KS_OK;
}

/* ---- one function a key ---- */

static int take_id(const struct reader *r, const struct ks_json *node)
{
	int rc = read_string(r, "id", node, &r->c->id);

	if (rc == KS_OK && (strlen(r->c->id) > 64 ||
		strspn(r->c->id, "0123456789abcdefghijklmnopqrstuvwxyz-") != strlen(r->c->id))) {
		return bad(r, "id", "expected at most 64 lower-case letters, digits and dashes");
	}
	return rc;
}

static int take_name(const struct reader *r, const struct ks_json *node)
{
	return read_string(r, "name", node, &r->c->name);
}

static int take_problem(const struct reader *r, const struct ks_json *node)
{
	return read_string(r, "problem", node, &r->c->problem);
}

static int take_target(const struct reader *r, const struct ks_json *node)
{
	const char *text = ks_json_str(node, "");

	if (strcmp(text, "cpu") == 0) {
		r->c->target = KS_TARGET_CPU;
	} else if (strcmp(text, "cuda") == 0) {
		r->c->target = KS_TARGET_CUDA;
	} else {
		return bad(r, "target", "expected \"cpu\" or \"cuda\"");
	}
	return KS_OK;
}

static int take_arch(const struct reader *r, const struct ks_json *node)
{
	return read_string(r, "arch", node, &r->c->arch);
}

/* A list, or one string that is cut at spaces. */
static int take_flags(const struct reader *r, const struct ks_json *node)
{
	struct ks_str rest = ks_str_of(ks_json_str(node, NULL)), piece;

	if (ks_json_type(node) != KS_JSON_STRING) {
		return read_strings(r, "flags", node, &r->c->flags);
	}
	if (rest.len > STRING_MAX || has_control(rest.ptr)) {
		return bad(r, "flags", "expected at most 4096 bytes without control characters");
	}
	ks_strings_fini(&r->c->flags);
	while (ks_str_next(&rest, ' ', &piece)) {
		if (piece.len > 0) {
			char *flag = ks_strndup(piece.ptr, piece.len);

			ks_strings_add(&r->c->flags, flag);
			free(flag);
		}
	}
	return KS_OK;
}

static int take_files(const struct reader *r, const struct ks_json *node)
{
	int rc = read_strings(r, "files", node, &r->c->files);
	size_t i;

	for (i = 0; rc == KS_OK && i < r->c->files.count; i++) {
		if (!ks_path_is_plain(r->c->files.items[i])) {
			return ks_err_set(r->err, KS_EINVAL,
				"%s: $.files[%zu]: expected a path inside the campaign",
				r->file, i);
		}
	}
	return rc;
}

static int take_threads(const struct reader *r, const struct ks_json *node)
{
	int64_t threads = 1;
	int rc = read_count(r, "threads", node, 1, THREADS_MAX, &threads);

	if (rc == KS_OK) {
		r->c->threads = (int)threads;
	}
	return rc;
}

static int take_goal(const struct reader *r, const struct ks_json *node)
{
	return read_strings(r, "goal", node, &r->c->goal);
}

/* An object with a driver, or just the driver's name. What else an agent's
 * object says is its driver's business. */
static int take_agent(const struct reader *r, const struct ks_json *node)
{
	struct ks_buf text = {0};
	struct ks_jw w;
	int rc;

	ks_jw_init(&w, &text);
	if (ks_json_type(node) == KS_JSON_STRING) {
		ks_jw_open(&w, NULL);
		ks_jw_node(&w, "driver", node);
		ks_jw_close(&w);
		rc = read_string(r, "agent", node, &r->c->driver);
	} else if (ks_json_type(node) == KS_JSON_OBJECT) {
		const struct ks_json *command = ks_json_get(node, "command");

		ks_json_print(node, &text);
		rc = read_string(r, "agent.driver", ks_json_get(node, "driver"), &r->c->driver);
		if (rc == KS_OK && command) {
			rc = read_strings(r, "agent.command", command, &r->c->command);
		}
	} else {
		rc = bad(r, "agent", "expected an object with a \"driver\", or a driver's name");
	}
	free(r->c->agent);
	r->c->agent = ks_buf_take(&text);
	return rc;
}

static int take_mode(const struct reader *r, const struct ks_json *node)
{
	const char *text = ks_json_str(node, "");

	if (strcmp(text, "human") != 0 && strcmp(text, "bank") != 0 && strcmp(text, "none") != 0) {
		return bad(r, "mode", "expected \"human\", \"bank\" or \"none\"");
	}
	return read_string(r, "mode", node, &r->c->mode);
}

static int take_limit(const struct reader *r, const struct ks_json *node)
{
	struct ks_budget *b = &r->c->budget;
	const char *key = ks_json_key(node);
	const int64_t most = INT64_C(1000000000000);

	if (strcmp(key, "hours") == 0) {
		return read_amount(r, "budget.hours", node, &b->hours);
	}
	if (strcmp(key, "dollars") == 0) {
		return read_amount(r, "budget.dollars", node, &b->dollars);
	}
	if (strcmp(key, "evaluations") == 0) {
		return read_count(r, "budget.evaluations", node, 0, most, &b->evaluations);
	}
	if (strcmp(key, "turns") == 0) {
		return read_count(r, "budget.turns", node, 0, most, &b->turns);
	}
	if (strcmp(key, "tool_calls") == 0) {
		return read_count(r, "budget.tool_calls", node, 0, most, &b->tool_calls);
	}
	if (strcmp(key, "tokens") == 0) {
		return read_count(r, "budget.tokens", node, 0, most, &b->tokens);
	}
	return ks_err_set(r->err, KS_EINVAL, "%s: $.budget.%.64s: not a key; known are hours, "
		"evaluations, turns, tool_calls, tokens, dollars", r->file, key);
}

static int take_budget(const struct reader *r, const struct ks_json *node)
{
	const struct ks_json *item;
	int rc = KS_OK;

	if (ks_json_type(node) != KS_JSON_OBJECT) {
		return bad(r, "budget", "expected an object");
	}
	for (item = ks_json_first(node); item && rc == KS_OK; item = ks_json_next(item)) {
		rc = take_limit(r, item);
	}
	return rc;
}

static int take_policy(const struct reader *r, const struct ks_json *node)
{
	const struct ks_json *item;
	int rc = KS_OK;

	if (ks_json_type(node) != KS_JSON_OBJECT) {
		return bad(r, "policy", "expected an object");
	}
	for (item = ks_json_first(node); item && rc == KS_OK; item = ks_json_next(item)) {
		/* What is no whole number is out of every range. */
		int64_t value = ks_json_type(item) == KS_JSON_BOOL ?
			(int64_t)ks_json_bool(item, false) :
			ks_json_int(item, INT64_MIN);

		rc = ks_setting_set(&r->c->policy, ks_json_key(item), value, r->err);
	}
	if (rc < 0) {
		ks_err_prefix(r->err, "%s: $.policy", r->file);
	}
	return rc;
}

static int take_permissions(const struct reader *r, const struct ks_json *node)
{
	return read_strings(r, "permissions", node, &r->c->permissions);
}

static int take_shim(const struct reader *r, const struct ks_json *node)
{
	if (ks_json_type(node) != KS_JSON_BOOL) {
		return bad(r, "shim", "expected true or false");
	}
	r->c->no_shim = !ks_json_bool(node, true);
	return KS_OK;
}

static const struct {
	const char *key;
	int (*take)(const struct reader *r, const struct ks_json *node);
} keys[] = {
	{"id", take_id}, {"name", take_name}, {"problem", take_problem},
	{"target", take_target}, {"arch", take_arch}, {"flags", take_flags},
	{"files", take_files}, {"threads", take_threads}, {"goal", take_goal},
	{"agent", take_agent}, {"mode", take_mode}, {"budget", take_budget},
	{"policy", take_policy}, {"permissions", take_permissions}, {"shim", take_shim},
};

static int take_member(const struct reader *r, const struct ks_json *node)
{
	const size_t n = sizeof(keys) / sizeof(keys[0]);
	const char *key = ks_json_key(node);
	struct ks_buf known = {0};
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(key, keys[i].key) == 0) {
			return keys[i].take(r, node);
		}
	}
	if (strncmp(key, "x-", 2) == 0) {
		return KS_OK;
	}
	for (i = 0; i < n; i++) {
		ks_buf_addf(&known, "%s%s", i ? ", " : "", keys[i].key);
	}
	ks_err_set(r->err, KS_EINVAL, "%s: $.%.64s: not a key; known are %s", r->file, key,
		known.ptr);
	ks_buf_fini(&known);
	return KS_EINVAL;
}

int ks_campaign_parse(struct ks_campaign *out, struct ks_str text, const char *file,
	struct ks_err *err)
{
	struct ks_campaign c = {.threads = 1};
	struct reader r = {file, &c, err};
	struct ks_json *doc = NULL;
	const struct ks_json *item;
	int rc = ks_json_parse(&doc, text.ptr ? text.ptr : "", text.len, err);

	if (rc < 0) {
		ks_err_prefix(err, "%s", file);
		return rc;
	}
	c.problem = ks_strdup("problem");
	if (ks_json_type(doc) != KS_JSON_OBJECT) {
		rc = ks_err_set(err, KS_EINVAL, "%s: $: expected an object", file);
	}
	for (item = ks_json_first(doc); item && rc == KS_OK; item = ks_json_next(item)) {
		rc = take_member(&r, item);
	}
	ks_json_free(doc);
	if (rc < 0) {
		ks_campaign_fini(&c);
		return rc;
	}
	*out = c;
	return KS_OK;
}

/* A file that people wrote without an id still needs one that stays. */
static char *id_of_place(const char *path)
{
	char *real = realpath(path, NULL);
	const char *name = real ? real : path;
	char hex[KS_HASH_HEX];

	ks_hash_of(name, strlen(name), hex);
	free(real);
	return ks_strndup(hex, 12);
}

int ks_campaign_read(struct ks_campaign *out, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	int rc = ks_file_read(&text, path, CONFIG_MAX, err);

	if (rc == KS_OK) {
		rc = ks_campaign_parse(out, ks_buf_str(&text), path, err);
	}
	if (rc == KS_OK && !out->id) {
		out->id = id_of_place(path);
	}
	ks_buf_fini(&text);
	return rc;
}

/* ---- writing ---- */

static int make_id(struct ks_campaign *c, struct ks_err *err)
{
	unsigned char bytes[6];

	if (c->id) {
		return KS_OK;
	}
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		return ks_err_sys(err, errno, "make an id for the campaign");
	}
	c->id = ks_asprintf("%02x%02x%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3],
		bytes[4], bytes[5]);
	return KS_OK;
}

static void write_strings(struct ks_jw *w, const char *key, const struct ks_strings *list)
{
	size_t i;

	if (list->count == 0) {
		return;
	}
	ks_jw_open_array(w, key);
	for (i = 0; i < list->count; i++) {
		ks_jw_str(w, NULL, list->items[i]);
	}
	ks_jw_close_array(w);
}

static void write_string(struct ks_jw *w, const char *key, const char *value)
{
	if (value) {
		ks_jw_str(w, key, value);
	}
}

static void write_count(struct ks_jw *w, const char *key, int64_t value)
{
	if (value > 0) {
		ks_jw_int(w, key, value);
	}
}

/* agent holds more than we know of, so it is written from its own text, with
 * the members driver and command on top of it. */
static int write_agent(struct ks_jw *w, const struct ks_campaign *c, struct ks_err *err)
{
	struct ks_json *doc = NULL;
	const struct ks_json *item;
	int rc = KS_OK;

	if (!c->driver && !c->agent) {
		return KS_OK;
	}
	if (c->agent) {
		rc = ks_json_parse(&doc, c->agent, strlen(c->agent), err);
	}
	if (rc < 0) {
		ks_err_prefix(err, "campaign.json: $.agent");
		return rc;
	}
	ks_jw_open(w, "agent");
	write_string(w, "driver", c->driver ? c->driver : ks_json_get_str(doc, "driver", NULL));
	write_strings(w, "command", &c->command);
	for (item = ks_json_first(doc); item; item = ks_json_next(item)) {
		const char *key = ks_json_key(item);

		if (key && strcmp(key, "driver") != 0 && strcmp(key, "command") != 0) {
			ks_jw_node(w, key, item);
		}
	}
	ks_jw_close(w);
	ks_json_free(doc);
	return KS_OK;
}

static void write_budget(struct ks_jw *w, const struct ks_budget *b)
{
	if (b->hours <= 0 && b->dollars <= 0 && b->evaluations <= 0 && b->turns <= 0 &&
		b->tool_calls <= 0 && b->tokens <= 0) {
		return;
	}
	ks_jw_open(w, "budget");
	if (b->hours > 0) {
		ks_jw_num(w, "hours", b->hours);
	}
	write_count(w, "evaluations", b->evaluations);
	write_count(w, "turns", b->turns);
	write_count(w, "tool_calls", b->tool_calls);
	write_count(w, "tokens", b->tokens);
	if (b->dollars > 0) {
		ks_jw_num(w, "dollars", b->dollars);
	}
	ks_jw_close(w);
}

static void write_policy(struct ks_jw *w, const struct ks_settings *settings)
{
	bool open = false;

	for (int i = 0; i < KS_SETTINGS; i++) {
		if (settings->item[i].set && !open) {
			open = true;
			ks_jw_open(w, "policy");
		}
		if (settings->item[i].set) {
			ks_jw_int(w, ks_setting_info(i)->name, settings->item[i].value);
		}
	}
	if (open) {
		ks_jw_close(w);
	}
}

int ks_campaign_write(struct ks_campaign *c, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_jw w;
	int rc = make_id(c, err);

	if (rc < 0) {
		return rc;
	}
	ks_jw_init(&w, &text);
	w.pretty = true;
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "id", c->id);
	write_string(&w, "name", c->name);
	ks_jw_str(&w, "problem", c->problem ? c->problem : "problem");
	ks_jw_str(&w, "target", ks_target_name(c->target));
	write_string(&w, "arch", c->arch);
	write_strings(&w, "flags", &c->flags);
	write_strings(&w, "files", &c->files);
	ks_jw_int(&w, "threads", c->threads > 0 ? c->threads : 1);
	write_strings(&w, "goal", &c->goal);
	rc = write_agent(&w, c, err);
	write_string(&w, "mode", c->mode);
	write_budget(&w, &c->budget);
	write_policy(&w, &c->policy);
	write_strings(&w, "permissions", &c->permissions);
	if (c->no_shim) {
		ks_jw_bool(&w, "shim", false);
	}
	ks_jw_close(&w);
	ks_buf_addc(&text, '\n');
	if (rc == KS_OK) {
		rc = ks_file_write(path, ks_buf_str(&text), 0644, err);
	}
	ks_buf_fini(&text);
	return rc;
}
