/*
 * Shell text cut into simple commands, as far as a reader needs it: quotes,
 * escapes, separators, comments, here-documents, redirections, assignments and
 * wrappers (timeout, env, sudo, time ...). It is no shell: what it does not
 * understand stays one word. Every loop moves forward; nothing is executed.
 */
#include <string.h>
#include <strings.h>

#include "core/layer_impl.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool has(struct ks_str hay, const char *needle, size_t len)
{
	char first = len > 0 ? *needle : '\0', other = first;

	if ((first | 32) >= 'a' && (first | 32) <= 'z') {
		other = (char)(first ^ 32);
	}
	for (size_t i = 0; i + len <= hay.len; i++) {
		if ((hay.ptr[i] == first || hay.ptr[i] == other) &&
		    strncasecmp(hay.ptr + i, needle, len) == 0) {
			return true;
		}
	}
	return false;
}

bool text_has(struct ks_str hay, const char *needle)
{
	return has(hay, needle, strlen(needle));
}

/* The next of the words between bars; in place, since these lists are walked
 * for every call of an agent. */
static bool next_of(const char **list, struct ks_str *out)
{
	const char *at = *list;
	size_t len = 0;

	if (*at == '\0') {
		return false;
	}
	while (at[len] != '|' && at[len] != '\0') {
		len++;
	}
	*out = (struct ks_str){at, len};
	*list = at + len + (at[len] == '|' ? 1 : 0);
	return true;
}

/* A pair of letters as a place in a set of 256, letter case apart. */
static unsigned pair_of(const char *at)
{
	return ((unsigned)(at[0] | 32) * 7 + (unsigned)(at[1] | 32)) & 255;
}

/* Most words fail on the first or the last pair of their letters. */
bool text_has_any(struct ks_str hay, const char *list)
{
	struct ks_str item;
	unsigned char pairs[256] = {0};

	for (size_t i = 0; i + 1 < hay.len; i++) {
		pairs[pair_of(hay.ptr + i)] = 1;
	}
	while (next_of(&list, &item)) {
		if (item.len >= 2 && (pairs[pair_of(item.ptr)] == 0
		    || pairs[pair_of(item.ptr + item.len - 2)] == 0)) {
			continue;
		}
		if (has(hay, item.ptr, item.len)) {
			return true;
		}
	}
	return false;
}

bool text_is_any(struct ks_str s, const char *list)
{
	struct ks_str item;

	while (next_of(&list, &item)) {
		if (item.len == s.len && (s.len == 0 || ((item.ptr[0] ^ s.ptr[0]) & ~32) == 0)
		    && strncasecmp(s.ptr, item.ptr, s.len) == 0) {
			return true;
		}
	}
	return false;
}

bool text_ends_any(struct ks_str s, const char *list)
{
	struct ks_str item;

	while (next_of(&list, &item)) {
		if (s.len >= item.len && strncasecmp(s.ptr + s.len - item.len, item.ptr,
		    item.len) == 0) {
			return true;
		}
	}
	return false;
}

/* The place behind the quoted part that starts at i. */
static size_t skip_quoted(struct ks_str s, size_t i)
{
	char quote = s.ptr[i++];

	while (i < s.len && s.ptr[i] != quote) {
		i += s.ptr[i] == '\\' && quote != '\'' && i + 1 < s.len ? 2 : 1;
	}
	return i < s.len ? i + 1 : i;
}

/* Bytes of a separator at i, or 0: && || |& ; | & and newline, but not the &
 * of 2>&1 or &>file and not >|. */
static size_t separator(struct ks_str s, size_t i)
{
	char c = s.ptr[i], next = i + 1 < s.len ? s.ptr[i + 1] : '\0';
	char before = i > 0 ? s.ptr[i - 1] : '\0';

	if (c == '\n' || c == ';') {
		return 1;
	}
	if (c == '|' && before != '>') {
		return next == '|' || next == '&' ? 2 : 1;
	}
	if (c == '&' && before != '>' && before != '<' && next != '>') {
		return next == '&' ? 2 : 1;
	}
	return 0;
}

bool shell_cut(struct ks_str *rest, struct ks_str *out, bool *out_piped)
{
	*out_piped = false;
	for (;;) {
		size_t i = 0, sep = 0;

		while (i < rest->len) {
			char c = rest->ptr[i];

			if (c == '\'' || c == '"' || c == '`') {
				i = skip_quoted(*rest, i);
			} else if (c == '\\' && i + 1 < rest->len) {
				i += 2;
			} else if (c == '#' && (i == 0 || is_blank(rest->ptr[i - 1]))) {
				break;
			} else if ((sep = separator(*rest, i)) != 0) {
				break;
			} else {
				i++;
			}
		}
		bool pipe = sep == 1 && rest->ptr[i] == '|';
		struct ks_str piece = ks_str_trim((struct ks_str){rest->ptr, i});
		if (sep == 0 && i < rest->len) { /* a comment */
			while (i < rest->len && rest->ptr[i] != '\n') {
				i++;
			}
		}
		i += sep;
		i = i < rest->len ? i : rest->len;
		*rest = (struct ks_str){rest->ptr + i, rest->len - i};
		if (piece.len) {
			/* the next call must know that it reads this one: one
			 * step back onto the | */
			if (pipe) {
				*rest = (struct ks_str){rest->ptr - 1, rest->len + 1};
			}
			*out = piece;
			return true;
		}
		*out_piped = *out_piped || pipe;
		if (rest->len == 0) {
			return false;
		}
	}
}

/* ---- here-documents ---- */

/* The delimiter of a here-document whose << stands at i; empty for none. */
static struct ks_str delimiter(struct ks_str s, size_t i)
{
	i += 2;
	if (i < s.len && s.ptr[i] == '<') {
		return (struct ks_str){0}; /* a here-string */
	}
	if (i < s.len && s.ptr[i] == '-') {
		i++;
	}
	while (i < s.len && is_blank(s.ptr[i])) {
		i++;
	}
	bool quoted = i < s.len && (s.ptr[i] == '\'' || s.ptr[i] == '"');
	i += quoted || (i < s.len && s.ptr[i] == '\\');
	size_t start = i;
	while (i < s.len && !is_blank(s.ptr[i]) && s.ptr[i] != '\n' &&
	       !strchr("'\";|&<>()", s.ptr[i])) {
		i++;
	}
	bool word = i > start && (s.ptr[start] == '_' ||
		((s.ptr[start] | 32) >= 'a' && (s.ptr[start] | 32) <= 'z'));
	return (struct ks_str){s.ptr + start, word ? i - start : 0};
}

/* Length of the body at the front of s up to the line that is the delimiter;
 * *out_after is the place behind that line. */
static size_t body_length(struct ks_str s, struct ks_str delim, size_t *out_after)
{
	size_t at = 0;

	while (at < s.len) {
		const char *nl = memchr(s.ptr + at, '\n', s.len - at);
		size_t end = nl ? (size_t)(nl - s.ptr) : s.len;
		struct ks_str line = ks_str_trim((struct ks_str){s.ptr + at, end - at});

		if (ks_str_eq(line, delim)) {
			*out_after = nl ? end + 1 : end;
			return at;
		}
		at = nl ? end + 1 : end;
	}
	*out_after = s.len;
	return s.len;
}

size_t shell_flatten(struct ks_buf *flat, struct ks_str bodies[KS_SHELL_BODIES],
	struct ks_str text)
{
	struct ks_str waiting[KS_SHELL_BODIES];
	size_t wait = 0, found = 0, i = 0;

	while (i < text.len) {
		char c = text.ptr[i];
		size_t step = 1;

		if (c == '\'' || c == '"') {
			step = skip_quoted(text, i) - i;
		} else if (c == '\\' && i + 1 < text.len) {
			step = 2;
		} else if (c == '<' && i + 1 < text.len && text.ptr[i + 1] == '<') {
			struct ks_str delim = delimiter(text, i);

			if (delim.len && wait + found < KS_SHELL_BODIES) {
				waiting[wait++] = delim;
			}
			step = i + 2 < text.len && text.ptr[i + 2] == '<' ? 3 : 2;
		}
		ks_buf_add(flat, text.ptr + i, step);
		i += step;
		for (size_t k = 0; c == '\n' && k < wait; k++) {
			struct ks_str body = {text.ptr + i, text.len - i};
			size_t after = 0;

			body.len = body_length(body, waiting[k], &after);
			bodies[found++] = body;
			i += after;
		}
		wait = c == '\n' ? 0 : wait;
	}
	return found;
}

/* ---- words ---- */

/* Takes the next word off the front of *s, quotes around it dropped. */
static bool next_word(struct ks_str *s, struct ks_str *out)
{
	size_t i = 0;

	while (i < s->len && is_blank(s->ptr[i])) {
		i++;
	}
	size_t start = i;
	while (i < s->len && !is_blank(s->ptr[i])) {
		char c = s->ptr[i];

		if (c == '\'' || c == '"' || c == '`') {
			i = skip_quoted(*s, i);
		} else {
			i += c == '\\' && i + 1 < s->len ? 2 : 1;
		}
	}
	if (i == start) {
		return false;
	}
	struct ks_str w = {s->ptr + start, i - start};
	char q = w.ptr[0];
	if (w.len >= 2 && (q == '\'' || q == '"') && w.ptr[w.len - 1] == q) {
		w = (struct ks_str){w.ptr + 1, w.len - 2};
	}
	*out = w;
	*s = (struct ks_str){s->ptr + i, s->len - i};
	return true;
}

static bool is_assignment(struct ks_str w)
{
	size_t i = 0;

	while (i < w.len && (w.ptr[i] == '_' || (w.ptr[i] >= '0' && w.ptr[i] <= '9') ||
	       ((w.ptr[i] | 32) >= 'a' && (w.ptr[i] | 32) <= 'z'))) {
		i++;
	}
	return i > 0 && i < w.len && w.ptr[i] == '=';
}

static struct ks_str base_name(struct ks_str path)
{
	for (size_t i = path.len; i > 0; i--) {
		if (path.ptr[i - 1] == '/') {
			return (struct ks_str){path.ptr + i, path.len - i};
		}
	}
	return path;
}

static void drop_words(struct shell_cmd *c, size_t n)
{
	n = n < c->words ? n : c->words;
	memmove(c->word, c->word + n, (c->words - n) * sizeof(c->word[0]));
	c->words -= n;
}

/* Words of a wrapper at the front: its name, its options and their values. 0
 * where word[0] is no wrapper. */
static size_t wrapper_words(const struct shell_cmd *c)
{
	struct ks_str prog = base_name(c->word[0]);
	size_t i = 1;

	if (text_is_any(c->word[0], "do|then|else|if|while|until|!|{|(|elif")) {
		return 1;
	}
	if (text_is_any(prog, "uv|poetry|conda|pipenv|micromamba") && c->words > 1 &&
	    ks_str_is(c->word[1], "run")) {
		return 2;
	}
	if (!text_is_any(prog, "timeout|env|sudo|time|nice|ionice|taskset|numactl|"
	    "stdbuf|nohup|command|exec|xargs|srun|setsid|chrt|builtin|unbuffer|"
	    "setarch|catchsegv")) {
		return 0;
	}
	if (ks_str_is(prog, "command") && c->words > 1 &&
	    text_is_any(c->word[1], "-v|-V")) {
		return 0; /* asks where a program is */
	}
	bool valued = text_is_any(prog, "taskset|numactl|nice|ionice|stdbuf|chrt|srun|timeout");
	while (i < c->words && c->word[i].len && c->word[i].ptr[0] == '-') {
		struct ks_str o = c->word[i++];
		bool joined = o.len > 2 && (memchr(o.ptr, '=', o.len) ||
			o.ptr[1] != '-');

		/* "-c 0-3", "-s KILL"; not "-c0", not "--cpunodebind=0" */
		if (valued && !joined && i < c->words && o.len == 2) {
			i++;
		}
	}
	if (ks_str_is(prog, "timeout") && i < c->words) {
		i++; /* its duration */
	}
	while (i < c->words && ks_str_is(prog, "env") && is_assignment(c->word[i])) {
		i++;
	}
	return i;
}

/* Splits off redirections; keeps the file that output goes to. */
static bool is_redirect(struct shell_cmd *c, struct ks_str w, bool *out_next)
{
	size_t i = 0;

	while (i < w.len && ((w.ptr[i] >= '0' && w.ptr[i] <= '9') || w.ptr[i] == '&')) {
		i++;
	}
	if (i >= w.len || (w.ptr[i] != '>' && w.ptr[i] != '<')) {
		return false;
	}
	bool to = w.ptr[i] == '>' && (i == 0 || w.ptr[0] == '1' || w.ptr[0] == '&');
	c->heredoc = c->heredoc || (w.len >= i + 2 && w.ptr[i] == '<' &&
		w.ptr[i + 1] == '<' && !(w.len > i + 2 && w.ptr[i + 2] == '<'));
	while (i < w.len && strchr("<>|-", w.ptr[i])) {
		i++;
	}
	if (i < w.len && w.ptr[i] == '&') {
		return true; /* 2>&1 */
	}
	if (i == w.len) {
		*out_next = true;
	}
	if (to) {
		c->redirect = (struct ks_str){w.ptr + i, w.len - i};
	}
	return true;
}

static void strip_front(struct shell_cmd *c)
{
	for (int guard = 0; guard < 16 && c->words; guard++) {
		size_t n = is_assignment(c->word[0]) ? 1 : wrapper_words(c);

		c->timed = c->timed || (n && ks_str_is(base_name(c->word[0]), "time"));
		c->loop = c->loop || text_is_any(c->word[0], "do|while|until");
		/* /usr/bin/time -v reports faults: a tool of its own */
		if (n > 1 && ks_str_is(base_name(c->word[0]), "time") &&
		    text_has_any(c->text, "time -v|time -f|time --verbose")) {
			return;
		}
		if (n == 0) {
			return;
		}
		drop_words(c, n);
	}
}

/* Words of "ssh host", "docker exec box" in front of what runs there; 0 where it
 * is none of these. */
static size_t remote_words(const struct shell_cmd *c)
{
	bool ssh = ks_str_is(c->prog, "ssh");
	size_t i = 1;

	if (!ssh && !(text_is_any(c->prog, "docker|podman|kubectl") && c->words > 1 &&
	    text_is_any(c->word[1], "exec|run"))) {
		return 0;
	}
	i += ssh ? 0 : 1;
	while (i < c->words && c->word[i].len > 1 && c->word[i].ptr[0] == '-') {
		/* "-p 22", "-w /x"; not "-it", not "--gpus=all" */
		bool valued = c->word[i].len == 2 && strchr("piloFJLRewuvn", c->word[i].ptr[1]);

		i += valued ? 2 : 1;
	}
	i += i < c->words; /* the host or the box */
	i += i < c->words && ks_str_is(c->word[i], "--");
	return i < c->words ? i : 0;
}

/* What a shell inside, or far away, is told to run. */
static struct ks_str inner_of(const struct shell_cmd *c)
{
	size_t far = remote_words(c);

	if (far > 0) {
		const char *end = c->text.ptr + c->text.len;
		struct ks_str first = c->word[far];

		return far + 1 == c->words ? first :
			(struct ks_str){first.ptr, (size_t)(end - first.ptr)};
	}
	for (size_t i = 1; text_is_any(c->prog, "bash|sh|zsh|dash") && i + 1 < c->words; i++) {
		struct ks_str o = c->word[i];

		if (o.len >= 2 && o.ptr[0] == '-' && o.ptr[1] != '-' &&
		    o.ptr[o.len - 1] == 'c') {
			return c->word[i + 1];
		}
	}
	return (struct ks_str){0};
}

void shell_parse(struct shell_cmd *out, struct ks_str command)
{
	struct ks_str rest = command, w;
	bool target_next = false;

	memset(out, 0, sizeof(*out));
	while (command.len && strchr("({", command.ptr[0])) {
		command = ks_str_trim((struct ks_str){command.ptr + 1, command.len - 1});
	}
	rest = command;
	out->text = command;
	while (out->words < KS_SHELL_WORDS && next_word(&rest, &w)) {
		if (target_next) {
			target_next = false;
			if (out->redirect.ptr && out->redirect.len == 0) {
				out->redirect = w;
			}
		} else if (!is_redirect(out, w, &target_next)) {
			out->word[out->words++] = w;
		}
	}
	strip_front(out);
	if (out->words == 0) {
		return;
	}
	out->prog = base_name(out->word[0]);
	out->loop = out->loop || text_is_any(out->prog, "for|seq");
	out->inner = inner_of(out);
}
