/*
 * Reading a script, strictly: what is not understood is refused with its place,
 * so that a typing error is no silent change of a demonstration.
 */
#include <stdio.h>
#include <string.h>

#include "agent/script.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#define SHELL_LIMIT_S 60
#define SHELL_LIMIT_MAX_S 3600
#define PAUSE_MAX_MS 600000
#define TEXT_MAX (64u * 1024)
#define ARGS_MAX 32
#define TAKES_MAX 16

static const struct {
	const char *name;
	const char *members; /* known ones beside "do"; '!' must be there */
} kinds[KS_DOS] = {
	[KS_DO_SAY] = {"say", "!text else when"},
	[KS_DO_THINK] = {"think", "!text else when"},
	[KS_DO_CLAIM] = {"claim", "!text else when"},
	[KS_DO_SHELL] = {"shell", "!cmd limit_s take when"},
	[KS_DO_EDIT] = {"edit", "!file !from when"},
	[KS_DO_EVAL] = {"eval", "args take when"},
	[KS_DO_WAIT] = {"wait", "!for"},
	[KS_DO_BRANCH] = {"branch", "!on !of !cases !else"},
	[KS_DO_LABEL] = {"label", "!name"},
	[KS_DO_GOTO] = {"goto", "!label when"},
	[KS_DO_PAUSE] = {"pause", "!ms"},
	[KS_DO_END] = {"end", ""},
};

struct reader {
	struct ks_script *script;
	char *dir;                   /* the script's folder */
	size_t i;                    /* step that is read */
	const struct ks_json *node;
	struct ks_err *err;
};

static int bad(const struct reader *r, const char *member, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int bad(const struct reader *r, const char *member, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ks_err_set(r->err, KS_EINVAL, "%s: $.steps[%zu]%s%s: %s", r->script->file, r->i,
		*member != '\0' ? "." : "", member, text);
}

/* Whether the word list has the member; *out_must tells "!". */
static bool listed(const char *members, const char *key, bool *out_must)
{
	struct ks_str rest = ks_str_of(members), word;

	while (ks_str_next(&rest, ' ', &word)) {
		*out_must = word.len > 0 && word.ptr[0] == '!';
		if (*out_must) {
			word.ptr++;
			word.len--;
		}
		if (ks_str_is(word, key)) {
			return true;
		}
	}
	return false;
}

static int check_members(const struct reader *r, enum ks_script_do what)
{
	struct ks_str rest = ks_str_of(kinds[what].members), word;
	bool must;

	for (const struct ks_json *m = ks_json_first(r->node); m != NULL; m = ks_json_next(m)) {
		const char *key = ks_json_key(m);

		if (strcmp(key, "do") != 0 && strcmp(key, "note") != 0 &&
			!listed(kinds[what].members, key, &must)) {
			return bad(r, key, "not known for \"%s\"", kinds[what].name);
		}
	}
	while (ks_str_next(&rest, ' ', &word)) {
		char key[32];

		if (word.len == 0 || word.ptr[0] != '!') {
			continue;
		}
		snprintf(key, sizeof(key), "%.*s", (int)word.len - 1, word.ptr + 1);
		if (ks_json_get(r->node, key) == NULL) {
			return bad(r, key, "missing for \"%s\"", kinds[what].name);
		}
	}
	return 0;
}

/* A text of 1 byte to TEXT_MAX; gives. */
static int text_of(const struct reader *r, const char *member, char **out)
{
	const char *text = ks_json_get_str(r->node, member, NULL);

	if (text == NULL || *text == '\0') {
		return bad(r, member, "not a text");
	}
	if (strlen(text) > TEXT_MAX) {
		return bad(r, member, "longer than %u bytes", TEXT_MAX);
	}
	*out = ks_strdup(text);
	return 0;
}

static int whole(const struct reader *r, const char *member, int64_t fallback, int64_t max,
	int64_t *out)
{
	const struct ks_json *node = ks_json_get(r->node, member);
	int64_t value = node == NULL ? fallback : ks_json_int(node, -1);

	if (value < 1 || value > max) {
		return bad(r, member, "not a whole number from 1 to %lld", (long long)max);
	}
	*out = value;
	return 0;
}

static int word(const struct reader *r, const char *member, const char *allowed)
{
	const char *text = ks_json_get_str(r->node, member, "");

	return strcmp(text, allowed) == 0 ? 0 : bad(r, member, "not \"%s\"", allowed);
}

static int read_say(const struct reader *r, struct ks_script_step *step)
{
	int rc = text_of(r, "text", &step->text);

	if (rc == 0 && ks_json_get(r->node, "else") != NULL) {
		rc = ks_figures_used(step) ? text_of(r, "else", &step->otherwise)
			: bad(r, "else", "the text has no {figure} that can be missing");
	}
	return rc;
}

static int read_takes(const struct reader *r, struct ks_script_step *step)
{
	const struct ks_json *takes = ks_json_get(r->node, "take");
	size_t count = ks_json_count(takes);

	if (takes == NULL) {
		return 0;
	}
	if (ks_json_type(takes) != KS_JSON_OBJECT || count == 0 || count > TAKES_MAX) {
		return bad(r, "take", "not an object of 1 to %d names and patterns", TAKES_MAX);
	}
	step->takes = ks_zalloc(count, sizeof(*step->takes));
	for (const struct ks_json *m = ks_json_first(takes); m != NULL; m = ks_json_next(m)) {
		struct ks_script_take *take = &step->takes[step->n_takes];

		if (!ks_figure_is_name(ks_json_key(m))) {
			return bad(r, "take", "\"%.40s\" is no name (a to z, 0 to 9, _)",
				ks_json_key(m));
		}
		if (ks_regex_new(&take->pattern, ks_json_str(m, ""), KS_REGEX_MULTILINE,
			r->err) < 0) {
			ks_err_prefix(r->err, "%s: $.steps[%zu].take: \"%.40s\"",
				r->script->file, r->i, ks_json_key(m));
			return KS_EINVAL;
		}
		take->name = ks_strdup(ks_json_key(m));
		step->n_takes++;
	}
	return 0;
}

static int read_shell(const struct reader *r, struct ks_script_step *step)
{
	int64_t limit_s = 0;
	int rc = text_of(r, "cmd", &step->text);

	if (rc == 0) {
		rc = whole(r, "limit_s", SHELL_LIMIT_S, SHELL_LIMIT_MAX_S, &limit_s);
	}
	step->ms = limit_s * 1000;
	return rc == 0 ? read_takes(r, step) : rc;
}

static int read_edit(const struct reader *r, struct ks_script_step *step)
{
	char *from = NULL;
	int rc = text_of(r, "file", &step->text);

	if (rc == 0 && (!ks_path_is_plain(step->text) || step->text[0] == '.')) {
		rc = bad(r, "file", "%.80s: not a plain path inside the campaign", step->text);
	}
	if (rc == 0) {
		rc = text_of(r, "from", &from);
	}
	if (rc == 0 && !ks_path_is_plain(from)) {
		rc = bad(r, "from", "%.80s: not a plain path beside the script", from);
	}
	if (rc == 0) {
		step->from = ks_path_join(r->dir, from);
		if (!ks_file_exists(step->from) || ks_file_is_dir(step->from)) {
			rc = bad(r, "from", "%.80s: no such file beside the script", from);
		}
	}
	free(from);
	return rc;
}

static int read_eval(const struct reader *r, struct ks_script_step *step)
{
	const struct ks_json *args = ks_json_get(r->node, "args");
	size_t count = ks_json_count(args), i = 0;

	if (args == NULL) {
		return read_takes(r, step);
	}
	if (ks_json_type(args) != KS_JSON_ARRAY || count > ARGS_MAX) {
		return bad(r, "args", "not a list of at most %d texts", ARGS_MAX);
	}
	step->args = ks_zalloc(count + 1, sizeof(*step->args));
	for (const struct ks_json *m = ks_json_first(args); m != NULL; m = ks_json_next(m)) {
		const char *text = ks_json_str(m, NULL);

		if (text == NULL) {
			return bad(r, "args", "item %zu is not a text", i);
		}
		step->args[i++] = ks_strdup(text);
	}
	return read_takes(r, step);
}

static int read_branch(const struct reader *r, struct ks_script_step *step)
{
	const struct ks_json *cases = ks_json_get(r->node, "cases");
	const char *of = ks_json_get_str(r->node, "of", "");
	int rc = word(r, "on", "layer");

	if (rc < 0) {
		return rc;
	}
	step->any_message = strcmp(of, "last-message") == 0;
	if (!step->any_message && strcmp(of, "last-question") != 0) {
		return bad(r, "of", "neither \"last-question\" nor \"last-message\"");
	}
	if (ks_json_type(cases) != KS_JSON_OBJECT || ks_json_count(cases) == 0) {
		return bad(r, "cases", "not an object of layers and labels");
	}
	for (const struct ks_json *m = ks_json_first(cases); m != NULL; m = ks_json_next(m)) {
		const char *key = ks_json_key(m);

		if (strlen(key) != 1 || strchr(KS_SCRIPT_LAYERS, *key) == NULL) {
			return bad(r, "cases", "\"%.20s\" is no layer (one of %s)", key,
				KS_SCRIPT_LAYERS);
		}
	}
	return text_of(r, "else", &step->text);
}

static int read_when(const struct reader *r, struct ks_script_step *step)
{
	struct ks_str rest = ks_str_of(ks_json_get_str(r->node, "when", "")), word;

	if (ks_json_get(r->node, "when") == NULL) {
		return 0;
	}
	while (ks_str_next(&rest, ' ', &word)) {
		unsigned outcome = ks_outcome_of(word);

		if (outcome == 0) {
			return bad(r, "when", "\"%.*s\" is none of better, same, worse, wrong and "
				"failed", (int)(word.len < 40 ? word.len : 40), word.ptr);
		}
		step->when |= outcome;
	}
	return step->when != 0 ? 0 : bad(r, "when", "not a text");
}

static int read_kind(struct reader *r, struct ks_script_step *step)
{
	switch (step->what) {
	case KS_DO_SAY:
	case KS_DO_THINK:
	case KS_DO_CLAIM:
		return read_say(r, step);
	case KS_DO_SHELL:
		return read_shell(r, step);
	case KS_DO_EDIT:
		return read_edit(r, step);
	case KS_DO_EVAL:
		return read_eval(r, step);
	case KS_DO_WAIT:
		return word(r, "for", "human");
	case KS_DO_BRANCH:
		return read_branch(r, step);
	case KS_DO_LABEL:
		return text_of(r, "name", &step->text);
	case KS_DO_GOTO:
		return text_of(r, "label", &step->text);
	case KS_DO_PAUSE:
		return whole(r, "ms", -1, PAUSE_MAX_MS, &step->ms);
	default:
		return 0;
	}
}

static int read_step(struct reader *r, struct ks_script_step *step)
{
	const char *name = ks_json_get_str(r->node, "do", NULL);
	int what = 0, rc;

	if (ks_json_type(r->node) != KS_JSON_OBJECT) {
		return bad(r, "", "not an object");
	}
	if (name == NULL) {
		return bad(r, "do", "missing");
	}
	while (what < KS_DOS && strcmp(kinds[what].name, name) != 0) {
		what++;
	}
	if (what == KS_DOS) {
		return bad(r, "do", "\"%.40s\" is no step", name);
	}
	step->what = (enum ks_script_do)what;
	rc = check_members(r, step->what);
	if (rc == 0) {
		rc = read_when(r, step);
	}
	return rc < 0 ? rc : read_kind(r, step);
}

/* ---- labels ---- */

static int find_label(const struct reader *r, const char *member, const char *label,
	size_t *out)
{
	for (size_t i = 0; i < r->script->count; i++) {
		const struct ks_script_step *step = &r->script->steps[i];

		if (step->what == KS_DO_LABEL && strcmp(step->text, label) == 0) {
			*out = i;
			return 0;
		}
	}
	return bad(r, member, "no label \"%.60s\"", label);
}

static int link_branch(const struct reader *r, struct ks_script_step *step)
{
	const struct ks_json *cases = ks_json_get(r->node, "cases");
	int rc = find_label(r, "else", step->text, &step->target);

	for (size_t i = 0; i < sizeof(step->cases) / sizeof(step->cases[0]); i++) {
		step->cases[i] = step->target;
	}
	for (const struct ks_json *m = ks_json_first(cases); rc == 0 && m != NULL;
		m = ks_json_next(m)) {
		const char *label = ks_json_str(m, "");
		size_t layer = (size_t)(strchr(KS_SCRIPT_LAYERS, *ks_json_key(m)) -
			KS_SCRIPT_LAYERS);

		rc = find_label(r, "cases", label, &step->cases[layer]);
	}
	return rc;
}

static int link_step(const struct reader *r, struct ks_script_step *step)
{
	struct ks_str unknown;
	size_t first = 0;

	switch (step->what) {
	case KS_DO_SAY:
	case KS_DO_THINK:
	case KS_DO_CLAIM:
		return ks_figures_known(r->script, step, &unknown) ? 0 : bad(r, "text",
			"no step takes {%.*s}", (int)unknown.len, unknown.ptr);
	case KS_DO_GOTO:
		return find_label(r, "label", step->text, &step->target);
	case KS_DO_BRANCH:
		return link_branch(r, step);
	case KS_DO_LABEL:
		find_label(r, "name", step->text, &first);
		return first == r->i ? 0 : bad(r, "name", "\"%.60s\" is also at $.steps[%zu]",
			step->text, first);
	default:
		return 0;
	}
}

/* ---- the whole ---- */

static int check_top(const struct ks_script *script, const struct ks_json *doc,
	struct ks_err *err)
{
	const struct ks_json *steps = ks_json_get(doc, "steps");

	if (ks_json_get_int(doc, "kseek_script", 0) != 1) {
		return ks_err_set(err, KS_EINVAL, "%s: $.kseek_script: not 1", script->file);
	}
	for (const struct ks_json *m = ks_json_first(doc); m != NULL; m = ks_json_next(m)) {
		const char *key = ks_json_key(m);

		if (strcmp(key, "kseek_script") != 0 && strcmp(key, "name") != 0 &&
			strcmp(key, "note") != 0 && strcmp(key, "steps") != 0) {
			return ks_err_set(err, KS_EINVAL, "%s: $.%.60s: not known",
				script->file, key);
		}
	}
	if (ks_json_get_str(doc, "name", "")[0] == '\0') {
		return ks_err_set(err, KS_EINVAL, "%s: $.name: not a text", script->file);
	}
	if (ks_json_type(steps) != KS_JSON_ARRAY || ks_json_count(steps) == 0 ||
		ks_json_count(steps) > KS_SCRIPT_STEPS_MAX) {
		return ks_err_set(err, KS_EINVAL, "%s: $.steps: not a list of 1 to %d steps",
			script->file, KS_SCRIPT_STEPS_MAX);
	}
	return 0;
}

static int read_doc(struct reader *r, const struct ks_json *doc)
{
	const struct ks_json *steps = ks_json_get(doc, "steps");
	int rc = check_top(r->script, doc, r->err);

	if (rc < 0) {
		return rc;
	}
	r->script->name = ks_strdup(ks_json_get_str(doc, "name", ""));
	r->script->count = ks_json_count(steps);
	r->script->steps = ks_zalloc(r->script->count, sizeof(*r->script->steps));
	r->node = ks_json_first(steps);
	for (r->i = 0; rc == 0 && r->node != NULL; r->node = ks_json_next(r->node), r->i++) {
		rc = read_step(r, &r->script->steps[r->i]);
		if (rc < 0) {
			return rc;
		}
	}
	r->node = ks_json_first(steps);
	for (r->i = 0; r->node != NULL; r->node = ks_json_next(r->node), r->i++) {
		rc = link_step(r, &r->script->steps[r->i]);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

int ks_script_read(struct ks_script *out, const char *path, struct ks_err *err)
{
	struct ks_script script = {.file = ks_strdup(ks_path_base(path))};
	struct reader r = {.script = &script, .dir = ks_path_dir(path), .err = err};
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	int rc = ks_file_read(&text, path, KS_SCRIPT_FILE_MAX, err);

	if (rc == 0) {
		rc = ks_json_parse(&doc, text.ptr != NULL ? text.ptr : "", text.len, err);
		if (rc < 0) {
			ks_err_prefix(err, "%s", script.file);
		}
	}
	if (rc == 0) {
		rc = read_doc(&r, doc);
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
	free(r.dir);
	if (rc < 0) {
		ks_script_fini(&script);
		return rc;
	}
	*out = script;
	return 0;
}

void ks_script_fini(struct ks_script *script)
{
	if (script == NULL) {
		return;
	}
	for (size_t i = 0; i < script->count; i++) {
		struct ks_script_step *step = &script->steps[i];

		for (char **arg = step->args; arg != NULL && *arg != NULL; arg++) {
			free(*arg);
		}
		free(step->args);
		ks_figures_fini(step);
		free(step->text);
		free(step->otherwise);
		free(step->from);
	}
	free(script->steps);
	free(script->file);
	free(script->name);
	*script = (struct ks_script){0};
}
