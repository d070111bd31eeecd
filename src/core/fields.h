#ifndef KSEEK_CORE_FIELDS_H
#define KSEEK_CORE_FIELDS_H
/*
 * The fields of a new event: JSON members without the braces around them,
 * since the log's writer puts its envelope in front. Write with the ks_jw_*
 * functions on `w`, then take.
 */
#include "base/json.h"

struct ks_fields {
	struct ks_buf buf;
	struct ks_jw w;
};

void ks_fields_init(struct ks_fields *fields);
/* Appends the members to out and ends the use of fields. */
void ks_fields_take(struct ks_fields *fields, struct ks_buf *out);
/* A whole event line from an envelope and members; without newline. Members
 * "seq", "t", "kind" and "by" may not be among them. */
void ks_fields_line(struct ks_buf *out, int64_t seq, int64_t t, const char *kind,
	const char *by, const char *members);

#endif
