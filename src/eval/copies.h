#ifndef KSEEK_EVAL_COPIES_H
#define KSEEK_EVAL_COPIES_H
/*
 * A worker's own copies of the libraries that it loads. Where a file's pages
 * happen to lie in memory decides which cache lines its code competes for, and a
 * file keeps its pages for all evaluations: the seed would have the same small
 * advantage over every candidate. With new files for each worker that advantage
 * differs from worker to worker, and the interval counts it.
 */
#include <stddef.h>

#include "base/err.h"

#define KS_COPIES_MAX 4

struct ks_copies {
	char *path[KS_COPIES_MAX]; /* of copies */
	size_t count;
};

/* Copies the file beside itself and returns the copy's path, which c owns; where
 * that is not possible, the file's own path. At most KS_COPIES_MAX. */
const char *ks_copies_add(struct ks_copies *c, const char *path);
/* Removes the files; what is mapped of them stays. NULL or zero is fine. */
void ks_copies_fini(struct ks_copies *c);
/* Takes the copies' endings out of a message, so that it names the originals. */
void ks_copies_rename(const struct ks_copies *c, struct ks_err *err);

#endif
