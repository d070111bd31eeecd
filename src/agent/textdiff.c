/*
 * A line diff: equal ends are set aside, the middle is compared by the longest
 * common subsequence in a table of bounded size.
 */
#include "agent/textdiff.h"

#include <stdint.h>

#include "base/mem.h"

#define CONTEXT 3
#define TABLE_SIDE 2000

struct lines {
	struct ks_str *list;
	size_t count, cap;
};

struct edit { /* one line of the result */
	char sign;  /* ' ', '-', '+' */
	size_t a, b;/* line numbers from 0 in both texts, before this line */
	struct ks_str text;
};

struct script {
	struct edit *list;
	size_t count, cap;
};

static void split(struct lines *out, struct ks_str text)
{
	struct ks_str line;

	while (text.len > 0) {
		const char *newline = memchr(text.ptr, '\n', text.len);

		line = text;
		if (newline != NULL) {
			line.len = (size_t)(newline - text.ptr) + 1;
		}
		ks_grow(&out->list, &out->cap, out->count + 1, sizeof(*out->list));
		out->list[out->count++] = line;
		text.ptr += line.len;
		text.len -= line.len;
	}
}

static void add(struct script *s, char sign, size_t a, size_t b, struct ks_str text)
{
	ks_grow(&s->list, &s->cap, s->count + 1, sizeof(*s->list));
	s->list[s->count++] = (struct edit){sign, a, b, text};
}

/* Length of the longest common subsequence of the tails at (i, j), n x m. */
static uint16_t *table_new(const struct ks_str *a, size_t n, const struct ks_str *b, size_t m)
{
	uint16_t *table = ks_zalloc((n + 1) * (m + 1), sizeof(*table));

	for (size_t i = n; i-- > 0;) {
		for (size_t j = m; j-- > 0;) {
			uint16_t *cell = &table[i * (m + 1) + j];
			uint16_t down = table[(i + 1) * (m + 1) + j], right = cell[1];

			if (ks_str_eq(a[i], b[j])) {
				*cell = (uint16_t)(table[(i + 1) * (m + 1) + j + 1] + 1);
			} else {
				*cell = down >= right ? down : right;
			}
		}
	}
	return table;
}

/* The middle, which begins at line `from` of both. */
static void middle(struct script *s, const struct ks_str *a, size_t n,
	const struct ks_str *b, size_t m, size_t from)
{
	bool small = n <= TABLE_SIDE && m <= TABLE_SIDE && n > 0 && m > 0;
	uint16_t *table = small ? table_new(a, n, b, m) : NULL;
	size_t i = 0, j = 0;

	while (i < n || j < m) {
		if (small && i < n && j < m && ks_str_eq(a[i], b[j])) {
			add(s, ' ', from + i, from + j, a[i]);
			i++;
			j++;
		} else if (i < n && (!small || j == m ||
			table[(i + 1) * (m + 1) + j] >= table[i * (m + 1) + j + 1])) {
			add(s, '-', from + i, from + j, a[i]);
			i++;
		} else {
			add(s, '+', from + i, from + j, b[j]);
			j++;
		}
	}
	free(table);
}

/* Everything that differs with CONTEXT equal lines around it. */
static void compare(struct script *s, const struct lines *a, const struct lines *b)
{
	size_t head = 0, tail = 0;
	size_t shorter = a->count < b->count ? a->count : b->count;
	size_t lead;

	while (head < shorter && ks_str_eq(a->list[head], b->list[head])) {
		head++;
	}
	while (tail < shorter - head &&
		ks_str_eq(a->list[a->count - 1 - tail], b->list[b->count - 1 - tail])) {
		tail++;
	}
	lead = head < CONTEXT ? head : CONTEXT;
	for (size_t i = head - lead; i < head; i++) {
		add(s, ' ', i, i, a->list[i]);
	}
	middle(s, a->list + head, a->count - head - tail, b->list + head,
		b->count - head - tail, head);
	for (size_t i = 0; i < tail && i < CONTEXT; i++) {
		add(s, ' ', a->count - tail + i, b->count - tail + i,
			a->list[a->count - tail + i]);
	}
}

/* End of the hunk that begins with the change at `at`. */
static size_t hunk_end(const struct script *s, size_t at)
{
	size_t last = at;

	for (size_t i = at; i < s->count && i <= last + 2 * CONTEXT + 1; i++) {
		if (s->list[i].sign != ' ') {
			last = i;
		}
	}
	return last + 1 + CONTEXT < s->count ? last + 1 + CONTEXT : s->count;
}

static void hunk_head(struct ks_buf *out, const struct script *s, size_t begin, size_t end)
{
	size_t n = 0, m = 0;
	const struct edit *first = &s->list[begin];

	for (size_t i = begin; i < end; i++) {
		n += s->list[i].sign != '+';
		m += s->list[i].sign != '-';
	}
	ks_buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", n > 0 ? first->a + 1 : first->a, n,
		m > 0 ? first->b + 1 : first->b, m);
}

static void print_line(struct ks_buf *out, const struct edit *edit)
{
	ks_buf_addc(out, edit->sign);
	ks_buf_addstr(out, edit->text);
	if (edit->text.ptr[edit->text.len - 1] != '\n') {
		ks_buf_adds(out, "\n\\ No newline at end of file\n");
	}
}

static void print(struct ks_buf *out, const struct script *s, const char *path, size_t max)
{
	size_t start = out->len, i = 0, good;

	ks_buf_addf(out, "--- a/%s\n+++ b/%s\n", path, path);
	good = out->len;
	while (i < s->count) {
		size_t begin, end;

		if (s->list[i].sign == ' ') {
			i++;
			continue;
		}
		begin = i > CONTEXT ? i - CONTEXT : 0;
		end = hunk_end(s, i);
		hunk_head(out, s, begin, end);
		for (i = begin; i < end; i++) {
			print_line(out, &s->list[i]);
			if (out->len - start > max) {
				ks_buf_truncate(out, good);
				return;
			}
			good = out->len;
		}
	}
}

struct ks_textdiff ks_textdiff(struct ks_buf *out, const char *path, struct ks_str before,
	struct ks_str after, size_t max)
{
	struct ks_textdiff result = {0};
	struct lines a = {0}, b = {0};
	struct script s = {0};

	if (ks_str_eq(before, after)) {
		return result;
	}
	split(&a, before);
	split(&b, after);
	compare(&s, &a, &b);
	for (size_t i = 0; i < s.count; i++) {
		result.added += s.list[i].sign == '+';
		result.removed += s.list[i].sign == '-';
	}
	if ((before.len > 0 && memchr(before.ptr, '\0', before.len) != NULL) ||
		(after.len > 0 && memchr(after.ptr, '\0', after.len) != NULL)) {
		ks_buf_addf(out, "Binary files a/%s and b/%s differ\n", path, path);
	} else {
		print(out, &s, path, max);
	}
	free(a.list);
	free(b.list);
	free(s.list);
	return result;
}
