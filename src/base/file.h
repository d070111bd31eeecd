#ifndef KSEEK_BASE_FILE_H
#define KSEEK_BASE_FILE_H
/*
 * Small file helpers for the edges of the program. src/core and src/wire must
 * not call them (the purity test looks at their archives' symbols).
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends a whole regular file of at most max bytes. KS_ELIMIT above. */
int ks_file_read(struct ks_buf *out, const char *path, size_t max, struct ks_err *err);
/* Writes path anew: temporary file beside it, fsync, rename. */
int ks_file_write(const char *path, struct ks_str bytes, mode_t mode, struct ks_err *err);
/* Adds to its end, and makes it if need be. What of it is on disk is the system's
 * to say; after a failure a part may be there. */
int ks_file_append(const char *path, struct ks_str bytes, mode_t mode, struct ks_err *err);
int ks_file_mkdirs(const char *path, mode_t mode, struct ks_err *err);
bool ks_file_exists(const char *path);
bool ks_file_is_dir(const char *path);
/* "a/b" without double slashes; an absolute b wins. Gives. */
char *ks_path_join(const char *a, const char *b);
const char *ks_path_base(const char *path);  /* lends a part of path */
char *ks_path_dir(const char *path);         /* gives */
/* True for a relative path without "..", "." or empty parts. */
bool ks_path_is_plain(const char *path);
/* Sorted plain names in a folder (no "." entries); gives array and names. */
int ks_file_list(char ***out_names, size_t *out_count, const char *dir, struct ks_err *err);
void ks_names_free(char **names, size_t count);
/* Removes a tree without following links. */
int ks_file_remove_tree(const char *path, struct ks_err *err);

#endif
