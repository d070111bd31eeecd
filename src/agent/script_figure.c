/*
 * Figures of a script: what its commands print, taken by a pattern, so that it can
 * quote its own measurements. A figure lasts until the step that takes it runs
 * again; it is made of digits, signs and points, whatever the command prints.
 */
#include <string.h>

#include "agent/script.h"
#include "base/mem.h"

#define FIGURE_MAX 32

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The next "{name}" in the text, or NULL; *out_name is what stands between. */
static const char *next_place(const char *text, struct ks_str *out_name)
{
	for (const char *at = strchr(text, '{'); at != NULL; at = strchr(at + 1, '{')) {
		size_t len = 0;

		while (is_name(at[1 + len])) {
			len++;
		}
		if (len > 0 && at[1 + len] == '}') {
			*out_name = (struct ks_str){at + 1, len};
			return at;
		}
	}
	return NULL;
}

static const struct ks_script_take *find(const struct ks_script *script, struct ks_str name,
	bool known)
{
	for (size_t i = 0; i < script->count; i++) {
		const struct ks_script_step *step = &script->steps[i];

		for (size_t k = 0; k < step->n_takes; k++) {
			if (ks_str_is(name, step->takes[k].name)
				&& (!known || step->takes[k].value != NULL)) {
				return &step->takes[k];
			}
		}
	}
	return NULL;
}

bool ks_figure_is_name(const char *name)
{
	size_t len = 0;

	while (is_name(name[len])) {
		len++;
	}
	return len > 0 && len < FIGURE_MAX && name[len] == '\0';
}

bool ks_figures_used(const struct ks_script_step *step)
{
	struct ks_str name;

	return next_place(step->text, &name) != NULL;
}

bool ks_figures_known(const struct ks_script *script, const struct ks_script_step *step,
	struct ks_str *out_unknown)
{
	const char *text = step->text;
	struct ks_str name;

	while ((text = next_place(text, &name)) != NULL) {
		if (find(script, name, false) == NULL) {
			*out_unknown = name;
			return false;
		}
		text += name.len + 2;
	}
	return true;
}

/* What was taken of the same name elsewhere is older, and goes. */
static void forget(struct ks_script *script, const char *name)
{
	for (size_t i = 0; i < script->count; i++) {
		for (size_t k = 0; k < script->steps[i].n_takes; k++) {
			struct ks_script_take *take = &script->steps[i].takes[k];

			if (strcmp(take->name, name) == 0) {
				free(take->value);
				take->value = NULL;
			}
		}
	}
}

void ks_figures_take(struct ks_script *script, struct ks_script_step *step,
	struct ks_str output)
{
	for (size_t k = 0; k < step->n_takes; k++) {
		struct ks_script_take *take = &step->takes[k];
		struct ks_str groups[KS_REGEX_GROUPS] = {{0}};

		forget(script, take->name);
		if (!ks_regex_match(take->pattern, output, 0, groups)) {
			continue;
		}
		struct ks_str value = groups[1].ptr != NULL ? groups[1] : groups[0];
		if (value.len > 0 && value.len < FIGURE_MAX) {
			char *copy = ks_strndup(value.ptr, value.len);
			if (strspn(copy, "0123456789.,+-eE") == value.len) {
				take->value = copy;
			} else {
				free(copy);
			}
		}
	}
}

char *ks_figures_text(const struct ks_script *script, const struct ks_script_step *step)
{
	struct ks_buf out = {0};
	const char *text = step->text, *at;
	struct ks_str name;

	while ((at = next_place(text, &name)) != NULL) {
		const struct ks_script_take *take = find(script, name, true);

		if (take == NULL) {
			ks_buf_fini(&out);
			return ks_strdup(step->otherwise);
		}
		ks_buf_addf(&out, "%.*s%s", (int)(at - text), text, take->value);
		text = at + name.len + 2;
	}
	ks_buf_adds(&out, text);
	return ks_buf_take(&out);
}

void ks_figures_fini(struct ks_script_step *step)
{
	for (size_t k = 0; k < step->n_takes; k++) {
		free(step->takes[k].name);
		free(step->takes[k].value);
		ks_regex_free(step->takes[k].pattern);
	}
	free(step->takes);
	step->takes = NULL;
	step->n_takes = 0;
}
