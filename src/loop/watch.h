#ifndef KSEEK_LOOP_WATCH_H
#define KSEEK_LOOP_WATCH_H
/*
 * Changes in a folder or of a file, by inotify; by looking once a second where
 * that is not to be had. A hint, not a record: events are merged and may come
 * without a cause, so the receiver looks for itself.
 */
#include "base/err.h"
#include "loop/loop.h"

struct ks_watch;
/* A folder: fn gets the name of what changed in it, or "" for "look at all".
 * A file (it may not exist yet, its folder must): fn gets its base name; it is
 * found again after a rename over it. Subfolders are not followed. */
int ks_watch_new(struct ks_watch **out, struct ks_loop *loop, const char *path,
	void (*fn)(void *ctx, const char *name), void *ctx, struct ks_err *err);
void ks_watch_free(struct ks_watch *watch);

#endif
