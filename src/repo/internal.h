#ifndef KSEEK_REPO_INTERNAL_H
#define KSEEK_REPO_INTERNAL_H
/* What the files of src/repo share. */
#include <git2.h>

#include "base/buf.h"
#include "repo/repo.h"

#define KS_REF_PROBLEM "refs/kseek/problem"
#define KS_REF_CANDIDATES "refs/heads/candidates"
#define KS_REF_NOTES "refs/notes/kseek"
#define KS_REPO_NAME "kseek"
#define KS_REPO_EMAIL "kseek@localhost"
#define KS_REPO_FILES_MAX 10000u

struct ks_repo {
	git_repository *git;
	char *folder;
};

/* Error from a libgit2 status, with its own words behind "what". */
int ks_repo_err(struct ks_err *err, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int ks_repo_oid(git_oid *out, const char *hex, struct ks_err *err);
void ks_repo_hex(char out[KS_OID_HEX], const git_oid *oid);
/* Gives a signature of kseek at t (microseconds; 0: now). */
int ks_repo_signature(git_signature **out, int64_t t, struct ks_err *err);
/* Writes blobs and trees; the tree's id. */
int ks_repo_write_tree(struct ks_repo *repo, const struct ks_repo_file *files,
	size_t count, git_oid *out, struct ks_err *err);
/* Tree of a commit or the tree itself; gives. */
int ks_repo_tree(struct ks_repo *repo, const char *hex, git_tree **out, struct ks_err *err);
/* Points a reference at an object; waits a little for another's lock. */
int ks_repo_point(struct ks_repo *repo, const char *ref, const git_oid *oid,
	const char *why, struct ks_err *err);
/* Commits a tree without touching a reference. */
int ks_repo_commit_tree(struct ks_repo *repo, const git_oid *tree, const char *message,
	int64_t t, const git_commit **parents, size_t n_parents, git_oid *out,
	struct ks_err *err);

#endif
