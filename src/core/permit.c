/* The rules: see permit.h. Where a command reaches is in permit_shell.c. */
#include "core/permit.h"

#include <stdio.h>
#include <string.h>

#include "core/permit_impl.h"

static const char *const tools[] = {
	"any", "shell", "read", "edit", "write", "eval", "search", "fetch", "agent", "other",
};

/* The next word; the rest of the line stays. */
static struct ks_str word(struct ks_str *line)
{
	struct ks_str out;
	size_t n = 0;

	*line = ks_str_trim(*line);
	while (n < line->len && line->ptr[n] != ' ' && line->ptr[n] != '\t') {
		n++;
	}
	out = (struct ks_str){line->ptr, n};
	line->ptr += n;
	line->len -= n;
	return out;
}

static bool known_tools(struct ks_str list)
{
	struct ks_str name;

	if (list.len == 0) {
		return false;
	}
	while (ks_str_next(&list, ',', &name)) {
		bool found = false;

		for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
			found = found || ks_str_is(name, tools[i]);
		}
		if (!found) {
			return false;
		}
	}
	return true;
}

int ks_permit_parse(struct ks_permit *out, struct ks_str line, struct ks_err *err)
{
	struct ks_str whole = ks_str_trim(line);
	struct ks_str what = word(&line), who = word(&line), where = word(&line);
	struct ks_permit rule = {.what = KS_PERMIT_ASK};

	line = ks_str_trim(line);
	if (ks_str_is(what, "allow")) {
		rule.what = KS_PERMIT_ALLOW;
	} else if (ks_str_is(what, "reject")) {
		rule.what = KS_PERMIT_REJECT;
	} else if (!ks_str_is(what, "ask")) {
		return ks_err_set(err, KS_EINVAL, "rule \"%.*s\": begins with none of allow, ask, "
			"reject", (int)(whole.len > 80 ? 80 : whole.len), whole.ptr);
	}
	if (!known_tools(who) || who.len >= sizeof(rule.tools)) {
		return ks_err_set(err, KS_EINVAL,
			"rule \"%.*s\": the second word is any, or some of "
			"shell, read, edit, write, eval, search, fetch, agent, other",
			(int)(whole.len > 80 ? 80 : whole.len), whole.ptr);
	}
	rule.inside = ks_str_is(where, "inside") || ks_str_is(where, "any");
	rule.outside = ks_str_is(where, "outside") || ks_str_is(where, "any");
	if (!rule.inside && !rule.outside) {
		return ks_err_set(err, KS_EINVAL,
			"rule \"%.*s\": the third word is inside, outside or "
			"any", (int)(whole.len > 80 ? 80 : whole.len), whole.ptr);
	}
	if (line.len >= sizeof(rule.pattern)) {
		return ks_err_set(err, KS_ELIMIT,
			"rule \"%.40s...\": the pattern has more than %zu "
			"bytes", whole.ptr, sizeof(rule.pattern) - 1);
	}
	memcpy(rule.tools, who.ptr, who.len);
	if (line.len > 0) {
		memcpy(rule.pattern, line.ptr, line.len);
	}
	*out = rule;
	return 0;
}

static bool has_tool(const struct ks_permit *rule, const char *tool)
{
	struct ks_str list = ks_str_of(rule->tools), name;

	while (ks_str_next(&list, ',', &name)) {
		if (ks_str_is(name, "any") || ks_str_is(name, tool)) {
			return true;
		}
	}
	return false;
}

/* Greedy matching with one place to come back to: no recursion, and at most
 * text times pattern steps. */
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL, *back = NULL;

	while (*text != '\0') {
		if (*pattern == '*') {
			star = pattern++;
			back = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star + 1;
			text = ++back;
		} else {
			return false;
		}
	}
	while (*pattern == '*') {
		pattern++;
	}
	return *pattern == '\0';
}

bool ks_permit_inside(const struct ks_permit_asked *asked, char *why, size_t size)
{
	bool shell = strcmp(asked->tool, "shell") == 0;
	const char *path = asked->path[0] != '\0' ? asked->path : asked->text;

	why[0] = '\0';
	if (asked->cut) {
		snprintf(why, size, "too long to be judged by a rule");
		return false;
	}
	if (strcmp(asked->tool, "eval") == 0 || strcmp(asked->tool, "agent") == 0
		|| (strcmp(asked->tool, "search") == 0 && path[0] == '\0')) {
		return true;
	}
	if (strcmp(asked->tool, "fetch") == 0) {
		snprintf(why, size, "uses the network");
		return false;
	}
	if (shell) {
		return ks_permit_shell(asked->text, asked->folder, why, size);
	}
	if (strcmp(asked->tool, "other") == 0 || path[0] == '\0') {
		snprintf(why, size, "what it reaches is not known");
		return false;
	}
	return ks_permit_path(path, asked->folder, strcmp(asked->tool, "read") == 0
		|| strcmp(asked->tool, "search") == 0, why, size);
}

enum ks_permit_do ks_permit_decide(const struct ks_permit *rules, size_t count,
	const struct ks_permit_asked *asked, char *why, size_t size)
{
	char reach[120];
	bool inside = ks_permit_inside(asked, reach, sizeof(reach));
	const char *text = asked->text[0] != '\0' ? asked->text : asked->path;

	for (size_t i = 0; i < count; i++) {
		if (!has_tool(&rules[i], asked->tool)
			|| !(inside ? rules[i].inside : rules[i].outside)
			|| (rules[i].pattern[0] != '\0'
				&& (asked->cut || !matches(rules[i].pattern, text)))) {
			continue;
		}
		snprintf(why, size, "rule %zu", i + 1);
		return rules[i].what;
	}
	snprintf(why, size, "%s", inside ? "inside the campaign's folder" : reach);
	return inside ? KS_PERMIT_ALLOW : KS_PERMIT_ASK;
}
