/*
 * The follower: log to state, and events by seq through a small cache. A log
 * that became shorter (restored from a copy) is folded anew.
 */
#include "app/fold.h"

#include <errno.h>
#include <unistd.h>

#include "app/bank_files.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "store/blob.h"

#define CACHE 1024 /* events; by seq modulo */

struct cached {
	int64_t seq;
	struct ks_buf line;
	struct ks_event event;
};

struct ks_fold {
	struct ks_campaign_paths paths;
	bool has_paths;
	struct ks_follow *follow;
	struct ks_state state;
	struct ks_view_data data;
	struct ks_bank *bank;
	struct cached *cache;
	size_t folded;       /* lines taken into the state */
	int diff_a, diff_b;  /* the one that is here */
	struct ks_buf diff;
	bool diff_here, diff_wanted;
	int want_a, want_b;
};

static void cache_clear(struct ks_fold *f)
{
	for (size_t i = 0; i < CACHE; i++) {
		if (f->cache[i].seq != 0) {
			ks_event_fini(&f->cache[i].event);
			f->cache[i].seq = 0;
		}
		ks_buf_fini(&f->cache[i].line);
	}
}

/* Line of an event: its place in an unedited log, else a search. */
static bool read_seq(struct ks_fold *f, int64_t seq, struct cached *c)
{
	size_t count = ks_follow_count(f->follow);
	struct ks_err err = KS_ERR_INIT;

	if (seq < 1 || (size_t)seq > count) {
		return false;
	}
	ks_buf_clear(&c->line);
	if (ks_follow_read(f->follow, (size_t)seq - 1, &c->line, &err) < 0) {
		return false;
	}
	return ks_event_parse(&c->event, ks_buf_str(&c->line), &err) == 0;
}

static const struct ks_event *get_event(void *ctx, int64_t seq)
{
	struct ks_fold *f = ctx;
	struct cached *c = &f->cache[(size_t)seq % CACHE];

	if (seq > 0 && c->seq == seq) {
		return &c->event;
	}
	if (c->seq != 0) {
		ks_event_fini(&c->event);
		c->seq = 0;
	}
	if (!read_seq(f, seq, c)) {
		return NULL;
	}
	c->seq = seq;
	return &c->event;
}

static bool get_blob(void *ctx, const char *hash, size_t max, struct ks_buf *out)
{
	struct ks_fold *f = ctx;
	struct ks_err err = KS_ERR_INIT;

	return f->has_paths && ks_blob_is_name(hash) &&
		ks_blob_get_part(out, f->paths.blobs, hash, 0, max, NULL, &err) == 0;
}

static bool get_diff(void *ctx, int a, int b, struct ks_str *out)
{
	struct ks_fold *f = ctx;

	if (f->diff_here && f->diff_a == a && f->diff_b == b) {
		*out = ks_buf_str(&f->diff);
		return true;
	}
	if (!f->diff_wanted || f->want_a != a || f->want_b != b) {
		f->diff_wanted = true;
		f->want_a = a;
		f->want_b = b;
	}
	return false;
}

void ks_fold_set_diff(struct ks_fold *f, int a, int b, struct ks_str text)
{
	f->diff_a = a;
	f->diff_b = b;
	f->diff_here = true;
	ks_buf_clear(&f->diff);
	ks_buf_addstr(&f->diff, text);
}

bool ks_fold_wants_diff(struct ks_fold *f, int *out_a, int *out_b)
{
	if (!f->diff_wanted) {
		return false;
	}
	f->diff_wanted = false;
	*out_a = f->want_a;
	*out_b = f->want_b;
	return true;
}

static int fold_line(void *payload, const struct ks_follow_line *line)
{
	struct ks_fold *f = payload;
	struct ks_event event;
	struct ks_err err = KS_ERR_INIT;

	f->folded++;
	if (line->whole && ks_event_parse(&event, line->text, &err) == 0) {
		ks_evolve(&f->state, &event);
		ks_event_fini(&event);
	}
	return 0;
}

size_t ks_fold_step(struct ks_fold *f, size_t max)
{
	size_t count = ks_follow_count(f->follow);
	size_t from = f->folded;
	size_t to = max < count - from ? from + max : count;
	struct ks_err err = KS_ERR_INIT;

	if (from < to) {
		(void)ks_follow_each(f->follow, from, to, fold_line, f, &err);
	}
	return f->folded - from;
}

size_t ks_fold_done(const struct ks_fold *f)
{
	return f->folded;
}

int ks_fold_refresh(struct ks_fold *f, uint64_t limit, size_t *out_new, struct ks_err *err)
{
	size_t fresh = 0;
	int rc = ks_follow_refresh(f->follow, limit, &fresh, err);

	if (rc == KS_EPROTO) {
		ks_err_clear(err);
		cache_clear(f);
		ks_state_fini(&f->state);
		ks_state_init(&f->state);
		f->folded = 0;
		rc = 0;
	}
	if (rc == 0) {
		fresh = ks_fold_step(f, SIZE_MAX);
	}
	if (rc == 0 && out_new != NULL) {
		*out_new = fresh;
	}
	return rc;
}

static int open_log(struct ks_fold *f, const char *path, const char *index, struct ks_err *err)
{
	ks_state_init(&f->state);
	f->cache = ks_zalloc(CACHE, sizeof(*f->cache));
	f->data = (struct ks_view_data){
		.ctx = f, .event = get_event, .blob = get_blob, .diff = get_diff,
		.now = ks_clock_wall_us()
	};
	return ks_follow_open(&f->follow, path, index, err);
}

/* Where a log cannot be looked at, opening it says why. */
static int check_there(const struct ks_campaign_paths *paths, struct ks_err *err)
{
	if (access(paths->log, F_OK) == 0 || errno != ENOENT) {
		return 0;
	}
	return ks_err_set(err, KS_ENOTFOUND, "%s: the campaign's log is gone; bring .kseek back "
		"from a copy, or make a new campaign with 'kseek new'", paths->log);
}

int ks_fold_open_unread(struct ks_fold **out, const char *dir, struct ks_err *err)
{
	struct ks_fold *f = ks_zalloc(1, sizeof(*f));
	char *root = NULL;
	int rc = ks_campaign_find(&root, dir != NULL ? dir : ".", err);

	if (rc == 0) {
		rc = ks_campaign_paths_init(&f->paths, root, err);
		f->has_paths = rc == 0;
	}
	if (rc == 0) {
		rc = check_there(&f->paths, err);
	}
	if (rc == 0) {
		rc = open_log(f, f->paths.log, f->paths.index, err);
	}
	if (rc == 0) {
		rc = ks_follow_refresh(f->follow, KS_FOLLOW_ALL, NULL, err);
	}
	free(root);
	if (rc < 0) {
		ks_fold_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

int ks_fold_open(struct ks_fold **out, const char *dir, struct ks_err *err)
{
	int rc = ks_fold_open_unread(out, dir, err);

	if (rc == 0) {
		ks_fold_step(*out, SIZE_MAX);
	}
	return rc;
}

/* Ends the walk over a log's lines at the first that is an event. */
static int is_event(void *payload, const struct ks_follow_line *line)
{
	struct ks_event event;
	struct ks_err err = KS_ERR_INIT;

	if (!line->whole || ks_event_parse(&event, line->text, &err) < 0) {
		return 0;
	}
	ks_event_fini(&event);
	return 1;
}

/* That a file which somebody names is a log at all. */
static int check_log(struct ks_fold *f, const char *path, struct ks_err *err)
{
	int rc = ks_follow_each(f->follow, 0, SIZE_MAX, is_event, NULL, err);

	if (rc != 0) {
		return rc < 0 ? rc : 0;
	}
	return ks_err_set(err, KS_EINVAL, "%s: holds no event of a campaign; "
		"name a campaign's log, such as .kseek/log.jsonl", path);
}

/* A log file alone (replay, export of a recorded one). */
static int open_file(struct ks_fold **out, const char *path, struct ks_err *err)
{
	if (!ks_file_exists(path)) {
		return ks_err_set(err, KS_ENOTFOUND, "%s: no such file or folder; name a "
			"campaign's log, such as .kseek/log.jsonl, or its folder", path);
	}
	struct ks_fold *f = ks_zalloc(1, sizeof(*f));
	int rc = open_log(f, path, NULL, err);

	if (rc == 0) {
		rc = ks_follow_refresh(f->follow, KS_FOLLOW_ALL, NULL, err);
	}
	if (rc == 0) {
		rc = check_log(f, path, err);
	}
	if (rc < 0) {
		ks_fold_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

int ks_fold_open_any(struct ks_fold **out, const char *path, struct ks_err *err)
{
	char *log = path != NULL ? ks_path_join(path, "log.jsonl") : NULL;
	int rc;

	if (path != NULL && !ks_file_is_dir(path)) {
		rc = open_file(out, path, err);
	} else if (log != NULL && ks_file_exists(log)) {
		rc = open_file(out, log, err); /* a recorded campaign has no more than that */
	} else {
		rc = ks_fold_open_unread(out, path, err);
	}
	free(log);
	return rc;
}

void ks_fold_free(struct ks_fold *f)
{
	if (f == NULL) {
		return;
	}
	if (f->cache != NULL) {
		cache_clear(f);
		free(f->cache);
		ks_state_fini(&f->state);
	}
	ks_follow_free(f->follow);
	ks_bank_free(f->bank);
	ks_buf_fini(&f->diff);
	if (f->has_paths) {
		ks_campaign_paths_fini(&f->paths);
	}
	free(f);
}

const struct ks_state *ks_fold_state(const struct ks_fold *f)
{
	return &f->state;
}

struct ks_view_data *ks_fold_data(struct ks_fold *f)
{
	return &f->data;
}

const struct ks_campaign_paths *ks_fold_paths(const struct ks_fold *f)
{
	return f->has_paths ? &f->paths : NULL;
}

struct ks_follow *ks_fold_follow(struct ks_fold *f)
{
	return f->follow;
}

int ks_fold_bank(struct ks_fold *f, struct ks_err *err)
{
	int rc = f->bank == NULL ? ks_bank_open_for(&f->bank,
		f->has_paths ? f->paths.root : NULL, err) : 0;

	f->data.bank = f->bank;
	return rc;
}
