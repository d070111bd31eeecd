/*
 * Candidates as commits, notes on them, and the list of them.
 */
#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "repo/internal.h"

#define LIST_MAX 1000000
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

/* ---- the list ---- */

static int list_one(struct ks_repo *repo, const git_oid *oid, struct ks_repo_entry *out,
	struct ks_err *err)
{
	git_commit *commit = NULL;
	const char *summary;
	int status = git_commit_lookup(&commit, repo->git, oid);

	if (status < 0) {
		return ks_repo_err(err, status, "cannot read a candidate");
	}
	*out = (struct ks_repo_entry){.t = git_commit_time(commit) * 1000000};
	ks_repo_hex(out->commit, oid);
	if (git_commit_parentcount(commit) > 0) {
		ks_repo_hex(out->parent, git_commit_parent_id(commit, 0));
	}
	summary = git_commit_summary(commit);
	out->subject = ks_strdup(summary != NULL ? summary : "");
	git_commit_free(commit);
	return 0;
}

/* Every commit below the tip, oldest first. */
static int list_walk(struct ks_repo *repo, const git_oid *tip, struct ks_repo_entry **list,
	size_t *count, struct ks_err *err)
{
	git_revwalk *walk = NULL;
	size_t cap = 0;
	git_oid oid;
	int status = git_revwalk_new(&walk, repo->git), rc = 0;

	if (status == 0) {
		git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME | GIT_SORT_REVERSE);
		status = git_revwalk_push(walk, tip);
	}
	while (status == 0 && rc == 0 && *count < LIST_MAX &&
		(status = git_revwalk_next(&oid, walk)) == 0) {
		ks_grow(list, &cap, *count + 1, sizeof(**list));
		rc = list_one(repo, &oid, &(*list)[*count], err);
		*count += rc == 0;
	}
	git_revwalk_free(walk);
	if (rc == 0 && status < 0 && status != GIT_ITEROVER) {
		rc = ks_repo_err(err, status, "%s: cannot list the candidates", repo->folder);
	}
	return rc;
}

int ks_repo_candidates(struct ks_repo *repo, struct ks_repo_entry **out,
	size_t *out_count, struct ks_err *err)
{
	struct ks_repo_entry *list = NULL;
	git_commit *tip = NULL;
	size_t count = 0;
	int rc = lookup_tip(repo, &tip, err);

	if (rc == 0 && tip != NULL) {
		rc = list_walk(repo, git_commit_id(tip), &list, &count, err);
	}
	git_commit_free(tip);
	if (rc < 0) {
		ks_repo_entries_free(list, count);
		return rc;
	}
	*out = list;
	*out_count = count;
	return 0;
}

void ks_repo_entries_free(struct ks_repo_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(entries[i].subject);
	}
	free(entries);
}
