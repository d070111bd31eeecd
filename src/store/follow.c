/*
 * The reader of a log. Invariant: the index covers whole lines only, and all of
 * them end at or before the last limit that refresh was given.
 */
#include "store/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/event.h"
#include "store/index.h"

#define CHUNK (256 * 1024)

struct ks_follow {
	int fd;
	char *path;
	struct ks_index index;
	struct ks_index cached; /* from the cache file, until refresh takes it */
};

int ks_follow_open(struct ks_follow **out, const char *path, const char *cache,
	struct ks_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct ks_follow *f;

	if (fd < 0) {
		return ks_err_sys(err, errno, "open the log %s", path);
	}
	f = ks_zalloc(1, sizeof(*f));
	f->fd = fd;
	f->path = ks_strdup(path);
	if (cache) {
		/* without a cache that fits, refresh scans */
		(void)!ks_index_load(&f->cached, cache, fd, NULL);
	}
	*out = f;
	return KS_OK;
}

void ks_follow_free(struct ks_follow *f)
{
	if (f) {
		close(f->fd);
		free(f->path);
		ks_index_fini(&f->index);
		ks_index_fini(&f->cached);
		free(f);
	}
}

int ks_follow_refresh(struct ks_follow *f, uint64_t limit, size_t *out_new, struct ks_err *err)
{
	size_t before = f->index.count;
	struct stat st;
	int rc;

	if (fstat(f->fd, &st) < 0) {
		return ks_err_sys(err, errno, "look at the log %s", f->path);
	}
	if ((uint64_t)st.st_size < f->index.end) {
		ks_index_shrink(&f->index, (uint64_t)st.st_size);
		return ks_err_set(err, KS_EPROTO,
			"the log %s became shorter than what was read of it; reading it again",
			f->path);
	}
	if (f->cached.count > 0) {
		if (before == 0) {
			ks_index_shrink(&f->cached, limit);
			f->index = f->cached;
			f->cached = (struct ks_index){0};
		}
		ks_index_fini(&f->cached);
	}
	rc = ks_index_extend(&f->index, f->fd, limit, err);
	if (rc == KS_OK && out_new) {
		*out_new = f->index.count - before;
	}
	return rc;
}

size_t ks_follow_count(const struct ks_follow *f)
{
	return f->index.count;
}

/* Reads exactly len bytes into out. */
static int read_exact(const struct ks_follow *f, char *out, size_t len, uint64_t at,
	struct ks_err *err)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(f->fd, out + got, len - got, (off_t)(at + got));

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return ks_err_sys(err, errno, "read the log %s", f->path);
		}
		if (n == 0) {
			return ks_err_set(err, KS_EPROTO,
				"the log %s became shorter while it was read", f->path);
		}
		got += (size_t)n;
	}
	return KS_OK;
}

int ks_follow_read(const struct ks_follow *f, size_t index, struct ks_buf *out,
	struct ks_err *err)
{
	size_t before = out->len;
	uint64_t length;
	int rc;

	if (index >= f->index.count) {
		return ks_err_set(err, KS_ENOTFOUND, "the log %s has no line %zu", f->path,
			index + 1);
	}
	length = ks_index_length(&f->index, index);
	if (length > KS_EVENT_LINE_MAX) {
		return ks_err_set(err, KS_ELIMIT, "the log %s: line %zu is longer than %d bytes",
			f->path, index + 1, KS_EVENT_LINE_MAX);
	}
	ks_buf_reserve(out, (size_t)length);
	rc = read_exact(f, out->ptr + out->len, (size_t)length, f->index.starts[index], err);
	if (rc < 0) {
		ks_buf_truncate(out, before);
		return rc;
	}
	out->len += (size_t)length;
	out->ptr[out->len] = '\0';
	return KS_OK;
}

/* How many lines from `from` on lie whole in one chunk; at least one. */
static size_t lines_in_chunk(const struct ks_follow *f, size_t from, size_t to)
{
	uint64_t start = f->index.starts[from];
	size_t n = 1;

	while (from + n < to &&
		f->index.starts[from + n] + ks_index_length(&f->index, from + n) - start <= CHUNK) {
		n++;
	}
	return n;
}

static int hand_out(const struct ks_follow *f, size_t from, size_t n, const char *bytes,
	int (*fn)(void *payload, const struct ks_follow_line *line), void *payload)
{
	uint64_t start = f->index.starts[from];
	size_t i;

	for (i = from; i < from + n; i++) {
		uint64_t length = ks_index_length(&f->index, i);
		bool whole = length <= KS_EVENT_LINE_MAX;
		struct ks_follow_line line = {
			.index = i,
			.offset = f->index.starts[i],
			.text = {bytes + (f->index.starts[i] - start),
				whole ? (size_t)length : KS_EVENT_LINE_MAX},
			.whole = whole,
		};
		int rc = fn(payload, &line);

		if (rc != 0) {
			return rc;
		}
	}
	return 0;
}

int ks_follow_each(const struct ks_follow *f, size_t from, size_t to,
	int (*fn)(void *payload, const struct ks_follow_line *line), void *payload,
	struct ks_err *err)
{
	char *bytes = ks_alloc(CHUNK);
	int rc = 0;

	if (to > f->index.count) {
		to = f->index.count;
	}
	while (rc == 0 && from < to) {
		size_t n = lines_in_chunk(f, from, to);
		uint64_t start = f->index.starts[from];
		uint64_t length = f->index.starts[from + n - 1] +
			ks_index_length(&f->index, from + n - 1) - start;

		rc = read_exact(f, bytes, length < CHUNK ? (size_t)length : CHUNK, start, err);
		if (rc == 0) {
			rc = hand_out(f, from, n, bytes, fn, payload);
		}
		from += n;
	}
	free(bytes);
	return rc;
}
