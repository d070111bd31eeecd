/*
 * Opening and making the campaign's repository, and what all parts share.
 *
 * libgit2 is told to read no configuration but the repository's own: what we
 * write must not depend on who runs us, and an account without a name must
 * work. It runs no hooks. Objects are synced to disk before references move.
 */
#include "repo/repo.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "repo/internal.h"

#define LOCK_TRIES 40
#define LOCK_WAIT_US 25000
#define LOCK_STALE_S 60

int ks_repo_err(struct ks_err *err, int status, const char *fmt, ...)
{
	const git_error *last = git_error_last();
	int code = KS_EIO;
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (status == GIT_ENOTFOUND) {
		code = KS_ENOTFOUND;
	} else if (status == GIT_ELOCKED) {
		code = KS_EBUSY;
	} else if (status == GIT_EAMBIGUOUS || status == GIT_EINVALIDSPEC) {
		code = KS_EINVAL;
	} else if (errno == ENOSPC || errno == EDQUOT) {
		code = KS_EFULL;
	}
	return ks_err_set(err, code, "%s: %s", what,
		last != NULL && last->message != NULL ? last->message : "no reason given");
}

int ks_repo_oid(git_oid *out, const char *hex, struct ks_err *err)
{
	if (strlen(hex) != KS_OID_HEX - 1 || git_oid_fromstr(out, hex) < 0) {
		return ks_err_set(err, KS_EINVAL, "%.60s: not an id of 40 hex digits", hex);
	}
	return 0;
}

void ks_repo_hex(char out[KS_OID_HEX], const git_oid *oid)
{
	git_oid_tostr(out, KS_OID_HEX, oid);
}

int ks_repo_signature(git_signature **out, int64_t t, struct ks_err *err)
{
	int64_t seconds = t > 0 ? t / 1000000 : (int64_t)time(NULL);
	int status = git_signature_new(out, KS_REPO_NAME, KS_REPO_EMAIL, seconds, 0);

	return status < 0 ? ks_repo_err(err, status, "cannot sign a commit") : 0;
}

int ks_repo_point(struct ks_repo *repo, const char *ref, const git_oid *oid,
	const char *why, struct ks_err *err)
{
	git_reference *made = NULL;
	int status = GIT_ELOCKED;

	for (int i = 0; i < LOCK_TRIES && status == GIT_ELOCKED; i++) {
		if (i > 0) {
			usleep(LOCK_WAIT_US);
		}
		errno = 0;
		status = git_reference_create(&made, repo->git, ref, oid, 1, why);
	}
	git_reference_free(made);
	return status < 0 ? ks_repo_err(err, status, "%s: cannot move %s", repo->folder, ref) : 0;
}

/* ---- configuration ---- */

/* Sets a value in the repository's own file, where it has none yet. */
static int config_default(git_config *config, const char *key, const char *value)
{
	git_config_entry *entry = NULL;
	int status = git_config_get_entry(&entry, config, key);

	git_config_entry_free(entry);
	return status == GIT_ENOTFOUND ? git_config_set_string(config, key, value) : status;
}

struct note_refs {
	int any, ours;
};

static int count_note_ref(const git_config_entry *entry, void *payload)
{
	struct note_refs *refs = payload;

	refs->any++;
	refs->ours += strcmp(entry->value, KS_REF_NOTES) == 0;
	return 0;
}

/* Adds a value beside others. By hand: libgit2 does it with a pattern that must
 * not match, and leaks memory for each that does not. */
static int notes_append(struct ks_repo *repo, struct ks_err *err)
{
	char *path = ks_path_join(git_repository_path(repo->git), "config");
	struct ks_buf text = {0};
	int rc = ks_file_read(&text, path, 1 << 20, err);

	if (rc == 0) {
		ks_buf_adds(&text, "\n[notes]\n\tdisplayRef = " KS_REF_NOTES "\n");
		rc = ks_file_write(path, ks_buf_str(&text), 0644, err);
	}
	ks_buf_fini(&text);
	free(path);
	return rc;
}

/* Plain `git log` shows our notes; notes.displayRef may have several values. */
static int configure_notes(struct ks_repo *repo, git_config *config, struct ks_err *err)
{
	struct note_refs refs = {0};
	int status = git_config_get_multivar_foreach(config, "notes.displayref", NULL,
		count_note_ref, &refs);

	if (status < 0 && status != GIT_ENOTFOUND) {
		return ks_repo_err(err, status, "%s: cannot read the configuration", repo->folder);
	}
	if (refs.ours > 0) {
		return 0;
	}
	if (refs.any > 0) {
		return notes_append(repo, err);
	}
	status = git_config_set_string(config, "notes.displayRef", KS_REF_NOTES);
	return status < 0 ? ks_repo_err(err, status, "%s: cannot configure the repository",
		repo->folder) : 0;
}

static int configure(struct ks_repo *repo, bool fresh, struct ks_err *err)
{
	git_config *config = NULL;
	int status = git_repository_config(&config, repo->git), rc;

	if (status == 0) {
		status = config_default(config, "user.name", KS_REPO_NAME);
	}
	if (status == 0) {
		status = config_default(config, "user.email", KS_REPO_EMAIL);
	}
	if (status == 0 && fresh) {
		/* A hooks folder set for the whole account is not for us. */
		status = config_default(config, "core.hooksPath", ".git/hooks");
	}
	rc = status < 0 ? ks_repo_err(err, status, "%s: cannot configure the repository",
		repo->folder) : configure_notes(repo, config, err);
	git_config_free(config);
	return rc;
}

/* Our own folder shows in no `git status`. */
static int exclude(struct ks_repo *repo, struct ks_err *err)
{
	char *path = ks_path_join(git_repository_path(repo->git), "info/exclude");
	char *dir = ks_path_dir(path);
	struct ks_buf text = {0};
	int rc = ks_file_mkdirs(dir, 0755, err);

	if (rc == 0 && ks_file_exists(path)) {
		rc = ks_file_read(&text, path, 1 << 20, err);
	}
	if (rc == 0 && ks_str_find(ks_buf_str(&text), KS_STR("/.kseek/")) < 0) {
		if (text.len > 0 && text.ptr[text.len - 1] != '\n') {
			ks_buf_addc(&text, '\n');
		}
		ks_buf_adds(&text, "/.kseek/\n");
		rc = ks_file_write(path, ks_buf_str(&text), 0644, err);
	}
	ks_buf_fini(&text);
	free(dir);
	free(path);
	return rc;
}

/* ---- opening ---- */

static void library_begin(void)
{
	static const int levels[] = {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
		GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL};

	if (git_libgit2_init() > 1) {
		return;
	}
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
	}
	/* We open the campaign's own .git only, and run nothing out of it. */
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
}

static struct ks_repo *repo_new(const char *folder)
{
	struct ks_repo *repo = ks_zalloc(1, sizeof(*repo));

	library_begin();
	repo->folder = ks_strdup(folder);
	return repo;
}

void ks_repo_free(struct ks_repo *repo)
{
	if (repo == NULL) {
		return;
	}
	git_repository_free(repo->git);
	free(repo->folder);
	free(repo);
	git_libgit2_shutdown();
}

/* 1 a repository, 0 nothing there, or a negative code. */
static int look(const char *folder, struct ks_err *err)
{
	char *path = ks_path_join(folder, ".git");
	struct stat st;
	int rc = 1;

	if (lstat(path, &st) < 0) {
		rc = 0;
	} else if (!S_ISDIR(st.st_mode)) {
		rc = ks_err_set(err, KS_EUNSUPPORTED,
			"%s: leads to a repository elsewhere; "
			"make the campaign in a folder of its own", path);
	}
	free(path);
	return rc;
}

static int open_git(struct ks_repo *repo, struct ks_err *err)
{
	int status = git_repository_open_ext(&repo->git, repo->folder,
		GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);

	if (status == 0) {
		status = git_repository_set_ident(repo->git, KS_REPO_NAME, KS_REPO_EMAIL);
	}
	return status < 0 ? ks_repo_err(err, status, "%s: cannot open the repository",
		repo->folder) : 0;
}

static int init_git(struct ks_repo *repo, struct ks_err *err)
{
	git_repository_init_options options;
	int status;

	git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	options.flags = GIT_REPOSITORY_INIT_NO_REINIT;
	options.initial_head = "main";
	status = git_repository_init_ext(&repo->git, repo->folder, &options);
	if (status < 0) {
		return ks_repo_err(err, status, "%s: cannot make a repository", repo->folder);
	}
	git_repository_free(repo->git);
	repo->git = NULL;
	return open_git(repo, err);
}

int ks_repo_create(struct ks_repo **out, const char *folder, struct ks_err *err)
{
	int found = look(folder, err), rc;
	struct ks_repo *repo;

	if (found < 0) {
		return found;
	}
	if (!ks_file_is_dir(folder)) {
		return ks_err_set(err, KS_ENOTFOUND, "%s: no such folder", folder);
	}
	repo = repo_new(folder);
	rc = found == 0 ? init_git(repo, err) : open_git(repo, err);
	if (rc == 0) {
		rc = configure(repo, found == 0, err);
	}
	if (rc == 0) {
		rc = exclude(repo, err);
	}
	if (rc < 0) {
		ks_repo_free(repo);
		return rc;
	}
	*out = repo;
	return 0;
}

bool ks_repo_is_there(const struct ks_repo *repo)
{
	struct stat st;

	return stat(git_repository_path(repo->git), &st) == 0;
}

int ks_repo_open(struct ks_repo **out, const char *folder, struct ks_err *err)
{
	int found = look(folder, err), rc;
	struct ks_repo *repo;

	if (found < 0) {
		return found;
	}
	if (found == 0) {
		return ks_err_set(err, KS_ENOTFOUND, KS_REPO_GONE, folder);
	}
	repo = repo_new(folder);
	rc = open_git(repo, err);
	if (rc < 0) {
		ks_repo_free(repo);
		return rc;
	}
	*out = repo;
	return 0;
}

/* ---- locks ---- */

static size_t clear_lock(struct ks_repo *repo, const char *name, bool shared)
{
	char *path = ks_path_join(git_repository_path(repo->git), name);
	struct stat st;
	bool removed = false;

	/* A file that the user's own git may hold is left while it is young. */
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		(!shared || time(NULL) - st.st_mtime > LOCK_STALE_S)) {
		removed = unlink(path) == 0;
	}
	free(path);
	return removed;
}

size_t ks_repo_clear_locks(struct ks_repo *repo)
{
	return clear_lock(repo, KS_REF_CANDIDATES ".lock", false) +
		clear_lock(repo, KS_REF_PROBLEM ".lock", false) +
		clear_lock(repo, KS_REF_NOTES ".lock", false) +
		clear_lock(repo, "packed-refs.lock", true) +
		clear_lock(repo, "config.lock", true);
}
