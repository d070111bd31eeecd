/*
 * One pass over a log: where its whole lines end, which seq comes next, and
 * whether every log.hash line fits the bytes before it. Lines of our writer are
 * read by a short way; any other is parsed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "store/log_scan.h"

#define CHUNK (256 * 1024)
#define SEQ_MAX (INT64_C(1) << 52)

struct envelope {
	int64_t seq, t;
	bool is_hash;
};

/* Reads "prefix" and the number behind it; false when either is not there. */
static bool take_number(struct ks_str *rest, const char *prefix, int64_t *out)
{
	size_t at = strlen(prefix), digits = 0;
	int64_t value = 0;

	if (!ks_str_starts(*rest, prefix)) {
		return false;
	}
	while (at < rest->len && digits < 17 && rest->ptr[at] >= '0' && rest->ptr[at] <= '9') {
		value = value * 10 + (rest->ptr[at] - '0');
		at++;
		digits++;
	}
	rest->ptr += at;
	rest->len -= at;
	*out = value;
	return digits > 0 && rest->len > 0 && rest->ptr[0] == ',';
}

static bool read_parsed(struct envelope *out, struct ks_str line)
{
	struct ks_json *doc = NULL;
	const char *kind;

	if (line.len > KS_LOG_LINE_MAX || ks_json_parse(&doc, line.ptr, line.len, NULL) < 0) {
		return false;
	}
	kind = ks_json_get_str(doc, "kind", NULL);
	out->seq = ks_json_get_int(doc, "seq", 0);
	out->t = ks_json_get_int(doc, "t", -1);
	out->is_hash = kind && strcmp(kind, "log.hash") == 0;
	ks_json_free(doc);
	return kind && out->seq >= 1 && out->seq <= SEQ_MAX && out->t >= 0;
}

static bool read_envelope(struct envelope *out, struct ks_str line)
{
	struct ks_str rest = line;

	if (take_number(&rest, "{\"seq\":", &out->seq) && take_number(&rest, ",\"t\":", &out->t) &&
		ks_str_starts(rest, ",\"kind\":\"") && out->seq >= 1 && out->seq <= SEQ_MAX) {
		out->is_hash = ks_str_starts(rest, ",\"kind\":\"log.hash\"");
		return true;
	}
	return read_parsed(out, line);
}

static void check_hash_line(struct ks_log_scan *s, struct ks_str line, uint64_t offset, int64_t seq)
{
	struct ks_log_check *check = &s->check;
	struct ks_json *doc = NULL;
	char sum[KS_HASH_HEX];
	int64_t upto = 0;
	bool fits = false;

	check->hashes++;
	s->hash_seq = seq;
	if (ks_json_parse(&doc, line.ptr, line.len, NULL) == 0) {
		ks_hash_peek(s->sum, sum);
		upto = ks_json_get_int(doc, "upto", 0);
		fits = strcmp(ks_json_get_str(doc, "sha256", ""), sum) == 0 &&
			ks_json_get_int(doc, "bytes", (int64_t)offset) == (int64_t)offset;
		ks_json_free(doc);
	}
	if (check->altered_seq != 0) {
		return;
	}
	if (fits) {
		check->covered_seq = upto;
		check->altered_from = offset;
	} else {
		check->altered_seq = seq;
		check->altered_to = offset;
	}
}

static void take_line(struct ks_log_scan *s, struct ks_str line)
{
	struct envelope e = {0};

	s->check.lines++;
	if (!read_envelope(&e, line)) {
		e = (struct envelope){0};
	}
	if (s->check.broken_line == 0 && e.seq != s->last_seq + 1) {
		s->check.broken_line = s->check.lines;
	}
	if (e.is_hash) {
		check_hash_line(s, line, s->length, e.seq);
	}
	if (e.seq > s->last_seq) {
		s->last_seq = e.seq;
	}
	if (e.seq > 0) {
		s->last_t = e.t;
	}
	s->length += line.len + 1;
	ks_hash_add(s->sum, line.ptr, line.len);
	ks_hash_add(s->sum, "\n", 1);
}

/* Takes the whole lines at the front of the buffer; returns their bytes. */
static size_t take_lines(struct ks_log_scan *s, const char *bytes, size_t len)
{
	size_t at = 0;
	const char *nl;

	while ((nl = memchr(bytes + at, '\n', len - at))) {
		struct ks_str line = {bytes + at, (size_t)(nl - bytes) - at};

		take_line(s, line);
		at += line.len + 1;
	}
	return at;
}

int ks_log_scan(struct ks_log_scan *out, int fd, const char *path, struct ks_err *err)
{
	struct ks_log_scan s = {.sum = ks_hash_new()};
	struct ks_buf bytes = {0};
	uint64_t at = 0;
	int rc = KS_OK;

	for (;;) {
		ssize_t n;

		/* a line longer than the chunk makes the buffer grow */
		ks_buf_reserve(&bytes, CHUNK);
		n = pread(fd, bytes.ptr + bytes.len, CHUNK, (off_t)at);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			rc = ks_err_sys(err, errno, "read the log %s", path);
			break;
		}
		if (n == 0) {
			break;
		}
		at += (uint64_t)n;
		bytes.len += (size_t)n;
		ks_buf_drop(&bytes, take_lines(&s, bytes.ptr, bytes.len));
	}
	s.check.torn = bytes.len;
	ks_buf_fini(&bytes);
	if (s.check.altered_seq == 0) {
		s.check.altered_from = 0;
	}
	if (rc < 0) {
		ks_hash_free(s.sum);
		return rc;
	}
	*out = s;
	return KS_OK;
}

int ks_log_verify(struct ks_log_check *out, const char *path, struct ks_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct ks_log_scan s = {0};
	int rc;

	if (fd < 0) {
		return ks_err_sys(err, errno, "open the log %s", path);
	}
	rc = ks_log_scan(&s, fd, path, err);
	close(fd);
	if (rc == KS_OK) {
		ks_hash_free(s.sum);
		*out = s.check;
	}
	return rc;
}
