/*
 * The log's writer. Invariants, while the log runs: the file has exactly
 * `length` bytes, all of whole lines; `sum` is their hash; last_seq is the seq
 * of the last one. While it is stopped the file may have more bytes than
 * `length`, and ks_log_resume puts that right before anything else is written.
 */
#include "store/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "store/log_scan.h"

#define WORD_MAX 64
#define TORN_TRIES 10000
#define ROOM (16 << 10) /* less, and a log that goes on would stop again at once */

struct ks_log {
	int fd;
	char *path;
	uint64_t length;
	int64_t last_seq;
	int64_t last_t;
	int64_t hash_seq;
	struct ks_hash *sum;
	bool pending;
	bool syncing;          /* what was pending, elsewhere       */
	bool calling;          /* inside on_line                    */
	char *stopped;         /* why, or NULL                      */
	struct ks_buf lines;   /* the transaction that is made now  */
	struct ks_log_line *marks;
	size_t count, cap;
	void (*on_line)(void *payload, const struct ks_log_line *line);
	void *payload;
};

/* ---- opening ---- */

static int take_lock(int fd, const char *path, struct ks_err *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
		return KS_OK;
	}
	if (errno == EAGAIN || errno == EACCES) {
		return ks_err_set(err, KS_EBUSY, "the log %s is being written by another process",
			path);
	}
	return ks_err_sys(err, errno, "lock the log %s", path);
}

/* Makes the first free PATH.torn-N; gives its descriptor and name. */
static int make_side_file(const char *path, char **out_name)
{
	int i;

	for (i = 1; i <= TORN_TRIES; i++) {
		char *name = ks_asprintf("%s.torn-%d", path, i);
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (fd >= 0) {
			*out_name = name;
			return fd;
		}
		free(name);
		if (errno != EEXIST) {
			return -1;
		}
	}
	errno = EEXIST;
	return -1;
}

/* Copies what stands behind byte `from` to side; 0 or errno. */
static int copy_tail(int fd, int side, uint64_t from)
{
	char bytes[16384];

	for (;;) {
		ssize_t n = pread(fd, bytes, sizeof(bytes), (off_t)from);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return errno;
		}
		if (n == 0) {
			return fsync(side) < 0 ? errno : 0;
		}
		if (write(side, bytes, (size_t)n) != n) {
			return errno ? errno : ENOSPC;
		}
		from += (uint64_t)n;
	}
}

/* Moves everything behind byte `length` to a side file; gives its name. */
static int put_aside(int fd, const char *path, uint64_t length, char **out_name, struct ks_err *err)
{
	char *name = NULL;
	int side = make_side_file(path, &name);
	int sys;

	if (side < 0) {
		return ks_err_sys(err, errno, "put the torn end of %s aside", path);
	}
	errno = 0;
	sys = copy_tail(fd, side, length);
	close(side);
	if (sys == 0 && (ftruncate(fd, (off_t)length) < 0 || fsync(fd) < 0)) {
		sys = errno;
	}
	if (sys != 0) {
		unlink(name);
		free(name);
		return ks_err_sys(err, sys, "put the torn end of %s aside", path);
	}
	*out_name = name;
	return KS_OK;
}

static int prepare(int fd, const char *path, struct ks_log_scan *scan, struct ks_log_found *found,
	struct ks_err *err)
{
	struct stat st;
	char *aside = NULL;
	int rc;

	if (fstat(fd, &st) < 0) {
		return ks_err_sys(err, errno, "look at the log %s", path);
	}
	if (!S_ISREG(st.st_mode)) {
		return ks_err_set(err, KS_EINVAL, "the log %s is not a regular file", path);
	}
	rc = take_lock(fd, path, err);
	if (rc == KS_OK) {
		rc = ks_log_scan(scan, fd, path, err);
	}
	if (rc == KS_OK && scan->check.torn > 0) {
		rc = put_aside(fd, path, scan->length, &aside, err);
		if (rc < 0) {
			ks_hash_free(scan->sum);
			return rc;
		}
	}
	if (rc == KS_OK && found) {
		*found = (struct ks_log_found){
			.fresh = scan->check.lines == 0,
			.last_seq = scan->last_seq,
			.last_t = scan->last_t,
			.length = scan->length,
			.torn = (size_t)scan->check.torn,
			.altered_seq = scan->check.altered_seq,
		};
		snprintf(found->torn_path, sizeof(found->torn_path), "%s", aside ? aside : "");
	}
	free(aside);
	return rc;
}

/* What is appended must not land in a file that a link names. */
static int open_itself(const char *path, struct ks_err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600);

	if (fd < 0 && errno == ELOOP) {
		return ks_err_set(err, KS_EINVAL, "%s: a link; put the log itself there", path);
	}
	return fd < 0 ? ks_err_sys(err, errno, "open the log %s", path) : fd;
}

int ks_log_open(struct ks_log **out, const char *path, struct ks_log_found *found,
	struct ks_err *err)
{
	int fd = open_itself(path, err);
	struct ks_log_scan scan = {0};
	struct ks_log *log;
	int rc;

	if (fd < 0) {
		return fd;
	}
	rc = prepare(fd, path, &scan, found, err);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	log = ks_zalloc(1, sizeof(*log));
	log->fd = fd;
	log->path = ks_strdup(path);
	log->length = scan.length;
	log->last_seq = scan.last_seq;
	log->last_t = scan.last_t;
	log->hash_seq = scan.hash_seq;
	log->sum = scan.sum;
	*out = log;
	return KS_OK;
}

void ks_log_close(struct ks_log *log)
{
	if (!log) {
		return;
	}
	(void)!ks_log_sync(log, NULL);
	close(log->fd);
	ks_hash_free(log->sum);
	ks_buf_fini(&log->lines);
	free(log->marks);
	free(log->path);
	free(log->stopped);
	free(log);
}

void ks_log_on_line(struct ks_log *log,
	void (*fn)(void *payload, const struct ks_log_line *line), void *payload)
{
	log->on_line = fn;
	log->payload = payload;
}

/* ---- making the lines ---- */

static bool is_word(const char *text)
{
	size_t n = text ? strlen(text) : 0;

	return n > 0 && n <= WORD_MAX &&
		strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._-") == n;
}

static int check_line(const char *text, size_t len, const char *kind, struct ks_err *err)
{
	struct ks_json *doc = NULL;
	int rc;

	if (len > KS_LOG_LINE_MAX) {
		return ks_err_set(err, KS_ELIMIT,
			"event %s: %zu bytes, a line of the log has at most %d; use a blob",
			kind, len, KS_LOG_LINE_MAX);
	}
	if (memchr(text, '\n', len) || memchr(text, '\r', len)) {
		return ks_err_set(err, KS_EINVAL, "event %s: its fields hold a line break", kind);
	}
	rc = ks_json_parse(&doc, text, len, err);
	if (rc < 0) {
		ks_err_prefix(err, "event %s", kind);
		return rc;
	}
	ks_json_free(doc);
	return KS_OK;
}

static int add_line(struct ks_log *log, const struct ks_log_event *event, int64_t seq, int64_t *t,
	struct ks_err *err)
{
	size_t start = log->lines.len;
	int64_t now = event->t;
	int rc;

	if (!is_word(event->kind) || !is_word(event->by)) {
		return ks_err_set(err, KS_EINVAL, "event: kind and by are short lower-case words");
	}
	if (now < 0) {
		return ks_err_set(err, KS_EINVAL, "event %s: its time is negative", event->kind);
	}
	if (now == 0) {
		now = ks_clock_wall_us();
		now = now < *t ? *t : now;
	}
	ks_buf_addf(&log->lines, "{\"seq\":%" PRId64 ",\"t\":%" PRId64, seq, now);
	ks_buf_addf(&log->lines, ",\"kind\":\"%s\",\"by\":\"%s\"", event->kind, event->by);
	if (event->fields.len > 0) {
		ks_buf_addc(&log->lines, ',');
		ks_buf_addstr(&log->lines, event->fields);
	}
	ks_buf_addc(&log->lines, '}');
	rc = check_line(log->lines.ptr + start, log->lines.len - start, event->kind, err);
	if (rc < 0) {
		return rc;
	}
	ks_grow(&log->marks, &log->cap, log->count + 1, sizeof(*log->marks));
	log->marks[log->count++] = (struct ks_log_line){
		.seq = seq,
		.t = now,
		.offset = log->length + start,
		.text = {NULL, log->lines.len - start},
	};
	ks_buf_addc(&log->lines, '\n');
	*t = now;
	return KS_OK;
}

static int make_lines(struct ks_log *log, const struct ks_log_event *events, size_t count,
	struct ks_err *err)
{
	int64_t t = log->last_t;
	size_t i;

	ks_buf_clear(&log->lines);
	log->count = 0;
	for (i = 0; i < count; i++) {
		int rc = add_line(log, &events[i], log->last_seq + 1 + (int64_t)i, &t, err);

		if (rc < 0) {
			return rc;
		}
	}
	return KS_OK;
}

/* ---- the transaction ---- */

static int stop(struct ks_log *log, const struct ks_err *why, struct ks_err *err)
{
	free(log->stopped);
	log->stopped = ks_strdup(why->msg);
	return ks_err_set(err, why->code, "%s", why->msg);
}

/* Whether the file is as we left it: nobody but us may write it. */
static int check_file(const struct ks_log *log, struct ks_err *err)
{
	struct stat st;

	if (fstat(log->fd, &st) < 0) {
		return ks_err_sys(err, errno, "look at the log %s", log->path);
	}
	if (st.st_nlink == 0) {
		return ks_err_set(err, KS_EIO,
			"the log %s was removed or replaced while it was written", log->path);
	}
	if ((uint64_t)st.st_size != log->length) {
		return ks_err_set(err, KS_EIO,
			"the log %s has %lld bytes instead of %llu: somebody else wrote it",
			log->path, (long long)st.st_size, (unsigned long long)log->length);
	}
	return KS_OK;
}

/* Writes the lines and, if asked, waits for the disk. Returns 0 or errno. */
static int write_lines(const struct ks_log *log, bool now)
{
	size_t done = 0;

	while (done < log->lines.len) {
		ssize_t n = pwrite(log->fd, log->lines.ptr + done, log->lines.len - done,
			(off_t)(log->length + done));

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return n < 0 ? errno : ENOSPC;
		}
		done += (size_t)n;
	}
	return now && fdatasync(log->fd) < 0 ? errno : 0;
}

static void call_back(struct ks_log *log)
{
	size_t i;

	log->calling = true;
	for (i = 0; i < log->count && log->on_line; i++) {
		struct ks_log_line *line = &log->marks[i];

		line->text.ptr = log->lines.ptr + (line->offset - (log->length - log->lines.len));
		log->on_line(log->payload, line);
	}
	log->calling = false;
}

/* Carries out the transaction in log->lines. */
static int commit(struct ks_log *log, enum ks_log_sync sync, struct ks_err *err)
{
	struct ks_err why = KS_ERR_INIT;
	int sys;

	if (check_file(log, &why) < 0) {
		return stop(log, &why, err);
	}
	sys = write_lines(log, sync == KS_LOG_NOW);
	if (sys != 0) {
		ks_err_sys(&why, sys, "the log %s is stopped: nothing more is recorded", log->path);
		/* if even this fails, resuming or opening cuts the rest off */
		if (ftruncate(log->fd, (off_t)log->length) < 0) {
			ks_err_prefix(&why, "roll back");
		}
		return stop(log, &why, err);
	}
	ks_hash_add(log->sum, log->lines.ptr, log->lines.len);
	log->length += log->lines.len;
	log->last_seq = log->marks[log->count - 1].seq;
	log->last_t = log->marks[log->count - 1].t;
	log->pending = sync != KS_LOG_NOW;
	call_back(log);
	return KS_OK;
}

/* Adds the line that lets a later edit be seen. */
static int add_hash(struct ks_log *log, struct ks_err *err)
{
	struct ks_log_event event = {.kind = "log.hash", .by = "engine"};
	struct ks_buf fields = {0};
	char sum[KS_HASH_HEX];
	int rc;

	ks_hash_peek(log->sum, sum);
	ks_buf_addf(&fields, "\"upto\":%" PRId64 ",\"bytes\":%" PRIu64 ",\"sha256\":\"%s\"",
		log->last_seq, log->length, sum);
	event.fields = ks_buf_str(&fields);
	rc = make_lines(log, &event, 1, err);
	if (rc == KS_OK) {
		rc = commit(log, KS_LOG_GROUPED, err);
	}
	if (rc == KS_OK) {
		log->hash_seq = log->last_seq;
	}
	ks_buf_fini(&fields);
	return rc;
}

static int refuse_stopped(const struct ks_log *log, struct ks_err *err)
{
	return ks_err_set(err, KS_EIO, "%s", log->stopped);
}

int ks_log_append(struct ks_log *log, const struct ks_log_event *events, size_t count,
	enum ks_log_sync sync, int64_t *out_seq, struct ks_err *err)
{
	int64_t seq;
	int rc;

	assert(!log->calling);
	if (log->stopped) {
		return refuse_stopped(log, err);
	}
	if (count == 0) {
		return KS_OK;
	}
	rc = make_lines(log, events, count, err);
	if (rc == KS_OK) {
		rc = commit(log, sync, err);
	}
	if (rc < 0) {
		return rc;
	}
	seq = log->last_seq;
	if (seq - log->hash_seq >= KS_LOG_HASH_EVERY) {
		/* the events are safe; that the hash did not fit shows in the
		 * stopped state */
		(void)!add_hash(log, NULL);
	}
	if (out_seq) {
		*out_seq = seq;
	}
	return KS_OK;
}

int ks_log_synced(struct ks_log *log, int sys, struct ks_err *err)
{
	struct ks_err why = KS_ERR_INIT;

	log->syncing = false;
	if (sys == 0) {
		return KS_OK;
	}
	log->pending = true;
	ks_err_sys(&why, sys, "the log %s is stopped: its last events may not be on disk",
		log->path);
	return stop(log, &why, err);
}

int ks_log_sync_begin(struct ks_log *log)
{
	int fd = log->pending ? fcntl(log->fd, F_DUPFD_CLOEXEC, 0) : -1;

	if (fd >= 0) {
		log->pending = false;
		log->syncing = true;
	}
	return fd;
}

int ks_log_sync(struct ks_log *log, struct ks_err *err)
{
	if (!log->pending && !log->syncing) {
		return KS_OK;
	}
	log->pending = false;
	return ks_log_synced(log, fdatasync(log->fd) < 0 ? errno : 0, err);
}

bool ks_log_pending(const struct ks_log *log)
{
	return log->pending;
}

int ks_log_seal(struct ks_log *log, struct ks_err *err)
{
	assert(!log->calling);
	if (log->stopped) {
		return refuse_stopped(log, err);
	}
	return log->last_seq > log->hash_seq ? add_hash(log, err) : KS_OK;
}

const char *ks_log_stopped(const struct ks_log *log)
{
	return log->stopped;
}

/* Whether the disk has room again: asks for some, and gives it back. File systems that
 * cannot be asked are tried. */
static int check_room(const struct ks_log *log, struct ks_err *err)
{
	int sys = fallocate(log->fd, FALLOC_FL_KEEP_SIZE, (off_t)log->length, ROOM) < 0 ? errno : 0;

	if (sys == ENOSPC || sys == EDQUOT || sys == EFBIG) {
		return ks_err_sys(err, sys, "go on with the log %s", log->path);
	}
	if (sys == 0 && ftruncate(log->fd, (off_t)log->length) < 0) {
		return ks_err_sys(err, errno, "go on with the log %s", log->path);
	}
	return KS_OK;
}

int ks_log_resume(struct ks_log *log, struct ks_err *err)
{
	struct stat st;
	char *aside = NULL;
	int rc;

	if (!log->stopped) {
		return KS_OK;
	}
	if (fstat(log->fd, &st) < 0) {
		return ks_err_sys(err, errno, "look at the log %s", log->path);
	}
	if ((uint64_t)st.st_size > log->length) {
		/* not ours to throw away: somebody else may have written it */
		rc = put_aside(log->fd, log->path, log->length, &aside, err);
		free(aside);
		if (rc < 0) {
			return rc;
		}
	}
	rc = check_file(log, err);
	if (rc == KS_OK) {
		rc = check_room(log, err);
	}
	if (rc == KS_OK) {
		free(log->stopped);
		log->stopped = NULL;
	}
	return rc;
}

int64_t ks_log_last_seq(const struct ks_log *log)
{
	return log->last_seq;
}

uint64_t ks_log_length(const struct ks_log *log)
{
	return log->length;
}
