#ifndef KSEEK_REPO_REPO_H
#define KSEEK_REPO_REPO_H
/*
 * The campaign's git repository: sealed problem, candidates, notes, diffs.
 * src/repo is the only user of libgit2.
 *
 *   refs/kseek/problem     the sealed problem (a commit; its tree is in the log)
 *   refs/heads/candidates  one commit for each evaluated candidate
 *   refs/notes/kseek       results as notes on those commits
 *
 * The repository is always the one in the campaign's own folder, never one
 * above it; HEAD, index and working tree are the user's and are not touched.
 * Objects are on disk before a reference names them, so a process that dies at
 * any point leaves a repository that works. Calls block; sizes are bounded.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define KS_OID_HEX 41 /* 40 digits and NUL */
#define KS_REPO_FILE_MAX (64u * 1024 * 1024)
#define KS_REPO_DIFF_BYTES (1024u * 1024)
#define KS_REPO_DIFF_LINES 20000u

struct ks_repo;

/* What is said of a campaign's folder without one; "%s" is the folder. */
#define KS_REPO_GONE "%s: no .git in it, and the candidates are commits there; bring .git back " \
	"from a copy, or make a new campaign with 'kseek new'"
/* Whether what was opened is still there. */
bool ks_repo_is_there(const struct ks_repo *repo);

/* Makes FOLDER/.git, or completes one that is there (a user's own repository
 * in the campaign's folder is kept and gains our settings). Gives *out. */
int ks_repo_create(struct ks_repo **out, const char *folder, struct ks_err *err);
/* KS_ENOTFOUND where FOLDER/.git is none; parents are not searched. */
int ks_repo_open(struct ks_repo **out, const char *folder, struct ks_err *err);
void ks_repo_free(struct ks_repo *repo);
/* Removes lock files of a process that died. Only for the holder of the
 * campaign's lock; returns how many. */
size_t ks_repo_clear_locks(struct ks_repo *repo);

struct ks_repo_file {
	char *path;           /* plain relative path, '/' between parts */
	char *bytes;
	size_t len;
	bool executable;
};
/* For lists that this module gave. */
void ks_repo_files_free(struct ks_repo_file *files, size_t count);

/* Writes the files as a tree under refs/kseek/problem; its hex in out_tree. */
int ks_repo_seal(struct ks_repo *repo, const struct ks_repo_file *files, size_t count,
	char out_tree[KS_OID_HEX], struct ks_err *err);
/* Same from a folder, with subfolders; links and special files are refused. */
int ks_repo_seal_folder(struct ks_repo *repo, const char *folder,
	char out_tree[KS_OID_HEX], struct ks_err *err);
/* Writes the files of a tree (or of a commit's tree) below dest, which is made
 * if needed; files that are there are replaced. */
int ks_repo_materialise(struct ks_repo *repo, const char *oid_hex, const char *dest,
	struct ks_err *err);

struct ks_repo_commit {
	const struct ks_repo_file *files;
	size_t count;
	const char *parent;   /* hex, or NULL for none */
	const char *message;  /* subject, body and trailers */
	int64_t t;            /* microseconds since 1970 */
};
/* Commits on refs/heads/candidates, whose tip becomes the new commit. A parent
 * that is not the tip is kept as first parent, and the tip becomes the second,
 * so that `git log candidates` reaches every candidate. */
int ks_repo_commit(struct ks_repo *repo, const struct ks_repo_commit *commit,
	char out_commit[KS_OID_HEX], struct ks_err *err);

/* Appends the note of a commit. KS_ENOTFOUND without one. */
int ks_repo_note(struct ks_repo *repo, const char *commit, struct ks_buf *out,
	struct ks_err *err);
/* Writes or replaces it. */
int ks_repo_note_set(struct ks_repo *repo, const char *commit, struct ks_str text,
	int64_t t, struct ks_err *err);

/* All files of a commit (or tree), sorted by path; gives. */
int ks_repo_read(struct ks_repo *repo, const char *oid_hex, struct ks_repo_file **out,
	size_t *out_count, struct ks_err *err);

struct ks_repo_diff_stat {
	size_t files, added, removed;
	bool cut;             /* the text ends early, and says so in its last line */
};
/* Appends the unified diff of two commits or trees, at most 1 MiB and 20 000
 * lines; binary files are named only. stat may be NULL. */
int ks_repo_diff(struct ks_repo *repo, const char *a, const char *b, struct ks_buf *out,
	struct ks_repo_diff_stat *stat, struct ks_err *err);

#endif
