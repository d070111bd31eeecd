/*
 * Candidates as commits, notes on them, and the list of them.
 */
#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "repo/internal.h"

#define NOTE_MAX (16u * 1024 * 1024)

int ks_repo_commit_tree(struct ks_repo *repo, const git_oid *tree, const char *message,
	int64_t t, const git_commit **parents, size_t n_parents, git_oid *out,
	struct ks_err *err)
{
	git_signature *who = NULL;
	git_tree *object = NULL;
	int status, rc = ks_repo_signature(&who, t, err);

	if (rc < 0) {
		return rc;
	}
	errno = 0;
	status = git_tree_lookup(&object, repo->git, tree);
	if (status == 0) {
		status = git_commit_create(out, repo->git, NULL, who, who, "UTF-8", message,
			object, n_parents, parents);
	}
	git_tree_free(object);
	git_signature_free(who);
	return status < 0 ? ks_repo_err(err, status, "%s: cannot commit", repo->folder) : 0;
}

static int lookup_commit(struct ks_repo *repo, const char *hex, git_commit **out,
	struct ks_err *err)
{
	git_oid oid;
	int status, rc = ks_repo_oid(&oid, hex, err);

	if (rc < 0) {
		return rc;
	}
	status = git_commit_lookup(out, repo->git, &oid);
	return status < 0 ? ks_repo_err(err, status, "%s: no such commit", hex) : 0;
}

/* The branch's last commit; *out stays NULL without a branch. */
static int lookup_tip(struct ks_repo *repo, git_commit **out, struct ks_err *err)
{
	git_oid oid;
	int status = git_reference_name_to_id(&oid, repo->git, KS_REF_CANDIDATES);

	if (status == GIT_ENOTFOUND) {
		return 0;
	}
	if (status == 0) {
		status = git_commit_lookup(out, repo->git, &oid);
	}
	return status < 0 ? ks_repo_err(err, status, "%s: cannot read " KS_REF_CANDIDATES,
		repo->folder) : 0;
}

int ks_repo_commit(struct ks_repo *repo, const struct ks_repo_commit *commit,
	char out_commit[KS_OID_HEX], struct ks_err *err)
{
	git_commit *tip = NULL, *parent = NULL;
	const git_commit *parents[2];
	size_t n_parents = 0;
	git_oid tree, made;
	int rc = ks_repo_write_tree(repo, commit->files, commit->count, &tree, err);

	if (rc == 0) {
		rc = lookup_tip(repo, &tip, err);
	}
	if (rc == 0 && commit->parent != NULL) {
		rc = lookup_commit(repo, commit->parent, &parent, err);
	}
	if (rc == 0) {
		if (parent != NULL) {
			parents[n_parents++] = parent;
		}
		if (tip != NULL && (parent == NULL ||
			!git_oid_equal(git_commit_id(tip), git_commit_id(parent)))) {
			parents[n_parents++] = tip;
		}
		rc = ks_repo_commit_tree(repo, &tree, commit->message, commit->t, parents,
			n_parents, &made, err);
	}
	if (rc == 0) {
		rc = ks_repo_point(repo, KS_REF_CANDIDATES, &made, "kseek: candidate", err);
	}
	if (rc == 0) {
		ks_repo_hex(out_commit, &made);
	}
	git_commit_free(tip);
	git_commit_free(parent);
	return rc;
}

/* ---- notes ---- */

int ks_repo_note(struct ks_repo *repo, const char *commit, struct ks_buf *out,
	struct ks_err *err)
{
	git_note *note = NULL;
	git_oid oid;
	int status, rc = ks_repo_oid(&oid, commit, err);

	if (rc < 0) {
		return rc;
	}
	status = git_note_read(&note, repo->git, KS_REF_NOTES, &oid);
	if (status < 0) {
		return ks_repo_err(err, status, "%s: no note", commit);
	}
	ks_buf_adds(out, git_note_message(note));
	git_note_free(note);
	return 0;
}

int ks_repo_note_set(struct ks_repo *repo, const char *commit, struct ks_str text,
	int64_t t, struct ks_err *err)
{
	git_signature *who = NULL;
	git_commit *object = NULL;
	git_oid written;
	char *copy;
	int status, rc = lookup_commit(repo, commit, &object, err);

	if (rc < 0) {
		return rc;
	}
	git_commit_free(object);
	if (text.len > NOTE_MAX || (text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL)) {
		return ks_err_set(err, KS_EINVAL, "%s: a note must be text of at most %u bytes",
			commit, NOTE_MAX);
	}
	rc = ks_repo_signature(&who, t, err);
	if (rc < 0) {
		return rc;
	}
	copy = ks_strndup(text.len > 0 ? text.ptr : "", text.len);
	ks_repo_oid(&written, commit, NULL);
	errno = 0;
	status = git_note_create(&written, repo->git, KS_REF_NOTES, who, who, &written, copy, 1);
	free(copy);
	git_signature_free(who);
	return status < 0 ? ks_repo_err(err, status, "%s: cannot write its note", commit) : 0;
}
