/*
 * The line index and its cache file. Invariant: starts[0..count) grow, each
 * line ends with a newline right before the next start or `end`.
 *
 * Cache: a header of fixed size, then the starts as 64-bit little-endian
 * numbers. It is believed when the version fits, the log is at least as long as
 * `end`, the hash of the log's last bytes before `end` fits and the hash of the
 * starts fits.
 */
#include "store/index.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#define CHUNK (256 * 1024)
#define TAIL 4096
#define MAGIC "kseek index 1\n"
#define HEADER (sizeof(MAGIC) - 1 + 2 * 8 + 2 * (KS_HASH_HEX - 1))
#define CACHE_MAX ((size_t)1 << 30)

void ks_index_fini(struct ks_index *index)
{
	if (index) {
		free(index->starts);
		*index = (struct ks_index){0};
	}
}

uint64_t ks_index_length(const struct ks_index *index, size_t i)
{
	uint64_t next = i + 1 < index->count ? index->starts[i + 1] : index->end;

	return next - index->starts[i] - 1;
}

/* Reads up to len bytes; -1 with errno set, fewer only at the end of the file. */
static ssize_t read_at(int fd, char *out, size_t len, uint64_t at)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, out + got, len - got, (off_t)(at + got));

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return -1;
		}
		if (n == 0) {
			break;
		}
		got += (size_t)n;
	}
	return (ssize_t)got;
}

static void take_lines(struct ks_index *index, const char *bytes, size_t len, uint64_t at)
{
	const char *p = bytes, *nl;

	while ((nl = memchr(p, '\n', len - (size_t)(p - bytes)))) {
		ks_grow(&index->starts, &index->cap, index->count + 1, sizeof(uint64_t));
		index->starts[index->count++] = index->end;
		index->end = at + (uint64_t)(nl - bytes) + 1;
		p = nl + 1;
	}
}

int ks_index_extend(struct ks_index *index, int fd, uint64_t limit, struct ks_err *err)
{
	char *bytes = ks_alloc(CHUNK);
	uint64_t at = index->end;
	int rc = KS_OK;

	while (at < limit) {
		size_t want = limit - at < CHUNK ? (size_t)(limit - at) : CHUNK;
		ssize_t n = read_at(fd, bytes, want, at);

		if (n < 0) {
			rc = ks_err_sys(err, errno, "read the log at byte %llu",
				(unsigned long long)at);
			break;
		}
		take_lines(index, bytes, (size_t)n, at);
		at += (uint64_t)n;
		if ((size_t)n < want) {
			break;
		}
	}
	free(bytes);
	return rc;
}

void ks_index_shrink(struct ks_index *index, uint64_t length)
{
	while (index->count > 0 && index->end > length) {
		index->end = index->starts[--index->count];
	}
}

/* Hash of the log's last TAIL bytes before `end`. */
static int tail_hash(int fd, uint64_t end, char out_hex[KS_HASH_HEX])
{
	size_t want = end < TAIL ? (size_t)end : TAIL;
	char bytes[TAIL];

	if (read_at(fd, bytes, want, end - want) != (ssize_t)want) {
		return -1;
	}
	ks_hash_of(bytes, want, out_hex);
	return 0;
}

static void add_u64(struct ks_buf *out, uint64_t value)
{
	value = htole64(value);
	ks_buf_add(out, &value, sizeof(value));
}

static uint64_t get_u64(const char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return le64toh(value);
}

/* Whether the cache's bytes belong to the log at fd. */
static bool fits(const struct ks_buf *bytes, int fd)
{
	const char *p = bytes->ptr + sizeof(MAGIC) - 1;
	char hex[KS_HASH_HEX];
	struct stat st;

	if (bytes->len < HEADER || memcmp(bytes->ptr, MAGIC, sizeof(MAGIC) - 1) != 0 ||
		(bytes->len - HEADER) / 8 != get_u64(p) || (bytes->len - HEADER) % 8 != 0) {
		return false;
	}
	if (fstat(fd, &st) < 0 || (uint64_t)st.st_size < get_u64(p + 8)) {
		return false;
	}
	ks_hash_of(bytes->ptr + HEADER, bytes->len - HEADER, hex);
	if (memcmp(hex, p + 16 + KS_HASH_HEX - 1, KS_HASH_HEX - 1) != 0) {
		return false;
	}
	return tail_hash(fd, get_u64(p + 8), hex) == 0 && memcmp(hex, p + 16, KS_HASH_HEX - 1) == 0;
}

/* Takes the starts out of a cache; false when they are not in order. */
static bool unpack(struct ks_index *index, const struct ks_buf *bytes)
{
	const char *p = bytes->ptr + sizeof(MAGIC) - 1;
	size_t count = (size_t)get_u64(p), i;
	uint64_t before = 0;

	index->end = get_u64(p + 8);
	if (count == 0) {
		return index->end == 0;
	}
	index->starts = ks_zalloc(count, sizeof(uint64_t));
	index->count = index->cap = count;
	for (i = 0; i < count; i++) {
		index->starts[i] = get_u64(bytes->ptr + HEADER + 8 * i);
		if (i == 0 ? index->starts[i] != 0 : index->starts[i] <= before) {
			return false;
		}
		before = index->starts[i];
	}
	return before < index->end;
}

int ks_index_load(struct ks_index *out, const char *cache, int fd, struct ks_err *err)
{
	struct ks_index index = {0};
	struct ks_buf bytes = {0};
	int rc = ks_file_read(&bytes, cache, CACHE_MAX, err);

	if (rc < 0) {
		ks_buf_fini(&bytes);
		return rc;
	}
	if (fits(&bytes, fd) && unpack(&index, &bytes)) {
		ks_index_fini(out);
		*out = index;
	} else {
		ks_index_fini(&index);
		rc = ks_err_set(err, KS_EINVAL, "%s: does not fit the log; run kseek reindex",
			cache);
	}
	ks_buf_fini(&bytes);
	return rc;
}

int ks_index_save(const struct ks_index *index, const char *cache, int fd, struct ks_err *err)
{
	struct ks_buf bytes = {0}, starts = {0};
	char tail[KS_HASH_HEX], sum[KS_HASH_HEX];
	size_t i;
	int rc;

	if (tail_hash(fd, index->end, tail) < 0) {
		return ks_err_set(err, KS_EIO, "index %s: the log cannot be read back", cache);
	}
	ks_buf_reserve(&starts, index->count * 8);
	for (i = 0; i < index->count; i++) {
		add_u64(&starts, index->starts[i]);
	}
	ks_hash_of(ks_buf_str(&starts).ptr, starts.len, sum);
	ks_buf_adds(&bytes, MAGIC);
	add_u64(&bytes, index->count);
	add_u64(&bytes, index->end);
	ks_buf_adds(&bytes, tail);
	ks_buf_adds(&bytes, sum);
	ks_buf_addstr(&bytes, ks_buf_str(&starts));
	rc = ks_file_write(cache, ks_buf_str(&bytes), 0600, err);
	ks_buf_fini(&bytes);
	ks_buf_fini(&starts);
	return rc;
}

int ks_index_rebuild(const char *log, const char *cache, size_t *out_lines, struct ks_err *err)
{
	int fd = open(log, O_RDONLY | O_CLOEXEC);
	struct ks_index index = {0};
	int rc;

	if (fd < 0) {
		return ks_err_sys(err, errno, "reindex %s", log);
	}
	rc = ks_index_extend(&index, fd, UINT64_MAX, err);
	if (rc == KS_OK) {
		rc = ks_index_save(&index, cache, fd, err);
	}
	if (rc == KS_OK && out_lines) {
		*out_lines = index.count;
	}
	ks_index_fini(&index);
	close(fd);
	return rc;
}
