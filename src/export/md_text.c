/*
 * Text in Markdown. Foreign text stands in fences and code spans longer than any
 * run of backticks inside, or is escaped; it can make no heading, link or HTML.
 */
#include <time.h>

#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "export/md_impl.h"

#define BLOCK_MAX 4096
#define ONE_LINE_MAX 400

void ks_export_time(int64_t t, char *out, size_t size)
{
	time_t seconds = (time_t)(t / 1000000);
	struct tm tm;

	if (gmtime_r(&seconds, &tm) == NULL || strftime(out, size, "%Y-%m-%d %H:%M:%S", &tm) == 0) {
		snprintf(out, size, "-");
	}
}

void ks_md_clock(FILE *out, int64_t t)
{
	char when[32];

	ks_export_time(t, when, sizeof(when));
	fputs(strlen(when) > 11 ? when + 11 : when, out);
}

void ks_md_inline(FILE *out, struct ks_str text)
{
	struct ks_buf safe = {0};
	bool first = true; /* nothing but blanks so far */

	ks_sane(&safe, text, KS_SANE_ONE_LINE);
	for (size_t i = 0; i < safe.len; i++) {
		char c = safe.ptr[i];
		if (c == '<') {
			fputs("&lt;", out);
		} else if (c == '&') {
			fputs("&amp;", out);
		} else {
			if (strchr("\\`*_{}[]|#~", c) != NULL || (c == '>' && first)) {
				fputc('\\', out);
			}
			fputc(c, out);
		}
		first = first && c == ' ';
	}
	ks_buf_fini(&safe);
}

void ks_md_inlines(FILE *out, const char *text)
{
	ks_md_inline(out, ks_str_of(text));
}

/* The longest run of backticks, at least `least`. */
static size_t backticks(const struct ks_buf *text, size_t least)
{
	size_t run = 0, longest = least;

	for (size_t i = 0; i < text->len; i++) {
		run = text->ptr[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void put_marks(FILE *out, size_t count)
{
	while (count-- > 0) {
		fputc('`', out);
	}
}

void ks_md_code(FILE *out, struct ks_str text)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, text, KS_SANE_ONE_LINE);
	if (safe.len == 0) {
		fputc('-', out);
	} else {
		size_t marks = backticks(&safe, 0) + 1;
		const char *pad = marks > 1 ? " " : "";
		put_marks(out, marks);
		fprintf(out, "%s%.*s%s", pad, (int)safe.len, safe.ptr, pad);
		put_marks(out, marks);
	}
	ks_buf_fini(&safe);
}

void ks_md_block(FILE *out, struct ks_str text, const char *indent, size_t lines)
{
	struct ks_buf safe = {0};
	struct ks_str rest, line;
	size_t n = 0, bytes = 0, left = 0;

	ks_sane(&safe, text, 0);
	size_t marks = backticks(&safe, 2) + 1;
	fputs(indent, out);
	put_marks(out, marks);
	fputs("text\n", out);
	rest = ks_buf_str(&safe);
	while (ks_str_next(&rest, '\n', &line)) {
		if (rest.len == 0 && line.len == 0) {
			break;
		}
		if (n == lines ||
				(lines != MD_ALL_LINES && n > 0 && bytes + line.len > BLOCK_MAX)) {
			left++;
			lines = n;
			continue;
		}
		if (lines != MD_ALL_LINES) {
			line.len = ks_utf8_cut(line.ptr, line.len, ONE_LINE_MAX);
		}
		n++;
		bytes += line.len;
		fprintf(out, "%s%.*s\n", indent, (int)line.len, line.ptr);
	}
	fputs(indent, out);
	put_marks(out, marks);
	fputs("\n\n", out);
	if (left > 0) {
		fprintf(out, "%s*%zu more line%s.*\n\n", indent, left, ks_s(left));
	}
	ks_buf_fini(&safe);
}

void ks_md_quote(FILE *out, struct ks_str text)
{
	struct ks_str line;

	while (ks_str_next(&text, '\n', &line)) {
		fputs("> ", out);
		ks_md_inline(out, line);
		fputc('\n', out);
	}
	fputc('\n', out);
}

void ks_md_count(FILE *out, size_t n, const char *noun, const char *after)
{
	fprintf(out, "%zu %s%s%s", n, noun, ks_s(n), after);
}

void ks_md_number(FILE *out, int number)
{
	char name[KS_CANDIDATE_TEXT];

	fputs(number < 0 ? "-" : ks_candidate_short(name, number), out);
}
