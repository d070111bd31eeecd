/*
 * Scratch folders: see scratch.h. Only regular files are copied, at most 4096 of
 * them and 256 MiB; links, sockets and names that begin with a dot are not.
 */
#include "app/scratch.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/paths.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "store/campaign.h"

#define FILES_MAX 4096
#define BYTES_MAX (256ull * 1024 * 1024)
#define DEPTH_MAX 8

struct copying {
	size_t files;
	unsigned long long bytes;
};

static int copy_file(struct copying *c, const char *from, const char *to, struct ks_err *err)
{
	struct ks_buf bytes = {0};
	int rc = ks_file_read(&bytes, from, BYTES_MAX, err);

	c->files++;
	c->bytes += bytes.len;
	if (rc == 0 && (c->files > FILES_MAX || c->bytes > BYTES_MAX)) {
		rc = ks_err_set(err, KS_ELIMIT, "%s: more than %d files or 256 MiB; "
			"try a smaller folder", from, FILES_MAX);
	}
	if (rc == 0) {
		rc = ks_file_write(to, ks_buf_str(&bytes), 0600, err);
	}
	ks_buf_fini(&bytes);
	return rc;
}

static int copy_tree(struct copying *c, const char *from, const char *to, int depth,
	struct ks_err *err);

static int copy_one(struct copying *c, const char *from, const char *to, int depth,
	struct ks_err *err)
{
	struct stat st;

	if (lstat(from, &st) < 0) {
		return ks_err_set(err, KS_EIO, "%s: %s", from, strerror(errno));
	}
	if (S_ISDIR(st.st_mode)) {
		return copy_tree(c, from, to, depth + 1, err);
	}
	return S_ISREG(st.st_mode) ? copy_file(c, from, to, err) : 0;
}

static int copy_tree(struct copying *c, const char *from, const char *to, int depth,
	struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0;
	int rc = depth > DEPTH_MAX ? ks_err_set(err, KS_ELIMIT, "%s: too deep", from) :
		ks_file_mkdirs(to, 0700, err);

	if (rc == 0) {
		rc = ks_file_list(&names, &count, from, err);
	}
	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *a = ks_path_join(from, names[i]);
		char *b = ks_path_join(to, names[i]);

		rc = names[i][0] == '.' ? 0 : copy_one(c, a, b, depth, err);
		free(a);
		free(b);
	}
	ks_names_free(names, count);
	return rc;
}

static int make(struct ks_scratch **out, struct ks_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = ks_asprintf("%s/kseek-dryrun-XXXXXX",
		tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");

	if (mkdtemp(dir) == NULL) {
		int rc = ks_err_set(err, KS_EIO,
			"%s: %s; set TMPDIR to a folder that can be written", dir, strerror(errno));
		free(dir);
		return rc;
	}
	*out = ks_zalloc(1, sizeof(**out));
	(*out)->dir = dir;
	(*out)->problem = ks_path_join(dir, "problem");
	return 0;
}

void ks_scratch_free(struct ks_scratch *s)
{
	if (s == NULL) {
		return;
	}
	ks_file_remove_tree(s->dir, NULL);
	free(s->dir);
	free(s->kernel);
	free(s->problem);
	free(s->definition);
	free(s->shipped);
	free(s->target);
	free(s);
}

int ks_scratch_definition(char **out, const char *problem, struct ks_err *err)
{
	char *path = ks_path_join(problem, "definition.json");
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	int rc = ks_file_read(&text, path, 1024 * 1024, err);

	if (rc == 0) {
		rc = ks_json_parse(&doc, text.ptr != NULL ? text.ptr : "", text.len, err);
	}
	if (rc == 0) {
		*out = ks_strdup(ks_json_get_str(doc, "name", ""));
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
	free(path);
	return rc;
}

/* The campaign's own files; what git and the engine keep begins with a dot. */
static int fill_campaign(struct ks_scratch *s, const char *root, struct ks_err *err)
{
	struct ks_campaign campaign = {0};
	struct copying c = {0};
	char *config = ks_path_join(root, "campaign.json");
	int rc = ks_campaign_read(&campaign, config, err);

	if (rc == 0) {
		rc = copy_tree(&c, root, s->dir, 0, err);
	}
	if (rc == 0 && campaign.files.count == 0) {
		rc = ks_err_set(err, KS_EINVAL, "%s: $.files: names no source", config);
	}
	if (rc == 0) {
		s->kernel = ks_path_join(s->dir, campaign.files.items[0]);
		s->target = ks_strdup(ks_target_name(campaign.target));
	}
	if (rc == 0 && !ks_file_is_dir(s->problem)) {
		char *from = ks_path_join(root,
			campaign.problem != NULL ? campaign.problem : "problem");

		rc = copy_tree(&c, from, s->problem, 0, err);
		free(from);
	}
	ks_campaign_fini(&campaign);
	free(config);
	return rc;
}

static int copy_data(struct copying *c, const char *name, const char *to, struct ks_err *err)
{
	char *from = NULL;
	int rc = ks_paths_data(&from, name, err);

	if (rc == 0) {
		rc = copy_tree(c, from, to, 0, err);
	}
	free(from);
	return rc;
}

static int fill_shipped(struct ks_scratch *s, const char *name, const char *target,
	struct ks_err *err)
{
	struct copying c = {0};
	const char *suffix = strcmp(target, "cuda") == 0 ? "cu" : "c";
	char *scenarios = ks_asprintf("scenarios/%s", name);
	char *kernels = ks_asprintf("kernels/%s", name);
	char *seed = ks_asprintf("%s/seed.%s", s->problem, suffix);

	s->kernel = ks_asprintf("%s/kernel.%s", s->dir, suffix);
	s->target = ks_strdup(target);
	s->shipped = ks_strdup(name);
	int rc = copy_data(&c, scenarios, s->problem, err);
	if (rc == 0) {
		rc = copy_data(&c, kernels, s->problem, err);
	}
	if (rc == 0) {
		rc = copy_data(&c, "kernels/include", s->problem, err);
	}
	if (rc == 0) {
		rc = copy_file(&c, seed, s->kernel, err);
	}
	free(scenarios);
	free(kernels);
	free(seed);
	return rc;
}

static int finish(struct ks_scratch **out, struct ks_scratch *s, int rc, struct ks_err *err)
{
	if (rc == 0) {
		rc = ks_scratch_definition(&s->definition, s->problem, err);
	}
	if (rc < 0) {
		ks_scratch_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

int ks_scratch_campaign(struct ks_scratch **out, const char *root, struct ks_err *err)
{
	struct ks_scratch *s = NULL;
	int rc = make(&s, err);

	return rc < 0 ? rc : finish(out, s, fill_campaign(s, root, err), err);
}

int ks_scratch_shipped(struct ks_scratch **out, const char *name, const char *target,
	struct ks_err *err)
{
	struct ks_scratch *s = NULL;

	if (!ks_path_is_plain(name) || strchr(name, '/') != NULL) {
		return ks_err_set(err, KS_EINVAL, "'%.40s': not the name of a shipped problem",
			name);
	}
	int rc = make(&s, err);
	return rc < 0 ? rc : finish(out, s, fill_shipped(s, name, target, err), err);
}
