/*
 * Members of an event, written as an object and stripped of its braces.
 */
#include "core/fields.h"

void ks_fields_init(struct ks_fields *fields)
{
	fields->buf = (struct ks_buf){0};
	ks_jw_init(&fields->w, &fields->buf);
	ks_jw_open(&fields->w, NULL);
}

void ks_fields_take(struct ks_fields *fields, struct ks_buf *out)
{
	ks_jw_close(&fields->w);
	ks_buf_add(out, fields->buf.ptr + 1, fields->buf.len - 2);
	ks_buf_fini(&fields->buf);
}

void ks_fields_line(struct ks_buf *out, int64_t seq, int64_t t, const char *kind,
	const char *by, const char *members)
{
	struct ks_fields f;

	ks_fields_init(&f);
	ks_jw_int(&f.w, "seq", seq);
	ks_jw_int(&f.w, "t", t);
	ks_jw_str(&f.w, "kind", kind);
	ks_jw_str(&f.w, "by", by);
	ks_buf_addc(out, '{');
	ks_fields_take(&f, out);
	if (members[0] != '\0') {
		ks_buf_addc(out, ',');
		ks_buf_adds(out, members);
	}
	ks_buf_addc(out, '}');
}
