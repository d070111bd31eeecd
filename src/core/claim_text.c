/*
 * Agents' text made plain, and cut into sentences. Plain text is ASCII lower
 * case with one blank between words: typographic quotes, dashes, arrows and
 * the marks of markdown are folded, other characters become a blank. Both work
 * in one pass over at most CLAIM_TEXT_MAX bytes, on any input.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "core/claim_impl.h"

/* What a character becomes in plain text; NULL: a blank. */
static const char *folded(int32_t cp)
{
	switch (cp) {
	case 0x2018: case 0x2019: case 0x02bc: return "'";
	case 0x201c: case 0x201d: case 0x00ab: case 0x00bb: return "\"";
	case 0x2010: case 0x2011: return "-";
	case 0x2012: case 0x2013: case 0x2014: case 0x2212: return " - ";
	case 0x2026: return "...";
	case 0x00d7: return "x";
	case 0x00b5: case 0x03bc: return "u";
	case 0x2192: return " -> ";
	case 0x2248: return "~";
	case 0x2264: return "<=";
	case 0x2265: return ">=";
	case 0x2705: case 0x2713: case 0x2714: case 0x2611: return " [done] ";
	default: return NULL;
	}
}

static void put(struct claim_plain *p, char c)
{
	bool blank = c == ' ';

	if (p->len + 1 >= sizeof(p->text) ||
	    (blank && (p->len == 0 || p->text[p->len - 1] == ' '))) {
		return;
	}
	p->text[p->len++] = c;
}

/* Cuts marks at the front: quotes of mail, bullets, headings, comments. */
static struct ks_str cut_front(struct claim_plain *p, struct ks_str s)
{
	for (;;) {
		s = ks_str_trim(s);
		if (ks_str_starts(s, "//") || ks_str_starts(s, "/*")) {
			p->comment = true;
			s = (struct ks_str){s.ptr + 2, s.len - 2};
		} else if (s.len && s.ptr[0] == '#') {
			p->heading = true;
			s = (struct ks_str){s.ptr + 1, s.len - 1};
		} else if (s.len && (s.ptr[0] == '>' || s.ptr[0] == '|' || s.ptr[0] == '*' ||
				s.ptr[0] == '_')) {
			p->row = p->row || s.ptr[0] == '|';
			s = (struct ks_str){s.ptr + 1, s.len - 1};
		} else if (s.len >= 2 && (s.ptr[0] == '-' || s.ptr[0] == '+') && s.ptr[1] == ' ') {
			s = (struct ks_str){s.ptr + 2, s.len - 2};
		} else if (s.len >= 3 && isdigit((unsigned char)s.ptr[0]) &&
				(s.ptr[1] == '.' || s.ptr[1] == ')') && s.ptr[2] == ' ') {
			s = (struct ks_str){s.ptr + 3, s.len - 3};
		} else if (s.len >= 3 && s.ptr[0] == '[' && s.ptr[2] == ']' && s.ptr[1] == ' ') {
			p->open_box = true;
			s = (struct ks_str){s.ptr + 3, s.len - 3};
		} else {
			return s;
		}
	}
}

static void set_ending(struct claim_plain *p)
{
	size_t end = p->len;

	while (end && strchr(" \"'*_)]}", p->text[end - 1])) {
		end--;
	}
	p->question = p->question || (end && p->text[end - 1] == '?');
	p->shouted = end && p->text[end - 1] == '!';
	while (p->len && p->text[p->len - 1] == ' ') {
		p->len--;
	}
	p->text[p->len] = '\0';
	p->quoted = p->text[0] == '"' || strncmp(p->text, "'", 1) == 0;
}

void claim_plain_of(struct claim_plain *out, struct ks_str sentence)
{
	memset(out, 0, sizeof(*out));
	sentence.len = ks_utf8_cut(sentence.ptr, sentence.len, CLAIM_TEXT_MAX - 64);
	struct ks_str s = cut_front(out, sentence);

	for (size_t i = 0; i < s.len;) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x80) {
			bool mark = c == '*' || c == '`' || c < 0x20 || c == 0x7f ||
				(c == '_' && (i == 0 || i + 1 == s.len || s.ptr[i - 1] == ' '));

			put(out, mark ? ' ' : (char)tolower(c));
			i++;
			continue;
		}
		int32_t cp = 0;
		i += ks_utf8_decode(s.ptr + i, s.len - i, &cp);
		const char *as = folded(cp);
		for (const char *a = as ? as : " "; *a; a++) {
			put(out, *a);
		}
	}
	set_ending(out);
}

/* ---- figures ---- */

/* A time in microseconds at *at ("812 us", "1.6ms"); < 0 for none. */
static double time_at(const char *at, const char **out_after)
{
	static const struct {
		const char *unit;
		double us;
	} units[] = {{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}};
	char *end = NULL;

	while (*at == ' ' || *at == '~') {
		at++;
	}
	double value = isdigit((unsigned char)*at) ? strtod(at, &end) : -1;
	if (value < 0 || !end) {
		return -1;
	}
	end += *end == ' ';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(units[i].unit);

		if (strncmp(end, units[i].unit, len) == 0 && !isalpha((unsigned char)end[len])) {
			*out_after = end + len;
			return value * units[i].us;
		}
	}
	return -1;
}

/* "from A to B", "A -> B", "A to B" with units of time: A / B. */
static double fall_at(const char *at)
{
	const char *after = NULL;
	double before = time_at(at, &after);

	if (before <= 0) {
		return 1;
	}
	while (*after == ' ') {
		after++;
	}
	if (strncmp(after, "to ", 3) == 0) {
		after += 3;
	} else if (strncmp(after, "-> ", 3) == 0) {
		after += 3;
	} else {
		return 1;
	}
	double now = time_at(after, &after);
	return now > 0 ? before / now : 1;
}

/* "40x", "40 x", "40-fold", "40 times", "a factor of 40"; not "40x60". */
static double factor_at(const char *text, const char *at)
{
	char *end = NULL;
	double value = strtod(at, &end);
	bool named = at - text >= 10 && strncmp(at - 10, "factor of ", 10) == 0;

	if (*end == ' ' || *end == '-') {
		end++;
	}
	bool times = *end == 'x' && !isalnum((unsigned char)end[1]);
	bool fold = strncmp(end, "fold", 4) == 0 && !isalpha((unsigned char)end[4]);
	bool sign = times || fold || named || strncmp(end, "times ", 6) == 0;
	return sign && value > 1 && value < 1e9 ? value : 1;
}

double claim_largest_gain(const struct claim_plain *plain)
{
	double best = 1;

	for (size_t i = 0; i < plain->len; i++) {
		const char *at = plain->text + i;
		bool starts = isdigit((unsigned char)*at) && (i == 0 ||
			!(isalnum((unsigned char)at[-1]) || at[-1] == '.' || at[-1] == '_'));

		if (!starts) {
			continue;
		}
		double fall = fall_at(at), factor = factor_at(plain->text, at);
		best = fall > best ? fall : best;
		best = factor > best ? factor : best;
	}
	return best;
}

/* ---- cutting ---- */

static bool is_ruler(struct ks_str line)
{
	size_t i = 0;

	while (i < line.len && strchr("|-=:+_* \t", line.ptr[i])) {
		i++;
	}
	return i == line.len;
}

/* Drops lines that no one says: blank ones, rulers, fenced code, quotations. */
static bool next_line(struct ks_str *rest, struct ks_str *out)
{
	struct ks_str line;
	bool fenced = false;

	for (;;) {
		struct ks_str before = *rest;

		if (!ks_str_next(rest, '\n', &line)) {
			return false;
		}
		line = ks_str_trim(line);
		if (ks_str_starts(line, "```") || ks_str_starts(line, "~~~")) {
			fenced = !fenced;
			continue;
		}
		if (fenced || is_ruler(line) || line.ptr[0] == '>') {
			continue;
		}
		/* what of the line is not used goes back to the caller */
		*rest = (struct ks_str){line.ptr,
			before.len - (size_t)(line.ptr - before.ptr)};
		*out = line;
		return true;
	}
}

/* Length of the first sentence of a line. */
static size_t sentence_length(struct ks_str line)
{
	for (size_t i = 0; i + 1 < line.len; i++) {
		char c = line.ptr[i], next = line.ptr[i + 1];
		size_t end = i + 1;

		if (c != '.' && c != '!' && c != '?') {
			continue;
		}
		while (end < line.len && strchr("\"')*_`]!?.", line.ptr[end])) {
			end++;
		}
		if (end >= line.len || (line.ptr[end] != ' ' && line.ptr[end] != '\t')) {
			continue;
		}
		/* "i.e. x", "approx. 3", "vs. y": no new sentence begins */
		size_t after = end;
		while (after < line.len && line.ptr[after] == ' ') {
			after++;
		}
		bool lower = after < line.len && islower((unsigned char)line.ptr[after]);
		bool abbreviation = c == '.' && next == ' ' && (lower || (i > 0 &&
			i < 3 && isdigit((unsigned char)line.ptr[i - 1])));
		if (!abbreviation) {
			return end;
		}
	}
	return line.len;
}

bool ks_claim_next_sentence(struct ks_str *rest, struct ks_str *out)
{
	struct ks_str line;

	if (!next_line(rest, &line)) {
		return false;
	}
	bool whole = line.ptr[0] == '|' || line.ptr[0] == '#';
	size_t len = whole ? line.len : sentence_length(line);
	*out = ks_str_trim((struct ks_str){line.ptr, len});
	/* behind the line's own newline when all of it was used */
	size_t used = (size_t)(line.ptr - rest->ptr) + len;
	*rest = (struct ks_str){rest->ptr + used, rest->len - used};
	return true;
}
