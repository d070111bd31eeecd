/*
 * Watching folders and files.
 *
 * A file is watched through its folder, so that a rename over it is seen.
 * Names that change in one turn are gathered and given once each. Polling
 * compares a digest of names, sizes and times of the folder's entries.
 */
#include "loop/watch.h"

#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "loop/internal.h"

#define POLL_MS 1000
#define GATHER_MAX 64 /* more names in one turn: "look at all" */

struct ks_watch {
	uv_fs_event_t uv;
	struct ks_loop *loop;
	char *folder;
	char *only;           /* base name of a file, or NULL */
	void (*fn)(void *ctx, const char *name);
	void *ctx;
	char *names[GATHER_MAX];
	size_t n_names;
	bool all, pending;
	bool released;
	struct ks_timer *poll;
	char digest[KS_HASH_HEX];
};

static void watch_memory(struct ks_watch *watch)
{
	for (size_t i = 0; i < watch->n_names; i++) {
		free(watch->names[i]);
	}
	free(watch->folder);
	free(watch->only);
	free(watch);
}

static void watch_closed(uv_handle_t *handle)
{
	watch_memory(handle->data);
}

static void give(void *ctx)
{
	struct ks_watch *watch = ctx;
	char *names[GATHER_MAX];
	size_t count = watch->n_names;
	bool all = watch->all;

	memcpy(names, watch->names, count * sizeof(names[0]));
	watch->n_names = 0;
	watch->all = watch->pending = false;
	for (size_t i = 0; i < count; i++) {
		if (!all && !watch->released) {
			watch->fn(watch->ctx, names[i]);
		}
		free(names[i]);
	}
	if (all && !watch->released) {
		watch->fn(watch->ctx, watch->only != NULL ? watch->only : "");
	}
}

static void gather(struct ks_watch *watch, const char *name)
{
	if (watch->only != NULL && name != NULL && strcmp(name, watch->only) != 0) {
		return;
	}
	if (!watch->pending) {
		watch->pending = true;
		ks_loop_defer(watch->loop, give, watch);
	}
	for (size_t i = 0; name != NULL && i < watch->n_names; i++) {
		if (strcmp(watch->names[i], name) == 0) {
			return;
		}
	}
	if (name == NULL || watch->n_names == GATHER_MAX) {
		watch->all = true;
		return;
	}
	watch->names[watch->n_names++] = ks_strdup(name);
}

/* ---- polling ---- */

static void digest_entry(struct ks_hash *hash, const char *folder, const char *name)
{
	char *path = ks_path_join(folder, name);
	struct stat st = {0};
	char text[160];
	int len;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		len = snprintf(text, sizeof(text), "%lld %lld.%09ld %llu\n", (long long)st.st_size,
			(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			(unsigned long long)st.st_ino);
		ks_hash_add(hash, name, strlen(name) + 1);
		ks_hash_add(hash, text, (size_t)len);
	}
	free(path);
}

static void digest_folder(const struct ks_watch *watch, char out[KS_HASH_HEX])
{
	struct ks_hash *hash = ks_hash_new();
	char **names = NULL;
	size_t count = 0;

	if (watch->only != NULL) {
		digest_entry(hash, watch->folder, watch->only);
	} else if (ks_file_list(&names, &count, watch->folder, NULL) == 0) {
		for (size_t i = 0; i < count; i++) {
			digest_entry(hash, watch->folder, names[i]);
		}
		ks_names_free(names, count);
	}
	ks_hash_peek(hash, out);
	ks_hash_free(hash);
}

static void poll_due(void *ctx)
{
	struct ks_watch *watch = ctx;
	char now[KS_HASH_HEX];

	digest_folder(watch, now);
	if (strcmp(now, watch->digest) != 0) {
		memcpy(watch->digest, now, sizeof(now));
		gather(watch, watch->only);
	}
	ks_timer_arm(watch->poll, POLL_MS);
}

static void poll_begin(struct ks_watch *watch)
{
	if (watch->poll != NULL) {
		return;
	}
	digest_folder(watch, watch->digest);
	watch->poll = ks_timer_new(watch->loop, poll_due, watch);
	ks_timer_arm(watch->poll, POLL_MS);
}

/* ---- inotify ---- */

static void fs_event(uv_fs_event_t *uv, const char *name, int events, int status)
{
	struct ks_watch *watch = uv->data;

	if (status < 0) {
		poll_begin(watch);
		gather(watch, NULL);
		return;
	}
	gather(watch, name);
}

int ks_watch_new(struct ks_watch **out, struct ks_loop *loop, const char *path,
	void (*fn)(void *ctx, const char *name), void *ctx, struct ks_err *err)
{
	bool is_dir = ks_file_is_dir(path);
	char *folder = is_dir ? ks_strdup(path) : ks_path_dir(path);
	struct ks_watch *watch;
	int rc;

	if (!ks_file_is_dir(folder)) {
		rc = ks_err_set(err, KS_ENOTFOUND, "%s: no such folder to watch", folder);
		free(folder);
		return rc;
	}
	watch = ks_zalloc(1, sizeof(*watch));
	watch->loop = loop;
	watch->folder = folder;
	watch->only = is_dir ? NULL : ks_strdup(ks_path_base(path));
	watch->fn = fn;
	watch->ctx = ctx;
	/* Also where we poll: its close callback frees the memory. */
	uv_fs_event_init(&loop->uv, &watch->uv);
	watch->uv.data = watch;
	if (uv_fs_event_start(&watch->uv, fs_event, watch->folder, 0) < 0) {
		/* No inotify, or no watches left for this user. */
		poll_begin(watch);
	}
	*out = watch;
	return 0;
}

void ks_watch_free(struct ks_watch *watch)
{
	if (watch == NULL) {
		return;
	}
	ks_loop_undefer(watch->loop, watch);
	ks_timer_free(watch->poll);
	watch->poll = NULL;
	watch->released = true;
	uv_close((uv_handle_t *)&watch->uv, watch_closed);
}
