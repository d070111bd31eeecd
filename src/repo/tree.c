/*
 * Trees of files: written, read, and materialised. Paths that come out of a
 * tree are checked as if they came from a stranger, since anyone may write to
 * the repository.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "repo/internal.h"

#define FOLDERS_MAX 1000

void ks_repo_files_free(struct ks_repo_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(files[i].path);
		free(files[i].bytes);
	}
	free(files);
}

/* ---- writing ---- */

static int index_add(struct ks_repo *repo, git_index *index, const struct ks_repo_file *file,
	struct ks_err *err)
{
	git_index_entry entry = {0};
	int status;

	if (!ks_path_is_plain(file->path)) {
		return ks_err_set(err, KS_EINVAL, "%s: not a plain relative path", file->path);
	}
	if (file->len > KS_REPO_FILE_MAX) {
		return ks_err_set(err, KS_ELIMIT, "%s: larger than %u bytes", file->path,
			KS_REPO_FILE_MAX);
	}
	entry.path = file->path;
	entry.mode = file->executable ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
	errno = 0;
	status = git_blob_create_from_buffer(&entry.id, repo->git,
		file->len > 0 ? file->bytes : "", file->len);
	if (status == 0) {
		status = git_index_add(index, &entry);
	}
	return status < 0 ? ks_repo_err(err, status, "%s: cannot store", file->path) : 0;
}

int ks_repo_write_tree(struct ks_repo *repo, const struct ks_repo_file *files,
	size_t count, git_oid *out, struct ks_err *err)
{
	git_index *index = NULL;
	int status = git_index_new(&index), rc = 0;

	if (status < 0) {
		return ks_repo_err(err, status, "cannot make a tree");
	}
	if (count > KS_REPO_FILES_MAX) {
		rc = ks_err_set(err, KS_ELIMIT, "more than %u files", KS_REPO_FILES_MAX);
	}
	for (size_t i = 0; i < count && rc == 0; i++) {
		rc = index_add(repo, index, &files[i], err);
	}
	if (rc == 0) {
		errno = 0;
		status = git_index_write_tree_to(out, index, repo->git);
		rc = status < 0 ? ks_repo_err(err, status, "cannot write a tree") : 0;
	}
	git_index_free(index);
	return rc;
}

int ks_repo_seal(struct ks_repo *repo, const struct ks_repo_file *files, size_t count,
	char out_tree[KS_OID_HEX], struct ks_err *err)
{
	git_oid tree, commit;
	int rc = ks_repo_write_tree(repo, files, count, &tree, err);

	if (rc == 0) {
		rc = ks_repo_commit_tree(repo, &tree, "kseek: the sealed problem\n", 0, NULL, 0,
			&commit, err);
	}
	if (rc == 0) {
		rc = ks_repo_point(repo, KS_REF_PROBLEM, &commit, "kseek: seal", err);
	}
	if (rc == 0) {
		ks_repo_hex(out_tree, &tree);
	}
	return rc;
}

/* ---- a folder as a list of files ---- */

struct gather {
	struct ks_repo_file *files;
	size_t count, cap;
	char **folders; /* relative, still to be read; "" is the top */
	size_t n_folders, cap_folders;
};

static int gather_file(struct gather *g, const char *path, const char *relative,
	const struct stat *st, struct ks_err *err)
{
	struct ks_buf bytes = {0};
	int rc = ks_file_read(&bytes, path, KS_REPO_FILE_MAX, err);

	if (rc < 0) {
		ks_buf_fini(&bytes);
		return rc;
	}
	ks_grow(&g->files, &g->cap, g->count + 1, sizeof(*g->files));
	g->files[g->count].path = ks_strdup(relative);
	g->files[g->count].len = bytes.len;
	g->files[g->count].bytes = ks_buf_take(&bytes);
	g->files[g->count].executable = (st->st_mode & S_IXUSR) != 0;
	g->count++;
	return 0;
}

static int gather_entry(struct gather *g, const char *top, const char *relative,
	struct ks_err *err)
{
	char *path = ks_path_join(top, relative);
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0) {
		rc = ks_err_sys(err, errno, "%s: cannot read", path);
	} else if (g->count >= KS_REPO_FILES_MAX || g->n_folders >= FOLDERS_MAX) {
		rc = ks_err_set(err, KS_ELIMIT, "%s: too many files", top);
	} else if (S_ISDIR(st.st_mode)) {
		ks_grow(&g->folders, &g->cap_folders, g->n_folders + 1, sizeof(*g->folders));
		g->folders[g->n_folders++] = ks_strdup(relative);
		rc = 0;
	} else if (S_ISREG(st.st_mode)) {
		rc = gather_file(g, path, relative, &st, err);
	} else {
		rc = ks_err_set(err, KS_EINVAL, "%s: neither a file nor a folder", path);
	}
	free(path);
	return rc;
}

static int gather_folder(struct gather *g, const char *top, const char *relative,
	struct ks_err *err)
{
	char *path = *relative != '\0' ? ks_path_join(top, relative) : ks_strdup(top);
	char **names = NULL;
	size_t count = 0;
	int rc = ks_file_list(&names, &count, path, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *name = *relative != '\0' ? ks_path_join(relative, names[i])
					       : ks_strdup(names[i]);

		rc = gather_entry(g, top, name, err);
		free(name);
	}
	ks_names_free(names, count);
	free(path);
	return rc;
}

int ks_repo_seal_folder(struct ks_repo *repo, const char *folder,
	char out_tree[KS_OID_HEX], struct ks_err *err)
{
	struct gather g = {0};
	int rc = gather_folder(&g, folder, "", err);

	for (size_t i = 0; rc == 0 && i < g.n_folders; i++) {
		/* The list may move while it grows. */
		char *name = ks_strdup(g.folders[i]);

		rc = gather_folder(&g, folder, name, err);
		free(name);
	}
	if (rc == 0 && g.count == 0) {
		rc = ks_err_set(err, KS_ENOTFOUND, "%s: no files to seal", folder);
	}
	if (rc == 0) {
		rc = ks_repo_seal(repo, g.files, g.count, out_tree, err);
	}
	ks_repo_files_free(g.files, g.count);
	ks_names_free(g.folders, g.n_folders);
	return rc;
}

/* ---- reading ---- */

int ks_repo_tree(struct ks_repo *repo, const char *hex, git_tree **out, struct ks_err *err)
{
	git_object *object = NULL, *tree = NULL;
	git_oid oid;
	int status, rc = ks_repo_oid(&oid, hex, err);

	if (rc < 0) {
		return rc;
	}
	status = git_object_lookup(&object, repo->git, &oid, GIT_OBJECT_ANY);
	if (status == 0) {
		status = git_object_peel(&tree, object, GIT_OBJECT_TREE);
	}
	git_object_free(object);
	if (status < 0) {
		return ks_repo_err(err, status, "%s: no tree of files", hex);
	}
	*out = (git_tree *)tree;
	return 0;
}

static int read_entry(struct ks_repo *repo, const git_index_entry *entry,
	struct ks_repo_file *out, struct ks_err *err)
{
	git_blob *blob = NULL;
	int status = git_blob_lookup(&blob, repo->git, &entry->id);
	size_t len;

	if (status < 0) {
		return ks_repo_err(err, status, "%s: cannot read from the repository",
			entry->path);
	}
	len = (size_t)git_blob_rawsize(blob);
	if (len > KS_REPO_FILE_MAX) {
		git_blob_free(blob);
		return ks_err_set(err, KS_ELIMIT, "%s: larger than %u bytes", entry->path,
			KS_REPO_FILE_MAX);
	}
	out->path = ks_strdup(entry->path);
	out->bytes = ks_alloc(len + 1);
	if (len > 0) {
		memcpy(out->bytes, git_blob_rawcontent(blob), len);
	}
	out->bytes[len] = '\0';
	out->len = len;
	out->executable = entry->mode == GIT_FILEMODE_BLOB_EXECUTABLE;
	git_blob_free(blob);
	return 0;
}

/* Files only: links and submodules are not followed. */
static int read_index(struct ks_repo *repo, git_index *index, struct ks_repo_file **out,
	size_t *out_count, struct ks_err *err)
{
	struct ks_repo_file *files = NULL;
	size_t count = 0, cap = 0, total = git_index_entrycount(index);
	int rc = 0;

	if (total > KS_REPO_FILES_MAX) {
		return ks_err_set(err, KS_ELIMIT, "a tree of more than %u files",
			KS_REPO_FILES_MAX);
	}
	for (size_t i = 0; i < total && rc == 0; i++) {
		const git_index_entry *entry = git_index_get_byindex(index, i);

		if ((entry->mode != GIT_FILEMODE_BLOB &&
			entry->mode != GIT_FILEMODE_BLOB_EXECUTABLE) ||
			!ks_path_is_plain(entry->path)) {
			continue;
		}
		ks_grow(&files, &cap, count + 1, sizeof(*files));
		rc = read_entry(repo, entry, &files[count], err);
		count += rc == 0;
	}
	if (rc < 0) {
		ks_repo_files_free(files, count);
		return rc;
	}
	*out = files;
	*out_count = count;
	return 0;
}

int ks_repo_read(struct ks_repo *repo, const char *oid_hex, struct ks_repo_file **out,
	size_t *out_count, struct ks_err *err)
{
	git_tree *tree = NULL;
	git_index *index = NULL;
	int status, rc = ks_repo_tree(repo, oid_hex, &tree, err);

	if (rc < 0) {
		return rc;
	}
	/* An index in memory is the tree as a flat, sorted list. */
	status = git_index_new(&index);
	if (status == 0) {
		status = git_index_read_tree(index, tree);
	}
	rc = status < 0 ? ks_repo_err(err, status, "%s: cannot read the tree", oid_hex)
			: read_index(repo, index, out, out_count, err);
	git_index_free(index);
	git_tree_free(tree);
	return rc;
}

/* ---- materialising ---- */

static int put_file(const char *dest, const struct ks_repo_file *file, struct ks_err *err)
{
	char *path = ks_path_join(dest, file->path), *dir = ks_path_dir(path);
	size_t at = 0;
	int fd, rc = ks_file_mkdirs(dir, 0755, err);

	free(dir);
	if (rc < 0) {
		free(path);
		return rc;
	}
	unlink(path); /* never through a link, never into a file that is mapped */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		file->executable ? 0755 : 0644);
	while (fd >= 0 && at < file->len) {
		ssize_t n = write(fd, file->bytes + at, file->len - at);

		if (n < 0 && errno != EINTR) {
			break;
		}
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || at < file->len) {
		rc = ks_err_sys(err, errno, "%s: cannot write", path);
	}
	if (fd >= 0) {
		close(fd);
	}
	free(path);
	return rc;
}

int ks_repo_materialise(struct ks_repo *repo, const char *oid_hex, const char *dest,
	struct ks_err *err)
{
	struct ks_repo_file *files = NULL;
	size_t count = 0;
	int rc = ks_repo_read(repo, oid_hex, &files, &count, err);

	if (rc == 0) {
		rc = ks_file_mkdirs(dest, 0755, err);
	}
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = put_file(dest, &files[i], err);
	}
	ks_repo_files_free(files, count);
	return rc;
}
